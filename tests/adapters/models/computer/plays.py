"""A form that answers to input, and a loop in small that lets a decider fill it in."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from core.actions import Click, Done, Extract, Look, Type, Zoom
from core.runs.deciding import Briefing, Decision, Move, Observation, Outcome, Proposal, Result, Subtask
from core.runs.ports import Conversation, Decider
from core.screens import Picture, Point
from core.steps import Step, Target
from tests.adapters.models.computer.screens import FORM, State, draw_form

BRIEFING = Briefing(
    task="Enter the person.", success_criteria='"Saved"', parameters={"city": "Oslo"}, width=1280, height=720
)


def never_cancelled() -> None:
    """Nobody stops it."""


def step(kind: str, target: str, value: str | None = None, **more: Any) -> Step:
    fields = {"i": 0, "expected_current_state": "", "intent": "Do it", "post_action": ("done",)}
    return Step.model_validate(
        {**fields, "action_type": kind, "action_value": value, "target": Target(primary=target), **more}
    )


FILL_IN = (
    step("TYPE", 'the "Name" field', "Ada Lovelace"),
    step("CLICK", 'the "City" field'),
    step("TYPE", 'the "City" field', "Oslo"),
    step("EXTRACT", 'the "Total" line', "extract_0", variable_name="extract_0"),
    step("CLICK", 'the "Save" button'),
)


def subtask(*steps: Step, index: int = 0) -> Subtask:
    return Subtask(index, 2, 'Fill it in. Expected outcome: "Saved".', '"Saved".', steps)


@dataclass
class FormScreen:
    """The drawn form as a desktop of that size, and what was done to it."""

    size: tuple[int, int] = (1280, 720)
    state: State = field(default_factory=State)
    clicked: list[Point] = field(default_factory=list["Point"])
    focus: str = ""

    def picture(self) -> Picture:
        return draw_form(self.size, self.state)

    def act(self, action: Move) -> Outcome:
        """What a program would do; ``NO_VISIBLE_EFFECT`` when nothing takes it."""
        if isinstance(action, Click) and action.at is not None:
            self.clicked.append(action.at)
            hit = next((name for name in FORM.places if FORM.place(name, self.size).contains(action.at)), "")
            self.focus = hit if hit in {"name", "city"} else ""
            if hit == "save":
                self.state.message = "Saved"
            return Outcome.CONFIRMED if hit else Outcome.NO_VISIBLE_EFFECT
        if isinstance(action, Type) and self.focus:
            self.state.values[self.focus] = self.state.values.get(self.focus, "") + action.text
            return Outcome.CONFIRMED
        return Outcome.NO_VISIBLE_EFFECT


@dataclass
class Play:
    """What came of one subtask."""

    moves: list[Move] = field(default_factory=list["Move"])
    decisions: list[Decision] = field(default_factory=list["Decision"])
    done: Done | None = None


def play(conversation: Conversation, screen: FormScreen, task: Subtask, *, turns: int = 20) -> Play:
    """Let it decide until it says that it is done."""
    conversation.begin(task)
    reported = Play()
    results: tuple[Result, ...] = ()
    for _ in range(turns):
        decision = conversation.decide(Observation(screen.picture(), results=results), never_cancelled)
        reported.decisions.append(decision)
        results = tuple(_carry_out(proposal, screen) for proposal in decision.proposals)
        reported.moves += [proposal.move for proposal in decision.proposals]
        last = reported.moves[-1]
        if isinstance(last, Done):
            reported.done = last
            return reported
    return reported


def _carry_out(proposal: Proposal, screen: FormScreen) -> Result:
    if isinstance(proposal.move, Look | Zoom):
        return Result(proposal, Outcome.CONFIRMED, "Here it is.", screen.picture())
    if isinstance(proposal.move, Extract):
        return Result(proposal, Outcome.CONFIRMED, "It is kept.")
    outcome = screen.act(proposal.move)
    return Result(proposal, outcome, "The screen changed." if outcome is Outcome.CONFIRMED else "As before.")


def results_of(decision: Decision, *outcomes: Outcome, picture: Picture | None = None) -> tuple[Result, ...]:
    """One result a proposal; looks get the picture."""
    return tuple(
        Result(
            proposal,
            outcome,
            "so it was",
            picture if isinstance(proposal.move, Look | Zoom) else None,
        )
        for proposal, outcome in zip(decision.proposals, outcomes, strict=True)
    )


@contextmanager
def opened(decider: Decider, *steps: Step, briefing: Briefing = BRIEFING) -> Generator[Conversation]:
    """A conversation whose first subtask has begun."""
    with decider.open(briefing, NoEyes()) as conversation:
        conversation.begin(subtask(*steps))
        yield conversation


class NoEyes:
    """The deciders that ask models look with the models' eyes."""

    def read(self, picture: Picture) -> Sequence[Any]:
        raise AssertionError(picture)

    def read_exactly(self, picture: Picture, windows: Sequence[Any]) -> Sequence[Any]:
        del windows
        return self.read(picture)

    def changes(self, before: Picture, after: Picture) -> Sequence[Any]:
        raise AssertionError(before, after)

    def png(self, picture: Picture) -> bytes:
        raise AssertionError(picture)
