"""Starts a display of its own for one run: Xvfb, a window manager, a message bus, a viewer; and the folder it has."""

import contextlib
import fcntl
import os
import secrets
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from adapters.desktop.accessibility.setup import accessible
from adapters.desktop.children import Children, marked
from core.errors import DesktopUnavailable
from core.files import new_file

PREFIX: Final = "vaider-desktop-"
_UNBORN: Final = ".vaider-unborn-"
_ANY_ADDRESS: Final = 0xFFFF
"""``FamilyWild`` of Xauth.h: the entry is for every display, whose number is not known yet when the server reads it."""
_COOKIE_BYTES: Final = 16
_END_SECONDS: Final = 3.0
_SOCKET_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class PrivateFolder:
    """Where it is; the process that has it open by ``hold`` has the display."""

    path: Path

    @property
    def cookie(self) -> Path:
        """The file by which a program may use the display, and by which its processes are known."""
        return self.path / "Xauthority"

    @property
    def runtime(self) -> Path:
        """What programs take for ``XDG_RUNTIME_DIR``."""
        return self.path / "runtime"

    @property
    def temporary(self) -> Path:
        """What programs take for ``TMPDIR``."""
        return self.path / "tmp"

    @property
    def profile(self) -> Path:
        """What the browser takes for its profile."""
        return self.path / "browser"

    def fill(self) -> None:
        """Make what is in it, with a random cookie."""
        for folder in (self.runtime, self.temporary, self.profile):
            folder.mkdir(mode=0o700)
        name = b"MIT-MAGIC-COOKIE-1"
        entry = struct.pack("!HHHH", _ANY_ADDRESS, 0, 0, len(name)) + name + struct.pack("!H", _COOKIE_BYTES)
        with os.fdopen(new_file(self.cookie), "wb") as file:
            file.write(entry + secrets.token_bytes(_COOKIE_BYTES))

    def note_server(self, number: int) -> None:
        """Keep which socket it will be to remove when the server cannot."""
        inode, born = identity(_socket(number))
        (self.path / "server").write_text(f"{number} {inode} {born}", encoding="ascii")

    def clear(self) -> None:
        """Kill what still runs on the display, and remove everything of it. Does nothing the second time."""
        deadline = time.monotonic() + _END_SECONDS
        while (left := marked(str(self.path))) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_SOCKET_SECONDS)
        with contextlib.suppress(OSError, ValueError):
            number, *noted = (int(word) for word in (self.path / "server").read_text(encoding="ascii").split())
            if [*identity(_socket(number))] == noted:
                _socket(number).unlink()
        shutil.rmtree(self.path, ignore_errors=True)


