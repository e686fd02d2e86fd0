"""An agent looks at a video itself: few pictures, small ones, and its verdict is kept with them."""

import base64
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult
from PIL import Image

from core.analysis import Analysis, AnalysisRequest, Event, EventKind, Evidence, Verdict, VerdictResult
from tests.fakes.daemons.served import fields_of, text_of, tokens_of
from tests.fakes.daemons.task_tools import TaskTable
from tests.fakes.jobs.analyses import result
from tests.fakes.jobs.memory_jobs import MemoryJobs

pytestmark = pytest.mark.anyio
CLIP = Path(__file__).parents[1] / "clips" / "toasts.mp4"
UNCLEAR = 'the button "Save" looks disabled'


def pictures_of(answered: CallToolResult) -> list[Image.Image]:
    found = [block for block in answered.content if block.type == "image"]
    assert all(block.mime_type == "image/jpeg" for block in found)
    return [Image.open(io.BytesIO(base64.b64decode(block.data))) for block in found]


def picture_tokens(pictures: list[Image.Image]) -> float:
    return sum(each.width * each.height / 750 for each in pictures)


async def watched(jobs: MemoryJobs, clip: Path, table: TaskTable) -> str:
    """A job that is done; the id."""
    video = table.inspector.inspect(clip)
    before = Analysis.model_validate(result())
    unclear = Verdict(
        expectation=UNCLEAR, verdict=VerdictResult.UNCLEAR, reason="No text.", evidence=(Evidence(t_ms=1600),)
    )
    seen = Verdict(expectation='"Digest saved" is shown', verdict=VerdictResult.PASS, reason="It was.")
    event = Event(
        t_ms=1578,
        kind=EventKind.APPEARED,
        text="Digest saved",
        region=(1104, 640, 148, 52),
        confidence=1,
        description='"Digest saved" appeared.',
    )
    folder = clip.parent / f"{clip.name}.VaiderInteractions"
    (folder / "frames").mkdir(parents=True)
    update = {"video": video, "verdicts": (seen, unclear), "timeline": (event,), "interactions_dir": str(folder)}
    job = await jobs.submit("analysis", AnalysisRequest(video_path=str(clip)))
    jobs.finish(job.id, before.model_copy(update=update).model_dump(mode="json"))
    return job.id


@pytest.fixture
async def table(tmp_path: Path) -> tuple[MemoryJobs, TaskTable, str]:
    jobs = MemoryJobs()
    table = TaskTable(jobs, tmp_path / "tasks")
    clip = Path(shutil.copy(CLIP, tmp_path / "toasts.mp4"))
    return jobs, table, await watched(jobs, clip, table)


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ({}, 1),
        pytest.param({"at": 1600}, 1, marks=pytest.mark.nightly),
        ({"at": "00:01.6"}, 1),
        ({"from": 0, "to": "00:04.0"}, 4),
        pytest.param({"event": 0}, 2, marks=pytest.mark.nightly),
    ],
)
async def test_a_look_costs_few_tokens_and_shows_at_most_four_pictures(
    table: tuple[MemoryJobs, TaskTable, str], asked: dict[str, Any], count: int
) -> None:
    async with Client(table[1].surface()) as client:
        answered = await client.call_tool("look", {"job_id": table[2], **asked})
    pictures = pictures_of(answered)
    assert len(pictures) == count, text_of(answered)
    assert picture_tokens(pictures) + len(text_of(answered)) / 3.5 <= 1200
    assert max(each.width for each in pictures) >= 400, "what is too small cannot be read"


async def test_an_event_is_shown_before_and_after_cropped_to_what_changed(
    table: tuple[MemoryJobs, TaskTable, str],
) -> None:
    async with Client(table[1].surface()) as client:
        by_words = await client.call_tool("look", {"job_id": table[2], "event": "digest"})
        refused = await client.call_tool("look", {"job_id": table[2], "event": 7})
    before, after = pictures_of(by_words)
    assert before.size == after.size
    assert before.width < 1280
    assert before.tobytes() != after.tobytes()
    assert '"Digest saved" appeared.' in text_of(by_words)
    assert refused.is_error
    assert "there is no event 7" in text_of(refused)


