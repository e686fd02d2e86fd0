import re
import sqlite3
import threading
from collections.abc import Generator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import StorageFailed
from core.recall.ports import Span, Wanted
from storage.memories import search as memory_search
from storage.memories import search as memory_vectors
from storage.memories.memories import SqlMemories
from tests.fakes.recordings.made_procedures import NOW, procedure

HOUR = timedelta(hours=1)


@pytest.fixture
def memories(tmp_path: Path) -> Generator[SqlMemories]:
    memories = SqlMemories(tmp_path / "memory.db")
    memories.open()
    yield memories
    memories.close()


def found(memories: SqlMemories, *words: str, span: Span | None = None) -> set[str]:
    groups = [[Wanted((word,), memories.frequencies([word]).get(word, 0))] for word in words]
    hits = memories.find(groups, span, 50)
    return {each.id for each in memories.read([hit.number for hit in hits]).values()}


def integrity(path: Path) -> None:
    """Each index says what its table says."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, connection:
        connection.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
        connection.execute("PRAGMA integrity_check")
        terms: dict[str, int] = {}
        for row in connection.execute("SELECT summary, steps, places, texts FROM procedures"):
            for term in set(" ".join(row).split()):
                terms[term] = terms.get(term, 0) + 1
        assert dict(connection.execute("SELECT term, documents FROM vocabulary")) == terms
        counted = connection.execute("SELECT count(*) FROM procedures").fetchone()
        assert connection.execute("SELECT value FROM facts WHERE name = 'procedures'").fetchone() == counted
        words = {term for (term,) in connection.execute("SELECT term FROM vocabulary WHERE is_word")}
        spelt = {term for (term,) in connection.execute("SELECT term FROM spellings")}
        assert spelt >= words
    connection.close()


def test_what_is_kept_is_told_again_as_it_was(memories: SqlMemories) -> None:
    kept = procedure("one", 'Saved "a\x00b.txt"', 'Typed "⌘ 分 é"', texts=["x"])
    memories.replace(kept.video, [kept])
    assert memories.get("one") == kept
    assert memories.get("two") is None
    assert list(memories.newest(5)) == [kept]
    assert memories.count() == 1


def test_a_segment_that_is_read_again_replaces_what_was_read_before(memories: SqlMemories, tmp_path: Path) -> None:
    first = procedure("one", 'Opened "draft"', ago=HOUR)
    grown = first.model_copy(update={"summary": 'Opened "draft" and sent it', "end_ms": 90_000})
    other = procedure("two", 'Closed "draft"', ago=2 * HOUR).model_copy(update={"video": first.video})
    memories.replace(first.video, [first, other])
    memories.replace(first.video, [grown])
    assert list(memories.newest(5)) == [grown]
    assert found(memories, "sent") == found(memories, "send") or found(memories, "send") == {"one"}
    assert found(memories, "close") == set()
    memories.replace(first.video, [])
    assert memories.count() == 0
    integrity(tmp_path / "memory.db")


def test_an_undertaking_moves_with_its_id_to_another_video(memories: SqlMemories, tmp_path: Path) -> None:
    one = procedure("one", 'Opened "draft"')
    memories.replace(one.video, [one])
    memories.replace("elsewhere", [one.model_copy(update={"video": "elsewhere"})])
    assert [each.video for each in memories.newest(5)] == ["elsewhere"]
    integrity(tmp_path / "memory.db")


def test_the_newest_come_first_within_the_moments_given(memories: SqlMemories) -> None:
    for hours in (3, 1, 2, 5):
        each = procedure(f"h{hours}", 'Opened "draft"', ago=hours * HOUR)
        memories.replace(each.video, [each])
    same = procedure("h1b", 'Opened "draft"', ago=HOUR)
    memories.replace(same.video, [same])
    assert [each.id for each in memories.newest(3)] == ["h1b", "h1", "h2"]
    assert [each.id for each in memories.newest(9, before=NOW - 2 * HOUR)] == ["h3", "h5"]
    assert [each.id for each in memories.newest(9, since=NOW - 3 * HOUR, before=NOW - HOUR)] == ["h2", "h3"]
    assert found(memories, "draft", span=Span(NOW - 3 * HOUR, NOW - HOUR)) == {"h2", "h3"}


# Without vowels: what SQLite itself writes of the tables is made of words.
_SECRET = st.text("bcdfghjkqvwxz", min_size=8, max_size=12)


@given(
    secrets=st.lists(_SECRET, min_size=1, max_size=12, unique=True),
    others=st.lists(_SECRET, max_size=40, unique=True),
    is_one_by_one=st.booleans(),
)
@settings(max_examples=25)
def test_nothing_of_what_is_forgotten_is_left_in_any_file(
    tmp_path_factory: pytest.TempPathFactory, secrets: list[str], others: list[str], *, is_one_by_one: bool
) -> None:
    folder = tmp_path_factory.mktemp("forget")
    memories = SqlMemories(folder / "memory.db")
    for place, word in enumerate([*(f"keep{word}" for word in others), *(f"hush{word}" for word in secrets)]):
        ago = 10 * HOUR if word.startswith("keep") else HOUR
        each = procedure(f"id-{word}", f'Typed "{word}"', f'Typed "{word} x{place}"', ago=ago, texts=[word * 9] * 20)
        memories.replace(each.video, [each])
        # A segment is read again and again as it grows.
        memories.replace(each.video, [each.model_copy(update={"texts": (*each.texts, f"more {word}")})])
    assert b"hush" in b"".join(file.read_bytes() for file in folder.iterdir())
    if is_one_by_one:
        assert all(memories.forget_procedure(f"id-hush{word}") for word in secrets)
        assert not memories.forget_procedure("id-hush")
    else:
        assert memories.forget(NOW - 2 * HOUR, NOW) == len(secrets)
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert set(files) >= {"memory.db", "memory.db-wal", "memory.db-shm"}
    for name, data in files.items():
        for word in secrets:
            assert f"hush{word}".encode() not in data, name
            # In an index the terms stand without what they share with their neighbour.
            assert word[2:].encode() not in data or any(word[2:] in f"keep{other}" for other in others), name
    assert memories.count() == len(others)
    memories.close()
    integrity(folder / "memory.db")


def test_what_touches_the_stretch_only_in_part_is_forgotten_too(memories: SqlMemories) -> None:
    for name, ago in (("before", 70), ("into", 61), ("within", 30), ("after", 0.5)):
        each = procedure(name, 'Opened "draft"', ago=timedelta(minutes=ago), seconds=120)
        memories.replace(each.video, [each])
    assert memories.forget(NOW - HOUR, NOW - timedelta(minutes=1)) == 2
    assert {each.id for each in memories.newest(9)} == {"before", "after"}


def test_forgetting_waits_for_a_search_and_then_leaves_no_log(memories: SqlMemories, tmp_path: Path) -> None:
    one = procedure("one", 'Typed "hushhushword"')
    memories.replace(one.video, [one])
    reader = sqlite3.connect(tmp_path / "memory.db", isolation_level=None, check_same_thread=False)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM procedures").fetchone() == (1,)
    worker = threading.Thread(target=memories.forget_procedure, args=("one",))
    worker.start()
    while memories.count():
        assert worker.is_alive()
    reader.execute("ROLLBACK")
    worker.join()
    reader.close()
    assert not any(b"hushhush" in file.read_bytes() for file in tmp_path.iterdir())


def test_pruning_removes_what_ended_before_and_keeps_the_rest(memories: SqlMemories, tmp_path: Path) -> None:
    made = [procedure(f"p{place}", f'Opened "file{place}"', ago=place * HOUR) for place in range(1, 1203)]
    memories.replace("all", [each.model_copy(update={"video": "all"}) for each in made])
    assert memories.prune(NOW - 2 * HOUR) == 1200
    assert {each.id for each in memories.newest(9)} == {"p1", "p2"}
    integrity(tmp_path / "memory.db")


def test_the_file_is_the_users_own_and_made_at_the_first_use(tmp_path: Path) -> None:
    memories = SqlMemories(tmp_path / "deep" / "memory.db")
    memories.open()
    assert not (tmp_path / "deep").exists()
    assert memories.count() == 0
    one = procedure("one", "x")
    memories.replace(one.video, [one])
    assert {file.name: oct(file.stat().st_mode & 0o777) for file in (tmp_path / "deep").iterdir()} == {
        "memory.db": "0o600",
        "memory.db-wal": "0o600",
        "memory.db-shm": "0o600",
    }
    memories.close()
    with closing(sqlite3.connect(tmp_path / "deep" / "memory.db")) as connection, connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    # Closed is not gone.
    assert memories.count() == 1
    memories.close()


@pytest.mark.parametrize("damage", ["no database", "torn"])
def test_a_damaged_file_is_moved_aside_with_a_warning_and_a_new_one_begun(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "memory.db"
    memories = SqlMemories(path)
    memories.replace("v", [procedure(f"p{place}", f'Opened "file{place}"', ago=place * HOUR) for place in range(200)])
    memories.close()
    data = path.read_bytes()
    path.write_bytes(b"not a database at all" * 99 if damage == "no database" else data[:8192] + b"\xff" * len(data))
    again = SqlMemories(path)
    again.replace("w", [procedure("new", 'Opened "b"')])
    assert again.count() == 1
    assert [each.id for each in again.newest(3)] == ["new"]
    aside = [file for file in tmp_path.iterdir() if ".damaged-" in file.name]
    assert aside
    assert [record.message for record in caplog.records] == ["memories.damaged"]
    # What is to be forgotten may stand in it.
    again.forget(NOW - 2 * HOUR, NOW)
    assert not [file for file in tmp_path.iterdir() if ".damaged-" in file.name]
    again.close()


def test_a_damaged_index_is_built_anew_and_nothing_is_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "memory.db"
    memories = SqlMemories(path)
    for place in range(300):
        each = procedure(f"p{place}", f'Opened "file{place}"', ago=place * HOUR)
        memories.replace(each.video, [each])
    memories.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM words_data WHERE id > 10")
    connection.close()
    assert found(memories, "file7") == {"p7"}
    assert memories.count() == 300
    assert [record.message for record in caplog.records] == ["memories.mended"]
    assert not [file for file in tmp_path.iterdir() if ".damaged-" in file.name]
    memories.close()
    integrity(path)


def test_what_cannot_be_read_any_more_is_left_out(memories: SqlMemories, tmp_path: Path) -> None:
    one, two = (procedure(name, 'Opened "draft"', ago=HOUR) for name in ("one", "two"))
    for each in (one, two):
        memories.replace(each.video, [each])
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        connection.execute("UPDATE procedures SET document = '{}' WHERE id = 'one'")
    connection.close()
    assert list(memories.newest(5)) == [two]
    assert found(memories, "draft") == {"two"}
    assert memories.get("one") is None
    assert memories.forget_procedure("one")


def test_a_file_of_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memories = SqlMemories(path)
    one = procedure("one", 'Opened "draft"')
    memories.replace(one.video, [one])
    memories.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER vectors_out")
        connection.execute("DROP TABLE vectors")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert found(memories, "draft") == {"one"}
    memories.add_vectors("m", {"one": [1.0, 0.0]})
    assert [near.number for near in memories.nearest("m", [1.0, 0.0], None, 5)]
    memories.close()
    integrity(path)


def test_a_file_of_a_newer_vaider_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StorageFailed, match="newer Vaider"):
        SqlMemories(path).count()
    assert path.read_bytes() == before


def test_what_an_older_analysis_stored_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memories = SqlMemories(path)
    one = procedure("one", 'Opened "draft"')
    memories.replace(one.video, [one])
    memories.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE facts SET value = 0 WHERE name = 'analysis'")
        connection.execute("DELETE FROM procedures")
        connection.execute("DELETE FROM vocabulary")
        connection.execute(
            "INSERT INTO procedures VALUES (7, 8, 'stale', '', '', '', 'one', 'v', ?)", (one.model_dump_json(),)
        )
        connection.execute("INSERT INTO vocabulary VALUES (1, 'stale', 1, 1)")
    connection.close()
    assert found(memories, "draft") == {"one"}
    assert found(memories, "stale") == set()
    memories.close()
    integrity(path)


def test_each_query_uses_an_index(memories: SqlMemories, tmp_path: Path) -> None:
    assert memories.count() == 0
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        for query, values in {
            memory_search.RANKED: ("x", 0, 9, 5),
            memory_search.STREAMED: ("x", 0, 9, 5),
            memory_search.EXTENT: (),
            memory_vectors.VECTORS: (0, 9, "m", 3, 5),
            memory_search.FIELDS: ("[1]",),
            memory_search.COUNTS: ("[]",),
            memory_search.DOCUMENTS: ("[]",),
            memory_search.BEGINS: ("a", "b", 5),
            memory_search.SPELT: ("abc", 1, 9, 5),
            "SELECT number FROM procedures WHERE ended < ? LIMIT 500": (5,),
            "SELECT number FROM procedures WHERE ended >= ? AND number < ? LIMIT 500": (5, 6),
            "SELECT number FROM procedures WHERE id = ?": ("x",),
            "SELECT number, id, document FROM procedures WHERE video = ?": ("x",),
            "SELECT document FROM procedures WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT ?": (0, 9, 5),
        }.items():
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", values)]
            scans = [
                step
                for step in plan
                if step.startswith("SCAN") and not re.search("VIRTUAL TABLE INDEX|CONSTANT ROW", step)
            ]
            assert scans == [], query
            assert not any("TEMP B-TREE" in step for step in plan), query
    connection.close()


def test_searches_go_on_while_others_write(memories: SqlMemories) -> None:
    one = procedure("one", 'Opened "draft"')
    memories.replace(one.video, [one])
    failures: list[BaseException] = []
    stop = threading.Event()

    def search() -> None:
        try:
            while not stop.is_set():
                assert found(memories, "draft") >= {"one"}
        except BaseException as error:  # noqa: BLE001 - told by the test's thread
            failures.append(error)

    workers = [threading.Thread(target=search) for _ in range(3)]
    for worker in workers:
        worker.start()
    for place in range(60):
        each = procedure(f"p{place}", f'Opened "file{place}"', ago=(2 + place) * HOUR)
        memories.replace(each.video, [each])
    memories.prune(NOW - 10 * HOUR)
    stop.set()
    for worker in workers:
        worker.join()
    assert failures == []
