"""The tools as a client in either protocol era meets them, over real HTTP."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from core.analysis import Analysis, AnalysisRequest, FindingsSoFar
from core.errors import InvalidRequest
from core.jobs import Job, JobState, Stage
from tests.clock import within
from tests.fakes.daemons.served import eventually, fields_of, served, text_of, tokens_of
from tests.fakes.daemons.task_tools import TaskTable
from tests.fakes.jobs.analyses import result
from tests.fakes.jobs.memory_jobs import MemoryJobs

pytestmark = pytest.mark.anyio
ERAS = ["legacy", "auto"]
CLIP = "/videos/checkout.mp4"


def finishing(**options: Any) -> Callable[[MemoryJobs, Job], None]:
    return lambda jobs, job: jobs.finish(job.id, result(job_id=job.id, **options))


def tool_surface(jobs: MemoryJobs, **options: Any) -> Any:
    return TaskTable(jobs, Path("/nowhere")).surface(**options)


@pytest.mark.parametrize("era", ERAS)
async def test_a_short_clip_is_answered_at_once_with_timeline_and_verdicts(era: str) -> None:
    jobs = MemoryJobs(finishing())
    async with served(tool_surface(jobs)) as url, Client(url, mode=era) as client:
        arguments = {"path": CLIP, "expectations": ['"Order 1 confirmed" is shown', '"Receipt 1" is shown']}
        answered = await client.call_tool("analyse_video", arguments)
    fields = fields_of(answered)
    assert not answered.is_error
    assert fields["state"] == "done"
    assert [one["verdict"] for one in fields["verdicts"]] == ["pass", "fail"]
    assert fields["verdicts"][0]["evidence"] == [
        {"t_ms": 400, "quote": "Order 1 confirmed", "frame": "frames/03_0001.jpg"}
    ]
    assert fields["timeline"][2] == {
        "t_ms": 800,
        "kind": "appeared",
        "text": "Order 2 confirmed",
        "frame": "frames/03_0002.jpg",
    }
    assert fields["interactions_dir"].endswith(".VaiderInteractions")
    assert '[00:00.4] "Order 1 confirmed" appeared.' in text_of(answered)
    assert "1 of 2 as expected." in text_of(answered)
    assert jobs.jobs["job-1"].request["expectations"] == list(arguments["expectations"])


@pytest.mark.parametrize("era", ERAS)
async def test_a_long_job_gives_its_handle_and_job_status_fetches_the_answer(era: str) -> None:
    jobs = MemoryJobs(lambda jobs, job: jobs.report(job.id, Stage.DECODING, done=120, total=750))
    async with served(tool_surface(jobs)) as url, Client(url, mode=era) as client:
        handle = await client.call_tool("analyse_video", {"path": CLIP, "wait_seconds": 0.2})
        fields = fields_of(handle)
        assert fields["state"] == "running"
        assert fields["progress"] == {"stage": "decoding", "done": 120, "total": 750}
        assert "call job_status with this job_id" in text_of(handle)
        assert fields["job_id"] in text_of(handle)

        still = await client.call_tool("job_status", {"job_id": fields["job_id"], "wait_seconds": 0})
        assert fields_of(still)["state"] == "running"
        jobs.finish(fields["job_id"], result())
        done = await client.call_tool("job_status", {"job_id": fields["job_id"]})
    assert fields_of(done)["state"] == "done"
    assert not jobs.cancelled, "a job that was handed out belongs to the client"


@pytest.mark.parametrize("max_tokens", [400, 2000])
async def test_what_is_found_so_far_is_told_with_the_handle_within_the_limit(max_tokens: int) -> None:
    timeline = Analysis.model_validate(result()).timeline * 9
    found = FindingsSoFar(done=90_000, total=120_000, first_screen=("Checkout",), timeline=timeline)
    jobs = MemoryJobs(lambda jobs, job: jobs.find(job.id, found))
    async with served(tool_surface(jobs)) as url, Client(url) as client:
        arguments = {"path": CLIP, "wait_seconds": 0, "max_tokens": max_tokens}
        handle = await client.call_tool("analyse_video", arguments)
    fields = fields_of(handle)
    assert (fields["state"], fields["progress"]["done"]) == ("running", 90_000)
    assert '[00:00.0] The screen showed "Checkout".' in fields["description"]
    assert fields["description"].splitlines()[-1] == "[01:30.0] So far of 02:00.0."
    assert fields["description"] in text_of(handle)
    assert "call job_status with this job_id" in text_of(handle)
    assert tokens_of(handle) <= max_tokens


@pytest.mark.parametrize("era", ERAS)
async def test_progress_numbers_grow_with_every_notification_and_silence_is_broken(era: str) -> None:
    reported: list[tuple[float, float | None, str | None]] = []
    jobs = MemoryJobs()

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total, message))
        if len(reported) == 1:
            for stage, done in ((Stage.DECODING, 375), (Stage.READING, 10), (Stage.READING, 10), (Stage.DECODING, 1)):
                jobs.report("job-1", stage, done=done, total=750)
        if message == "decoding 1 of 750" and len([one for one in reported if one[2] == message]) > 2:
            jobs.finish("job-1", result())

    server = tool_surface(jobs, heartbeat_seconds=0.05)
    async with served(server) as url, Client(url, mode=era) as client:
        answered = await client.call_tool("analyse_video", {"path": CLIP}, progress_callback=listen)
    assert not answered.is_error
    numbers = [progress for progress, _, _ in reported]
    assert numbers == sorted(set(numbers)), "each number is larger than the one before"
    assert {total for _, total, _ in reported} == {100.0}
    assert all(progress < 100 for progress in numbers[:-1])
    assert "decoding 375 of 750" in {message for _, _, message in reported}
    assert all(len(message or "") <= 200 for _, _, message in reported)


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_gives_up_cancels_the_job_it_started(era: str) -> None:
    jobs = MemoryJobs()
    async with served(tool_surface(jobs)) as url, Client(url, mode=era) as client:
        call = asyncio.create_task(client.call_tool("analyse_video", {"path": CLIP}))
        await eventually(lambda: bool(jobs.jobs))
        call.cancel()
        await eventually(lambda: jobs.cancelled == ["job-1"])
    assert jobs.jobs["job-1"].state is JobState.CANCELLED


@pytest.mark.parametrize("era", ERAS)
async def test_giving_up_on_job_status_leaves_the_job_alone(era: str) -> None:
    jobs = MemoryJobs()
    async with served(tool_surface(jobs)) as url, Client(url, mode=era) as client:
        handle = await client.call_tool("analyse_video", {"path": CLIP, "wait_seconds": 0})
        seen: list[str] = []

        async def listen(progress: float, total: float | None, message: str | None) -> None:
            seen.append(f"{message}, {progress} of {total}")

        arguments = {"job_id": fields_of(handle)["job_id"]}
        call = asyncio.create_task(client.call_tool("job_status", arguments, progress_callback=listen))
        await eventually(lambda: bool(seen))
        call.cancel()
        after = await client.call_tool("job_status", {**arguments, "wait_seconds": 0})
    assert fields_of(after)["state"] == "queued"
    assert not jobs.cancelled


@pytest.mark.parametrize("max_tokens", [400, 1000, 2000, 6000])
@pytest.mark.parametrize(
    "options",
    [
        {"events": 900},
        {"events": 300, "words": "确认订单 {n} " * 12},
        {"events": 60, "verdicts": 90},
        {"events": 3, "verdicts": 3, "words": '\\"\t{n}' * 400},
    ],
)
async def test_an_answer_never_takes_more_tokens_than_allowed_and_says_where_the_rest_is(
    options: dict[str, Any], max_tokens: int
) -> None:
    jobs = MemoryJobs(finishing(**options))
    async with Client(tool_surface(jobs)) as client:
        answered = await client.call_tool("analyse_video", {"path": CLIP, "max_tokens": max_tokens})
    fields = fields_of(answered)
    assert tokens_of(answered) <= max_tokens
    assert fields["full_response"] == "/videos/checkout.mp4.VaiderInteractions/03_response.json"
    assert fields["full_response"] in text_of(answered)


async def test_a_shortened_timeline_keeps_its_beginning_and_its_end() -> None:
    jobs = MemoryJobs(finishing(events=900))
    async with Client(tool_surface(jobs)) as client:
        answered = await client.call_tool("analyse_video", {"path": CLIP})
    fields = fields_of(answered)
    shown = [event["t_ms"] for event in fields["timeline"]]
    assert (shown[0], shown[-1]) == (0, 899 * 400)
    assert len(shown) + fields["timeline_left_out"] == 900
    assert '"Order 0 confirmed"' in fields["description"]
    assert '"Order 899 confirmed"' in fields["description"]
    assert "events left out; the whole answer: /videos/checkout.mp4.VaiderInteractions/" in fields["description"]
    assert [one["verdict"] for one in fields["verdicts"]] == ["pass", "fail"], "verdicts outlast the timeline"


async def test_wait_seconds_bounds_the_call() -> None:
    async with Client(tool_surface(MemoryJobs())) as client:
        started = time.monotonic()
        await client.call_tool("analyse_video", {"path": CLIP, "wait_seconds": 0.3})
        within(3, time.monotonic() - started)


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("analyse_video", {"path": "out/checkout.mp4"}, "give the absolute path"),
        ("analyse_video", {"path": "/a\0b.mp4"}, "NUL character"),
        ("analyse_video", {"path": CLIP, "expectation": "x"}, "Did you mean 'expectations'?"),
        ("analyse_video", {"path": CLIP, "wait_seconds": 46}, "wait_seconds: Input should be less than or equal to 45"),
        ("analyse_video", {}, "path: Field required"),
        ("analyse_video", {"video": CLIP}, "Did you mean 'path'?"),
        ("memory_recall", {"question": "how?"}, "Did you mean 'query'?"),
        ("run_task", {"name": "a"}, "Did you mean 'task'?"),
        ("answer_question", {"text": "a"}, "It takes: "),
        ("learn_task", {"video": CLIP}, "It takes: path, paths"),
        ("analyse_video", {"path": "file://host/videos/a.mp4"}, "a file of another machine (host)"),
        ("job_status", {"job_id": "job-9"}, "There is no job 'job-9'"),
        ("analyze_video", {"path": CLIP}, "Did you mean 'analyse_video'?"),
    ],
)
async def test_a_wrong_call_is_answered_with_one_sentence_and_a_code(
    tool: str, arguments: dict[str, Any], says: str
) -> None:
    async with Client(tool_surface(MemoryJobs(finishing()))) as client:
        answered = await client.call_tool(tool, arguments)
    assert answered.is_error
    assert answered.structured_content is None
    assert says in text_of(answered)
    assert "(code: " in text_of(answered)
    assert "pydantic" not in text_of(answered)


@pytest.mark.parametrize("era", ERAS)
async def test_an_unknown_prompt_or_resource_is_a_callers_mistake(era: str, caplog: pytest.LogCaptureFixture) -> None:
    async with served(tool_surface(MemoryJobs())) as url, Client(url, mode=era) as client:
        advertised = client.server_capabilities
        with pytest.raises(MCPError, match=r"There is no prompt 'no-such'\. There are: check_gui_change") as prompt:
            await client.get_prompt("no-such")
        with pytest.raises(MCPError, match="no-such") as resource:
            await client.read_resource("vaider://no-such")

    assert advertised.tools is not None
    assert advertised.prompts is not None
    assert advertised.resources is not None
    assert (prompt.value.code, resource.value.code) == (INVALID_PARAMS, INVALID_PARAMS)
    assert not [record for record in caplog.records if record.exc_info]


async def test_one_expectation_may_be_given_as_a_string() -> None:
    jobs = MemoryJobs(finishing())
    async with Client(tool_surface(jobs)) as client:
        await client.call_tool("analyse_video", {"path": CLIP, "expectations": '"Order 1 confirmed" is shown'})
    (job,) = jobs.jobs.values()
    assert job.request["expectations"] == ['"Order 1 confirmed" is shown']


async def test_what_is_refused_never_becomes_a_job() -> None:
    async def refuse(_: AnalysisRequest) -> Job:
        raise InvalidRequest("There is no provider 'gemni'. Did you mean 'gemini'?")

    jobs = MemoryJobs()
    async with Client(tool_surface(jobs, analyse=refuse)) as client:
        answered = await client.call_tool("analyse_video", {"path": CLIP, "provider": "gemni"})
    assert answered.is_error
    assert text_of(answered) == "There is no provider 'gemni'. Did you mean 'gemini'? (code: invalid_request)"
    assert not jobs.jobs


async def test_a_failed_job_is_an_error_result_with_its_sentence() -> None:
    error = {"error": "There is no file /videos/checkout.mp4.", "code": "invalid_path"}
    jobs = MemoryJobs(lambda jobs, job: jobs.fail(job.id, error))
    async with Client(tool_surface(jobs)) as client:
        answered = await client.call_tool("analyse_video", {"path": CLIP})
    assert answered.is_error
    assert text_of(answered) == "There is no file /videos/checkout.mp4. Job job-1. (code: invalid_path)"


async def test_a_fault_of_ours_tells_the_client_nothing_of_its_inside() -> None:
    async def break_down(_: AnalysisRequest) -> Job:
        raise RuntimeError("secret inside")

    async with Client(tool_surface(MemoryJobs(), analyse=break_down)) as client:
        answered = await client.call_tool("analyse_video", {"path": CLIP})
    assert answered.is_error
    assert "secret" not in text_of(answered)


async def test_the_users_provider_is_taken_when_the_call_names_none() -> None:
    jobs = MemoryJobs(finishing())
    async with Client(tool_surface(jobs, provider="local")) as client:
        await client.call_tool("analyse_video", {"path": "file:///videos/a%20b.mp4"})
        await client.call_tool("analyse_video", {"path": CLIP, "provider": "gemini"})
    assert [job.request["provider"] for job in jobs.jobs.values()] == ["local", "gemini"]
    assert jobs.jobs["job-1"].request["video_path"] == "/videos/a b.mp4"


async def test_every_tool_tells_a_client_what_it_takes_gives_and_does() -> None:
    async with Client(tool_surface(MemoryJobs())) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    watch, ask = tools["analyse_video"], tools["job_status"]
    assert set(tools) == {
        *("analyse_video", "job_status", "run_task", "learn_task", "answer_question", "memory_recall"),
        *("list_reload_options", "reload_cached", "look", "answer_expectation", "list_videos", "compare_videos"),
    }
    assert set(watch.input_schema["properties"]) == {"path", "expectations", "provider", "wait_seconds", "max_tokens"}
    assert watch.input_schema["required"] == ["path"]
    assert watch.input_schema["properties"]["wait_seconds"]["maximum"] == 45
    assert ask.input_schema["properties"]["wait_seconds"]["maximum"] == 30
    for tool in tools.values():
        assert tool.title
        assert tool.description
        assert tool.annotations
        assert tool.output_schema is None, "every session would pay for it"
    assert tools["run_task"].input_schema["required"] == ["task"]
    assert tools["answer_question"].input_schema["required"] == ["task", "question_id", "answer"]
    hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations}
    assert (hints["analyse_video"].read_only_hint, hints["analyse_video"].open_world_hint) == (False, True)
    assert (hints["job_status"].read_only_hint, hints["job_status"].open_world_hint) == (True, False)
    assert (hints["run_task"].destructive_hint, hints["answer_question"].destructive_hint) == (True, False)
