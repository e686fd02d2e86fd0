"""The videos of a project that its rules speak of."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.rules import Rules

INTERACTIONS_SUFFIX = ".VaiderInteractions"
VIDEO_SUFFIXES = frozenset({".mp4", ".m4v", ".webm", ".mov", ".mkv", ".avi", ".gif"})
MOST_ALTERNATIVES = 64


def matching_videos(rules: Rules, root: Path) -> list[Path]:
    """The videos below ``root`` whose path fits ``video_trigger_pattern``, newest first.

    ``*`` and ``?`` stay within a name, ``**`` goes through any folders, ``{a,b}`` is either. Interaction folders are
    left out, and so is what a symbolic link has outside of ``root``; linked folders are not entered.
    """
    home = root.resolve()
    found: dict[Path, float] = {}
    for pattern in _alternatives(rules.video_trigger_pattern):
        parts = [part for part in pattern.split("/") if part not in {"", "."}]
        if not parts:
            continue
        fits = re.compile(_translated(parts), re.DOTALL)
        plain = list(itertools.takewhile(lambda part: not set(part) & set("*?["), parts[:-1]))
        for path in _files(home.joinpath(*plain)):
            if fits.fullmatch(path.relative_to(home).as_posix()) and (modified := _modified(path, home)) is not None:
                found[path] = modified
    return sorted(found, key=lambda path: (-found[path], str(path)))


def _files(folder: Path) -> Iterator[Path]:
    for directory, names, files in os.walk(folder):
        names[:] = [name for name in names if not name.endswith(INTERACTIONS_SUFFIX)]
        yield from (Path(directory, name) for name in files if Path(name).suffix.lower() in VIDEO_SUFFIXES)


def _modified(path: Path, home: Path) -> float | None:
    """When the file was last written, ``None`` when it is no regular file of this folder."""
    try:
        real = path.resolve(strict=True)
        return real.stat().st_mtime if real.is_relative_to(home) and real.is_file() else None
    except (OSError, RuntimeError):
        return None


def _translated(parts: list[str]) -> str:
    """A regular expression for a path, from the parts of a glob pattern."""
    pieces: list[str] = []
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if part == "**":
            pieces.append(".*" if is_last else "(?:[^/]+/)*")
        else:
            pieces.append(re.sub(r"\[!?\]?[^\]/]*\]|.", _sign, part, flags=re.DOTALL) + ("" if is_last else "/"))
    return "".join(pieces)


def _sign(match: re.Match[str]) -> str:
    sign = match[0]
    if sign in {"*", "?"}:
        return {"*": "[^/]*", "?": "[^/]"}[sign]
    if len(sign) == 1:
        return re.escape(sign)
    inverted = sign.startswith("[!")
    inside = re.sub(r"([\\\[\]^&~|])", r"\\\1", sign[2 if inverted else 1 : -1])
    return f"[{'^' if inverted else ''}{inside}]"


def _alternatives(pattern: str) -> list[str]:
    """The pattern with each ``{a,b}`` written out."""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^{}/]*\})", pattern)]
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST_ALTERNATIVES:
        raise InvalidRequest(
            f"The pattern {pattern[:60]!r} stands for more than {MOST_ALTERNATIVES} patterns; write it shorter."
        )
    return ["".join(chosen) for chosen in itertools.product(*parts)]
