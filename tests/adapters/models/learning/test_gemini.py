"""The extractor against a Gemini API that refuses what the real one refuses."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from adapters.models.gemini import GeminiVideo
from adapters.models.learning.checked import CheckedExtractor
from adapters.models.learning.gemini import GeminiExtractor
from adapters.models.retry import RetryPolicy
from adapters.video.video_files import VideoConverter
from config.prompts import load_prompt
from core.analysis import Event, EventKind, Findings, Sighting, Video
from core.errors import InvalidCredentials, InvalidReply
from core.jobs import Stage
from core.ports import FrameFolder, JobContext
from core.recording.input_log import Clicked, Focused, InputLog, Typed
from core.tasks.learning_gate import read_extraction
from core.tasks.plan import plan_of
from tests.adapters.models.clip_helpers import describe
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.gemini import KEY, FakeGemini, overloaded, says

REPLY = """# Task
TaskDetected: true
Status: TASK_FOUND
NoTaskReason: NONE
Title: Send the report

## Questions
- [required] Who gets it?
"""
LOG = InputLog(
    width=800,
    height=600,
    events=(
        Focused(t_ms=0, application="Firefox", title="Reports" + "x" * 500),
        Clicked(t_ms=1200, x=40, y=60),
        Typed(t_ms=62_000, until_ms=62_500, count=4),
    ),
)


@pytest.fixture
def gemini() -> Iterator[FakeGemini]:
    with FakeGemini() as server:
        yield server


@pytest.fixture
def clip(tmp_path: Path) -> Video:
    path = tmp_path / "demo.mp4"
    path.write_bytes(b"\0\0\0\x18ftypisom" + bytes(1000))
    return describe(path)


def extractor(server: FakeGemini, key: str | None = KEY) -> GeminiExtractor:
    prompt = load_prompt("task_extraction")
    video = GeminiVideo(
        key=lambda: key,
        convert=VideoConverter(max_bytes=1 << 30, max_seconds=300, max_pixels=1 << 24),
        model="gemini-3.8-flash",
        base_url=server.url,
        poll_seconds=0.01,
        retry=RetryPolicy(attempts=2, first_seconds=0.01),
    )
    return GeminiExtractor(video, prompt=prompt.text, prompt_version=prompt.version)


def test_the_recording_is_uploaded_asked_about_in_plain_text_and_deleted(gemini: FakeGemini, clip: Video) -> None:
    gemini.scripts = {"generate": [says(REPLY)]}
    context = FakeContext()
    reply = extractor(gemini).extract(clip, LOG, context)
    asked = gemini.asked()
    video, text = asked["contents"][0]["parts"]
    heading, *events = text["text"].split("\n")[1:]

    assert read_extraction(reply.text).heartbeat is not None
    assert video["fileData"]["mimeType"] == "video/mp4"
    assert "TaskDetected" in asked["systemInstruction"]["parts"][0]["text"]
    assert "responseSchema" not in asked["generationConfig"]
    assert "letters are not logged" in heading
    assert [json.loads(line)["at"] for line in events] == ["00:00.0", "00:01.2", "01:02.0"]
    assert len(json.loads(events[0])["title"]) == 200
    assert json.loads(events[2])["letters"] == 4
    assert context.stages == [Stage.UPLOADING, Stage.ASKING]
    assert not gemini.files


def test_an_account_that_breaks_the_format_is_asked_for_once_more_with_what_is_missing(
    gemini: FakeGemini, clip: Video
) -> None:
    gemini.scripts = {"generate": [says(REPLY.replace("NoTaskReason: NONE\n", "")), says(REPLY)]}
    reply = extractor(gemini).extract(clip, None, FakeContext())

    assert read_extraction(reply.text).heartbeat is not None
    assert "NoTaskReason is missing" in gemini.asked()["contents"][-1]["parts"][0]["text"]


def test_an_account_that_stays_broken_is_an_error_and_nothing_stays_with_the_provider(
    gemini: FakeGemini, clip: Video
) -> None:
    gemini.scripts = {"generate": [says("No."), says("No.")]}
    with pytest.raises(InvalidReply, match="twice"):
        extractor(gemini).extract(clip, None, FakeContext())
    assert not gemini.files


def test_transport_is_tried_again(gemini: FakeGemini, clip: Video) -> None:
    gemini.scripts = {"generate": [overloaded(), says(REPLY)]}
    assert extractor(gemini).extract(clip, None, FakeContext()).usage


def test_without_a_key_it_says_which_one_and_where_to_get_it(gemini: FakeGemini, clip: Video) -> None:
    lack = extractor(gemini, key=None).unavailable()
    assert lack is not None
    assert "GEMINI_API_KEY" in lack
    with pytest.raises(InvalidCredentials):
        extractor(gemini, key=None).extract(clip, None, FakeContext())


CORNER = (9, 9, 9, 9)
SEEN = Findings(
    timeline=tuple(
        Event(t_ms=t_ms, kind=kind, text=text, region=CORNER, confidence=1, description="")
        for t_ms, kind, text in ((2000, EventKind.TYPED, "Ada"), (5000, EventKind.APPEARED, "Order 17 sent"))
    ),
    sightings=tuple(
        Sighting(text=text, t_ms=t_ms, region=CORNER)
        for text, t_ms in (("Name", 0), ("Send", 0), ("Ada", 2900), ("Order 17 sent", 5000))
    ),
)
ACCOUNT = """# Task
TaskDetected: true
Status: TASK_FOUND
NoTaskReason: NONE
Title: Send an order
SuccessCriteria:
- "Order {number} sent" is shown.
SuggestedPlan:
1. Open "http://localhost:8000" in the browser.
2. Type "Ada" into the "Name" field.
3. Click the "Send" button.
Evidence:
- [00:02-00:03] Type "Ada" into the "Name" field.
- [00:05-00:05] Click the "Send" button.

## Questions
- None.
"""


class _Watching:
    name, model = "local", "reader"

    def unavailable(self) -> str | None:
        return None

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        del video, expectations, frames, context
        return SEEN


@pytest.mark.parametrize(
    ("said", "told", "questions"),
    [
        ({}, ["TYPE", "CLICK"], 0),
        ({'the "Send" button': 'the "SEND"'}, ["TYPE", "CLICK"], 0),
        ({'the "Send" button': 'the "Pay now" button'}, ["TYPE", ""], 1),
        ({'"Ada"': '"Bob"'}, ["", "CLICK"], 1),
        ({"[00:05-00:05]": "[00:40-00:40]"}, ["TYPE", ""], 1),
        ({'"Order {number} sent"': '"Payment received"'}, ["TYPE", "CLICK"], 1),
    ],
    ids=["good", "sloppy", "a button that is not there", "another value", "another time", "another end"],
)
def test_what_the_film_contradicts_in_an_account_is_a_question(
    gemini: FakeGemini, clip: Video, said: dict[str, str], told: list[str], questions: int
) -> None:
    account = ACCOUNT
    for own, other in said.items():
        account = account.replace(own, other)
    gemini.scripts = {"generate": [says(account)]}
    reply = CheckedExtractor(extractor(gemini), _Watching()).extract(clip, None, FakeContext())
    task = read_extraction(reply.text).heartbeat

    assert task is not None
    assert [step.action_type for step in plan_of(task)][1:] == told
    assert len(task.open_questions) == questions
    assert '"Payment received" is shown' not in task.text
