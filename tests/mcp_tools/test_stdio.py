"""``vaider mcp --stdio``, as a client starts it: with a running daemon and without one."""

import contextlib
import json
import os
import subprocess
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from core.tasks.heartbeat import Heartbeat
from storage.tasks.tasks import TaskFolders
from tests.canary import CANARY
from tests.clock import until
from tests.fakes.daemons.commands import PATIENCE, VAIDER
from tests.fakes.daemons.scripted_daemon import scripted_daemon
from tests.fakes.daemons.served import fields_of, text_of

pytestmark = [pytest.mark.anyio, pytest.mark.programs]


def server(data_dir: Path, port: int) -> StdioServerParameters:
    arguments = ["mcp", "--stdio", "--port", str(port), "--data-dir", str(data_dir)]
    return StdioServerParameters(command=VAIDER, args=arguments, env=dict(os.environ))


@pytest.mark.parametrize("era", [pytest.param("legacy", marks=pytest.mark.nightly), "auto"])
async def test_a_running_daemon_does_the_work(era: str, tmp_path: Path) -> None:
    with scripted_daemon(tmp_path / "data") as daemon:
        async with Client(server(tmp_path / "data", daemon.port), mode=era) as client:
            reported: list[float] = []

            async def listen(progress: float, total: float | None, message: str | None) -> None:
                assert total == 100, message
                reported.append(progress)

            arguments = {"path": "/videos/fine.mp4", "expectations": ['"Order 1 confirmed" is shown']}
            answered = await client.call_tool("analyse_video", arguments, progress_callback=listen)
            handle = await client.call_tool("analyse_video", {"path": "/videos/endless.mp4", "wait_seconds": 0})
            status = await client.call_tool("job_status", {"job_id": fields_of(handle)["job_id"], "wait_seconds": 0})
            missing = await client.call_tool("analyse_video", {"path": "/videos/missing.mp4"})
            refused = await client.call_tool("analyse_video", {"path": "/v.mp4", "expectations": ["x" * 2001]})
            unknown = await client.call_tool("job_status", {"job_id": "job/../1"})
        requests = daemon.requests
    assert fields_of(answered)["verdicts"][0]["verdict"] == "pass"
    assert reported == sorted(set(reported))
    assert fields_of(status)["progress"] == {"stage": "decoding", "done": 1, "total": 2}
    assert text_of(missing) == "There is no file; check the path. Job job-3. (code: invalid_path)"
    assert "over 2000 characters" in text_of(refused)
    assert "There is no job 'job/../1'" in text_of(unknown) or "not_found" in text_of(unknown)
    assert [request["provider"] for request in requests] == ["local"] * 3, "the user's own setting"


@pytest.mark.nightly
async def test_a_relative_path_is_below_the_folder_that_the_client_started_it_in(tmp_path: Path) -> None:
    with scripted_daemon(tmp_path / "data") as daemon:
        started = server(tmp_path / "data", daemon.port).model_copy(update={"cwd": tmp_path})
        async with Client(started) as client:
            await client.call_tool("analyse_video", {"path": "test-results/fine.mp4"})
        assert [each["video_path"] for each in daemon.requests] == [str(tmp_path / "test-results" / "fine.mp4")]


@pytest.mark.nightly
async def test_without_a_daemon_it_works_by_itself(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("this is no video")
    async with Client(server(tmp_path / "data", 1)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        answered = await client.call_tool("analyse_video", {"path": str(tmp_path / "text.mp4")})
        unlearned = await client.call_tool("learn_task", {"path": str(tmp_path / "text.mp4")})
        unknown = await client.call_tool("run_task", {"task": "nothing"})
    assert names == {
        *("analyse_video", "job_status", "run_task", "learn_task", "answer_question", "memory_recall"),
        *("list_reload_options", "reload_cached", "look", "answer_expectation", "list_videos", "compare_videos"),
    }
    assert (answered.is_error, unlearned.is_error, unknown.is_error) == (True, True, True)
    assert "(code: invalid_video)" in text_of(answered)
    assert "(code: invalid_video)" in text_of(unlearned)
    assert "There is none yet" in text_of(unknown)


@pytest.mark.nightly
@pytest.mark.parametrize("with_daemon", [True, False])
async def test_a_tasks_questions_are_answered_in_its_file(with_daemon: bool, tmp_path: Path) -> None:
    tasks = TaskFolders(tmp_path / "data" / "tasks")
    made = tasks.add(Heartbeat.new("Send the report").with_questions(["Who is told?"]), by="test", why="test")
    question = made.heartbeat.open_questions[0]
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(scripted_daemon(tmp_path / "data")).port if with_daemon else 1
        async with Client(server(tmp_path / "data", port)) as client:
            arguments = {"task": made.id, "question_id": question.id, "answer": "Ann."}
            answered = await client.call_tool("answer_question", arguments)
    assert fields_of(answered)["open_questions"] == []
    assert tasks.load(made.id).heartbeat.question(question.id).answer == "Ann."


def test_nothing_but_the_protocol_is_on_stdout_and_it_ends_with_its_client(tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ]
    parameters = server(tmp_path / "data", 1)
    process = subprocess.Popen(
        [parameters.command, *parameters.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "VAIDER_LOG_LEVEL": "debug"},
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    rest, said = process.communicate(timeout=PATIENCE)
    assert [answer["id"] for answer in answers] == [0, 1]
    assert answers[0]["result"]["serverInfo"]["name"] == "vaider"
    assert (process.returncode, rest) == (0, "")
    assert "stdio.serving" in said
    assert CANARY not in said


@pytest.mark.nightly
@pytest.mark.parametrize("politely", [True, False])
def test_a_client_that_goes_away_in_the_middle_leaves_nothing_running(politely: bool, tmp_path: Path) -> None:
    with scripted_daemon(tmp_path / "data") as daemon:
        parameters = server(tmp_path / "data", daemon.port)
        process = subprocess.Popen(
            [parameters.command, *parameters.args], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        assert process.stdin is not None
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        call = {"name": "analyse_video", "arguments": {"path": "/videos/endless.mp4"}}
        for message in (
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        ):
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        until(lambda: daemon.requests)
        if politely:
            process.stdin.close()
        else:
            process.terminate()
        assert process.wait(PATIENCE) == (0 if politely else 130)
        process.stdin.close()
        until(lambda: daemon.jobs.cancelled)
