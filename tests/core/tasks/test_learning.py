"""Learning by the whole use case, with an extractor that says what a test wrote down, and real folders of tasks."""

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adapters.video.video_files import VideoCutter
from core.analysis import Video
from core.errors import Conflict, InvalidReply, InvalidRequest, NoTask, NotFound, TooLarge
from core.memories.clips import MemoryClips
from core.ports import JobContext
from core.recording.input_log import InputLog
from core.tasks.heartbeat import Heartbeat
from core.tasks.learning import TaskLearning
from core.tasks.ports import ExtractionReply, Learned, LearnRequest
from storage.memories.lessons import MemoryLessons
from storage.memories.memories import SqlMemories
from storage.recording_files import InputLogFiles
from storage.segments import SegmentFolder
from storage.tasks.tasks import TaskFolders
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.recordings.remembered import procedure, record, remember

FOUND = "TaskDetected: true\nStatus: TASK_FOUND\nNoTaskReason: NONE\n"
REPLY = f"""# Task
{FOUND}Title: Send the report
SuccessCriteria:
- Status: Sent is shown as "Sent".
SuggestedPlan:
1. Click the "Send" button.

## Questions
- [required] Who gets it?
- [ ] Is the subject always the same?
"""
OTHER = REPLY.replace("## Questions", '2. Click the "Really" button.\n\n## Questions').replace("subject", "weekday")
NONE = """# Task
TaskDetected: false
Status: NO_TASK
NoTaskReason: LOW_SIGNAL
Title: None

## Questions
- None.
"""
HEADER = '{"format":"vaider-input-log","version":1,"width":800,"height":600,"started_at":"2026-11-21T10:00:00Z"}\n'


@dataclass
class Extractor:
    """Implements ``core.tasks.ports.TaskExtractor``."""

    replies: list[str]
    lack: str | None = None
    warnings: tuple[str, ...] = ()
    logs: list[InputLog | None] = field(default_factory=list["InputLog | None"])
    name: str = "scripted"
    model: str = "script-1"

    def unavailable(self) -> str | None:
        return self.lack

    def extract(self, video: Video, log: InputLog | None, context: JobContext) -> ExtractionReply:
        del video
        context.raise_if_cancelled()
        self.logs.append(log)
        return ExtractionReply(text=self.replies.pop(0), usage={"calls": 1}, warnings=self.warnings)


@dataclass
class Inspector:
    """Implements ``core.ports.VideoInspector``."""

    duration_ms: int = 60_000
    size_bytes: int = 1000

    def inspect(self, path: Path) -> Video:
        return Video(
            path=str(path),
            duration_ms=self.duration_ms,
            width=800,
            height=600,
            fps=10,
            codec="h264",
            size_bytes=self.size_bytes,
            sha256="0" * 64,
        )


@dataclass
class School:
    """Everything around one use case."""

    folder: Path
    replies: list[str]
    inspector: Inspector = field(default_factory=Inspector)

    def __post_init__(self) -> None:
        self.tasks = TaskFolders(self.folder / "tasks")
        self.extractor = Extractor(self.replies)
        self.context = FakeContext()
        self.memories = SqlMemories(self.folder / "memory.db")
        clips = MemoryClips(
            self.memories,
            SegmentFolder(self.folder / "recordings"),
            VideoCutter(max_bytes=1 << 30, max_seconds=600, max_pixels=8_000_000),
        )
        self.lessons = MemoryLessons(lambda: clips, InputLogFiles(), self.folder / "lessons")
        self.learning = TaskLearning(
            extractors={"scripted": self.extractor, "missing": Extractor([], lack="It has no key.")},
            preference=("missing", "scripted"),
            inspector=self.inspector,
            logs=InputLogFiles(),
            tasks=self.tasks,
            lessons=self.lessons,
        )

    def close(self) -> None:
        """Close the memories."""
        self.memories.close()

    def video(self, name: str = "demo.mp4", *, log: str | None = None) -> str:
        path = self.folder / name
        path.write_bytes(b"a video")
        if log is not None:
            path.with_name(f"{path.stem}.input.jsonl").write_text(log)
        return str(path)

    def learn(self, *videos: str, **request: Any) -> Learned:
        if not videos and "memory" not in request:
            videos = (self.video(),)
        asked = LearnRequest(videos=videos, **request)
        return self.learning.run(self.learning.admit(asked), self.context)


