import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from adapters.embeddings import RemoteEmbeddings
from core.memories.ports import Sent
from core.memory import RecallRequest
from core.recall.meaning import Meaning
from core.recall.recall import Recall
from storage.memories.memories import SqlMemories
from tests.fakes.models.embeddings import KEY, FakeEmbeddings
from tests.fakes.recordings.made_procedures import NOW, procedure
from tests.fakes.web.servers import Response


class Ledger:
    """Keeps what is written down in memory."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []

    def add(self, sent: Sent) -> None:
        self.sent.append(sent)

    def newest(self, limit: int) -> Sequence[Sent]:
        return self.sent[::-1][:limit]

    def forget(self, since: object, until: object) -> int:
        del since, until
        return 0


@pytest.fixture
def memories(tmp_path: Path) -> Generator[SqlMemories]:
    memories = SqlMemories(tmp_path / "memory.db")
    font = procedure("font", 'Changed "Font size" to "16"', application="Code", ago=timedelta(days=2))
    others = [
        procedure(f"other-{place}", f'Opened "plan{place}" of "project{place}"', ago=timedelta(hours=place))
        for place in range(40)
    ]
    for each in [font, *others]:
        memories.replace(each.video, [each])
    yield memories
    memories.close()


def meaning_of(memories: SqlMemories, server: FakeEmbeddings, model: str = "") -> tuple[Meaning, Ledger]:
    ledger = Ledger()
    embeddings = RemoteEmbeddings("openai", address=server.url, model=model, key=lambda: KEY, missing="")
    return Meaning(memories, embeddings, ledger), ledger


def recalled(memories: SqlMemories, meaning: Meaning | None, query: str) -> list[str]:
    recall = Recall(memories, now=lambda: NOW, zone=lambda: ZoneInfo("UTC"), video_url=lambda _: None, meaning=meaning)
    return [each.id for each in recall.recall(RecallRequest(query=query)).results]


def test_what_is_near_in_meaning_is_found_without_a_common_word(memories: SqlMemories) -> None:
    query = "how did I get bigger letters"
    with FakeEmbeddings() as server:
        meaning, _ = meaning_of(memories, server)
        assert recalled(memories, None, query) == []
        assert meaning.catch_up() == 41
        assert recalled(memories, meaning, query) == ["font"]
        # Something is always the nearest; it is told only if it is near.
        assert recalled(memories, meaning, "how did I bake a cake") == []
        meaning.stop()


def test_vectors_are_made_once_for_each_model_and_go_with_what_they_are_of(
    memories: SqlMemories, tmp_path: Path
) -> None:
    with FakeEmbeddings() as server:
        meaning, _ = meaning_of(memories, server)
        assert [meaning.catch_up(), meaning.catch_up()] == [41, 0]
        other, _ = meaning_of(memories, server, "another-model")
        assert recalled(memories, other, "bigger letters") in ([], ["font"])
        other.catch_up_aside().join()
        assert recalled(memories, other, "bigger letters") == ["font"]
        other.stop()
        # Nothing leaves any more, questions neither.
        assert recalled(memories, other, "bigger letters") == []
    memories.forget(NOW - timedelta(days=3), NOW - timedelta(days=1, hours=20))
    memories.forget_procedure("other-3")
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        rows = connection.execute("SELECT model, dimension, count(*) FROM vectors GROUP BY 1, 2").fetchall()
    connection.close()
    assert rows == [("another-model", 32, 39)]


def test_whatever_leaves_is_written_down_before(memories: SqlMemories) -> None:
    with FakeEmbeddings() as server:
        meaning, ledger = meaning_of(memories, server)
        meaning.catch_up()
        meaning.near("bigger letters", None)
        reported = [(sent.what, sent.refiner, sent.model, sent.text_bytes > 0) for sent in ledger.sent]
        assert reported == [("words", "embeddings", "text-embedding-3-small", True)] * 2 + [
            ("question", "embeddings", "text-embedding-3-small", True)
        ]
        assert {sent.host for sent in ledger.sent} == {server.url.split("/")[2]}
        assert ledger.sent[-1].text_bytes == len("bigger letters")
        assert ledger.sent[0].touches(NOW - timedelta(minutes=1), NOW)


def test_a_model_that_does_not_answer_leaves_the_words(memories: SqlMemories) -> None:
    with FakeEmbeddings() as server:
        meaning, _ = meaning_of(memories, server)
        server.script = [Response(503, {"error": {"message": "busy"}}) for _ in range(4)]
        assert recalled(memories, meaning, "font size") == ["font"]
        meaning.stop()
