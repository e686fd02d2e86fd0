"""The lines that ``vaider init`` adds to files of a project that are not ours: for agents, and for git."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from server.setup.init import Change, read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGIN: Final = "<!-- vaider:begin -->"
IGNORED: Final = "*.VaiderInteractions/"
_READS: Final = {"cursor": "AGENTS.md", "claude-code": "CLAUDE.md"}
"""What each client reads by itself."""
_IMPORT: Final = "@AGENTS.md"
"""By this line a CLAUDE.md has what stands in the other."""


def line_changes(directory: Path, names: Sequence[str]) -> list[Change]:
    """What is added for these clients, and to .gitignore where there is git. What is there stays as it is."""
    block = resources.files("config").joinpath("clients", "AGENTS.md").read_text(encoding="utf-8")
    found: list[Change] = []
    for path in dict.fromkeys(_within(directory, _READS[name]) for name in names):
        before, refusal = read_text(directory, path)
        text = before or ""
        if refusal:
            found.append(Change(path, before, None, refusal, refused=True))
        elif BEGIN in text:
            found.append(Change(path, before, before, "has the lines about Vaider already"))
        elif _IMPORT in text.split() and "cursor" in names:
            found.append(Change(path, before, before, f"has them by {_IMPORT}"))
        else:
            found.append(_added(path, before, block, "lines for agents"))
    return [*found, *_ignoring(directory)]


def _ignoring(directory: Path) -> list[Change]:
    path = _within(directory, ".gitignore")
    before, refusal = read_text(directory, path)
    if refusal:
        return [Change(path, before, None, refusal, refused=True)]
    if before is None and not any((place / ".git").exists() for place in (directory.resolve(), *_above(directory))):
        return []
    if {IGNORED, IGNORED.rstrip("/")} & {line.strip() for line in (before or "").splitlines()}:
        return [Change(path, before, before, "ignores the logs already")]
    return [_added(path, before, f"{IGNORED}\n", "Vaider's logs", gap="")]


def _above(directory: Path) -> Sequence[Path]:
    return directory.resolve().parents


def _within(directory: Path, name: str) -> Path:
    """The file itself where one that is named leads to another of the project, which stays a link."""
    path = directory / name
    real = path.resolve()
    return real if path.is_symlink() and real.is_relative_to(directory.resolve()) else path


def _added(path: Path, before: str | None, lines: str, what: str, gap: str = "\n") -> Change:
    text = before or ""
    broken = "\r\n" if "\r\n" in text else "\n"
    if text and not text.endswith("\n"):
        text += broken
    added = (gap if text else "") + lines
    after = text + added.replace("\n", broken)
    return Change(path, before, after, f"made, with {what}" if before is None else f"{what} added")
