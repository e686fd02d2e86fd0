"""The oldest SQLite that Vaider works with, and what to do where Python has an older one."""

import sqlite3
from typing import Final

from core.errors import StorageFailed

OLDEST_SQLITE: Final = (3, 35, 0)
"""The first with ``RETURNING``; the index of the memories needs 3.34."""
NEWER_SQLITE: Final = (
    "SQLite comes with Python: install Vaider with another one. Those of uv bring their own SQLite: "
    "uv tool install --managed-python ."
)


def is_sqlite_too_old() -> bool:
    """Whether this Python's SQLite lacks what our statements need."""
    return sqlite3.sqlite_version_info < OLDEST_SQLITE


def check_sqlite() -> None:
    """Refuse to start on a SQLite that is too old, because its syntax errors explain nothing.

    Raises:
        StorageFailed: it is too old.

    """
    if is_sqlite_too_old():
        raise StorageFailed(f"SQLite {sqlite3.sqlite_version} is too old, Vaider needs 3.35. {NEWER_SQLITE}")
