"""How well a task is learned from a recording without a model, and whether it can be done then: ``bench learning``.

Each demonstration is recorded by the product's own recorder; it is learned with the log of what was done, and without.
"""

import difflib
import json
import tempfile
import threading
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from adapters.models.learning.local import LocalExtractor
from adapters.recording.recorder import DemonstrationRecorder
from adapters.video.local import LocalAnalyser
from adapters.video.video_files import VideoFile
from bench.learning_sessions import SESSIONS, Session, StepFacts
from bench.record.browser import chromium
from bench.record.ledger import Ledger
from bench.record.screen import virtual_screen
from bench.table import Table
from core.analysis import Findings, Video
from core.plans.phrasing import quoted
from core.ports import Analyser, FrameFolder, JobContext
from core.recording.input_log import InputLog, log_beside, parse_input_log
from core.runs.run import RunOutcome, RunRequest
from core.steps import Step
from core.tasks.heartbeat import Heartbeat
from core.tasks.learning_gate import read_extraction
from core.tasks.plan import plan_of
from storage.tasks.tasks import TaskFolders
from tests.fakes.desktops.accessible_session import accessible_session
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.model_families import NAMES, Families, model_families
from tests.fakes.runs.replaying import Replays

MAX_BYTES, MAX_SECONDS, MAX_PIXELS = 1 << 30, 300, 33_177_600
SIZE: Final = (1280, 720)
OPENS: Final = "Open what was open"


@dataclass(frozen=True)
class Learned:
    """What was learned from one recording, against what was done."""

    right: int
    of: int
    in_order: int
    invented: tuple[StepFacts, ...]
    asked: int
    """Steps that are questions."""


_WRONG = "it says so, but the page has"


def run() -> list[Table]:
    """Measure."""
    with model_families() as families:
        return _measured(families)


def _measured(families: Families) -> list[Table]:
    rows: list[tuple[str, ...]] = []
    by_fakes, missed = 0, Counter[str]()
    notes: list[str] = []
    found: list[tuple[Learned, Learned]] = []
    done: list[bool] = []
    for name, session in SESSIONS.items():
        with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
            video = Path(folder, "demonstration.mp4")
            record(session, video)
            log = parse_input_log(log_beside(video).read_bytes(), video.name)
            analyser = Remembering()
            (logged, task), (seen, _) = (_learned(session, learn(video, each, analyser)) for each in (log, None))
            succeeded, why = _done(session, task, Path(folder) / "local")
            fakes = {each: _done(session, task, Path(folder) / each, each, families) for each in NAMES}
        found.append((logged, seen))
        done.append(succeeded)
        notes += [f"- {name}: invented {each}" for one in (logged, seen) for each in one.invented]
        notes += [f"- {name}: not done: {why}"] if why else []
        did = sum(done for done, _ in fakes.values())
        by_fakes += did
        missed.update(
            "wrong" if text.startswith(_WRONG) else text.partition(":")[0] for _, text in fakes.values() if text
        )
        rows.append((name, *_cells(logged), *_cells(seen), "done" if succeeded else "not done", f"{did} of 4"))
    logged, seen = zip(*found, strict=True)
    if missed:
        how = ", ".join(f"{count} {outcome}" for outcome, count in missed.most_common())
        notes.append(f"- not done by fakes: {how}; told as a success though it was none: {missed['wrong']}")
    all_fakes = f"{by_fakes} of {len(NAMES) * len(done)}"
    rows.append(("all", *_total(logged), *_total(seen), f"{sum(done)} of {len(done)}", all_fakes))
    columns = ("steps right", "in order", "invented", "asked")
    by_means = [(*(f"{each}, {means}" for each in columns),) for means in ("log", "video")]
    header = ("demonstration", *by_means[0], *by_means[1], "run", "by fakes")
    return [Table(f"{len(SESSIONS)} demonstrations learned without a model", header, rows, _note(notes))]


def _note(notes: Sequence[str]) -> str:
    bar = (
        "The bar: none invented. A step is right when its action, its quoted target and its value are. With the video "
        "alone, what was clicked cannot be seen: it is asked. The run is of the task that was learned with the log, on "
        "a fresh page, when what is asked about its steps was answered: for each, which page to open, and for the "
        "letters what was clicked beside a text. The four fakes speak the wires of real models; they take the plan out "
        "of the prompt and look for its targets in the screenshot by rules far simpler than local's, so what they miss "
        "tells nothing of models."
    )
    return "\n".join([bar, *notes])


@contextmanager
def served(folder: Path) -> Generator[tuple[str, list[Any]]]:
    """The files of a folder at an address, and what its pages hand in."""
    reported: list[Any] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Pages, reported, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", reported
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Pages(SimpleHTTPRequestHandler):
    def __init__(self, reported: list[Any], *arguments: Any, **options: Any) -> None:
        self._reported = reported
        super().__init__(*arguments, **options)

    def do_POST(self) -> None:
        """Keep what a page hands in."""
        self._reported.append(json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0)))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


