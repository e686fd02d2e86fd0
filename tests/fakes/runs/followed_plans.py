"""A task's plan followed without a model on any desktop: the least loop around the local decider."""

from collections.abc import Mapping
from typing import Final

from adapters.models.local.decider import LocalDecider
from core.actions import Ask, Done, Extract, ReadField, ReplayEntry, Type
from core.runs.deciding import Briefing, Observation, Outcome, Result, Subtask
from core.runs.ports import Desktop, Eyes
from core.tasks.heartbeat import Heartbeat
from core.workflows.workflow import fill

_MOST: Final = 400


def follow(
    task: Heartbeat,
    desktop: Desktop,
    eyes: Eyes,
    *,
    secrets: Mapping[str, str] | None = None,
    patience: float = 2.0,
) -> Done | Ask:
    """Do as the plan says until the decider is done or asks; ``secrets`` are spelt out only as they are typed."""
    values = dict(secrets or {})
    width, height = desktop.size
    briefing = Briefing(task.title, "", {name: f"{{{name}}}" for name in values}, width, height, document=task.text)
    with LocalDecider(patience=patience).open(briefing, eyes) as conversation:
        conversation.begin(Subtask(0, 1, task.title, "", ()))
        results: tuple[Result, ...] = ()
        extracts: dict[str, str] = {}
        for _ in range(_MOST):
            observation = Observation(desktop.look(), tuple(desktop.windows()), results, extracts=extracts)
            proposals = conversation.decide(observation, _never_cancelled).proposals
            read: str | None = None
            for proposal in proposals:
                move = proposal.move
                if isinstance(move, Done | Ask):
                    return move
                assert not isinstance(move, ReplayEntry)
                if isinstance(move, Extract):
                    extracts[move.variable_name] = move.value
                    continue
                if isinstance(move, ReadField):
                    read = desktop.read_field(
                        move.at,
                        _never_cancelled,
                        several_lines=move.several_lines,
                        deletes=move.deletes,
                    )
                    continue
                desktop.act(Type(text=fill(move.text, values)) if isinstance(move, Type) else move, _never_cancelled)
            results = tuple(Result(proposal, Outcome.CONFIRMED, "", text=read) for proposal in proposals)
    raise AssertionError(f"{_MOST} decisions, and no end")


def _never_cancelled() -> None:
    """Nobody stops it."""
