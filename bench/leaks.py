"""What leaks of windows that may not be recorded: ``bench leaks``.

A real daemon records two monitors, on which excluded windows show made-up words while they are moved, covered, renamed,
opened for a moment and typed into, beside a window that may be seen. Then everything that was kept or is answered is
searched for each six letters of those words, and for the words that may be seen: a search that finds nothing has to
have found something.
"""

import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2

from adapters.desktop.accessibility.setup import FORCED
from bench.daemon import running_daemon
from bench.leak_search import BACKGROUND, Words, everywhere
from bench.record.screen import Screen, virtual_screen
from bench.table import Table
from tests.clock import until
from tests.fakes.desktops.accessible_session import accessible_session
from tests.fakes.desktops.x_user import set_monitors

_PATIENCE: Final = 90.0
_LOOK: Final = 0.6
"""A little longer than between two looks at two a second."""
_PLACE: Final = "38x6"
_NO_KEYRING: Final = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
"""The one of a session without a person asks for a password, in a window before all others."""
_LETTERS: Final = ("bdfgjklmnpqrstvwxz", "aeiouy")


def run() -> list[Table]:
    """Measure, and once more with nothing excluded, which shows what the search can find."""
    words = Words(_made_up(27), _made_up(24, seed=2))
    with _recorded(words) as (http, data):
        rows = [row.cells for row in everywhere(data, http, words)]
        http.post("/recorder/forget", json={"last": "1h"}).raise_for_status()
        rows += [("after `forget last 1h`: " + row.where, *row.cells[1:]) for row in everywhere(data, http, words)]
    with _recorded(words, record_exclude_usual="false") as (http, data):
        rows += [("with nothing excluded: " + row.where, *row.cells[1:]) for row in everywhere(data, http, words)]
    columns = ("searched", "how much", "of excluded windows", "of the window that may be seen")
    return [Table("What leaks of windows that are excluded", columns, rows, _NOTE)]


@contextmanager
def _recorded(words: Words, **settings: str) -> Generator[tuple[httpx2.Client, Path]]:
    """A daemon that has recorded all the scenes, and has read them, and the folder of its data."""
    with ExitStack() as stack:
        screen = stack.enter_context(virtual_screen(1920, 720))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        screen.session = stack.enter_context(accessible_session(screen.display, folder))
        set_monitors(screen.display, (0, 0, 1280, 720), (1280, 0, 640, 720))
        given: dict[str, Any] = {
            "record_display": screen.display,
            "record_size": "native",
            "replay_provider": "local",
            **settings,
        }
        daemon = stack.enter_context(running_daemon(session={**screen.session, **_NO_KEYRING}, **given))
        http = stack.enter_context(httpx2.Client(base_url=daemon.url, timeout=_PATIENCE, trust_env=False))
        _act(http, "start")
        until(lambda: http.get("/recorder").json()["phase"] == "recording", _PATIENCE)
        _carry_out(screen, http, words, daemon.directory)
        _act(http, "stop")
        until(lambda: bool(http.get("/memory", params={"q": words.shown[-1]}).json()["results"]), _PATIENCE)
        yield http, daemon.directory / "data"


_NOTE: Final = (
    "How many of 27 and of 24 words were found, by any six letters; programs tell of their elements. The excluded "
    "windows (password managers by class and by title, a private window of Chromium) had the focus and had it "
    "not, were typed into, half covered, moved fast and to the second monitor, opened for 200 ms, and renamed "
    "from one excluded title to another, with words of theirs in the titles; words were shown in the open while "
    "the recorder was paused. Green: pixels of their background in the films. With nothing excluded the same "
    "scenes were recorded once more."
)


def _carry_out(screen: Screen, http: httpx2.Client, words: Words, folder: Path) -> None:
    """Show every word: the open ones in one window, the hidden ones, three a scene, in windows that are excluded."""
    shown, hidden = words.shown, [words.hidden[at : at + 3] for at in range(0, len(words.hidden), 3)]
    scenes: tuple[Callable[..., None], ...] = (
        _with_focus,
        _beside,
        _moved,
        _flashed,
        _renamed,
        _by_class,
        _private,
        _fields,
    )
    with _terminal(screen, "notes", shown[:-1], "+40+60", colour="white", typed=True) as notes:
        _type_into(screen, notes, shown[-1])
        for scene, three in zip(scenes, hidden, strict=False):
            scene(screen, three, folder, notes)
            _type_into(screen, notes, shown[-1])
        _act(http, "pause")
        until(lambda: http.get("/recorder").json()["phase"] == "paused", _PATIENCE)
        with _terminal(screen, "letters", hidden[-1], "+700+60"):
            time.sleep(2 * _LOOK)
        _act(http, "resume")
        until(lambda: http.get("/recorder").json()["phase"] == "recording", _PATIENCE)
        _type_into(screen, notes, shown[-1])
        with _entry(screen, "letter", "--entry", "--text=To") as window:
            _type_into(screen, window, shown[-1])
        time.sleep(3 * _LOOK)