def record(session: Session, video: Path, *, tells: bool = True) -> Any:
    """Record a demonstration of it, in which programs tell of their elements, and return what the page handed in."""
    with ExitStack() as stack:
        url, reported = stack.enter_context(served(session.folder))
        screen = stack.enter_context(virtual_screen(*SIZE))
        if tells:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            screen.session = stack.enter_context(accessible_session(screen.display, folder))
        screen.glide(960, 360, steps=2)
        with chromium(screen, Ledger()) as stage:
            stage.page.goto(f"{url}/{session.page}")
            stage.page.wait_for_load_state("load")
            stage.wait(1.0)
            recorder = DemonstrationRecorder(display=screen.display, microphone="none", environment=screen.environment)
            stop, begun = threading.Event(), threading.Event()
            thread = threading.Thread(target=lambda: recorder.record(video, stop, lambda _state: begun.set()))
            thread.start()
            begun.wait(10)
            session.play(stage)
            stop.set()
            thread.join()
    return reported[-1] if reported else None


class Remembering:
    """Implements ``core.ports.Analyser``: the local one, which analyses each recording once."""

    def __init__(self) -> None:
        self._local = LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS)
        self._found: dict[str, Findings] = {}
        self.name, self.model = self._local.name, self._local.model

    def unavailable(self) -> str | None:
        """See the port."""
        return self._local.unavailable()

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        """See the port."""
        if video.sha256 not in self._found:
            self._found[video.sha256] = self._local.analyse(video, expectations, frames, context)
        return self._found[video.sha256]


def learn(path: Path, log: InputLog | None, analyser: Analyser) -> Heartbeat | None:
    """The task of a recording."""
    extractor = LocalExtractor(analyser)
    video = VideoFile(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS).inspect(path)
    return read_extraction(extractor.extract(video, log, FakeContext()).text).heartbeat


def _learned(session: Session, task: Heartbeat | None) -> tuple[Learned, Heartbeat | None]:
    lines = [line for line in plan_of(task) if not line.text.startswith(OPENS)] if task is not None else []
    reported = [_step_facts(line) for line in lines if line.is_known]
    same = difflib.SequenceMatcher(a=session.steps, b=reported, autojunk=False).get_matching_blocks()
    rest = list(reported)
    for each in session.steps:
        if each in rest:
            rest.remove(each)
    learned = Learned(
        right=len(reported) - len(rest),
        of=len(session.steps),
        in_order=sum(block.size for block in same),
        invented=tuple(rest),
        asked=sum(not line.is_known for line in lines),
    )
    return learned, task


def _step_facts(step: Step) -> StepFacts:
    """A step as the sessions have it."""
    said = quoted(step.target.primary)
    label = " in the row of ".join(said.texts) if said is not None else step.target.primary
    value = step.action_value or ""
    if step.action_type == "SCROLL":
        args = step.additional_args
        value = f"{args.get('direction')} {args.get('notches')}"
    return step.action_type, label, "{}" if value.startswith("{") else value


def _done(
    session: Session, task: Heartbeat | None, folder: Path, provider: str = "local", families: Families | None = None
) -> tuple[bool, str]:
    """Whether the task was done on a fresh page; else why not."""
    if task is None:
        return False, "nothing was learned"
    replays = Replays(folder, families.makers if families is not None else None)
    with served(session.folder) as (url, reported):
        answered = task
        answers = [f'Open "{url}/{session.page}" in the browser.', *session.answers]
        blocked = [
            each
            for each in task.open_questions
            if each.required and each.text.startswith("Step ") and "What is {" not in each.text
        ]
        for question, answer in zip(blocked, answers, strict=False):
            answered = answered.with_answer(question.id, answer)
        stored = TaskFolders(folder / "data" / "tasks").add(answered, by="bench", why="learned")
        request = RunRequest(task=stored.id, params=session.secrets, display="private", provider=provider)
        ended = replays.replay.run(replays.replay.admit(request), FakeContext())
        state = reported[-1] if reported else None
    if ended.outcome is not RunOutcome.SUCCEEDED:
        return False, f"{ended.outcome}: {ended.reason}"
    return (True, "") if state == session.state else (False, f"{_WRONG} {state}")


def _cells(one: Learned) -> tuple[str, ...]:
    return f"{one.right} of {one.of}", str(one.in_order), str(len(one.invented)), str(one.asked)


def _total(all_of: Sequence[Learned]) -> tuple[str, ...]:
    right, of = sum(one.right for one in all_of), sum(one.of for one in all_of)
    return (
        f"{right} of {of} ({right / of:.0%})",
        str(sum(one.in_order for one in all_of)),
        str(sum(len(one.invented) for one in all_of)),
        str(sum(one.asked for one in all_of)),
    )
