"""What a run asks is put to the user by elicitation, in both protocol eras; and what happens where that cannot be."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitResult, ErrorData

from core.errors import NotFound
from core.jobs import Job, JobState, Stage
from tests.fakes.daemons.served import fields_of, served
from tests.fakes.daemons.task_tools import TaskTable
from tests.fakes.jobs.memory_jobs import MemoryJobs
from tests.fakes.jobs.run_results import run_result

pytestmark = pytest.mark.anyio
ERAS = ["legacy", "auto"]
YES = ElicitResult(action="accept", content={"agree": True})
QUESTION = 'Click "Pay now"?'


class AskingTable(TaskTable):
    """Its run asks before it goes on, as often as it is told to; and ends when all is answered."""

    def __init__(self, folder: Path, *, questions: int = 1) -> None:
        super().__init__(MemoryJobs(lambda _, job: self.ask(job.id)), folder, ("note",))
        self.left = questions

    def ask(self, job_id: str) -> None:
        self.left -= 1
        self.jobs.report(job_id, Stage.APPROVAL_ASKED, approval_id=f"a{self.left}", question=QUESTION)

    async def approve(self, job_id: str, approval_id: str, agree: bool) -> None:
        await super().approve(job_id, approval_id, agree)
        if self.left:
            self.ask(job_id)
        else:
            self.jobs.finish(job_id, run_result())


class User:
    """Who sees the forms."""

    def __init__(self, *answers: ElicitResult | ErrorData) -> None:
        self.answers = list(answers)
        self.seen: list[Any] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult | ErrorData:
        assert context
        self.seen.append(params)
        return self.answers[min(len(self.seen), len(self.answers)) - 1]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("answer", "agree"),
    [
        (YES, True),
        (ElicitResult(action="accept", content={"agree": False}), False),
        (ElicitResult(action="accept", content={}), False),
        (ElicitResult(action="accept", content={"agree": "true"}), False),
        (ElicitResult(action="accept"), False),
        (ElicitResult(action="decline"), False),
        (ElicitResult(action="cancel"), False),
    ],
)
async def test_the_user_is_asked_and_only_a_ticked_form_is_a_yes(
    era: str, answer: ElicitResult, agree: bool, tmp_path: Path
) -> None:
    desk, user = AskingTable(tmp_path), User(answer)
    async with Client(desk.surface(), mode=era, elicitation_callback=user) as client:
        answered = await client.call_tool("run_task", {"task": "note"})
    assert fields_of(answered)["status"] == "SUCCESS"
    assert desk.answers == [("job-1", "a0", agree)]
    assert len(user.seen) == 1
    assert user.seen[0].message == f"Vaider asks before it goes on: {QUESTION}"
    assert user.seen[0].requested_schema["properties"]["agree"]["type"] == "boolean"
    assert len(desk.jobs.jobs) == 1, "a call that is made again begins no second run"


@pytest.mark.parametrize("era", ERAS)
async def test_a_run_asks_as_often_as_it_must_and_the_rest_from_job_status(era: str, tmp_path: Path) -> None:
    desk, user = AskingTable(tmp_path, questions=12), User(YES)
    async with served(desk.surface()) as url, Client(url, mode=era, elicitation_callback=user) as client:
        answered = await client.call_tool("run_task", {"task": "note"})
        if "status" not in fields_of(answered):
            assert "call job_status" in fields_of(answered)["next_step"]
            answered = await client.call_tool("job_status", {"job_id": fields_of(answered)["job_id"]})
    assert fields_of(answered)["status"] == "SUCCESS"
    assert [approval_id for _, approval_id, _ in desk.answers] == [f"a{number}" for number in reversed(range(12))]


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_cannot_ask_is_told_the_question_and_who_can_answer_it(era: str, tmp_path: Path) -> None:
    desk = AskingTable(tmp_path)
    async with served(desk.surface()) as url, Client(url, mode=era) as client:
        handle = await client.call_tool("run_task", {"task": "note"})
        fields = fields_of(handle)
        waiting = asyncio.create_task(client.call_tool("job_status", {"job_id": "job-1"}))
        again = fields_of(await client.call_tool("job_status", {"job_id": "job-1", "wait_seconds": 0.2}))
        await desk.approve("job-1", "a0", agree=True)
        done = await waiting
    assert fields["state"] == "running"
    assert fields["waiting_for"] == {
        "approval_id": "a0",
        "question": QUESTION,
        "answer_with": "vaider jobs answer job-1 a0 yes|no",
    }
    assert "vaider jobs answer job-1 a0 yes|no" in fields["next_step"]
    assert again["waiting_for"] == fields["waiting_for"]
    assert fields_of(done)["status"] == "SUCCESS"
    assert not desk.jobs.cancelled


async def test_without_a_daemon_no_command_is_named(tmp_path: Path) -> None:
    desk = AskingTable(tmp_path)
    async with Client(desk.surface(elsewhere=False)) as client:
        fields = fields_of(await client.call_tool("run_task", {"task": "note"}))
    assert "answer_with" not in fields["waiting_for"]
    assert "without an answer it is a no" in fields["next_step"]


async def test_a_client_that_refuses_to_ask_after_all_is_told_the_question(tmp_path: Path) -> None:
    desk, user = AskingTable(tmp_path), User(ErrorData(code=-32601, message="no forms today"))
    async with served(desk.surface()) as url, Client(url, mode="legacy", elicitation_callback=user) as client:
        fields = fields_of(await client.call_tool("run_task", {"task": "note"}))
    assert fields["waiting_for"]["question"] == QUESTION
    assert desk.answers == []


async def test_an_answer_from_elsewhere_takes_the_question_back(tmp_path: Path) -> None:
    desk = AskingTable(tmp_path)
    shown, taken_back = asyncio.Event(), asyncio.Event()

    async def think(context: Any, params: Any) -> ElicitResult:
        assert context
        assert params
        shown.set()
        try:
            await asyncio.Event().wait()
        finally:
            taken_back.set()
        raise AssertionError

    async with served(desk.surface()) as url, Client(url, mode="legacy", elicitation_callback=think) as client:
        call = asyncio.create_task(client.call_tool("run_task", {"task": "note"}))
        async with asyncio.timeout(10):
            await shown.wait()
            await desk.approve("job-1", "a0", agree=False)
            answered = await call
    assert fields_of(answered)["status"] == "SUCCESS"
    assert desk.answers == [("job-1", "a0", False)]


async def test_a_user_who_thinks_longer_than_the_call_may_take_is_asked_again_from_job_status(tmp_path: Path) -> None:
    desk = AskingTable(tmp_path)
    asked = 0

    async def think(context: Any, params: Any) -> ElicitResult:
        assert context
        assert params
        nonlocal asked
        asked += 1
        if asked == 1:
            await asyncio.Event().wait()
        return YES

    async with served(desk.surface()) as url, Client(url, mode="legacy", elicitation_callback=think) as client:
        fields = fields_of(await client.call_tool("run_task", {"task": "note", "wait_seconds": 0.5}))
        done = await client.call_tool("job_status", {"job_id": fields["job_id"]})
    assert fields["waiting_for"]["approval_id"] == "a0"
    assert (fields_of(done)["status"], asked) == ("SUCCESS", 2)


@pytest.mark.parametrize("era", ERAS)
async def test_an_answer_that_comes_too_late_changes_nothing(era: str, tmp_path: Path) -> None:
    class Late(AskingTable):
        async def approve(self, job_id: str, approval_id: str, agree: bool) -> None:
            self.jobs.report(job_id, Stage.APPROVAL_GIVEN, approval_id=approval_id, answer="none in time")
            self.jobs.finish(job_id, run_result())
            raise NotFound(f"Job {job_id} asks no question {approval_id!r}, or no longer ({agree}).")

    desk = Late(tmp_path)
    async with served(desk.surface()) as url, Client(url, mode=era, elicitation_callback=User(YES)) as client:
        answered = await client.call_tool("run_task", {"task": "note"})
    assert fields_of(answered)["status"] == "SUCCESS"


async def test_a_call_that_is_made_again_without_the_answer_asks_again(tmp_path: Path) -> None:
    desk = AskingTable(tmp_path)
    async with served(desk.surface()) as url, Client(url, elicitation_callback=User(YES)) as client:
        first: Any = await client.session.call_tool("run_task", {"task": "note"}, allow_input_required=True)
        second: Any = await client.session.call_tool(
            "run_task", {"task": "note"}, request_state=first.request_state, allow_input_required=True
        )
        answered = await client.call_tool(
            "run_task",
            {"task": "note"},
            request_state=second.request_state,
            input_responses=dict.fromkeys(second.input_requests, YES),
        )
    assert list(first.input_requests) == list(second.input_requests)
    assert desk.answers == [("job-1", "a0", True)]
    assert fields_of(answered)["status"] == "SUCCESS"


async def test_a_state_of_another_call_is_refused(tmp_path: Path) -> None:
    desk = AskingTable(tmp_path, questions=2)
    async with served(desk.surface()) as url, Client(url, elicitation_callback=User(YES)) as client:
        first: Any = await client.session.call_tool("run_task", {"task": "note"}, allow_input_required=True)
        for tool, arguments, state in (
            ("job_status", {"job_id": "job-1"}, first.request_state),
            ("run_task", {"task": "other"}, first.request_state),
            ("run_task", {"task": "note"}, first.request_state[:-2]),
            ("run_task", {"task": "note"}, '{"job_id":"job-1"}'),
        ):
            with pytest.raises(Exception, match=r"(?i)state"):
                await client.call_tool(tool, arguments, request_state=state, input_responses={"gate": YES})
    assert desk.answers == []


async def test_a_run_that_is_stopped_while_it_asks_ends_the_call(tmp_path: Path) -> None:
    desk = AskingTable(tmp_path)

    async def stop(context: Any, params: Any) -> ElicitResult:
        assert context
        assert params
        await desk.jobs.cancel("job-1")
        await asyncio.Event().wait()
        raise AssertionError

    async with served(desk.surface()) as url, Client(url, mode="legacy", elicitation_callback=stop) as client:
        answered = await client.call_tool("run_task", {"task": "note"})
    assert fields_of(answered)["status"] == "CANCELLED"
    assert desk.answers == []


async def test_a_question_that_is_answered_before_the_call_looks_is_not_asked(tmp_path: Path) -> None:
    def act(jobs: MemoryJobs, job: Job) -> None:
        jobs.report(job.id, Stage.APPROVAL_ASKED, approval_id="a", question=QUESTION)
        jobs.report(job.id, Stage.APPROVAL_GIVEN, approval_id="a", answer="yes")
        jobs.report(job.id, Stage.PIXEL_ACTION, words="click")

    desk, user = TaskTable(MemoryJobs(act), tmp_path, ("note",)), User(YES)
    async with served(desk.surface()) as url, Client(url, mode="legacy", elicitation_callback=user) as client:
        handle = fields_of(await client.call_tool("run_task", {"task": "note", "wait_seconds": 0.2}))
    assert "waiting_for" not in handle
    assert desk.jobs.jobs["job-1"].state is JobState.RUNNING
    assert user.seen == []
