"""Tasks of pages, in Firefox; ``bench/world/install`` installs what serves them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Final

from adapters.desktop.browsers import browser_arguments
from bench.foreign.task import HERE, Task, Values, script

if TYPE_CHECKING:
    from pathlib import Path

    from bench.foreign.person import Person

WORLD: Final = HERE.parent / "out" / "world"
_TIDDLYWIKI: Final = str(WORLD / "npm" / "node_modules" / ".bin" / "tiddlywiki")


def _start(home: Path) -> None:
    """The browser, as a command of its own."""
    profile = home / ".firefox"
    profile.mkdir()
    quiet = " ".join(browser_arguments("firefox-esr", profile))
    script(home / "bin" / "browser", f'exec firefox-esr --no-remote {quiet} "$@"')


def _wiki(home: Path) -> None:
    _start(home)
    subprocess.run([_TIDDLYWIKI, "wiki", "--init", "server"], cwd=home, check=True, stdout=subprocess.DEVNULL)


def _write_tiddler(user: Person, values: Values) -> None:
    title, tag = values
    user.click("push button: new tiddler")
    user.wait(1.0)
    user.press("ctrl+a")
    user.type(title)
    user.press("Tab")
    user.type(tag)
    user.press("Return")
    user.click("push button: Confirm changes to this tiddler")
    user.wait(3.0)


def _tiddlers(home: Path) -> list[tuple[str, ...]]:
    """The title and tags of what is no part of the wiki itself."""
    found = list[tuple[str, ...]]()
    for path in sorted((home / "wiki" / "tiddlers").glob("*.tid")):
        head, _, _ = path.read_text("utf-8").partition("\n\n")
        fields = {name: value for name, _, value in (line.partition(": ") for line in head.splitlines())}
        if not fields["title"].startswith(("$:/", "Draft of")):
            found.append((fields["title"], fields.get("tags", "")))
    return found


def _notes(home: Path) -> None:
    _start(home)
    (home / "notes.md").write_text("Tides\n\n", encoding="utf-8")


def _add_line(user: Person, values: Values) -> None:
    user.click("700,400")
    user.press("ctrl+End")
    user.type(values[0])
    user.press("ctrl+s")
    user.wait(2.0)


TASKS: Final = (
    Task(
        "tiddlywiki", "Firefox", "browser http://127.0.0.1:{port}/", "TiddlyWiki", _write_tiddler,
        ("Tide tables", "harbour"), (("Bus times", "town"), ("Lake levels", "water")),
        _tiddlers, lambda v: [v],
        '"Tide tables" is shown.', 'Open "http://127.0.0.1:{port}/" in the browser.',
        _wiki, lambda _home, port: [_TIDDLYWIKI, "wiki", "--listen", f"port={port}"],
    ),
    Task(
        "jupyterlab", "Firefox", "browser http://127.0.0.1:{port}/lab/tree/notes.md", "notes.md", _add_line,
        ("High water at nine",), (("Low water at three",), ("Storm from the west",)),
        lambda home: (home / "notes.md").read_text("utf-8").rstrip(), lambda v: f"Tides\n\n{v[0]}",
        '"High water at nine" is shown.', 'Open "http://127.0.0.1:{port}/lab/tree/notes.md" in the browser.',
        _notes, lambda _home, port: [
            str(WORLD / "venv" / "bin" / "jupyter"), "lab", "--allow-root", "--no-browser", "--port", str(port),
            "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True",
        ],
    ),
)  # fmt: skip
