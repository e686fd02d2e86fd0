"""The decider of OpenAI-compatible servers as the tests build it, and conversations with it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

from adapters.models.computer.deciders import openai_compatible_decider
from adapters.models.computer.model_decider import ModelDecider
from adapters.models.computer.providers import CUSTOM, OpenAiCompatibleProvider
from config.prompts import load_prompt
from core.actions import Click, Done, Extract, Type
from core.runs.deciding import Briefing, Decision, Observation, Outcome, Proposal, Result, Subtask
from core.runs.ports import Conversation, Decider, Eyes
from core.steps import Step, Target
from tests.adapters.models.clip_helpers import QUICK
from tests.adapters.models.computer.screens import FORM, State, draw_form
from tests.fakes.models.openai_compatible_chat import KEY, MODEL, FakeOpenAiCompatible

HD = (1920, 1080)
PROMPT = f"{load_prompt('computer_use').text}\n{load_prompt('computer_use_tagged').text}"
NO_EYES = cast("Eyes", None)
"""These deciders send the picture as it is; they need no eyes."""


def step(kind: str, target: str, value: str | None = None, **more: Any) -> Step:
    fields: dict[str, Any] = {"i": 0, "expected_current_state": "", "intent": "Do it", "post_action": ("done",)}
    return Step.model_validate(
        {**fields, "action_type": kind, "action_value": value, "target": Target(primary=target), **more}
    )


FORM_STEPS = (
    step("TYPE", 'the "Name" field', "Ada"),
    step("TYPE", 'the "City" field', "Paris"),
    step("CLICK", 'the "Save" button'),
)


def raise_if_cancelled() -> None:
    """Nobody stops the run."""


def decider(
    server: FakeOpenAiCompatible, of: OpenAiCompatibleProvider = CUSTOM, *, key: str | None = KEY, **options: Any
) -> ModelDecider:
    settings: dict[str, Any] = {
        "model": MODEL,
        "base_url": server.base_url,
        "retry": QUICK,
        **options,
    }
    return openai_compatible_decider(of, key=lambda: key, prompt=PROMPT, task_prompt=PROMPT, **settings)


def briefing(size: tuple[int, int] = HD, **parameters: str) -> Briefing:
    return Briefing("Fill in the form.", "It says Saved.", parameters, *size)


def subtask(*steps: Step, text: str = "Enter Ada and save.") -> Subtask:
    return Subtask(0, 1, text, "It says Saved.", steps)


@contextmanager
def talk(decides: Decider, size: tuple[int, int] = HD, task: Subtask | None = None) -> Generator[Conversation]:
    """A conversation that has begun its first subtask."""
    with decides.open(briefing(size), NO_EYES) as conversation:
        conversation.begin(task or subtask())
        yield conversation


def seen(size: tuple[int, int] = HD, **changes: Any) -> Observation:
    """The form, as it stands."""
    return Observation(picture=draw_form(size), **changes)


def done(proposal: Proposal, outcome: Outcome = Outcome.CONFIRMED, evidence: str = "the screen changed") -> Result:
    return Result(proposal, outcome, evidence)


def carry_out(
    conversation: Conversation, size: tuple[int, int], *, most: int = 12, stop: Callable[[], None] = raise_if_cancelled
) -> tuple[State, list[Decision]]:
    """Play the form for a model until it says that it is done."""
    state, focus = State(), ""
    decisions: list[Decision] = []
    results: tuple[Result, ...] = ()
    for _ in range(most):
        decision = conversation.decide(Observation(picture=draw_form(size, state), results=results), stop)
        decisions.append(decision)
        for proposal in decision.proposals:
            move = proposal.move
            if isinstance(move, Done):
                return state, decisions
            if isinstance(move, Click) and move.at:
                at = move.at
                hit = [name for name in FORM.places if FORM.place(name, size).contains(at)]
                focus = hit[0] if hit else ""
                state.message = "Saved" if focus == "save" else state.message
            elif isinstance(move, Type):
                state.values[focus] = move.text
            elif isinstance(move, Extract):
                state.values[move.variable_name] = move.value
        results = tuple(done(proposal) for proposal in decision.proposals)
    raise AssertionError("it was never done")
