"""SQLite connections that are left open: from Python 3.13 on they fail whatever test they happen to be collected in."""

import os
import sqlite3
import sys


class OpenConnections:
    """Notes each connection to SQLite of this process, and the test that opened it."""

    def __init__(self) -> None:
        self._noted: list[tuple[sqlite3.Connection, str]] = []

    def start(self) -> None:
        """Begin; an audit hook stays until the process ends."""
        sys.addaudithook(self._note)

    def left(self) -> list[str]:
        """The tests whose connections are still open; each is told once."""
        noted, self._noted = self._noted, []
        return sorted({test for connection, test in noted if _is_open(connection)})

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "sqlite3.connect/handle" and isinstance(arguments[0], sqlite3.Connection):
            self._noted.append((arguments[0], os.environ.get("PYTEST_CURRENT_TEST", "no test")))


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        return connection.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False
