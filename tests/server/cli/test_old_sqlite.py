"""A SQLite that is older than Vaider needs, or than DBOS expects."""

import contextlib
import json
import sqlite3
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from adapters.jobs.runtime import ClockedConnection
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.daemon_processes import free_port

TOO_OLD = 'import sqlite3\nsqlite3.sqlite_version, sqlite3.sqlite_version_info = "3.34.1", (3, 34, 1)\n'


@pytest.mark.nightly
def test_on_a_sqlite_that_is_too_old_commands_and_the_doctor_say_so_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(TOO_OLD, encoding="utf-8")
    (tmp_path / "text.mp4").write_text("this is no video", encoding="utf-8")
    places = {"VAIDER_DATA_DIR": str(tmp_path / "data"), "VAIDER_PORT": str(free_port())}
    environment = {"PYTHONPATH": str(tmp_path), **places}
    said = "SQLite 3.34.1 is too old, Vaider needs 3.35. SQLite comes with Python: install Vaider with another one."

    for command in (("analyse", "text.mp4"), ("serve",)):
        done = vaider(*command, cwd=tmp_path, environment=environment)
        assert (done.returncode, said in done.stderr) == (3, True), done.stderr
    examined = vaider("doctor", "--json", cwd=tmp_path, environment=environment)
    found = {check["name"]: check for check in json.loads(examined.stdout)["checks"]}
    assert examined.returncode == 1
    assert (found["sqlite"]["state"], found["sqlite"]["detail"]) == ("bad", "SQLite 3.34.1 is older than 3.35")
    assert "uv tool install" in found["sqlite"]["advice"]


def test_times_have_milliseconds_in_every_sqlite(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'times.db'}"
    engine = sa.create_engine(url, connect_args={"factory": ClockedConnection})
    with contextlib.closing(sqlite3.connect(tmp_path / "times.db")) as plain:
        # As DBOS makes its tables on Python 3.12 and newer.
        plain.execute("CREATE TABLE versions (name TEXT, at INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000))")
    before = time.time_ns() // 1_000_000
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO versions (name) VALUES ('one')"))
        (at,) = connection.execute(sa.text("SELECT CAST(at AS INTEGER) FROM versions")).one()
    engine.dispose()

    # A float of seconds can lie a little below its millisecond.
    assert before - 1 <= at <= time.time_ns() // 1_000_000
