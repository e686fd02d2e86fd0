"""Recall with the help of a library elsewhere: ranks are fused, and it cannot hold an answer up or spoil it."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from core.errors import ProviderError
from core.memories.remote_library import UNMEASURED, Moment, RemoteRecall
from core.memory import RecallRequest
from core.recall.recall import Recall
from storage.memories.memories import SqlMemories
from tests.clock import within
from tests.fakes.models.refiners import BEGAN, SEGMENT, procedure, step


@dataclass
class Library:
    """Implements ``core.memories.remote_library.RemoteRanking``."""

    moments: Sequence[Moment] = ()
    before: Callable[[], object] = lambda: None
    asked: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def rank(self, query: str, limit: int) -> Sequence[Moment]:
        self.asked.append((query, limit))
        self.before()
        return self.moments


def at(seconds: float, video: str = SEGMENT) -> Moment:
    return Moment(video, BEGAN, round(seconds * 1000))


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[SqlMemories]:
    made = SqlMemories(tmp_path / "memory.db")
    reported = (("keys", "Added the key"), ("mail", "Sent the mail"), ("cards", "Sorted the cards"))
    made.replace(
        SEGMENT,
        [
            procedure(name, 10_000 * number, step(f'{text} "{name} one"', 10_000 * number + 500)).model_copy(
                update={"summary": f'{text} "{name} one" in Firefox', "texts": ()}
            )
            for number, (name, text) in enumerate(reported, 1)
        ],
    )
    yield made
    made.close()


def recalling(memories: SqlMemories, library: Library, *, seconds: float = 5.0) -> RemoteRecall:
    here = Recall(memories, now=lambda: BEGAN + timedelta(hours=1), zone=lambda: UTC, video_url=lambda _: None)
    return RemoteRecall(here, library, memories, seconds=seconds)


def ids(recall: RemoteRecall, query: str, limit: int = 3) -> list[str]:
    return [each.id for each in recall.recall(RecallRequest(query=query, limit=limit)).results]


def test_what_both_name_comes_first_and_what_it_alone_names_is_told_with_little_confidence(
    memories: SqlMemories,
) -> None:
    library = Library((at(31), at(11), at(11.5), at(999), at(11, "another")))
    answer = recalling(memories, library).recall(RecallRequest(query="how did I add the key"))
    assert [each.id for each in answer.results] == ["keys", "cards"]
    assert answer.results[1].confidence == UNMEASURED
    assert answer.results[0].confidence > UNMEASURED
    assert answer.message is None
    assert library.asked == [("how did I add the key", 9)]


def test_other_words_than_the_screens_find_something_only_there(memories: SqlMemories) -> None:
    library = Library()
    recall = recalling(memories, library)
    assert ids(recall, "zettelkasten ordnung") == []
    assert recall.recall(RecallRequest(query="zettelkasten ordnung")).message
    library.moments = (at(31),)
    assert ids(recall, "zettelkasten ordnung") == ["cards"]


def test_a_moment_a_little_beside_a_procedure_means_it_and_one_far_away_means_none(memories: SqlMemories) -> None:
    memories.replace(SEGMENT, [procedure("far", 30_000, step('Did "x"', 30_500))])
    assert ids(recalling(memories, Library((at(26),))), "zettelkasten") == ["far"]
    assert ids(recalling(memories, Library((at(20),))), "zettelkasten") == []


def test_a_library_that_hangs_or_fails_changes_nothing_but_a_bounded_time(memories: SqlMemories) -> None:
    never = threading.Event()
    hanging = Library((at(31),), before=never.wait)
    recall = recalling(memories, hanging, seconds=0.3)
    began = time.monotonic()
    assert ids(recall, "how did I add the key") == ["keys"]
    within(3, time.monotonic() - began)
    assert ids(recall, "how did I add the key") == ["keys"]
    assert len(hanging.asked) == 1, "it was asked again while it hung"
    never.set()

    def fail() -> None:
        raise ProviderError("Busy.")

    library = Library((at(31),), before=fail)
    assert ids(recalling(memories, library), "how did I add the key") == ["keys"]
    assert library.asked


def test_a_time_that_was_asked_for_and_a_quotation_hold_for_what_it_names_as_well(memories: SqlMemories) -> None:
    library = Library((at(31),))
    recall = recalling(memories, library)
    assert ids(recall, "what did I do with zettelkasten last week") == []
    assert ids(recall, '"zettelkasten"') == []
    library.asked.clear()
    assert sorted(ids(recall, "what did I do today")) == ["cards", "keys", "mail"]
    assert not library.asked, "a time alone is no question for it"


def test_there_are_never_more_than_were_asked_for(memories: SqlMemories) -> None:
    assert ids(recalling(memories, Library((at(31), at(21)))), "how did I add the key", 1) == ["keys"]
