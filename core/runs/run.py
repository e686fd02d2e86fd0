"""A run: one execution of a workflow or a task on a desktop, its request, its parameters' values, and its result."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from core.actions import MAX_TEXT
from core.errors import InvalidRequest
from core.secrets import MASK, Secrets
from core.tasks.questions import Question
from core.text import did_you_mean
from core.values import Value
from core.workflows.workflow import EXTRACT, Parameter, Workflow, places


class ReplayRequest(Value):
    """Which entry of reload a run replays.

    ``values`` are those of its slots that are not as recorded; sensitive ones are held elsewhere.
    """

    cache_id: str
    skip_indices: tuple[int, ...] = ()
    values: dict[str, str] = Field(default_factory=dict)


class ReplaySummary(Value):
    """What a run replayed: ``replayed`` of ``actions``; ``stopped_at`` is the index at which the decider went on."""

    cache_id: str
    actions: int
    replayed: int
    skipped: int = 0
    stopped_at: int | None = None
    reason: str = ""


class RunRequest(Value):
    """What to carry out, with what values, by whom and where: a workflow, a task or an entry of reload, just one."""

    workflow: str = ""
    """A workflow's name, or the absolute path of its folder."""
    task: str = ""
    """A task's id or title."""
    by: str = ""
    """The program that asked for it when no person did, e.g. ``schedule``."""
    params: dict[str, str] = Field(default_factory=dict)
    provider: str = "local"
    model: str | None = None
    """Another model than the provider's setting names."""
    display: str = "current"
    """``current``, ``private`` or ``:N``."""
    size: Annotated[str | None, Field(pattern=r"^\d{3,5}x\d{3,5}$")] = None
    """Of a private display, e.g. ``1920x1080``; else the setting's."""
    on_takeover: Literal["cancel", "pause"] = "cancel"
    reload: ReplayRequest | None = None
    """The cached actions to replay; the daemon then names the workflow or task that they came from."""
    trial: bool = False
    """Whether a task is only tried: on a private display, and what its programs call things is proposed to its plan."""
    held: str = ""
    """A ticket for the sensitive values, which are kept in memory only; given by the daemon."""


class RunOutcome(StrEnum):
    """How a run ended."""

    SUCCEEDED = "succeeded"
    """All was done, and the expected effect was read, or the expected outcome was seen on the screen."""
    UNCLEAR = "unclear"
    """The decider says that all is done, but the expected outcome was not seen or cannot be judged."""
    FAILED = "failed"
    """It could not be done; ``reason`` says where it stopped."""
    REFUSED = "refused"
    """The gate, a person or the provider forbade it."""
    ASKED = "asked"
    """It needs an answer that only a person can give: ``reason`` is the question."""
    CANCELLED = "cancelled"
    """It was cancelled."""
    TAKEN_OVER = "taken_over"
    """The user took the mouse or the keyboard."""


class RunStatus(StrEnum):
    """How a task's run ended, in the words of the format."""

    SUCCESS = "SUCCESS"
    """It was done, and seen to be done."""
    NEEDS_CLARIFICATION = "NEEDS_CLARIFICATION"
    """A person must answer a question first; it stands in the task's questions."""
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


STATUSES = {
    RunOutcome.SUCCEEDED: RunStatus.SUCCESS,
    RunOutcome.UNCLEAR: RunStatus.NEEDS_CLARIFICATION,
    RunOutcome.ASKED: RunStatus.NEEDS_CLARIFICATION,
    RunOutcome.FAILED: RunStatus.FAILED,
    RunOutcome.REFUSED: RunStatus.FAILED,
    RunOutcome.CANCELLED: RunStatus.CANCELLED,
    RunOutcome.TAKEN_OVER: RunStatus.CANCELLED,
}


class Check(Value):
    """Whether something that was expected is seen on the screen, and the words on the screen that tell so."""

    expected: str
    verdict: Literal["pass", "fail", "unclear"]
    evidence: str


class SubtaskRun(Value):
    """What became of one subtask."""

    index: int
    text: str
    iterations: int
    result: str
    """What the decider said when it was done."""
    check: Check | None
    duration_ms: int


class Spent(Value):
    """What a run has used. ``usd`` is ``None`` when the model's price is not known."""

    steps: int = 0
    """What was done: actions that were sent to the desktop, without waits and looks, and values that were read."""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0


