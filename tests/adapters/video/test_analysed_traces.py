"""A video with the record of its test: why the test failed, and what becomes of records that anybody may have made."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from mcp.types import TextContent

from adapters.video.local import LocalAnalyser
from adapters.video.trace_files import TraceFiles
from adapters.video.video_files import VideoFile
from core.analysis import AnalysisRequest
from core.jobs import Job, JobState
from core.video_analysis import VideoAnalysis
from mcp_tools.answers import answer as tool_answer
from storage.answers import AnswerIndex
from storage.database import Database
from storage.interactions import InteractionFolders
from tests.fakes.daemons.commands import vaider
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.videos.traces import TRACES, members_of, write_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from core.analysis import Analysis

REASON = (
    'refused.spec.ts:31 click "Place order" → POST /api/orders 500 (0.3 s) → "Payment failed" appeared; '
    "expect(getByText('Order confirmed')).toBeVisible gave up after 1.51 s"
)
LIMITS: Final[dict[str, Any]] = {"max_bytes": 1 << 28, "max_seconds": 60, "max_pixels": 1 << 24}


@pytest.fixture
def analysis(tmp_path: Path) -> Iterator[VideoAnalysis]:
    database = Database(f"sqlite:///{tmp_path / 'vaider.db'}")
    database.open()
    yield VideoAnalysis(
        analysers={"local": LocalAnalyser(**LIMITS)},
        preference=["local"],
        inspector=VideoFile(**LIMITS),
        traces=TraceFiles(**LIMITS),
        logs=InteractionFolders(data_dir=tmp_path / "data", answers=AnswerIndex(database, "here"), redact=str),
        seen_with={"local": "s-1"},
    )
    database.close()


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A test's folder: its trace and its video."""
    return Path(shutil.copytree(TRACES / "refused", tmp_path / "results"))


def ask(analysis: VideoAnalysis, path: Path, *, uploaded: bool = False) -> Analysis:
    request = AnalysisRequest(video_path=str(path), uploaded=uploaded)
    admitted = analysis.admit(request, "job-2")
    return admitted.answer or analysis.run(admitted.request, FakeContext())


def test_a_failed_test_has_its_reason_with_sources_and_a_picture(analysis: VideoAnalysis, results: Path) -> None:
    seen = ask(analysis, results / "video.webm")

    assert seen.why is not None
    assert seen.why.text == REASON
    assert [clause.source for clause in seen.why.clauses] == [
        "action 3 of trace.zip", "request 1 of trace.zip", "event 1 of the video", "action 4 of trace.zip",
    ]  # fmt: skip
    assert Path(seen.interactions_dir, seen.why.frame or "").is_file()
    assert seen.trace is not None
    assert seen.trace.actions[2].events == (0,), "what was seen follows from the click"
    assert f"Why the test failed: {REASON}" in seen.description
    assert 'Test: refused.spec.ts:31 click "Place order" → "Payment failed" appeared.' in seen.description
    assert ask(analysis, results / "trace.zip").model_dump(exclude={"cached", "job_id", "duration_ms"}) == (
        seen.model_dump(exclude={"cached", "job_id", "duration_ms"})
    ), "a trace beside its video is a question about that video"


def test_a_trace_without_a_video_is_watched_by_its_own_pictures(analysis: VideoAnalysis, results: Path) -> None:
    (results / "video.webm").unlink()
    seen = ask(analysis, results / "trace.zip")

    assert seen.video.path == str(results / "trace.zip")
    assert seen.why is not None
    assert seen.why.text == REASON


@pytest.mark.nightly
def test_a_broken_video_beside_a_trace_does_not_keep_it_from_being_watched(
    analysis: VideoAnalysis, results: Path
) -> None:
    (results / "video.webm").write_bytes(b"")
    assert ask(analysis, results / "trace.zip").why is not None


