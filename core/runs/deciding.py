"""Input and output of a decider."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from core.actions import Action, Ask, Done, Extract, ReadField, ReplayEntry
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.screens import Picture, Window
    from core.steps import Step

Move = Annotated[Action | Done | Ask | Extract | ReadField | ReplayEntry, Field(discriminator="action")]
"""The next move: an action, or a message to the loop."""


class SafetyCheck(Value):
    """What a model's provider wants a person to confirm before the action; ``message`` is shown to that person."""

    id: str
    code: str
    message: str


class Proposal(Value):
    """One move, parsed and as the decider wrote it."""

    move: Move
    tool_call: dict[str, Any]
    """``{"name", "arguments"}`` as the model put it, for the journal."""
    safety: tuple[SafetyCheck, ...] = ()
    rest: bool = True
    """Whether the screen has to come to rest after it; otherwise any reaction will do."""
    at_once: bool = False
    """Whether no reaction is waited for before the next one, as between keys for one field: they keep their order."""


class Decision(Value):
    """The decider's moves, in order. The loop stops at the first one that fails."""

    proposals: tuple[Proposal, ...]
    observation: str = ""
    """What the decider sees on the screen, and why it decided so."""
    task_memory: str | None = None
    """Text that later subtasks receive as their memory; ``None`` and blank keep the previous text."""
    usage: dict[str, int] = Field(default_factory=dict)
    """Tokens spent on this decision: ``input_tokens``, ``output_tokens``, ``calls`` (requests that were answered)."""
    step: int | None = None
    """Which of the subtask's reference steps, or of the lines of a task's plan, it belongs to, from 0 on, if known.

    Decisions in a row that belong to one step count as one of the subtask's decisions.
    """
    target: str = ""
    """What its program calls the thing that is acted on, as a plan names it; empty where no program tells."""
    replayed: bool = False
    """Whether it replays a cached action: it then does not count as one of a subtask's decisions."""


class Outcome(StrEnum):
    """The result of an action. This list is complete."""

    CONFIRMED = "confirmed"
    """Done, and the screen shows an effect."""
    NO_VISIBLE_EFFECT = "no_visible_effect"
    """Done, and the screen looks as before."""
    REFUSED = "refused"
    """Not done: the gate or a person forbade it."""
    FAILED = "failed"
    """Not done, or not wholly."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one proposal, with the evidence in words; ``picture`` is the answer to a look or a zoom."""

    proposal: Proposal
    outcome: Outcome
    evidence: str
    picture: Picture | None = None
    acknowledged: bool = False
    """Whether a person confirmed the proposal's safety checks."""
    text: str | None = None
    """A field's exact content after it was read; ``None`` when nothing was selected or it cannot be read."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """A replay that stopped has already carried out a part of a subtask."""

    steps: int | None
    """The number of reference steps, or of lines of a task's plan, that are done; ``None`` when unknown."""
    explanation: str
    """What was done, and why it went no further, in sentences."""


@dataclass(frozen=True, slots=True)
class Subtask:
    """One subtask as the decider is given it; templates are filled in, but for sensitive values (``{name}``)."""

    index: int
    total: int
    text: str
    expected_outcome: str
    """The words after "Expected outcome:" in the text, empty when there are none."""
    steps: tuple[Step, ...]
    """The reference steps: how it was done when it was shown."""
    resumed: Resumption | None = None
    """Set when the subtask is to be continued in the middle."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """The data that holds for a whole run. A sensitive parameter has the value ``{name}``, which is what to type."""

    task: str
    success_criteria: str
    parameters: Mapping[str, str]
    width: int
    height: int
    folder: str = ""
    """The workflow's folder, where image anchors lie; empty when there is none."""
    document: str = ""
    """The ``HEARTBEAT.md`` of a task, its values filled in; empty for a workflow. A task has one subtask, no steps."""
    session_bus: str = ""
    """The address of the display's session bus, by which its programs tell of themselves; empty without one."""
    reload_options: str = ""
    """The block ``<reload_options>``, which stands before the request; empty when nothing is offered."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the decider sees before each decision.

    ``results`` are those of its last decision, one for each proposal in order; empty at the start of a subtask.
    """

    picture: Picture
    windows: tuple[Window, ...] = ()
    results: tuple[Result, ...] = ()
    task_memory: str = ""
    extracts: Mapping[str, str] = field(default_factory=dict[str, str])
    elements: tuple[str, ...] = ()
    """What programs tell of their elements, a line each, for a model that is to read it."""
    notice: str = ""
    """A notice of the loop: the same action was repeated on the same screen, or a user took over."""
    repair: str = ""
    """Set when the last answer could not be used: what was wrong with it. The rest is then as it was."""