class Run(Value):
    """One finished run, as ``run.json`` and the job's result hold it."""

    run_id: str
    job_id: str
    workflow: str
    task_name: str
    outcome: RunOutcome
    reason: str
    """One sentence; empty when it succeeded."""
    provider: str
    model: str
    display: str
    params: dict[str, str]
    """Sensitive values are masked."""
    extracts: dict[str, str]
    subtasks: tuple[SubtaskRun, ...]
    """Those that came to their end."""
    subtask_total: int = 0
    """How many the plan has."""
    stopped_at: int | None = None
    """Index of the subtask in which the run ended; ``None`` for one that came through all of them, or began none."""
    success_check: Check | None
    effects: tuple[Check, ...] = ()
    """What was read of the effects after the acts, each against how it was before them."""
    confirmed_by: Literal["", "effect", "screen"] = ""
    """What a success was confirmed by: an effect that was read elsewhere, or the screen alone. Empty without one."""
    caution: str = ""
    """A sentence about a success that the screen alone confirmed, though something was to be kept or sent."""
    targets: dict[int, str] = Field(default_factory=dict[int, str])
    """What programs call the things that the lines of a task's plan acted on, by the lines' places from 0 on."""
    spent: Spent
    started_at: str
    duration_ms: int
    directory: str
    """The run's folder."""
    task: str = ""
    """The task's id; empty for a workflow's run, as are the next three."""
    status: RunStatus | None = None
    asked: tuple[Question, ...] = ()
    """The questions without whose answers the run could not go on."""
    open_questions: tuple[Question, ...] = ()
    """The questions that were open during the run, and those that it asks now."""
    reload: ReplaySummary | None = None
    """The replayed actions, if any."""
    inputs: int = 0
    """Number of inputs that a person made on its display while they held the run."""
    entry: str = ""
    """The id of the entry of reload that was made of it; empty for none."""


class Ended(Exception):
    """The run is over; ``reason`` is one sentence for the caller."""

    def __init__(self, outcome: RunOutcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


_HOW: Final = 'pass it as NAME=value to `vaider run` or `vaider replay`, or in "params" of POST /replay'


def resolve_parameters(workflow: Workflow, given: Mapping[str, str]) -> dict[str, str]:
    """The value of each parameter, sensitive ones too, in the order of their declaration.

    Raises:
        InvalidRequest: one without an example is missing and not optional, or one is given that is not declared, or
            a value is too long or holds the place of a sensitive parameter.

    """
    names = [parameter.name for parameter in workflow.task_params]
    for name in given:
        if name not in names:
            raise _unknown(name, names)
    missing = [each for each in workflow.task_params if each.name not in given and _default(each) is None]
    if missing:
        words = ", ".join(repr(each.name) for each in missing)
        text = missing[0].description.strip().rstrip(".")
        raise InvalidRequest(
            f"Missing required param {words}{f' ({text})' if text else ''}: {_HOW.replace('NAME', missing[0].name)}.",
            field=missing[0].name,
        )
    values = {each.name: given.get(each.name, _default(each) or "") for each in workflow.task_params}
    for each in workflow.task_params:
        _check(each, values[each.name], workflow)
    return values


def secrets_of(workflow: Workflow, values: Mapping[str, str]) -> Secrets:
    """The values of the sensitive parameters."""
    return Secrets({each.name: values[each.name] for each in workflow.task_params if each.sensitive})


def read_form(text: str) -> dict[str, str]:
    """The values of a filled-in form; a blank one is left out, so that the default holds.

    Lines that begin with ``#`` and lines without ``=`` are passed over; the first ``=`` ends the name.
    """
    values: dict[str, str] = {}
    for line in text.removeprefix("\ufeff").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith("#") and value.strip():
            values[name.strip()] = value.strip()
    return values


def shown_values(workflow: Workflow, values: Mapping[str, str]) -> dict[str, str]:
    """The values as they may be written down: sensitive ones masked."""
    sensitive = {each.name for each in workflow.task_params if each.sensitive}
    return {name: MASK if name in sensitive and value else value for name, value in values.items()}


def _default(parameter: Parameter) -> str | None:
    if parameter.example is not None:
        return parameter.example
    return "" if parameter.optional else None


def _unknown(name: str, names: list[str]) -> InvalidRequest:
    hint = did_you_mean(name, names, f"It has {', '.join(map(repr, names))}." if names else "It has none.")
    return InvalidRequest(f"The workflow has no parameter {name!r}. {hint}", field=name)


def _check(parameter: Parameter, value: str, workflow: Workflow) -> None:
    name = parameter.name
    if len(value) > MAX_TEXT:
        raise InvalidRequest(
            f"The value of {name!r} has more than {MAX_TEXT} characters; give a shorter one.", field=name
        )
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InvalidRequest(f"The value of {name!r} holds half a character, which cannot be typed.", field=name)
    if parameter.sensitive:
        return
    # These placeholders are filled in later; a literal one would then look like a placeholder.
    later = {each.name for each in workflow.task_params if each.sensitive}
    taken = sorted(place for place in places(value) if place in later or EXTRACT.fullmatch(place))
    if taken:
        raise InvalidRequest(
            f"The value of {name!r} must not hold {{{taken[0]}}}, a place that is filled during the run.", field=name
        )