def new_folder(scratch: Path) -> tuple[PrivateFolder, int]:
    """A new folder and the open file that says that it is in use; abandoned ones are cleared.

    Args:
        scratch: where it is made; a short path, as those of sockets below it are bounded.

    """
    for stale in abandoned(scratch):
        stale.clear()
    unborn = tempfile.mkdtemp(prefix=_UNBORN, dir=scratch)
    hold = os.open(unborn, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(hold, fcntl.LOCK_EX)
    # It gets the name by which it is found only now: a folder that is not held is taken for abandoned.
    path = Path(unborn).rename(Path(unborn).with_name(Path(unborn).name.replace(_UNBORN, PREFIX)))
    folder = PrivateFolder(path)
    folder.fill()
    return folder, hold


def abandoned(scratch: Path) -> Iterator[PrivateFolder]:
    """The folders of displays whose processes were all killed before they could clear them."""
    for path in scratch.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield PrivateFolder(path)
            except BlockingIOError:
                continue
            finally:
                os.close(file)


def identity(socket: Path) -> tuple[int, int]:
    """What no other socket of that name has: a new one often gets the inode of the one before, but never its time."""
    status = socket.stat()
    return status.st_ino, status.st_mtime_ns


def _socket(number: int) -> Path:
    return Path(f"/tmp/.X11-unix/X{number}")  # noqa: S108 - where every X server has it


SERVER: Final = "Xvfb"
MANAGER: Final = "openbox"
VIEWER: Final = "x11vnc"
INSTALL: Final = "Install it with `apt-get install xvfb openbox` (and x11vnc to watch it)."
SMALLEST: Final = (320, 200)
LARGEST: Final = (16384, 16384)
_MESSAGE_BUS: Final = "dbus-daemon"
NO_BUS: Final = "disabled:"
"""The address that no program finds a bus at."""
_START_SECONDS: Final = 15.0
_POLL_SECONDS: Final = 0.005
_MANAGER_SETTINGS: Final = Path("/etc/xdg/openbox/rc.xml")
_SETTINGS_NAMESPACE: Final = "{http://openbox.org/3.4/rc}"
_SHORTCUTS_KEPT: Final = frozenset({"A-F4", "A-Tab", "A-S-Tab"})
"""Of the window manager's; all others are for the programs, and each costs time whenever the keymap changes."""
_MANAGES_WINDOWS: Final = 1 << 20
"""``SubstructureRedirectMask`` of X.h."""
_NOT_PASSED_ON: Final = frozenset({"WAYLAND_DISPLAY", "SESSION_MANAGER", "DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"})


@dataclass(frozen=True, slots=True)
class VirtualDisplay:
    """A display that is ready; ``environment`` is what its programs are to see."""

    name: str
    environment: Mapping[str, str]
    viewer: str | None


def lacking(search_path: str) -> str | None:
    """``None`` when private displays can be started with what is on that ``PATH``, else what is missing."""
    for program, what in ((SERVER, "a virtual display"), (MANAGER, "its window manager")):
        if shutil.which(program, path=search_path) is None:
            return f"There is no {program} here, which makes {what}. {INSTALL}"
    return None


def start_server(folder: PrivateFolder, size: tuple[int, int], children: Children) -> str:
    """Start an empty display of that size, for this user alone, and tell its name.

    Raises:
        DesktopUnavailable: it does not start, or cannot be so large or so small.

    """
    if not all(low <= side <= high for low, side, high in zip(SMALLEST, size, LARGEST, strict=True)):
        raise DesktopUnavailable(
            f"A private display cannot be {size[0]}x{size[1]}: ask for one between {SMALLEST[0]}x{SMALLEST[1]} and "
            f"{LARGEST[0]}x{LARGEST[1]}."
        )
    if (lack := lacking(os.environ.get("PATH", ""))) is not None:
        raise DesktopUnavailable(lack)
    reader, writer = os.pipe()
    command = (
        *(SERVER, "-displayfd", str(writer), "-screen", "0", f"{size[0]}x{size[1]}x24", "-dpi", "96"),
        *("-nolisten", "tcp", "-noreset", "-auth", str(folder.cookie)),
    )
    environment = {**os.environ, "XAUTHORITY": str(folder.cookie)}
    try:
        # It removes its socket when it is asked to end, also by our death.
        children.start(command, environment=environment, base=True, pass_fds=[writer])
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        ready = select.select([pipe], [], [], _START_SECONDS)[0]
        number = pipe.readline().decode(errors="replace").strip() if ready else ""
    if not number.isdigit():
        raise DesktopUnavailable(f"{SERVER} does not start in {size[0]}x{size[1]}. {INSTALL}")
    folder.note_server(int(number))
    return f":{number}"


def furnish(name: str, folder: PrivateFolder, children: Children, password_file: Path | None) -> VirtualDisplay:
    """Put a window manager on the display, and what its programs need; returns when it manages windows.

    Args:
        name: the display, as ``start_server`` returned it.
        folder: its folder.
        children: who starts its programs.
        password_file: holds the password of the viewer; ``None`` for no viewer.

    Raises:
        DesktopUnavailable: the window manager does not start.

    """
    environment = _environment(name, folder)
    bus = _start_bus(folder, environment, children)
    environment = accessible(environment, has_session=bus != NO_BUS) | {"DBUS_SESSION_BUS_ADDRESS": bus}
    settings = _manager_settings(folder)
    manager = children.start((MANAGER, "--sm-disable", *settings), environment=environment)
    viewing = _start_viewer(name, folder, environment, children, password_file)
    _await_manager(name, manager)
    return VirtualDisplay(name, environment, viewing)


def _environment(name: str, folder: PrivateFolder) -> dict[str, str]:
    """What a program sees: this display alone, and no way to a session of the user's on another."""
    own = {key: value for key, value in os.environ.items() if key not in _NOT_PASSED_ON}
    return own | {
        "DISPLAY": name,
        "XAUTHORITY": str(folder.cookie),
        "XDG_RUNTIME_DIR": str(folder.runtime),
        "XDG_SESSION_TYPE": "x11",
        "TMPDIR": str(folder.temporary),
        "GDK_BACKEND": "x11",
        "QT_QPA_PLATFORM": "xcb",
        "MOZ_ENABLE_WAYLAND": "0",
    }


def _start_bus(folder: PrivateFolder, environment: Mapping[str, str], children: Children) -> str:
    """A message bus of the display's own: on the user's, a program would show its window on the user's display.

    It starts the display's accessibility bus when that is asked for, which ends with it.
    """
    program = shutil.which(_MESSAGE_BUS)
    if program is None:
        return NO_BUS
    address = f"unix:path={folder.runtime / 'bus'}"
    command = (program, "--session", "--nofork", "--nopidfile", "--nosyslog", f"--address={address}")
    own = accessible(environment, has_session=True) | {"DBUS_SESSION_BUS_ADDRESS": address}
    children.start(command, environment=own)
    return address


def _manager_settings(folder: PrivateFolder) -> tuple[str, ...]:
    """The system's settings with few shortcuts, whatever the user's own are."""
    try:
        document = ET.parse(_MANAGER_SETTINGS)  # noqa: S314 - the system's own file
    except (OSError, ET.ParseError):
        return ()
    ET.register_namespace("", _SETTINGS_NAMESPACE.strip("{}"))
    for keyboard in document.iter(f"{_SETTINGS_NAMESPACE}keyboard"):
        for shortcut in keyboard.findall(f"{_SETTINGS_NAMESPACE}keybind"):
            if shortcut.get("key") not in _SHORTCUTS_KEPT:
                keyboard.remove(shortcut)
    path = folder.path / "openbox.xml"
    document.write(path, encoding="utf-8", xml_declaration=True)
    return ("--config-file", str(path))


def _start_viewer(
    name: str, folder: PrivateFolder, environment: Mapping[str, str], children: Children, password_file: Path | None
) -> str | None:
    if password_file is None or shutil.which(VIEWER) is None:
        return None
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = (
        *(VIEWER, "-display", name, "-auth", str(folder.cookie), "-localhost", "-no6", "-rfbport", str(port)),
        *("-passwdfile", str(password_file), "-forever", "-shared", "-norc", "-quiet", "-nobell", "-noxrecord"),
    )
    children.start(command, environment=environment)
    return f"vnc://127.0.0.1:{port}"


def _await_manager(name: str, manager: subprocess.Popen[bytes]) -> None:
    from adapters.desktop.x11.connection import Connection  # noqa: PLC0415 - it is imported while the display starts

    deadline = time.monotonic() + _START_SECONDS
    server = Connection(name)
    try:
        area = server.atom("_NET_WORKAREA")
        # The protocol's own order: keep it, whose, which, of any type, from its first word, one word.
        while not (
            server.core.GetProperty(0, server.root, area, 0, 0, 1).reply().value_len
            # A window that comes before is not taken into its care, and stays unlisted.
            and server.core.GetWindowAttributes(server.root).reply().all_event_masks & _MANAGES_WINDOWS
        ):
            if manager.poll() is not None or time.monotonic() > deadline:
                raise DesktopUnavailable(f"The window manager {MANAGER} does not start on a private display. {INSTALL}")
            time.sleep(_POLL_SECONDS)
    finally:
        server.close()