@pytest.mark.nightly
async def test_two_videos_are_shown_at_the_same_moment(table: tuple[MemoryJobs, TaskTable, str]) -> None:
    arguments = {"job_id": table[2], "at": 1600, "compare_with": str(CLIP)}
    async with Client(table[1].surface()) as client:
        answered = await client.call_tool("look", arguments)
    assert len(pictures_of(answered)) == 2
    assert text_of(answered).count("toasts.mp4 00:01.6") == 2


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"at": 99_000}, "is no moment of it"),
        ({"at": "noon"}, "is no moment"),
        ({"at": 1, "event": 0}, "Name either at"),
        ({"from": 900, "to": 100}, "before `from`"),
        ({"path": "/there/is/none.mp4"}, "either the job_id"),
        ({"compare_with": "some/where"}, "neither a job_id nor an absolute path"),
    ],
)
async def test_what_cannot_be_shown_is_refused_in_a_sentence(
    table: tuple[MemoryJobs, TaskTable, str], asked: dict[str, Any], sentence: str
) -> None:
    async with Client(table[1].surface()) as client:
        answered = await client.call_tool("look", {"job_id": table[2], **asked})
    assert answered.is_error
    assert sentence in text_of(answered)


async def test_the_agents_verdict_is_kept_with_the_pictures_that_show_it(
    table: tuple[MemoryJobs, TaskTable, str],
) -> None:
    jobs, surface, job_id = table
    given = {"job_id": job_id, "expectation": UNCLEAR, "verdict": "fail", "reason": "It is blue.", "at": [1600]}
    async with Client(surface.surface()) as client:
        kept = fields_of(await client.call_tool("answer_expectation", given))
        sure = await client.call_tool("answer_expectation", {**given, "expectation": '"Digest saved" is shown'})
        other = await client.call_tool("answer_expectation", {**given, "expectation": "never asked"})
        told = fields_of(await client.call_tool("job_status", {"job_id": job_id}))
    analysis = Analysis.model_validate(jobs.jobs[job_id].result)
    folder = Path(analysis.interactions_dir)
    assert (kept["verdict"], kept["judged_by"], kept["still_unclear"]) == ("fail", "agent", 0)
    assert (analysis.verdicts[1].judged_by, analysis.verdicts[0].judged_by) == ("agent", None)
    assert (folder / str(analysis.verdicts[1].evidence[0].frame)).read_bytes().startswith(b"\xff\xd8")
    assert json.loads((folder / "agent_verdicts.jsonl").read_text())["reason"] == "It is blue."
    assert told["verdicts"][1]["judged_by"] == "agent"
    assert "seen already: pass" in text_of(sure)
    assert "no such expectation" in text_of(other)


async def test_videos_that_were_analysed_are_listed(table: tuple[MemoryJobs, TaskTable, str]) -> None:
    async with Client(table[1].surface()) as client:
        answered = await client.call_tool("list_videos", {})
    (video,) = fields_of(answered)["videos"]
    assert (video["job_id"], video["video"], video["verdicts"]) == (table[2], "toasts.mp4", {"pass": 1, "unclear": 1})


async def test_a_list_of_many_videos_with_long_names_stays_within_what_an_answer_may_take(tmp_path: Path) -> None:
    jobs = MemoryJobs()
    for number in range(60):
        job = await jobs.submit("analysis", AnalysisRequest(video_path=f"/videos/{'ä' * 180}{number}.mp4"))
        jobs.finish(job.id, result(job_id=job.id))
    async with Client(TaskTable(jobs, tmp_path).surface()) as client:
        answered = await client.call_tool("list_videos", {"limit": 50})
    assert tokens_of(answered) <= 2000
    assert fields_of(answered)["left_out"]
    assert 3 <= len(fields_of(answered)["videos"]) < 50


async def test_all_tools_together_cost_a_session_little(tmp_path: Path) -> None:
    async with Client(TaskTable(MemoryJobs(), tmp_path).surface()) as client:
        listed = await client.list_tools()
    wire = json.dumps(listed.model_dump(mode="json", by_alias=True, exclude_none=True), ensure_ascii=False)
    assert len(wire.encode()) / 3.5 <= 3500
