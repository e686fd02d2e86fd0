"""Runs on a private display, asked for by an MCP client whose user is asked before anything risky."""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ElicitResult

from tests.fakes.daemons.commands import VAIDER, daemon
from tests.fakes.runs.replaying import program_case

pytestmark = [pytest.mark.anyio, pytest.mark.screen]
CLIP = Path(__file__).parents[1] / "clips" / "settings.mp4"
SETTINGS = ("--set", "gate=confirm_risky", "--set", "display=private", "--set", "replay_provider=local")


class User:
    """Says the same to every form, and remembers what was asked."""

    def __init__(self, *, agree: bool) -> None:
        self._agree = agree
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        assert context
        self.asked.append(params.message)
        return ElicitResult(action="accept", content={"agree": True}) if self._agree else ElicitResult(action="decline")


@contextlib.contextmanager
def reached(transport: str, data: Path) -> Generator[Any]:
    """A server: a real daemon over HTTP, or a process of its own over stdio."""
    data.mkdir()
    if transport == "http":
        with daemon(data, *SETTINGS) as port:
            yield f"http://127.0.0.1:{port}/mcp"
    else:
        arguments = ["mcp", "--stdio", "--port", "1", "--data-dir", str(data), *SETTINGS]
        yield StdioServerParameters(command=VAIDER, args=arguments, env=dict(os.environ))


async def finished(client: Client, tool: str, **asked: Any) -> dict[str, Any]:
    """What a tool answers in the end, however long the job takes that it begins."""
    answered = await client.call_tool(tool, asked)
    fields: dict[str, Any] = answered.structured_content or {}
    while fields.get("state") in {"queued", "running"}:
        answered = await client.call_tool("job_status", {"job_id": fields["job_id"]})
        fields = answered.structured_content or {}
    assert fields, answered.content
    return fields


def is_there(path: str) -> bool:
    return Path(path).is_file()


@pytest.mark.nightly
@pytest.mark.parametrize(("transport", "era"), [("http", "legacy"), ("stdio", "auto")])
async def test_a_run_does_what_is_risky_only_with_the_users_word(transport: str, era: str, tmp_path: Path) -> None:
    case = program_case("dialogue", tmp_path / "workflows")
    user = User(agree=True)
    with reached(transport, tmp_path / "data") as server:
        async with Client(server, mode=era, elicitation_callback=user) as client:
            fields = await finished(client, "run_task", task=str(case.workflow), params=dict(case.params))
    assert (fields["status"], fields.get("reason")) == ("SUCCESS", None)
    assert case.state() == {"boat": "Nordlys", "colour": "dark green"}
    assert user.asked
    assert all(message.startswith("Vaider asks before it goes on: ") for message in user.asked)


@pytest.mark.nightly
async def test_a_task_is_learned_from_a_video_and_run_until_the_user_must_tell_more(tmp_path: Path) -> None:
    with reached("stdio", tmp_path / "data") as server:
        async with Client(server) as client:
            lesson = await finished(client, "learn_task", path=str(CLIP), provider="local")
            question = lesson["questions"][0]
            arguments = {"task": lesson["task"], "question_id": question["id"], "answer": 'Click "Place order".'}
            answered = await client.call_tool("answer_question", arguments)
            fields = await finished(client, "run_task", task=lesson["title"], params={})
    after: dict[str, Any] = answered.structured_content or {}
    assert is_there(lesson["heartbeat"])
    assert len(lesson["questions"]) == len(after["open_questions"]) + 1
    assert fields["status"] == "NEEDS_CLARIFICATION"
    (asked,) = [each["question"] for each in fields["questions"] if each.get("asked_now")]
    assert asked.startswith("Step 1, ")
    assert is_there(fields["report"])


@pytest.mark.nightly
async def test_without_the_users_word_nothing_risky_is_done(tmp_path: Path) -> None:
    case = program_case("dialogue", tmp_path / "workflows")
    user = User(agree=False)
    with reached("http", tmp_path / "data") as server:
        async with Client(server, elicitation_callback=user) as client:
            fields = await finished(client, "run_task", task=str(case.workflow), params=dict(case.params))
    assert fields["status"] == "FAILED"
    assert case.state() is None
    assert len(user.asked) == 1
