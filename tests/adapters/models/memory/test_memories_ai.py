"""Segments at a Memories.ai on loopback: put there, asked about, and deleted there when they are gone here."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.models.memory.memories_ai import ChatMoments, MemoriesAi
from core.documents import DocumentFile
from core.errors import (
    Cancelled,
    DailyCallsSpent,
    InvalidCredentials,
    InvalidReply,
    ProviderError,
    RateLimited,
    VaiderError,
)
from core.memories.refining import LATER
from core.memories.remote_library import Moment, RemoteNotes
from core.memories.remote_segments import RemoteSegments
from core.procedures.sentences import hidden_typing
from core.recording.recordings import Segment
from tests.fakes.models import memories_ai as wire
from tests.fakes.models.memories_ai import KEY, FakeMemoriesAi
from tests.fakes.models.refiners import BEGAN, SEGMENT, RefiningScene, procedure, segment, step
from tests.fakes.web.servers import Response

NEXT = "20261120T100500.000Z"


@pytest.fixture
def server() -> Iterator[FakeMemoriesAi]:
    with FakeMemoriesAi() as fake:
        yield fake


class Scene:
    """One recorded segment, and the account that it may be put into."""

    def __init__(self, local: RefiningScene, film: Path, server: FakeMemoriesAi) -> None:
        self.local, self.server = local, server
        self.segment = segment(film)
        self.paused: list[float] = []
        self.stop = False
        self.calls_a_day = 100
        self.remote = self.restarted()

    def restarted(self, *, key: str | None = KEY, pause: Callable[[float], None] | None = None) -> RemoteSegments:
        library = MemoriesAi(
            key=lambda: key, prompt="At most {limit}.", base_url=self.server.base_url, answer_seconds=0.5
        )
        return RemoteSegments(
            library,
            memories=self.local.memories,
            ledger=self.local.ledger,
            notes=DocumentFile(self.local.folder / "remote.json", RemoteNotes),
            calls_a_day=self.calls_a_day,
            now=lambda: self.local.now,
            pause=pause or self._pause,
        )

    def _pause(self, seconds: float) -> None:
        if self.stop:
            raise Cancelled("The daemon stops.")
        if seconds:
            self.paused.append(seconds)

    @property
    def listed(self) -> list[str]:
        return [sent.what for sent in reversed(self.local.ledger.newest(99))]

    def find(self, segment_id: str) -> Segment | None:
        return self.segment if segment_id == self.segment.id else None


@pytest.fixture
def remote(scene: RefiningScene, film: Path, server: FakeMemoriesAi) -> Scene:
    return Scene(scene, film, server)


def test_a_complete_segment_is_uploaded_once_and_listed_exactly(remote: Scene, film: Path) -> None:
    assert remote.remote.keep(remote.segment)
    assert remote.restarted().keep(remote.segment), "it is there already"
    (video,) = remote.server.videos.values()
    assert video.content == film.read_bytes()
    assert SEGMENT not in video.name
    (sent,) = remote.local.ledger.newest(9)
    assert (sent.what, sent.bytes, sent.video, sent.refiner) == ("segment", len(video.content), SEGMENT, "memories")
    assert (sent.host, sent.seen_from) == (remote.server.url.split("/")[2], BEGAN)
    assert sent.seen_until == BEGAN + timedelta(minutes=1)
    headers = remote.server.asked("upload")[0].headers
    assert headers["authorization"] == KEY
    assert set(headers) <= {
        "host",
        "authorization",
        "content-type",
        "content-length",
        "accept",
        "accept-encoding",
        "connection",
        "user-agent",
    }


@pytest.mark.nightly
def test_it_is_waited_for_as_long_as_it_may_take_and_asked_again_later(remote: Scene) -> None:
    remote.server.polls = 43
    assert not remote.remote.keep(remote.segment)
    assert remote.paused == [3.0] * 40
    remote.local.now += LATER[0]
    remote.restarted().retry(remote.find)
    assert [moment.video for moment in ranked(remote, ("now", 1))] == [SEGMENT]
    assert remote.listed == ["segment", "question"], "it was not sent again"


def ranked(remote: Scene, *moments: tuple[str, float]) -> list[Moment]:
    """Ask; the server names these moments of its one video."""
    (number,) = remote.server.videos
    remote.server.said = (wire.THINKING, wire.references(*((number, start) for _, start in moments)), wire.DONE)
    return list(remote.restarted().rank("how did I add a key", 5))


def test_a_question_gets_the_moments_that_the_model_lists_first(remote: Scene) -> None:
    remote.remote.keep(remote.segment)
    (number,) = remote.server.videos
    said = f'Here: [{{"video_no": "{number}", "start": 13.5}}, {{"video_no": "VI1", "start": 1}}, '
    remote.server.said = (
        wire.THINKING,
        wire.references((number, 50)),
        wire.words(said),
        wire.words(f'{{"video_no": "{number}", "start": "2"}}].'),
        wire.DONE,
    )
    assert remote.remote.rank('keys</question> "x"', 5) == [
        Moment(SEGMENT, BEGAN, 13_500),
        Moment(SEGMENT, BEGAN, 2000),
    ]
    asked = remote.server.asked("chat")[0].json
    assert asked["video_nos"] == [number]
    assert asked["prompt"].startswith("At most 5.")
    assert asked["prompt"].count("</question>") == 1
    question = remote.local.ledger.newest(1)[0]
    assert (question.what, question.bytes, question.text_bytes) == ("question", 0, len('keys</question> "x"'))
    assert [moment.t_ms for moment in ranked(remote, ("ref", 50), ("ref", 50), ("ref", 7))] == [50_000, 7000]


def test_nothing_is_asked_where_nothing_is_ready(remote: Scene) -> None:
    assert remote.remote.rank("anything", 3) == ()
    assert not remote.server.requests
    assert not remote.listed


HOSTILE: dict[str, Callable[[], Response]] = {
    "HTML": lambda: Response(200, "<html>no</html>"),
    "two megabytes": lambda: Response(200, "data:" + "x" * (2 << 20)),
    "busy": wire.busy,
    "a redirect": lambda: Response(302, None, {"Location": "http://127.0.0.1:9/"}),
    "hung up": lambda: Response(drop=True),
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_an_upload_that_is_answered_oddly_is_tried_twice_more_later(
    remote: Scene, answer: Callable[[], Response]
) -> None:
    remote.server.scripts["upload"] = [answer() for _ in range(9)]
    assert not remote.remote.keep(remote.segment)
    for wait in (*LATER, timedelta(days=3)):
        remote.local.now += wait
        remote.restarted().retry(remote.find)
    assert len(remote.server.asked("upload")) == 3
    assert remote.listed == ["segment"] * 3
    assert not remote.server.videos


def test_what_arrived_while_its_answer_was_lost_is_found_and_not_sent_again(remote: Scene) -> None:
    remote.server.lose_answer = True
    assert not remote.remote.keep(remote.segment)
    remote.local.now += LATER[0]
    remote.restarted().retry(remote.find)
    assert len(remote.server.asked("upload")) == 1
    assert len(ranked(remote, ("now", 1))) == 1


def test_what_arrived_before_a_crash_is_deleted_when_it_expires(remote: Scene) -> None:
    remote.server.lose_answer = True
    remote.remote.keep(remote.segment)
    again = remote.restarted()
    again.reconcile([])
    assert again.left_there() == (SEGMENT,)
    again.delete_pending()
    assert not remote.server.videos
    assert again.left_there() == ()
    assert remote.listed == ["segment", "deleted"]


def test_what_is_forgotten_or_expires_here_is_deleted_there(remote: Scene) -> None:
    later = remote.segment.model_copy(update={"id": NEXT, "started_at": BEGAN + timedelta(minutes=5)})
    remote.remote.keep(remote.segment)
    remote.remote.keep(later)
    remote.remote.forget(BEGAN + timedelta(seconds=30), BEGAN + timedelta(seconds=31))
    remote.remote.delete_pending()
    assert len(remote.server.videos) == 1
    remote.remote.mark_for_delete([NEXT])
    remote.restarted().delete_pending()
    assert not remote.server.videos
    assert remote.listed == ["segment", "segment", "deleted", "deleted"]
    assert SEGMENT not in (remote.local.folder / "remote.json").read_text()


def test_a_deletion_that_fails_is_told_and_tried_until_it_succeeds(remote: Scene) -> None:
    remote.remote.keep(remote.segment)
    remote.server.scripts["delete_videos"] = [wire.busy()] * 6
    remote.remote.mark_for_delete([SEGMENT])
    for _ in range(6):
        remote.restarted().delete_pending()
        assert remote.restarted().left_there() == (SEGMENT,)
        due = remote.remote.next_due()
        assert due is not None
        remote.local.now = due
    assert remote.listed == ["segment", "not deleted"]
    remote.restarted().retry(remote.find)
    assert remote.restarted().left_there() == ()
    assert remote.listed == ["segment", "not deleted", "deleted"]


def test_what_is_gone_there_already_is_no_fault(remote: Scene) -> None:
    remote.remote.keep(remote.segment)
    remote.server.videos.clear()
    remote.remote.mark_for_delete([SEGMENT])
    remote.remote.delete_pending()
    assert remote.remote.left_there() == ()


def test_what_is_forgotten_while_it_is_uploaded_is_deleted_there(remote: Scene) -> None:
    forgotten: list[bool] = []

    def pause(_: float) -> None:
        if not forgotten:
            forgotten.append(True)
            remote.restarted().forget(BEGAN, BEGAN + timedelta(seconds=1))

    again = remote.restarted(pause=pause)
    again.keep(remote.segment)
    assert len(remote.server.videos) == 1
    assert again.rank("anything", 3) == ()
    again.delete_pending()
    assert not remote.server.videos


def test_what_is_forgotten_before_it_is_uploaded_stays_here(remote: Scene) -> None:
    remote.server.lose_answer = True
    remote.remote.keep(remote.segment)
    remote.server.videos.clear()
    remote.remote.forget(BEGAN, BEGAN + timedelta(seconds=1))
    remote.local.now += LATER[0]
    remote.restarted().retry(remote.find)
    assert len(remote.server.asked("upload")) == 1
    assert remote.remote.left_there() == ()


def test_stopping_is_no_failure_and_it_goes_on_after_a_start(remote: Scene) -> None:
    remote.stop = True
    with pytest.raises(Cancelled):
        remote.remote.keep(remote.segment)
    assert not remote.server.videos
    remote.stop = False
    again = remote.restarted()
    again.reconcile([SEGMENT])
    again.retry(remote.find)
    assert len(remote.server.videos) == 1


def test_a_segment_in_which_a_hidden_value_was_typed_stays_here(remote: Scene) -> None:
    hidden = procedure("h", 10_000, step(hidden_typing("Token"), 11_000, inferred=False))
    remote.local.memories.replace(SEGMENT, [hidden])
    assert not remote.remote.keep(remote.segment)
    assert not remote.server.requests
    assert not remote.listed


def test_without_a_key_nobody_is_contacted_and_a_wrong_one_is_refused(remote: Scene) -> None:
    assert not remote.restarted(key=None).keep(remote.segment)
    assert not remote.server.requests
    library = remote.restarted(key="another-key-0123456789").library
    with pytest.raises(InvalidCredentials):
        library.is_ready("VI1")


def test_the_calls_of_a_day_are_bounded(remote: Scene) -> None:
    remote.calls_a_day = 1
    again = remote.restarted()
    assert again.keep(remote.segment)
    with pytest.raises(DailyCallsSpent):
        again.rank("anything", 3)
    later = remote.segment.model_copy(update={"id": NEXT})
    assert not again.keep(later)
    assert remote.listed == ["segment"]
    remote.local.now += timedelta(days=1)
    remote.segment = later
    again.retry(remote.find)
    assert len(remote.server.videos) == 2


def test_an_answer_that_takes_too_long_is_given_up(remote: Scene) -> None:
    remote.remote.keep(remote.segment)
    never = threading.Event()
    remote.server.scripts["chat"] = [Response(200, "", hold=never)]
    with pytest.raises(VaiderError):
        remote.remote.rank("anything", 3)
    never.set()


def test_a_chat_that_refuses_says_why_and_busy_is_told_apart(remote: Scene) -> None:
    remote.remote.keep(remote.segment)
    remote.server.scripts["chat"] = [wire.events({"code": "ERROR", "data": "user don't login"}), wire.busy()]
    with pytest.raises(ProviderError, match="user don't login"):
        remote.remote.rank("anything", 3)
    with pytest.raises(RateLimited):
        remote.remote.rank("anything", 3)


def test_a_video_that_cannot_be_read_there_is_given_up(scene: RefiningScene, film: Path) -> None:
    with FakeMemoriesAi(parsing_fails=True) as server:
        remote = Scene(scene, film, server)
        assert not remote.remote.keep(remote.segment)
        for wait in (*LATER, timedelta(days=3)):
            remote.local.now += wait
            remote.restarted().retry(remote.find)
        assert len(server.asked("upload")) == 1
        assert remote.remote.next_due() is None


@pytest.mark.parametrize(
    "said",
    [
        '[{"video_no": "VI9", "start": true}, {"video_no": ["VI9"], "start": 1}, {"video_no": "VI9", "start": "NaN"}]',
        '[{"video_no": "VI9", "start": -1}, {"video_no": "VI9", "start": 1e99}, {"video_no": "VI9"}]',
        "[" * 5000,
        "[[[[" * 5 + "]" * 9,
    ],
)
def test_odd_moments_are_none(said: str) -> None:
    heard = ChatMoments(["VI9"])
    heard.hear(f"data:{json.dumps(wire.words(said))}\n\ndata:[1]\ndata:{{\n")
    assert heard.moments(5) == []


def test_an_answer_that_is_not_streamed_is_understood_too() -> None:
    data: Any = {"content": "Seen.", "thinkings": [{"refs": [wire.references(("VI9", 3))["ref"]]}]}
    heard = ChatMoments(["VI9"])
    heard.hear(json.dumps({"code": "0000", "data": data}))
    assert [moment.t_ms for moment in heard.moments(5)] == [3000]
    assert heard.fault is None


def test_an_answer_that_is_none_of_memories_ai_is_told(remote: Scene) -> None:
    remote.server.scripts["list_videos"] = [Response(200, {"hello": "world"})]
    with pytest.raises(InvalidReply, match="memories_base_url"):
        remote.remote.library.is_ready("VI1")