def school(folder: Path, *replies: str, **options: Any) -> School:
    return School(folder, list(replies), **options)


def test_a_recording_becomes_a_task_with_its_questions_and_its_recording(tmp_path: Path) -> None:
    at = school(tmp_path, REPLY)
    learned = at.learn()
    document = at.tasks.load(learned.task).heartbeat

    assert (learned.task, learned.title, learned.created) == ("send-the-report", "Send the report", True)
    assert [each.text for each in learned.questions] == ["Who gets it?", "Is the subject always the same?"]
    assert document.text == REPLY.replace(FOUND, "")
    (recording,) = learned.recordings
    assert (tmp_path / "tasks" / learned.task / "recordings" / recording).read_bytes() == b"a video"
    assert learned.provider_reason == "auto chose scripted"
    assert [each.why for each in at.tasks.history(learned.task)] == ["learned from demo.mp4"]


def test_the_input_log_beside_a_recording_is_read_and_kept_with_it(tmp_path: Path) -> None:
    at = school(tmp_path, REPLY)
    learned = at.learn(at.video(log=HEADER + '{"kind":"click","t_ms":100,"x":1,"y":2}\n{"kind":"cli'))
    names = sorted(path.name for path in (tmp_path / "tasks" / learned.task / "recordings").iterdir())

    assert at.extractor.logs[0] is not None
    assert len(at.extractor.logs[0].events) == 1
    assert [name.partition(".")[2] for name in names] == ["input.jsonl", "mp4"]


@pytest.mark.parametrize(
    ("reply", "error", "told"),
    [
        (NONE, NoTask, "too little can be made out"),
        (REPLY.replace("TaskDetected: true\n", ""), InvalidReply, "TaskDetected"),
        (REPLY.replace("## Questions", "## Q"), InvalidReply, "Questions"),
        ("I cannot help with that.", InvalidReply, "# Task"),
    ],
)
@pytest.mark.parametrize("into", [None, "send-the-report"])
def test_what_is_no_task_or_not_in_the_form_touches_nothing(
    tmp_path: Path, reply: str, error: type[Exception], told: str, into: str | None
) -> None:
    at = school(tmp_path, reply)
    task = at.tasks.add(Heartbeat.new("Send the report"), by="me", why="")

    with pytest.raises(error, match=told):
        at.learn(into=into)
    assert [each.id for each in at.tasks.list()] == [task.id]
    assert at.tasks.load(task.id) == task
    assert list((task.folder / "recordings").iterdir()) == []


def test_a_second_recording_keeps_answers_and_edits_and_asks_about_what_differs(tmp_path: Path) -> None:
    at = school(tmp_path, REPLY, OTHER)
    task = at.learn().task
    who = at.tasks.load(task).heartbeat.questions[0].id
    at.tasks.change(task, lambda now: now.with_answer(who, "Ann."), by="me", why="")
    at.tasks.change(task, lambda now: Heartbeat(now.text.replace("Title: Send", "Title: Mail")), by="me", why="")
    at.context = FakeContext(job_id="job-2")
    merged = at.learn(at.video("again.mp4"), into="mail the report")
    document = at.tasks.load(task).heartbeat

    assert (merged.task, merged.created, len(list((tmp_path / "tasks" / task / "recordings").iterdir()))) == (
        task,
        False,
        2,
    )
    assert document.title == "Mail the report"
    assert document.question(who).answer == "Ann."
    assert any(
        'It looks like: Click the "Send" button. Click the "Really" button.' in each.text for each in merged.questions
    )
    assert any("weekday" in each.text for each in merged.questions)
    assert [each.by for each in at.tasks.history(task)][-1].startswith("learning ")