@pytest.mark.nightly
def test_of_an_upload_the_trace_counts_that_was_sent_with_it(analysis: VideoAnalysis, results: Path) -> None:
    assert ask(analysis, results / "video.webm", uploaded=True).why is not None
    assert ask(analysis, results / "trace.zip", uploaded=True).why is not None


def another_version(folder: Path) -> None:
    first = {"type": "context-options", "version": 99, "wallTime": 1, "monotonicTime": 1}
    write_trace(folder, {"trace.trace": json.dumps(first).encode()})


def another_test(folder: Path) -> None:
    shutil.copy(TRACES / "flash" / "trace.zip", folder)


def torn(folder: Path) -> None:
    (folder / "trace.zip").write_bytes((TRACES / "refused" / "trace.zip").read_bytes()[:9000])


def bomb(folder: Path) -> None:
    members = members_of("refused")
    name = next(each for each in members if each.endswith(".network"))
    write_trace(folder, {**members, name: (b"0" * 999_999 + b"\n") * 1100})


def no_file(folder: Path) -> None:
    (folder / "trace.zip").unlink()
    os.mkfifo(folder / "trace.zip")


def unreadable(folder: Path) -> None:
    (folder / "trace.zip").write_bytes(b"")


def without_pictures(folder: Path) -> None:
    write_trace(folder, {name: data for name, data in members_of("refused").items() if not name.endswith(".jpeg")})


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        pytest.param(another_version, "format 99", marks=pytest.mark.nightly),
        (another_test, "not those of the video"),
        pytest.param(torn, "cut off or broken", marks=pytest.mark.nightly),
        pytest.param(bomb, "unpacks to more than", marks=pytest.mark.nightly),
        pytest.param(unreadable, "empty", marks=pytest.mark.nightly),
        pytest.param(without_pictures, "not those of the video", marks=pytest.mark.nightly),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_is_wrong_with_a_trace_is_said_and_the_video_is_watched_all_the_same(
    analysis: VideoAnalysis, results: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(results)
    seen = ask(analysis, results / "video.webm")

    assert [event.text for event in seen.timeline] == ["Payment failed"]
    assert (seen.trace, seen.why) == (None, None)
    (warning,) = seen.warnings
    assert warning.startswith("trace.zip is left out: ")
    assert said in warning


@pytest.mark.nightly
def test_another_trace_is_another_question_that_needs_no_second_watch(analysis: VideoAnalysis, results: Path) -> None:
    ask(analysis, results / "video.webm")
    (results / "trace.zip").unlink()
    assert ask(analysis, results / "video.webm").why is None
    shutil.copy(TRACES / "refused" / "trace.zip", results)
    again = ask(analysis, results / "video.webm")
    assert again.why is not None
    another_test(results)
    changed = ask(analysis, results / "video.webm")
    assert changed.why is None
    assert changed.cached, "what was seen is judged anew"


def test_a_trace_that_is_no_file_is_as_if_there_was_none(analysis: VideoAnalysis, results: Path) -> None:
    no_file(results)
    assert ask(analysis, results / "video.webm").warnings == ()


@pytest.mark.nightly
def test_the_command_and_the_tool_say_why_and_who_says_so(results: Path) -> None:
    done = vaider("analyse", "test.zip", cwd=results)
    assert done.returncode == 2

    done = vaider("analyse", "trace.zip", cwd=results)
    printed = " ".join(done.stdout.split())
    assert done.returncode == 0, "nothing was expected of the video"
    assert f"✗ Test failed: {REASON}" in printed
    assert "POST /api/orders 500 (0.3 s) (request 1 of trace.zip)" in printed
    assert "picture: " in printed

    answered = json.loads(vaider("analyse", "--json", "trace.zip", cwd=results).stdout)
    job = Job.model_construct(id="j", kind="analysis", state=JobState.DONE, result=answered)
    for tokens in (500, 2000):
        found = tool_answer(job, tokens)
        assert f"The test failed: {REASON}" in " ".join(
            each.text for each in found.content if isinstance(each, TextContent)
        )
        assert (found.structured_content or {})["why"]["text"] == REASON
