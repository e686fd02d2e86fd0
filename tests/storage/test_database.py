import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.errors import StorageFailed
from core.jobs import JobState, NewJob
from storage.database import Database
from storage.job_events import SqlJobStore
from storage.migrations.run import known_revisions, upgrade
from storage.schema import REVISION


@pytest.mark.parametrize("revision", known_revisions())
def test_an_older_database_gets_the_tables_of_a_new_one(database: Database, tmp_path: Path, revision: str) -> None:
    old = f"sqlite:///{tmp_path / 'old.db'}"
    engine = sa.create_engine(old)
    with engine.begin() as connection:
        upgrade(connection, revision)
    engine.dispose()
    older = Database(old)
    older.open()
    assert _tables(older) == _tables(database)
    older.close()


def _tables(database: Database) -> dict[str, tuple[str, ...]]:
    """Each table's and index's SQL, without regard to the order of a table's columns, and the revision."""
    with database.read() as connection:
        rows = connection.execute(sa.text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        tables = {row.name: _parts(row.sql) for row in rows}
        return {**tables, "revision": tuple(connection.execute(sa.select(REVISION.c.version_num)).scalars())}


def _parts(sql: str) -> tuple[str, ...]:
    # A column that was added later stands behind the others, on their last line.
    return tuple(sorted(part.strip() for part in " ".join(sql.split()).removesuffix(")").split(",")))


def test_the_file_and_its_folder_are_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "vaider.db"
    database = Database(f"sqlite:///{path}")
    database.open()
    SqlJobStore(database, "here").create(NewJob("j", "analysis", {}), {})
    assert {file.name: oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()} == {
        "vaider.db": "0o600",
        "vaider.db-wal": "0o600",
        "vaider.db-shm": "0o600",
    }
    assert [oct(folder.stat().st_mode & 0o777) for folder in (path.parent, path.parent.parent)] == ["0o700"] * 2
    database.close()


def test_a_start_without_older_tables_does_not_load_alembic(tmp_path: Path) -> None:
    program = (
        "import sys; from storage.database import Database; database = Database(sys.argv[1]); database.open(); "
        "print('alembic' in sys.modules)"
    )
    run = [sys.executable, "-c", program, f"sqlite:///{tmp_path / 'vaider.db'}"]
    reported = [subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip() for _ in range(2)]
    assert reported == ["False", "False"]


@pytest.mark.nightly
def test_several_starts_at_once_migrate_once(tmp_path: Path) -> None:
    program = (
        "import sys; from storage.database import Database; from storage.job_events import SqlJobStore; "
        "database = Database(sys.argv[1]); print('ready', flush=True); sys.stdin.readline(); database.open(); "
        "print(SqlJobStore(database, 'here').last_event_id()); database.close()"
    )
    run = [sys.executable, "-c", program, f"sqlite:///{tmp_path / 'vaider.db'}"]
    starts = [
        subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(5)
    ]
    for start in starts:
        assert start.stdout
        assert start.stdout.readline() == "ready\n"
    reported = [start.communicate("go\n")[0] for start in starts]
    assert reported == ["0\n"] * 5


def test_a_kill_while_the_log_was_taken_into_the_file_loses_nothing(database: Database, tmp_path: Path) -> None:
    path, log = tmp_path / "vaider.db", tmp_path / "vaider.db-wal"
    SqlJobStore(database, "here").create(NewJob("j", "analysis", {}), {})
    whole_log = log.read_bytes()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    connection.close()
    page_size = int.from_bytes(path.read_bytes()[16:18], "big")
    killed = tmp_path / "killed"
    killed.mkdir()
    (killed / path.name).write_bytes(path.read_bytes()[:page_size])
    (killed / log.name).write_bytes(whole_log)

    reopened = Database(f"sqlite:///{killed / path.name}")
    reopened.open()
    job = SqlJobStore(reopened, "here").get("j")
    reopened.close()
    assert job
    assert job.id == "j"


def test_the_database_of_a_newer_vaider_is_refused_and_left_alone(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    before = (tmp_path / "vaider.db").read_bytes()
    with pytest.raises(StorageFailed, match=r"newer Vaider .*9999"):
        database.open()
    assert (tmp_path / "vaider.db").read_bytes() == before


@pytest.mark.parametrize("damage", ["no database at all", "cut short", "scribbled over"])
def test_a_damaged_file_is_refused_and_left_alone(database: Database, tmp_path: Path, damage: str) -> None:
    SqlJobStore(database, "here").create(NewJob("j", "analysis", {}), {})
    database.close()
    path = tmp_path / "vaider.db"
    whole = path.read_bytes()
    damaged = {
        "no database at all": b"Dear diary, " * 1000,
        "cut short": whole[: len(whole) // 2],
        "scribbled over": whole[:100] + b"\xff" * (len(whole) - 100),
    }[damage]
    path.write_bytes(damaged)
    with pytest.raises(StorageFailed, match=r"damaged .* left untouched"):
        database.open()
    assert path.read_bytes() == damaged


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be opened"):
        Database(f"sqlite:///{tmp_path}").open()


@pytest.mark.parametrize("url", ["vaider:hunter2@127.0.0.1:9/vaider", "127.0.0.1:9/vaider?password=hunter2"])
def test_a_password_is_in_no_message(url: str) -> None:
    database = Database(f"postgresql://{url}")
    with pytest.raises(StorageFailed) as failure:
        database.open()
    assert "hunter2" not in str(failure.value)
    assert "hunter2" in database.url


def test_event_ids_never_come_twice_also_when_the_newest_were_pruned(database: Database) -> None:
    store = SqlJobStore(database, "here")
    store.create(NewJob("old", "analysis", {}), {})
    last = store.finish("old", JobState.DONE)
    assert last is not None
    assert store.prune(days=-1) == 2
    assert store.last_event_id() == last.id
    assert store.create(NewJob("new", "analysis", {}), {}).id == last.id + 1
    assert store.prune(days=-1) == 0
    assert (job := store.get("old")) is not None
    assert (job.state, job.progress) == (JobState.DONE, None)
