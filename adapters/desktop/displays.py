"""The displays of this machine, and private ones: who may have which, and the process that acts on it.

``occupancy``, ``display_names`` and ``virtual`` find or start the display. ``process/child`` and ``process/client`` are
the daemon's side of the acting process, ``process/worker`` and ``process/display_controller`` its own: there are the
hands (``x11/hands``, or ``pyautogui_hands``), the screen, windows and overlay of ``x11/``, the watch for the user's
input (``x11/takeover``, ``x11/ledger``, ``x11/hot_key``), ``settling`` (has the screen come to rest?) and ``launching``
(programs and addresses). ``eyesight/`` reads lines anew only where the screen changed; ``warm_eyes`` lends the eyes.
"""

from __future__ import annotations

import os
import secrets
import shutil
import string
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.desktop.accessibility.setup import TURN_ON, lacking_accessibility, session_bus
from adapters.desktop.browsers import find_browser
from adapters.desktop.display_names import CURRENT, HAS_X, PRIVATE, displays, occupied, resolve
from adapters.desktop.process.child import ActingProcess, SpareProcess
from adapters.desktop.process.client import ProcessDesktop
from adapters.desktop.virtual import MANAGER, SERVER, VIEWER, lacking, new_folder
from core.errors import ActionFailed, DesktopUnavailable, InvalidSetting
from core.files import Folder, make_private, storage_failure
from core.key_names import parse_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from core.runs.ports import Desktop

SIZE: Final = (1280, 720)
"""Of a private display, unless another is asked for: large enough for any page, small enough to read fast."""
X_SOCKETS: Final = Path("/tmp/.X11-unix")  # noqa: S108 - where every X server has its own
_PASSWORD_LETTERS: Final = 8
"""No VNC viewer sends more."""


@dataclass(frozen=True, slots=True)
class DesktopSurvey:
    """What was found: of ``current`` and ``private`` ``None`` when they can be used, else what to do about it.

    ``displays`` are the X displays that answer, ``programs`` and ``browser`` the paths of what is installed.
    """

    current: str | None
    private: str | None
    displays: tuple[str, ...]
    programs: tuple[str, ...]
    browser: str | None
    no_browser: str
    viewer: bool
    password_file: Path
    untold: str | None
    """Why programs of a private display do not tell their elements, and what to do about it; ``None`` if they do."""
    own_untold: str | None
    """The same of the user's own display."""


