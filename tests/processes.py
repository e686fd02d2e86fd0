"""The processes that tests have started, told apart by their command lines: other tests' may still be there."""

import os
from contextlib import suppress
from pathlib import Path

from adapters.desktop.children import descendants
from tests.clock import until


def running(words: str, parent: int | None = None) -> list[int]:
    """Those with these words in their command line, below a process, ours unless it is said; an ended one has none."""
    return [pid for pid in descendants(parent or os.getpid()) if words in _command_line(pid)]


def _command_line(pid: int) -> str:
    line = Path(f"/proc/{pid}/cmdline")
    with suppress(OSError):
        # In the moment in which a process becomes another program it has none.
        until(lambda: line.read_text() or _has_ended(pid), pause=0.001)
        return line.read_text().replace("\0", " ")
    return ""


def _has_ended(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in {"Z", "X"}