def test_several_recordings_of_one_task_are_learned_one_after_the_other(tmp_path: Path) -> None:
    at = school(tmp_path, REPLY, REPLY)
    learned = at.learn(at.video("one.mp4"), at.video("two.mp4"))

    assert len(at.tasks.list()) == 1
    assert len(learned.recordings) == 2
    assert learned.usage == {"calls": 2}


def test_what_was_learned_before_one_that_shows_no_task_stays(tmp_path: Path) -> None:
    at = school(tmp_path, REPLY, NONE)
    with pytest.raises(NoTask, match="Nothing was learned"):
        at.learn(at.video("one.mp4"), at.video("two.mp4"))

    assert [each.id for each in at.tasks.list()] == ["send-the-report"]


def test_a_recording_without_a_task_is_refused_with_what_was_found_about_it(tmp_path: Path) -> None:
    at = school(tmp_path, NONE)
    at.extractor.warnings = ("A password manager was in front.",)

    with pytest.raises(NoTask, match=r"Nothing was learned .* A password manager was in front\."):
        at.learn(at.video("one.mp4"))


def test_after_a_crash_what_is_kept_is_not_made_twice(tmp_path: Path) -> None:
    """The step's result was lost, its work was not."""
    at = school(tmp_path, REPLY, REPLY)
    first = at.learn()
    at.context = FakeContext()
    second = at.learn()

    assert (first.task, len(at.tasks.list())) == (second.task, 1)


@pytest.mark.parametrize(
    ("inspector", "told"),
    [(Inspector(size_bytes=2 * 1024**3 + 1), "over 2 GB"), (Inspector(duration_ms=303_000), "longer than 5 minutes")],
)
def test_a_recording_over_the_limits_is_refused_with_what_to_do(
    tmp_path: Path, inspector: Inspector, told: str
) -> None:
    at = school(tmp_path, REPLY, inspector=inspector)
    with pytest.raises(TooLarge, match=f"{told}.*cut it"):
        at.learn()

    assert at.tasks.list() == []
    assert at.extractor.logs == []


def test_what_is_plainly_wrong_is_refused_before_a_job_is_made(tmp_path: Path) -> None:
    at = school(tmp_path)
    video = at.video()

    def refused(error: type[Exception], text: str, **request: Any) -> None:
        with pytest.raises(error, match=text):
            at.learning.admit(LearnRequest.model_validate({"videos": (video,), **request}))

    refused(InvalidRequest, "at least one", videos=())
    refused(InvalidRequest, "absolute", videos=("demo.mp4",))
    refused(InvalidRequest, "At most 20", videos=(video,) * 21)
    refused(InvalidRequest, "Did you mean 'scripted'", provider="scriptd")
    refused(Conflict, "no key", provider="missing")
    refused(NotFound, "nosuch", into="nosuch")


def test_a_memory_is_learned_from_as_a_demonstration_of_just_its_stretch(tmp_path: Path) -> None:
    record(tmp_path)
    remember(tmp_path, procedure(1))
    with closing(school(tmp_path, REPLY)) as here:
        learned = here.learn(memory="mem-1")

    (log,) = here.extractor.logs
    assert log is not None
    clicks = [event.t_ms for event in log.events if event.kind == "click"]
    assert clicks == [12_000 - 8_500]
    assert [event.title for event in log.events if event.kind == "window"] == ["Keys"]
    assert learned.recordings[0].endswith("-memory-mem-1.mp4")
    assert not list((tmp_path / "lessons").iterdir())


def test_a_memory_that_cannot_be_shown_again_is_refused_before_a_job(tmp_path: Path) -> None:
    remember(tmp_path, procedure(1))

    with closing(school(tmp_path)) as here:
        for memory, said in (("mem-1", "is gone"), ("mem-9", "no memory")):
            with pytest.raises(NotFound, match=said):
                here.learn(memory=memory)
        with pytest.raises(InvalidRequest, match="not both"):
            here.learn(here.video(), memory="mem-1")