class LocalDesktops:
    """Implements ``core.runs.ports.Desktops``.

    Args:
        data_dir: Vaider's own folder; who has a display is written in ``desktops/`` below it.
        browser: the name of the browser for ``open_url``; empty for ``$BROWSER``, or what is found.
        stop_key: the chord that stops a run, as people write it, e.g. ``ctrl+alt+escape``; empty for none.
        hands: ``auto``, or ``pyautogui`` where that is wanted on X11 too.
        environment: of the user's session.
        scratch: where private displays keep their files while they are there; else the system's own place for that.

    Raises:
        InvalidSetting: the stop key is no chord.

    """

    def __init__(
        self,
        *,
        data_dir: Path,
        browser: str = "",
        stop_key: str = "ctrl+alt+escape",
        hands: str = "auto",
        environment: Mapping[str, str] = os.environ,
        scratch: Path | None = None,
    ) -> None:
        self._folder = data_dir / "desktops"
        self._browser = browser
        self._stop_key = _chord(stop_key)
        self._hands = hands
        self._environment = environment
        self._scratch = scratch or Path(tempfile.gettempdir())
        self._spare = SpareProcess()

    @property
    def password_file(self) -> Path:
        """Holds the password with which private displays can be watched; there once one was started."""
        return self._folder / "viewer-password"

    def unavailable(self, display: str) -> str | None:
        """``None`` when ``display`` can be used, else what to do about it."""
        try:
            name = resolve(display, self._environment)
        except DesktopUnavailable as error:
            return error.message
        return lacking(self._environment.get("PATH", "")) if name == PRIVATE else None

    def warm(self) -> None:
        """Get ready to open a display at once, for about a minute: after a look at the options a run often follows."""
        if HAS_X and self._hands == "auto":
            self._spare.warm()

    def close(self) -> None:
        """End what is kept ready."""
        self._spare.close()

    @contextmanager
    def open(
        self, display: str, *, run: str, size: tuple[int, int] | None, raise_if_cancelled: Callable[[], None]
    ) -> Generator[Desktop]:
        """Take the display for a run, and let go of it afterwards; a private one is started and ended.

        Raises:
            DesktopUnavailable: there is no such display, it cannot be used, or another run has it.
            StorageFailed: the data directory cannot be written.

        """
        if (lack := self.unavailable(display)) is not None:
            raise DesktopUnavailable(lack)
        name = resolve(display, self._environment)
        with ExitStack() as held:
            if name == PRIVATE:
                folder, hold = new_folder(self._scratch)
                held.callback(os.close, hold)
                process = held.enter_context(self._acting([hold], folder.clear))
                where: dict[str, object] = {
                    "private": str(folder.path),
                    "size": size or SIZE,
                    "password_file": str(self._password()),
                }
            else:
                hold = held.enter_context(occupied(self._folder, name.partition(".")[0], run))
                process = held.enter_context(self._acting([hold], _nothing))
                process.display = name
                where = {"display": name}
            yield ProcessDesktop(process, raise_if_cancelled, **where, **self._wishes())

    def survey(self) -> DesktopSurvey:
        """The desktops of this machine, and why one cannot be used."""
        search_path = self._environment.get("PATH", "")
        try:
            browser = find_browser(self._browser, self._environment)[0]
        except ActionFailed as error:
            browser, no_browser = None, error.message
        else:
            no_browser = ""
        return DesktopSurvey(
            current=self.unavailable(CURRENT),
            private=self.unavailable(PRIVATE),
            displays=tuple(displays(X_SOCKETS)),
            programs=tuple(
                path for name in (SERVER, MANAGER, VIEWER) if (path := shutil.which(name, path=search_path))
            ),
            browser=browser,
            no_browser=no_browser,
            viewer=shutil.which(VIEWER, path=search_path) is not None,
            password_file=self.password_file,
            untold=lacking_accessibility(self._environment),
            own_untold=self._own_untold(),
        )

    def _own_untold(self) -> str | None:
        if (lack := lacking_accessibility(self._environment)) is not None:
            return lack
        from adapters.desktop.accessibility.bus import is_enabled  # noqa: PLC0415 - asyncio and D-Bus, for this alone

        session = session_bus(self._environment)
        return None if session and is_enabled(session) else TURN_ON

    @contextmanager
    def _acting(self, shared: list[int], after: Callable[[], None]) -> Generator[ActingProcess]:
        process = self._spare.take(shared, after)
        try:
            yield process
        finally:
            process.end()

    def _wishes(self) -> dict[str, object]:
        return {"browser": self._browser, "hands": self._hands, "stop_key": self._stop_key}

    def _password(self) -> Path:
        """The viewer's password file, made by the first who needs it."""
        path = self.password_file
        if not path.exists():
            letters = string.ascii_letters + string.digits
            word = "".join(secrets.choice(letters) for _ in range(_PASSWORD_LETTERS))
            try:
                with Folder.open(make_private(self._folder)) as folder:
                    folder.create(path.name, f"{word}\n".encode())
            except OSError as error:
                raise storage_failure(path, error) from error
        return path


def _chord(stop_key: str) -> tuple[str, ...]:
    try:
        return parse_keys(stop_key) if stop_key else ()
    except ValueError as error:
        raise InvalidSetting(f"The setting stop_key cannot be {stop_key[:100]!r}: {error}") from error


def _nothing() -> None:
    """A display of the user's is left as it is."""
