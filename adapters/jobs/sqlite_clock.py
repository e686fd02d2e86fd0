"""The SQL function by which DBOS takes its times, for a SQLite that does not have it yet.

On Python 3.12 and newer DBOS's tables default their times to ``unixepoch('subsec')``, which is NULL before SQLite 3.42;
Debian 12 has 3.40. A file that such a Python made keeps these defaults, so the function does not depend on the Python.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any, Final

_KNOWS_MILLISECONDS: Final = (3, 42, 0)


class ClockedConnection(sqlite3.Connection):
    """A connection to SQLite that knows ``unixepoch('subsec')``, whatever SQLite's version."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if sqlite3.sqlite_version_info < _KNOWS_MILLISECONDS:
            self.create_function("unixepoch", 1, _unix_seconds)


def _unix_seconds(modifier: str) -> float:
    """Seconds since 1970 with milliseconds, as SQLite 3.42 returns them."""
    if modifier != "subsec":
        raise ValueError(f"unixepoch({modifier!r}) is not known here.")
    return time.time_ns() // 1_000_000 / 1000
