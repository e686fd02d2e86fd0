"""Puts a run's questions to the user by elicitation during a tool call, in both protocol eras."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel, Field, ValidationError

from core.errors import Conflict, InvalidRequest, NotFound
from core.jobs import Job, JobEvent, Stage
from core.ports import Jobs
from mcp_tools.handles import GateQuestion, clipped
from mcp_tools.waiting import HEARTBEAT_SECONDS, ProgressNotifier, wait_with_progress

_MOST_ROUNDS: Final = 8
"""Clients give up a call after 10 rounds of questions; the others are asked from job_status."""
_FIRST_MODERN: Final = "2026-07-28"
"""From this revision on a call answers with its question, and is made again with the user's answer."""
_KEY: Final = "gate"
_MOST_WORDS: Final = 1000

Pass = Callable[[str, str, bool], Awaitable[None]]
"""Hands an answer to the run: the job's id, the question's, and whether the user agrees."""


class Agreement(BaseModel):
    """The form that the user sees."""

    agree: bool = Field(title="Allow it", description="Whether the run may do this.")


class Round(BaseModel):
    """What a call that is made again has to know of the earlier ones; sealed by the SDK on its way."""

    job_id: str
    asked: str
    settled: list[str]
    number: int


@dataclass(frozen=True)
class Waited:
    """How a wait ended: a final job, one that takes longer, or a question for the user."""

    job: Job
    question: GateQuestion | None = None
    """Open, and could not be put to the user."""
    ask: InputRequiredResult | None = None
    """What the call must answer so that the user is asked."""