def _with_focus(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """In focus, and typed into."""
    del folder, notes
    with _terminal(screen, f"{words[0]} - KeePassXC", words[:2], "+640+80", typed=True) as window:
        _type_into(screen, window, words[2])


def _beside(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """Half under the window that has the focus, and on the other monitor."""
    del folder
    with (
        _terminal(screen, "Bitwarden", words[:2], "+160+160"),
        _terminal(screen, f"1Password - {words[2]}", [words[2]], "+1320+300"),
    ):
        _xdotool(screen, "windowraise", notes, "windowfocus", notes)
        time.sleep(3 * _LOOK)


def _moved(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """Dragged about, over both monitors and the edge between them."""
    del folder, notes
    with _terminal(screen, "KeePassXC", words, "+640+80") as window:
        for step in range(60):
            _xdotool(screen, "windowmove", window, str(step * 97 % 1500), str(step * 41 % 560))
            time.sleep(0.03)


def _flashed(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """Opened for 200 ms, ten times."""
    del folder, notes
    with _terminal(screen, f"Dashlane {words[0]}", words, "+640+80") as window:
        for _ in range(10):
            _xdotool(screen, "windowunmap", "--sync", window)
            time.sleep(0.37)
            _xdotool(screen, "windowmap", window)
            time.sleep(0.2)


def _renamed(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """With titles that change, each that of something excluded."""
    del folder, notes
    with _terminal(screen, "KeePassXC", words, "+640+80") as window:
        for title in (f"LastPass {words[0]}", f"Enpass {words[1]}", f"NordPass {words[2]}", "Seahorse") * 3:
            _xdotool(screen, "set_window", "--name", title, window)
            time.sleep(0.3)


def _by_class(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """Excluded by its class; the title says nothing."""
    del folder, notes
    with _terminal(screen, f"entries {words[0]}", words, "+640+80", kind="KeePassXC"):
        time.sleep(3 * _LOOK)


def _private(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """A browser's private window."""
    del notes
    page = folder / "page.html"
    style = f"background:#{BACKGROUND:06x};font:28px sans-serif"
    page.write_text(f"<title>{words[0]}</title><body style='{style}'>{'<br>'.join(words)}", encoding="utf-8")
    options = (
        "--no-sandbox",
        "--no-first-run",
        "--disable-gpu",
        "--incognito",
        FORCED,
        "--password-store=basic",
        "--window-size=600,400",
    )
    profile = f"--user-data-dir={folder / 'profile'}"
    with _program(screen, "chromium", *options, profile, page.as_uri()):
        until(lambda: bool(_found(screen, "--class", "chromium")), _PATIENCE)
        time.sleep(8 * _LOOK)


def _fields(screen: Screen, words: list[str], folder: Path, notes: str) -> None:
    """Fields that tell what they hold: in an excluded window, and one for a password in a window that may be seen."""
    del folder, notes
    with _entry(screen, "KeePassXC", "--entry", f"--text={words[0]}", f"--entry-text={words[0]}") as window:
        _click_field(screen, window)
        _type_into(screen, window, words[1])
    with _entry(screen, "New account", "--password") as window:
        _click_field(screen, window)
        _type_into(screen, window, words[2])


def _click_field(screen: Screen, window: str) -> None:
    for y in range(10, 150, 20):
        _xdotool(screen, "mousemove", "--window", window, "60", str(y), "sleep", "0.3")
    _xdotool(screen, "mousemove", "--window", window, "60", "70", "sleep", "0.5", "click", "1")


@contextmanager
def _entry(screen: Screen, title: str, *options: str) -> Generator[str]:
    """A dialog with a field; the number of its window."""
    with _program(screen, "zenity", f"--title={title}", *options) as process:
        until(lambda: bool(_found(screen, "--pid", str(process.pid))), _PATIENCE)
        time.sleep(2 * _LOOK)
        yield _found(screen, "--pid", str(process.pid))[-1]


@contextmanager
def _terminal(
    screen: Screen,
    title: str,
    words: list[str],
    place: str,
    *,
    colour: str = f"#{BACKGROUND:06x}",
    typed: bool = False,
    kind: str = "",
) -> Generator[str]:
    """Show a terminal that shows words; the number of its window."""
    look = ("-fa", "DejaVu Sans Mono", "-fs", "14", "+sb", "-bg", colour, "-fg", "black")
    rows = "\n".join(" ".join(words[at : at + 3]) for at in range(0, len(words), 3))
    size = _PLACE if len(words) <= 3 else "44x14"
    shell = ("-e", "sh", "-c", f"printf '%s\n' \"$0\"; exec {'cat' if typed else 'sleep 600'}", rows)
    name = ("-class", kind) if kind else ()
    with _program(screen, "xterm", *name, *look, "-T", title, "-geometry", f"{size}{place}", *shell) as process:
        until(lambda: bool(_found(screen, "--pid", str(process.pid))), _PATIENCE)
        time.sleep(2 * _LOOK)
        yield _found(screen, "--pid", str(process.pid))[-1]


@contextmanager
def _program(screen: Screen, *command: str) -> Generator[subprocess.Popen[bytes]]:
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=screen.environment, stdout=quiet, stderr=quiet)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


def _type_into(screen: Screen, window: str, word: str) -> None:
    _xdotool(screen, "windowraise", window, "windowfocus", "--sync", window)
    time.sleep(_LOOK)
    screen.type(word, 60)
    screen.press("Return")
    time.sleep(2 * _LOOK)


def _xdotool(screen: Screen, *arguments: str) -> str:
    done = subprocess.run(
        ["xdotool", *arguments], check=True, env=screen.environment, timeout=60, capture_output=True, text=True
    )
    return done.stdout


def _found(screen: Screen, *by: str) -> list[str]:
    """Windows that can be seen; ``xdotool`` says no when there are none, or when one goes while it looks."""
    command = ["xdotool", "search", "--onlyvisible", *by]
    return subprocess.run(command, env=screen.environment, capture_output=True, text=True, check=False).stdout.split()


def _act(http: httpx2.Client, action: str) -> Any:
    return http.post("/recorder", json={"action": action}).raise_for_status().json()


def _made_up(count: int, seed: int = 1) -> list[str]:
    """Words that nobody uses, of twelve letters."""
    chance = random.Random(seed)
    return ["".join(chance.choice(_LETTERS[at % 2]) for at in range(12)) for _ in range(count)]
