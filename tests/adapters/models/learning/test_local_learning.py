"""Learning without a model: from recordings that the product made itself, and as a whole on a display."""

import re
from pathlib import Path

import pytest

from adapters.models.learning.local import LocalExtractor
from adapters.video.local import LocalAnalyser
from adapters.video.video_files import VideoFile
from bench.learning import Remembering, learn, record, served
from bench.learning_sessions import Session
from bench.record.steps import click, script, write
from core.analysis import Event, EventKind, Findings, Sighting, Video
from core.errors import Cancelled
from core.plans.phrasing import quoted
from core.recording.input_log import log_beside, parse_input_log
from core.runs.run import Run, RunOutcome, RunRequest
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.plan import plan_of
from storage.tasks.tasks import TaskFolders
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.runs.replaying import Replays

DATA = Path(__file__).parents[3] / "data" / "demonstrations"
MAX_BYTES, MAX_SECONDS, MAX_PIXELS = 1 << 30, 300, 33_177_600
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Guests</title><style>
body { margin: 0; padding: 32px; font: 18px/1.5 "DejaVu Sans", sans-serif; color: #1b1f24; }
label { display: block; margin: 12px 0 4px; } input[type=text] { font: inherit; width: 380px; padding: 6px; }
button { font: inherit; padding: 8px 26px; margin-top: 18px; border: 1px solid #7a869a; border-radius: 6px; }
</style></head><body><h1>New guest</h1>
<label for="name">Guest name</label><input type="text" id="name">
<p><input type="checkbox" id="breakfast"> <span>With breakfast</span></p>
<button id="add">Add guest</button><p id="said"></p><script>
document.getElementById("add").onclick = () => {
  const [name, breakfast] = ["name", "breakfast"].map((id) => document.getElementById(id));
  const guest = { name: name.value, breakfast: breakfast.checked };
  document.getElementById("said").textContent = "The guest was added";
  fetch("state", { method: "POST", body: JSON.stringify(guest) });
};
</script></body></html>"""
ANALYSER = Remembering()
GUEST = {"name": "Ada Byron", "breakfast": True}


def learned(name: str, *, with_log: bool = True) -> Heartbeat:
    video = DATA / f"{name}.mp4"
    log = parse_input_log(log_beside(video).read_bytes(), video.name) if with_log else None
    task = learn(video, log, ANALYSER)
    assert task is not None
    return task


def plan(task: Heartbeat) -> list[str]:
    return [line.text for line in plan_of(task)][1:]


@pytest.mark.nightly
def test_a_recorded_form_is_learned_step_by_step() -> None:
    task = learned("parcel-form")

    assert plan(task) == [
        'Type "Ada Lovelace" into the "Recipient" field.',
        'Type "Kaivokatu 12" into the "Street" field.',
        'Type "Helsinki" into the "City" field.',
        'Choose "Finland" in the "Country" dropdown.',
        'Type "3.5" into the "Weight in kg" field.',
        'Type "2026-12-01" into the "Pickup date" field.',
        'Choose the "Express" radio button.',
        'Type "{Pickup_code}" into the "Pickup code" field.',
        'Type "Ring twice" into the "Note for the driver" field.',
        'Tick the "Handle with care" check box.',
        'Click the "Place order" button. Then "Order number" is shown.',
    ]
    assert task_fields(task)["SuccessCriteria"].items[0] == '"Order 1042 placed" is shown.'
    assert [question.text[:7] for question in task.open_questions if question.required] == ["Step 1,"]


@pytest.mark.nightly
def test_without_a_log_nothing_is_invented_and_what_cannot_be_seen_is_asked() -> None:
    task = learned("parcel-form", with_log=False)

    lines = plan_of(task)[1:]
    said = [quoted(line.target.primary) for line in lines if line.is_known]
    labels = {label for each in said if each is not None for label in each.texts}
    assert {"Recipient", "Street", "City", "Pickup date", "Pickup code"} <= labels
    assert labels <= {
        "Recipient", "Street", "City", "Weight in kg", "Pickup date", "Pickup code", "Note for the driver",
    }  # fmt: skip
    assert all("(inferred)" in line.text for line in lines if line.is_known)
    unknown = [line for line in lines if not line.is_known]
    assert unknown
    assert all(line.asked for line in unknown)


def test_the_same_button_in_two_rows_is_told_apart() -> None:
    assert [re.sub(r" Then .*", "", line) for line in plan(learned("crew"))] == [
        'Click the "Delete" button in the row of "Cara Jensen".',
        'Click the "Delete" button in the row of "Alice Moreau".',
    ]


def _video() -> Video:
    return VideoFile(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS).inspect(DATA / "crew.mp4")


@pytest.mark.parametrize(
    ("title", "is_said"),
    [("Passwords - KeePassXC", True), pytest.param("Crew - Editor", False, marks=pytest.mark.nightly)],
)
def test_a_film_of_a_password_manager_says_why_nothing_is_learned(title: str, is_said: bool) -> None:
    typed = Event(
        t_ms=2000, until_ms=2900, kind=EventKind.TYPED, text="Coffee club", region=(300, 200, 90, 20), field="Title:",
        confidence=0.95, description="",
    )  # fmt: skip
    seen = Sighting(text=title, t_ms=0, region=(400, 4, 200, 20))
    found = Findings(timeline=(typed,), sightings=(seen,))
    analyser = LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS)

    reply = LocalExtractor(analyser, known=lambda _video: found).extract(_video(), None, FakeContext())

    assert any("password manager" in warning for warning in reply.warnings) is is_said
    assert ("TaskDetected: false" in reply.text) is is_said


def test_learning_can_be_cancelled() -> None:
    video = _video()
    analyser = LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS)
    with pytest.raises(Cancelled):
        LocalExtractor(analyser).extract(video, None, FakeContext(stop_when=lambda _stage, _data: True))


@pytest.mark.screen
@pytest.mark.nightly
def test_what_was_shown_on_a_display_is_learned_and_done(tmp_path: Path) -> None:
    require_browser_sandbox()
    (tmp_path / "pages").mkdir()
    page = tmp_path / "pages" / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    hands = script(0.5, click("#name"), write("Ada Byron", 60), 0.5, click("#breakfast"), 0.5, click("#add"), 1.4)
    session = Session(page.parent, page.name, hands, ())
    video = tmp_path / "demonstration.mp4"
    assert record(session, video) == GUEST

    task = learn(video, parse_input_log(log_beside(video).read_bytes(), video.name), ANALYSER)

    assert task is not None
    assert plan(task) == [
        'Type "Ada Byron" into the "Guest name" field.',
        'Tick the "With breakfast" check box.',
        'Click the "Add guest" button. Then "The guest was added" is shown.',
    ]
    run, state = done(task, tmp_path / "first", page)
    assert (run.outcome, run.reason, state) == (RunOutcome.SUCCEEDED, "", GUEST)


def done(task: Heartbeat, folder: Path, page: Path) -> tuple[Run, object]:
    """The task carried out on the page, after its one question, and what the page handed in."""
    with served(page.parent) as (url, reported):
        (opens,) = [each for each in task.open_questions if each.required]
        answered = task.with_answer(opens.id, f'Open "{url}/{page.name}" in the browser.')
        stored = TaskFolders(folder / "data" / "tasks").add(answered, by="test", why="learned")
        replay = Replays(folder, patience=3.0).replay
        run = replay.run(replay.admit(RunRequest(task=stored.id, display="private")), FakeContext())
        return run, reported[-1] if reported else None