class Consent:
    """Waits for jobs, and lets the user answer what they ask.

    Args:
        jobs: the engine.
        answer: passes an answer on. Raises ``NotFound`` or ``Conflict`` when it is too late for one.
        elsewhere: whether the user can also answer from a terminal; not where the jobs are this process' own.
        heartbeat_seconds: the longest silence within a call.

    """

    def __init__(
        self, jobs: Jobs, answer: Pass, *, elsewhere: bool = True, heartbeat_seconds: float = HEARTBEAT_SECONDS
    ) -> None:
        self._jobs = jobs
        self._answer = answer
        self._elsewhere = elsewhere
        self._heartbeat = heartbeat_seconds

    async def wait(
        self, job: Job, seconds: float, ctx: Context, *, again: Round | None = None, patient: bool = False
    ) -> Waited:
        """Wait until the job is final, ``seconds`` at most; less when it asks what this client cannot ask the user.

        Args:
            job: what is waited for.
            seconds: how long.
            ctx: of the call.
            again: what the call's earlier rounds have left.
            patient: wait also when it asks so already, for the caller knows that and comes to hear what became of it.

        """
        watch = _Watch(job.id, set(again.settled) if again else set(), elsewhere=self._elsewhere)
        call = _Call(ctx, time.monotonic() + seconds, ProgressNotifier(ctx.report_progress), watch)
        if again is not None:
            answers = ctx.input_responses or {}
            if _KEY in answers:
                await self._settle(job, watch, again.asked, agree=_agrees(answers[_KEY]))
        watch.see(job.progress)
        asks = _can_ask(ctx)
        known = watch.question if patient and not asks else None
        while True:
            if watch.question in (None, known):
                job = await self._wait(job, call, lambda event: watch.see(event) not in (None, known))
            question = watch.question
            if job.state.is_final or question is None or not asks:
                return Waited(job, None if job.state.is_final else question)
            if _is_modern(ctx):
                return _asked_by_answer(job, question, watch, again)
            agree = await self._elicit(job, call, question)
            if agree is not None:
                await self._settle(job, watch, question.approval_id, agree=agree)
            elif watch.question == question:
                job = await self._jobs.get(job.id)
                return Waited(job, None if job.state.is_final else question)

    async def _wait(self, job: Job, call: "_Call", until: Callable[[JobEvent], bool]) -> Job:
        left = call.deadline - time.monotonic()
        return await wait_with_progress(
            self._jobs, job, left, call.notifier, until=until, heartbeat_seconds=self._heartbeat
        )

    async def _elicit(self, job: Job, call: "_Call", question: GateQuestion) -> bool | None:
        """Whether the user agrees; ``None`` when the client cannot ask, or the question is open no more."""
        asking = asyncio.create_task(_elicited(call.ctx, question))
        gone = asyncio.create_task(self._wait(job, call, lambda event: call.watch.see(event) != question))
        try:
            await asyncio.wait({asking, gone}, return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else None
        finally:
            asking.cancel()
            gone.cancel()
            await asyncio.gather(asking, gone, return_exceptions=True)

    async def _settle(self, job: Job, watch: "_Watch", approval_id: str, *, agree: bool) -> None:
        # Another front end answered first, or the run waits no more: that result holds.
        with contextlib.suppress(NotFound, Conflict):
            await self._answer(job.id, approval_id, agree)
        watch.settle(approval_id)


class _Watch:
    """Which question of a run is open, as its events tell."""

    def __init__(self, job_id: str, settled: set[str], *, elsewhere: bool) -> None:
        self.settled = settled
        self._job_id = job_id
        self._elsewhere = elsewhere
        self._open: dict[str, GateQuestion] = {}

    @property
    def question(self) -> GateQuestion | None:
        """The first open question."""
        return next(iter(self._open.values()), None)

    def see(self, event: JobEvent | None) -> GateQuestion | None:
        """Take an event in; the question that is open now."""
        approval_id = str(event.data.get("approval_id", "")) if event else ""
        if event and event.stage is Stage.APPROVAL_ASKED and approval_id not in self.settled:
            question = str(event.data.get("question", "May it go on?"))
            command = f"vaider jobs answer {self._job_id} {approval_id} yes|no" if self._elsewhere else None
            self._open[approval_id] = GateQuestion(approval_id=approval_id, question=question, answer_with=command)
        elif event and event.stage is Stage.APPROVAL_GIVEN:
            self.settle(approval_id)
        return self.question

    def settle(self, approval_id: str) -> None:
        """Note that the question is answered."""
        self.settled.add(approval_id)
        self._open.pop(approval_id, None)


class _Call(NamedTuple):
    ctx: Context
    deadline: float
    """In seconds of the monotonic clock."""
    notifier: ProgressNotifier
    watch: _Watch


def round_of(ctx: Context) -> Round | None:
    """What the earlier rounds of this call have left; ``None`` in the first. Raises ``InvalidRequest``."""
    if not ctx.request_state:
        return None
    try:
        return Round.model_validate_json(ctx.request_state)
    except ValidationError:
        raise InvalidRequest("This requestState is none of this tool's; make the call without it.") from None


def _can_ask(ctx: Context) -> bool:
    capabilities = ctx.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    # Without any mode it is a client that is older than the modes, and has forms.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def _is_modern(ctx: Context) -> bool:
    # Revisions are dates, so their order is that of their spelling.
    return (ctx.protocol_version or "") >= _FIRST_MODERN


def _asked_by_answer(job: Job, question: GateQuestion, watch: _Watch, again: Round | None) -> Waited:
    number = again.number + 1 if again else 1
    if number > _MOST_ROUNDS:
        return Waited(job, question)
    state = Round(job_id=job.id, asked=question.approval_id, settled=sorted(watch.settled), number=number)
    form = ElicitRequestFormParams(message=_message(question), requested_schema=render_elicitation_schema(Agreement))
    return Waited(
        job,
        ask=InputRequiredResult(
            input_requests={_KEY: ElicitRequest(params=form)}, request_state=state.model_dump_json()
        ),
    )


async def _elicited(ctx: Context, question: GateQuestion) -> bool | None:
    try:
        answered = await ctx.session.elicit_form(
            message=_message(question),
            requested_schema=render_elicitation_schema(Agreement),
            related_request_id=ctx.request_id,
        )
    except MCPError:
        return None
    return _agrees(answered)


def _agrees(answered: object) -> bool:
    """Only a form that was sent with the box ticked is a yes."""
    return (
        isinstance(answered, ElicitResult)
        and answered.action == "accept"
        and (answered.content or {}).get("agree") is True
    )


def _message(question: GateQuestion) -> str:
    plain = "".join(letter if letter.isprintable() else " " for letter in question.question)
    return f"Vaider asks before it goes on: {clipped(plain, _MOST_WORDS)}"
