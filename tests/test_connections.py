import sqlite3
from contextlib import closing
from pathlib import Path

from storage.database import Database
from tests.connections import OpenConnections


def test_a_connection_that_is_left_open_is_told_once_with_the_test_that_opened_it(tmp_path: Path) -> None:
    connections = OpenConnections()
    connections.start()
    with closing(sqlite3.connect(tmp_path / "closed.db")):
        pass
    assert connections.left() == []

    with closing(Database(f"sqlite:///{tmp_path / 'open.db'}")) as database:
        database.open()
        (test,) = connections.left()

    assert "::test_a_connection_that_is_left_open" in test
    assert connections.left() == []
