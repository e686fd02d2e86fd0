"""`run_task`, `learn_task` and `answer_question` as a client in either protocol era meets them."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mcp import Client

from core.errors import Conflict
from core.jobs import Job, JobState, Stage
from core.runs.run import Check, RunOutcome, RunStatus, SubtaskRun
from core.tasks.ports import Learned
from core.tasks.questions import Question, QuestionState, question_id
from mcp_tools.job_answers import to_tool_result
from tests.clock import within
from tests.fakes.daemons.served import eventually, fields_of, served, text_of, tokens_of
from tests.fakes.daemons.task_tools import TaskTable
from tests.fakes.jobs.memory_jobs import MemoryJobs
from tests.fakes.jobs.run_results import run_result

pytestmark = pytest.mark.anyio
ERAS = ["legacy", "auto"]


def question(text: str, *, required: bool = True) -> Question:
    return Question(id=question_id(text), text=text, state=QuestionState.OPEN, required=required, line=9)


def learned(**changes: Any) -> dict[str, Any]:
    fine = Learned(
        task="send-the-report",
        title="Send the report",
        folder="/data/tasks/send-the-report",
        created=True,
        version=1,
        recordings=("1-demo.mp4",),
        questions=(question("Which calendar?"), question("Is the weekend meant?", required=False)),
        provider="local",
        provider_reason="auto chose local",
        model="steps-1",
        job_id="job-1",
        duration_ms=900,
        usage={},
        warnings=(),
    )
    return fine.model_copy(update=changes).model_dump(mode="json")


def table(folder: Path, result: dict[str, Any] | None = None, **options: Any) -> TaskTable:
    def finish(jobs: MemoryJobs, job: Job) -> None:
        if result is not None:
            jobs.finish(job.id, result)

    return TaskTable(MemoryJobs(finish), folder, **options)


@pytest.mark.parametrize("era", ERAS)
async def test_a_task_is_run_and_its_evidence_is_told(era: str, tmp_path: Path) -> None:
    ended = run_result(
        task="send-the-report", status=RunStatus.SUCCESS, workflow="", directory="/data/tasks/send-the-report/runs/x-1"
    )
    desk = table(tmp_path, ended)
    task = desk.task("Send the report")
    async with served(desk.surface()) as url, Client(url, mode=era) as client:
        answered = await client.call_tool(
            "run_task", {"task": "send the REPORT", "params": {"name": "Ada"}, "display": ":7", "provider": "gemini"}
        )
    fields = fields_of(answered)
    assert not answered.is_error
    assert (fields["state"], fields["status"], fields["task"]) == ("done", "SUCCESS", task)
    assert fields["checks"] == [{"expected": '"Saved" is shown', "verdict": "pass", "evidence": '"Saved" at (10, 20)'}]
    assert fields["values"] == {"extract_0": "1042"}
    assert fields["report"] == "/data/tasks/send-the-report/runs/run-20261121T120000Z-1.md"
    assert fields["report"] in text_of(answered)
    assert text_of(answered).startswith("SUCCESS: Save a note.")
    asked = desk.jobs.jobs["job-1"]
    assert (asked.kind, asked.request["task"], asked.request["workflow"]) == ("replay", "send the REPORT", "")
    assert (asked.request["params"], asked.request["display"]) == ({"name": "Ada"}, ":7")
    assert asked.request["provider"] == "gemini"


async def test_a_run_takes_what_the_user_has_set_when_the_call_says_nothing(tmp_path: Path) -> None:
    desk = table(tmp_path, run_result(), workflows=("note",))
    async with Client(desk.surface()) as client:
        answered = await client.call_tool("run_task", {"task": "note"})
    asked = desk.jobs.jobs["job-1"].request
    assert (asked["workflow"], asked["task"], asked["provider"], asked["display"]) == ("note", "", "local", "private")
    assert fields_of(answered)["report"] == "/workflows/note/.replay/20261121T120000Z-1/report.html"
    assert fields_of(answered)["workflow"] == "/workflows/note"


@pytest.mark.parametrize(
    ("name", "asked", "says"),
    [
        ("both", None, "say 'task:both' or 'workflow:both'"),
        ("task:both", {"task": "both", "workflow": ""}, ""),
        ("workflow:both", {"task": "", "workflow": "both"}, ""),
        ("/abs/flow", {"task": "", "workflow": "/abs/flow"}, ""),
        ("bothh", None, "Did you mean 'both'"),
        ("zzz", None, "There are: both, both, other."),
    ],
)
async def test_a_name_of_a_task_and_of_a_workflow_is_told_apart(
    name: str, asked: dict[str, str] | None, says: str, tmp_path: Path
) -> None:
    desk = table(tmp_path, run_result(), workflows=("both", "other"))
    desk.task("Both")
    async with Client(desk.surface()) as client:
        answered = await client.call_tool("run_task", {"task": name})
    if asked is None:
        assert answered.is_error
        assert says in text_of(answered)
        assert not desk.jobs.jobs
    else:
        request = desk.jobs.jobs["job-1"].request
        assert {field: request[field] for field in asked} == asked


async def test_a_run_that_needs_an_answer_tells_the_questions_and_what_to_do(tmp_path: Path) -> None:
    needed, other = question("Which printer?"), question("Who is told?", required=False)
    result = run_result(
        RunOutcome.ASKED,
        task="print",
        status=RunStatus.NEEDS_CLARIFICATION,
        reason="Which printer?",
        asked=(needed,),
        open_questions=(other, needed),
    )
    desk = table(tmp_path, result)
    desk.task("Print")
    async with Client(desk.surface()) as client:
        answered = await client.call_tool("run_task", {"task": "print"})
    fields = fields_of(answered)
    assert (fields["status"], fields["reason"]) == ("NEEDS_CLARIFICATION", "Which printer?")
    assert [(each["id"], each.get("asked_now")) for each in fields["questions"]] == [
        (needed.id, True),
        (other.id, None),
    ]
    assert "answer_question" in fields["next_step"]
    assert needed.id in text_of(answered)


@pytest.mark.parametrize("outcome", RunOutcome)
async def test_each_outcome_has_its_status_also_of_a_workflow(outcome: RunOutcome, tmp_path: Path) -> None:
    desk = table(tmp_path, run_result(outcome), workflows=("note",))
    async with Client(desk.surface()) as client:
        fields = fields_of(await client.call_tool("run_task", {"task": "note"}))
    assert fields["status"] in {"SUCCESS", "NEEDS_CLARIFICATION", "FAILED", "CANCELLED"}
    assert (fields["status"] == "SUCCESS") is (outcome is RunOutcome.SUCCEEDED)


async def test_a_run_that_was_stopped_is_told_as_cancelled_and_one_that_broke_as_an_error(tmp_path: Path) -> None:
    desk = table(tmp_path, workflows=("note",))
    async with Client(desk.surface()) as client:
        handle = fields_of(await client.call_tool("run_task", {"task": "note", "wait_seconds": 0}))
        await desk.jobs.cancel(handle["job_id"])
        stopped = await client.call_tool("job_status", {"job_id": handle["job_id"]})
        handle = fields_of(await client.call_tool("run_task", {"task": "note", "wait_seconds": 0}))
        desk.jobs.fail(handle["job_id"], {"error": "The display is gone.", "code": "desktop_lost"})
        broken = await client.call_tool("job_status", {"job_id": handle["job_id"]})
    assert not stopped.is_error
    assert (fields_of(stopped)["status"], fields_of(stopped)["reason"]) == ("CANCELLED", "The job was cancelled.")
    assert broken.is_error
    assert text_of(broken) == "The display is gone. Job job-2. (code: desktop_lost)"


async def test_what_is_refused_never_becomes_a_job(tmp_path: Path) -> None:
    desk = table(tmp_path, workflows=("note",), refusal=Conflict("Display ':9' cannot be used: nobody answers."))
    async with Client(desk.surface()) as client:
        refused = await client.call_tool("run_task", {"task": "note"})
        wrong = await client.call_tool("run_task", {"task": "note", "display": "host:0; rm"})
        missing = await client.call_tool("learn_task", {"path": "/videos/missing.mp4"})
        none = await client.call_tool("learn_task", {})
        relative = await client.call_tool("learn_task", {"paths": ["demo.mp4"]})
    assert text_of(refused) == "Display ':9' cannot be used: nobody answers. (code: conflict)"
    assert "display: String should match pattern" in text_of(wrong)
    assert "no such recording" in text_of(missing)
    assert "as `path`" in text_of(none)
    assert "give the absolute path" in text_of(relative)
    assert not desk.jobs.jobs


@pytest.mark.parametrize("era", ERAS)
async def test_a_long_run_gives_its_handle_and_tells_its_progress(era: str, tmp_path: Path) -> None:
    def act(jobs: MemoryJobs, job: Job) -> None:
        jobs.report(job.id, Stage.SUBTASK_STARTED, subtask_idx=1, subtask_total=4, subtask_text="Save it.")

    desk = TaskTable(MemoryJobs(act), tmp_path, ("note",))
    reported_words: list[str | None] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        assert progress <= (total or 0)
        reported_words.append(message)

    async with served(desk.surface()) as url, Client(url, mode=era) as client:
        arguments = {"task": "note", "wait_seconds": 0.3}
        started = time.monotonic()
        handle = await client.call_tool("run_task", arguments, progress_callback=listen)
        took = time.monotonic() - started
        job_id = fields_of(handle)["job_id"]
        desk.jobs.finish(job_id, run_result())
        done = await client.call_tool("job_status", {"job_id": job_id})
    within(5, took)
    assert (fields_of(handle)["state"], fields_of(handle)["next_step"]) == (
        "running",
        "call job_status with this job_id",
    )
    assert "2 of 4: Save it." in reported_words
    assert fields_of(done)["status"] == "SUCCESS"
    assert not desk.jobs.cancelled


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_gives_up_stops_the_run(era: str, tmp_path: Path) -> None:
    desk = table(tmp_path, workflows=("note",))
    async with served(desk.surface()) as url, Client(url, mode=era) as client:
        call = asyncio.create_task(client.call_tool("run_task", {"task": "note"}))
        await eventually(lambda: bool(desk.jobs.jobs))
        call.cancel()
        await eventually(lambda: desk.jobs.cancelled == ["job-1"])
    assert desk.jobs.jobs["job-1"].state is JobState.CANCELLED


@pytest.mark.parametrize("era", ERAS)
async def test_a_recording_is_learned_and_its_questions_are_asked_in_one_round(era: str, tmp_path: Path) -> None:
    desk = table(tmp_path, learned())
    into = desk.task("Send the report")
    async with served(desk.surface()) as url, Client(url, mode=era) as client:
        answered = await client.call_tool(
            "learn_task", {"path": "/videos/a.mp4", "paths": ["file:///videos/b%20c.mp4"], "into": into}
        )
    fields = fields_of(answered)
    assert (fields["task"], fields["title"], fields["created"]) == ("send-the-report", "Send the report", True)
    assert fields["heartbeat"] == "/data/tasks/send-the-report/HEARTBEAT.md"
    assert [each["question"] for each in fields["questions"]] == ["Which calendar?", "Is the weekend meant?"]
    assert "all questions at once" in fields["next_step"]
    assert all(each["id"] in text_of(answered) for each in fields["questions"])
    request = desk.jobs.jobs["job-1"].request
    assert request["videos"] == ["/videos/a.mp4", "/videos/b c.mp4"]
    assert (request["into"], request["provider"], desk.jobs.jobs["job-1"].kind) == (into, "gemini", "learning")


async def test_a_recording_without_a_task_is_an_error_with_its_reason(tmp_path: Path) -> None:
    error = {"error": "The recording shows no task: nothing happens in it.", "code": "no_task"}
    desk = TaskTable(MemoryJobs(lambda jobs, job: jobs.fail(job.id, error)), tmp_path)
    async with Client(desk.surface()) as client:
        answered = await client.call_tool("learn_task", {"path": "/videos/still.mp4"})
    assert answered.is_error
    assert "shows no task" in text_of(answered)


@pytest.mark.parametrize("era", ERAS)
async def test_answers_go_into_the_task_and_the_rest_is_told(era: str, tmp_path: Path) -> None:
    desk = table(tmp_path)
    task = desk.task("Send the report", "Which calendar?", "Who is told?")
    first, second = desk.tasks.load(task).heartbeat.open_questions
    async with served(desk.surface()) as url, Client(url, mode=era) as client:
        one = await client.call_tool(
            "answer_question", {"task": task, "question_id": first.id, "answer": "The team's.\n## Not a heading"}
        )
        both = await client.call_tool(
            "answer_question", {"task": "send the report", "question_id": second.id, "answer": "Ann."}
        )
        unknown = await client.call_tool("answer_question", {"task": task, "question_id": "who-0", "answer": "x"})
        nobody = await client.call_tool("answer_question", {"task": "sendd", "question_id": first.id, "answer": "x"})
    stored = desk.tasks.load(task)
    assert [each["id"] for each in fields_of(one)["open_questions"]] == [second.id]
    assert fields_of(both)["open_questions"] == []
    assert "run_task" in fields_of(both)["next_step"]
    assert fields_of(both)["version"] == stored.version.number
    assert stored.heartbeat.question(first.id).answer == "The team's.\n## Not a heading"
    assert stored.heartbeat.question(second.id).answer == "Ann."
    assert {each.by for each in desk.tasks.history(task)} == {"test", "mcp"}
    assert (unknown.is_error, nobody.is_error) == (True, True)
    assert text_of(unknown).endswith("(code: not_found)")
    assert text_of(nobody).endswith("(code: not_found)")


WORDS = st.text(max_size=3000)


@example(words="\x00" * 3000, count=60, most=400)
@example(words="\U0001f389" * 3000, count=60, most=400)
@given(words=WORDS, count=st.integers(0, 60), most=st.sampled_from([400, 2000]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_an_answer_never_takes_more_tokens_than_allowed(words: str, count: int, most: int) -> None:
    check = Check(expected=words, verdict="fail", evidence=words)
    subtasks = tuple(
        SubtaskRun(index=n, text=words, iterations=1, result=words, check=check, duration_ms=1) for n in range(count)
    )
    questions = tuple(question(f"{n} {words}"[:2000]) for n in range(count))
    run = run_result(
        RunOutcome.ASKED,
        task="t",
        reason=words,
        task_name=words,
        subtasks=subtasks,
        asked=questions[:2],
        open_questions=questions,
        extracts={f"{words[:50]}{n}": words for n in range(count)},
    )
    lesson = learned(title=words[:200], questions=questions, warnings=(words,) * 5, provider_reason=words)
    for kind, result in (("replay", run), ("learning", lesson)):
        job = Job(id="job-1", kind=kind, state=JobState.DONE, request={}, result=result, created_at="now")
        assert tokens_of(to_tool_result(job, most)) <= most


async def test_an_answer_about_a_task_with_thousands_of_questions_stays_short(tmp_path: Path) -> None:
    desk = table(tmp_path)
    task = desk.task("Ask a lot", *(f"Is number {number} meant, {'really ' * 20}?" for number in range(600)))
    first = desk.tasks.load(task).heartbeat.open_questions[0]
    async with Client(desk.surface()) as client:
        answered = await client.call_tool("answer_question", {"task": task, "question_id": first.id, "answer": "yes"})
    fields = fields_of(answered)
    assert tokens_of(answered) <= 2000
    assert len(fields["open_questions"]) + fields["open_questions_left_out"] == 599
