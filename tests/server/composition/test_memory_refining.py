"""The refinery of a daemon: off it contacts nobody; on it sends what was recorded since, lists it, and deletes it."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.keys import Keys
from config.settings import Settings
from core.errors import Conflict
from core.memory import RecallRequest
from core.recording.recordings import Segment
from server.composition.memory import RECORDINGS, Memory
from server.composition.memory_reading import RecordingReader
from server.composition.memory_refining import RefinementWorker
from storage.memories.ledgers import SentFile
from tests.clock import until
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.models import gemini, memories_ai, openai_chat
from tests.fakes.models.gemini import FakeGemini
from tests.fakes.models.memories_ai import FakeMemoriesAi
from tests.fakes.models.openai_chat import MODEL, FakeOpenAI
from tests.fakes.models.refiners import BEGAN, SEGMENT, procedure
from tests.fakes.recordings.films import write_film

EARLY = BEGAN - timedelta(seconds=1)


class Servers:
    """Everybody who could be contacted, with keys for all."""

    def __init__(self, stack: ExitStack) -> None:
        self.vision = stack.enter_context(FakeOpenAI())
        self.gemini = stack.enter_context(FakeGemini())
        self.memories = stack.enter_context(FakeMemoriesAi(polls=0))
        self.vision.reply = 'Clicked "Add" in the top right corner'

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "vision_base_url": self.vision.base_url,
            "vision_model": MODEL,
            "gemini_base_url": self.gemini.url,
            "memories_base_url": self.memories.base_url,
        }

    @property
    def keys(self) -> Keys:
        return Keys(
            {
                "GOOGLE_API_KEY": gemini.KEY,
                "VAIDER_VISION_API_KEY": openai_chat.KEY,
                "MEMORIES_API_KEY": memories_ai.KEY,
            },
            ring=lambda: None,
        )

    @property
    def requests(self) -> int:
        return sum(len(server.requests) for server in (self.vision, self.gemini, self.memories))


@pytest.fixture
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack)


class Home:
    """A data directory with one recorded segment, and what is remembered of it."""

    def __init__(self, settings: Settings, servers: Servers, stack: ExitStack) -> None:
        self.settings = settings.model_copy(update=servers.settings)
        self._servers, self._stack = servers, stack
        folder = settings.data_path / RECORDINGS
        folder.mkdir(mode=0o700, parents=True)
        self.film = write_film(folder / f"{SEGMENT}.mp4", seconds=30)
        self.memory = Memory(self.settings)
        stack.callback(self.memory.close)
        self.memory.memories.replace(SEGMENT, [procedure("a")])

    def refinement_worker(self, chosen: str, since: datetime = EARLY) -> RefinementWorker:
        """As a daemon has it that was started at that moment."""
        made = RefinementWorker(
            self.settings.model_copy(update={"memory_refiner": chosen}), self._servers.keys, self.memory, since=since
        )
        self._stack.callback(made.stop)
        made.start()
        return made

    @property
    def segment(self) -> Segment:
        found = self.memory.segments.find(SEGMENT)
        assert found is not None
        return found

    @property
    def read_reports(self) -> tuple[str, ...]:
        found = self.memory.memories.get("a")
        return () if found is None else tuple(step.text for step in found.steps)


@pytest.fixture
def home(settings: Settings, servers: Servers) -> Iterator[Home]:
    with ExitStack() as stack:
        yield Home(settings, servers, stack)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "refining"]


def test_switched_off_nobody_is_contacted_whatever_happens(home: Home, servers: Servers) -> None:
    before = home.read_reports
    refinement_worker = home.refinement_worker("none")
    refinement_worker.offer(home.segment)
    refinement_worker.removed([SEGMENT])
    home.memory.recall(RecallRequest(query="how did I add an SSH key"))
    with pytest.raises(Conflict, match="memory_refiner"):
        refinement_worker.refine_memory("a")
    assert refinement_worker.rank("anything", 3) == ()
    assert refinement_worker.list_sent(9).model_dump() == {
        "refiner": "none",
        "sent": (),
        "left_there": (),
        "problem": None,
    }
    refinement_worker.forget(BEGAN + timedelta(days=1), BEGAN + timedelta(days=2))
    assert not threads()
    assert servers.requests == 0
    assert home.read_reports == before
    assert not SentFile(home.settings.data_path).path.exists()


def test_switched_off_nothing_of_it_is_imported(home: Home) -> None:
    script = f"""
