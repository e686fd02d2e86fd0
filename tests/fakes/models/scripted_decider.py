"""A decider that says what a test wrote down, and notes what it was told."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any

from core.actions import Action, Ask, Done, Extract, ReplayEntry
from core.runs.deciding import Briefing, Decision, Observation, Proposal, SafetyCheck, Subtask
from core.runs.ports import Eyes

Line = Decision | Exception | Callable[[Observation], Decision]


def propose(
    *moves: Action | Done | Ask | Extract | ReplayEntry, safety: tuple[SafetyCheck, ...] = (), **options: Any
) -> Decision:
    """A decision for these moves."""
    return Decision(
        proposals=tuple(
            Proposal(move=move, tool_call={"name": move.action, "arguments": {}}, safety=safety) for move in moves
        ),
        **options,
    )


class ScriptedDecider:
    """Implements ``core.runs.ports.Decider`` and its conversation."""

    name = "scripted"
    chooses = True

    def __init__(self, script: Iterable[Line], *, model: str = "script-1") -> None:
        self.model = model
        self.lack: str | None = None
        self.briefings: list[Briefing] = []
        self.subtasks: list[Subtask] = []
        self.observations: list[Observation] = []
        self._script = iter(script)

    def unavailable(self) -> str | None:
        return self.lack

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[ScriptedDecider]:
        del eyes
        self.briefings.append(briefing)
        yield self

    def begin(self, subtask: Subtask) -> None:
        self.subtasks.append(subtask)

    def decide(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        raise_if_cancelled()
        self.observations.append(observation)
        line = next(self._script)
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, Decision) else line(observation)