import sys
from datetime import UTC, datetime
from pathlib import Path
from adapters.keys import Keys
from config.settings import load_settings
from core.recording.recordings import Segment
from server.composition.memory import Memory
from server.composition.memory_refining import RefinementWorker
settings = load_settings(environment={{}}, flags={{"data_dir": {str(home.settings.data_path)!r}}})
refinement_worker = RefinementWorker(settings, Keys({{}}), Memory(settings))
refinement_worker.start()
refinement_worker.offer(Segment(id="x", started_at=datetime.now(UTC), path=Path("x.mp4"), log=None,
                       duration_ms=1, width=1, height=1, size_bytes=1, complete=True))
refinement_worker.removed(["x"])
refinement_worker.stop()
print([name for name in sys.modules
       if name.startswith(("httpx2", "adapters.models", "core.memories.re", "av"))])
"""
    environment = {**os.environ, "VAIDER_SETTINGS": str(home.settings.data_path / "none.toml")}
    reported = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        env=environment,
    )
    assert reported.stdout.strip() == "[]"


def test_switched_on_a_segment_that_was_read_is_refined_and_what_left_is_listed(home: Home, servers: Servers) -> None:
    refinement_worker = home.refinement_worker("vision")
    assert not threads(), "there is nothing to do yet"
    refinement_worker.offer(home.segment)
    until(lambda: home.read_reports[-1] == 'Clicked "Add" in the top right corner')
    listed = refinement_worker.list_sent(9)
    assert listed.refiner == "vision"
    assert [sent.memory for sent in listed.sent] == ["a", "a"]
    assert len(servers.vision.requests) == 2
    assert servers.requests == 2
    refinement_worker.stop()
    assert not threads()


def test_what_was_recorded_before_it_was_switched_on_stays_here_unless_somebody_wants_it(
    home: Home, servers: Servers
) -> None:
    servers.gemini.reply = {"summary": 'Added "work laptop"', "steps": []}
    refinement_worker = home.refinement_worker("gemini", since=BEGAN + timedelta(milliseconds=1))
    refinement_worker.offer(home.segment)
    assert not threads()
    assert servers.requests == 0
    assert refinement_worker.refine_memory("a").summary == 'Added "work laptop"'
    assert [sent.what for sent in refinement_worker.list_sent(9).sent] == ["clip"]
    assert not servers.gemini.files, "it was deleted there"


def test_what_is_forgotten_leaves_the_list_and_the_notes(home: Home) -> None:
    refinement_worker = home.refinement_worker("vision")
    refinement_worker.offer(home.segment)
    until(lambda: home.read_reports[-1] == 'Clicked "Add" in the top right corner')
    refinement_worker.stop()
    assert home.refinement_worker("none").forget(BEGAN + timedelta(seconds=15), BEGAN + timedelta(seconds=16)) == 1
    assert [sent.times_ms for sent in refinement_worker.list_sent(9).sent] == [(12_400, 14_500)], (
        "that shows nothing of it"
    )
    assert home.refinement_worker("none").forget(BEGAN, BEGAN + timedelta(minutes=5)) == 0
    assert refinement_worker.list_sent(9).sent == ()
    files = [path for path in home.settings.data_path.iterdir() if path.is_file() and path.suffix.startswith(".js")]
    assert not [path for path in files if b"Add" in path.read_bytes() or SEGMENT.encode() in path.read_bytes()]


def test_a_segment_goes_to_memories_ai_helps_to_recall_and_is_deleted_there_when_it_expires(
    home: Home, servers: Servers
) -> None:
    refinement_worker = home.refinement_worker("memories")
    home.memory.ranking = refinement_worker
    refinement_worker.offer(home.segment)
    until(
        lambda: (
            [sent.what for sent in refinement_worker.list_sent(9).sent] == ["segment"]
            and servers.memories.asked("list_videos")
        )
    )
    (number,) = servers.memories.videos
    servers.memories.said = (memories_ai.references((number, 12)), memories_ai.DONE)

    def recalled() -> list[str]:
        return [each.id for each in home.memory.recall(RecallRequest(query="zettelkasten ordnung")).results]

    until(lambda: recalled() == ["a"])
    refinement_worker.removed([SEGMENT])
    until(lambda: refinement_worker.list_sent(1).sent[0].what == "deleted")
    assert not servers.memories.videos
    assert refinement_worker.list_sent(9).left_there == ()
    assert recalled() == []


def test_a_segment_is_sent_when_it_has_been_read_and_deleted_when_its_files_are_gone(
    home: Home, servers: Servers
) -> None:
    refinement_worker = home.refinement_worker("memories")
    reader = RecordingReader(home.settings, home.memory, refinement_worker)
    try:
        reader.closed(home.segment)
        until(lambda: servers.memories.videos, seconds=60)
        assert home.read_reports == (), "it was read anew before, and nothing was done in it"
        reader.removed([SEGMENT])
        until(lambda: not servers.memories.videos)
    finally:
        reader.stop()


def test_what_is_forgotten_is_deleted_at_memories_ai_also_after_a_restart(home: Home, servers: Servers) -> None:
    servers.memories.scripts["delete_videos"] = [memories_ai.busy()]
    refinement_worker = home.refinement_worker("memories")
    refinement_worker.offer(home.segment)
    until(lambda: servers.memories.asked("list_videos"))
    refinement_worker.stop()
    off = home.refinement_worker("none")
    assert off.list_sent(9).left_there == (SEGMENT,), "it lies there, and nobody would delete it"
    off.forget(BEGAN, BEGAN + timedelta(minutes=1))
    assert off.list_sent(9).sent == ()
    assert servers.memories.videos
    first = home.refinement_worker("memories")
    until(lambda: [sent.what for sent in first.list_sent(9).sent] == ["not deleted"])
    assert first.list_sent(9).left_there == (SEGMENT,)
    first.removed([])
    first.stop()
    assert SEGMENT not in SentFile(home.settings.data_path).path.read_text()


@pytest.mark.nightly
def test_the_list_is_told_over_http_and_on_the_terminal(
    home: Home, servers: Servers, start: Callable[..., Daemon]
) -> None:
    refinement_worker = home.refinement_worker("vision")
    refinement_worker.refine_memory("a")
    daemon = start(**servers.settings, memory_refiner="vision")
    answer = daemon.http.get("/memory/sent", params={"limit": 2}).json()
    assert answer["refiner"] == "vision"
    assert [(sent["memory"], sent["what"]) for sent in answer["sent"]] == [("a", "pictures")] * 2
    assert datetime.fromisoformat(answer["sent"][0]["at"]).tzinfo == UTC
    assert daemon.http.get("/memory/sent", params={"limit": 0}).status_code == 400
    assert daemon.http.post("/memory/zzz/refine", json={}).status_code == 404
    refused = daemon.http.post("/memory/a/refine", json={})
    assert (refused.status_code, refused.json()["code"]) == (500, "invalid_credentials"), "that daemon has no key"
    data = str(home.settings.data_path)
    done = vaider("record", "sent", "--limit", "1", "--data-dir", data, "--port", "1", cwd=Path(data))
    assert done.returncode == 0, done.stderr
    first, line = done.stdout.splitlines()
    assert first == "Nothing leaves: memory_refiner is none."
    assert f"pictures to {servers.vision.url.split('/')[2]}" in line
    assert f"of a, {SEGMENT} at" in line
    assert daemon.http.get("/memory/sent").json()["problem"] is None
    lacking = start(memory_refiner="vision").http.get("/memory/sent").json()["problem"]
    assert "Set vision_base_url" in lacking
    gone = vaider(
        "record", "forget", "--since", "2026-11-20T09:00Z", "--until", "2026-11-20T11:00Z", "--yes",
        "--data-dir", data, "--port", "1", cwd=Path(data),
    )  # fmt: skip
    assert gone.returncode == 0, gone.stderr
    assert SentFile(home.settings.data_path).path.read_text() == ""
