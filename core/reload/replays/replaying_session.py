"""A conversation beside another one: it replays what is cached, hands over where that stops, and listens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from core.actions import Done, ReplayEntry
from core.errors import InvalidCall
from core.reload.replays.playing import Next, Player, Read, Stopped
from core.runs.deciding import Decision, Observation, Outcome, Proposal, Result, Resumption, Subtask

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.reload.recording import SequenceRecorder
    from core.reload.replays.replaying import Replaying
    from core.runs.ports import Conversation

_HARMLESS_TWICE: Final = frozenset({"type", "open_url", "mouse_move", "scroll", "hscroll"})
"""A field is emptied before it is typed into again."""
_ALONE: Final = "Call reload_cached alone, and look at what came of it before anything else."


@dataclass
class ReplayingSession:
    """Implements ``core.runs.ports.Conversation``.

    Args:
        inner: who decides what is not replayed.
        replaying: what of entries is replayed in this run, and what is known of it.
        recorder: listens; ``None`` when nothing is kept.

    """

    inner: Conversation
    replaying: Replaying
    recorder: SequenceRecorder | None
    _subtask: Subtask | None = None
    _player: Player | None = None
    _asked: Proposal | None = None
    """The call of the inner decider that is being carried out; ``None`` when the whole run is a replay."""
    _reading: bool = False
    _claimed: bool = False

    def begin(self, subtask: Subtask) -> None:
        """See the port."""
        self._subtask, self._asked, self._reading, self._claimed = subtask, None, False, False
        self._player = self.replaying.player_of(subtask.index)
        if self.recorder is not None:
            self.recorder.begin(subtask)
        if self._player is None:
            self.inner.begin(subtask)

    def decide(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        """See the port."""
        if self.recorder is not None and not observation.repair:
            self.recorder.seen(observation)
        if self._player is not None:
            return self._replay(self._player, observation, raise_if_cancelled)
        return self._ask(observation, raise_if_cancelled)

    def _ask(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        decision = self.inner.decide(observation, raise_if_cancelled)
        wanted = [each for each in decision.proposals if isinstance(each.move, ReplayEntry)]
        if not wanted:
            if self.recorder is not None:
                self.recorder.decided(observation, decision)
            return decision
        if len(decision.proposals) > 1 or not isinstance(move := wanted[0].move, ReplayEntry):
            raise InvalidCall(_ALONE)
        taken = self.replaying.take(move)
        if isinstance(taken, str):
            raise InvalidCall(taken)
        self._player, self._asked = taken, wanted[0]
        self._flaw()
        first = self._replay(taken, replace(observation, results=(), notice="", repair=""), raise_if_cancelled)
        # What the call itself has cost is paid with the first action that it led to.
        return first.model_copy(update={"usage": _sum(first.usage, decision.usage)})

    def _replay(self, player: Player, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        raise_if_cancelled()
        if self._claimed:
            return self._doubted(player, observation, raise_if_cancelled)
        if self._reading:
            decision = self.inner.decide(observation, raise_if_cancelled)
            ends = [each.move for each in decision.proposals if isinstance(each.move, Done)]
            if not ends:
                return decision
            self._reading = False
            if not ends[0].succeeded:
                return self._stop(player, Stopped(player.at, ends[0].result), observation, raise_if_cancelled)
            observation = replace(observation, results=())
        return self._follow(player, player.next(observation), observation, raise_if_cancelled)

    def _follow(
        self, player: Player, following: Next, observation: Observation, raise_if_cancelled: Callable[[], None]
    ) -> Decision:
        if isinstance(following, Decision):
            self.replaying.began(player.entry)
            return following
        if isinstance(following, Stopped):
            return self._stop(player, following, observation, raise_if_cancelled)
        if isinstance(following, Read):
            return self._read(player, following, observation, raise_if_cancelled)
        return self._ended(player, observation, raise_if_cancelled)

    def _ended(self, player: Player, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        text = f"Replayed {player.played} actions from cache {player.entry.summary!r}."
        if self._asked is not None:
            self.replaying.ended(player, None, whole=False)
            return self._back(Outcome.CONFIRMED, text, observation, raise_if_cancelled)
        self._claimed = True
        return Decision(proposals=(_done(text),), observation=text, replayed=True)

    def _doubted(self, player: Player, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        """All was done, and what the subtask should have brought about is not seen."""
        evidence = observation.results[0].evidence if observation.results else "Its outcome is not seen."
        return self._stop(player, Stopped(player.last, evidence), observation, raise_if_cancelled, finished=True)

    def _read(
        self, player: Player, read: Read, observation: Observation, raise_if_cancelled: Callable[[], None]
    ) -> Decision:
        """A value is never replayed: the decider reads it, step by step as it was shown."""
        subtask, step = self._subtask, player.entry.actions[read.index].step
        if subtask is None or self._asked is not None or step is None or step >= len(subtask.steps):
            return self._stop(
                player, Stopped(read.index, "Here a value is read off the screen."), observation, raise_if_cancelled
            )
        reading = subtask.steps[step]
        self.inner.begin(replace(subtask, text=reading.intent, expected_outcome="", steps=(reading,)))
        self._reading = True
        return self._replay(player, replace(observation, results=()), raise_if_cancelled)

    def _stop(
        self,
        player: Player,
        stopped: Stopped,
        observation: Observation,
        raise_if_cancelled: Callable[[], None],
        *,
        finished: bool = False,
    ) -> Decision:
        """Hand over: the decider goes on from there."""
        count = len(player.entry.actions)
        text = (
            f"The replay of {player.entry.summary!r} stopped at action {stopped.index + 1} of {count}: {stopped.reason}"
        )
        self.replaying.ended(player, stopped, whole=self._asked is None)
        self._flaw()
        if self._asked is not None:
            return self._back(Outcome.FAILED, f"{text} Go on from there.", observation, raise_if_cancelled)
        if self._subtask is None:
            raise RuntimeError("no subtask was begun")
        self._player, self._claimed = None, False
        steps = len(self._subtask.steps) if finished else _steps_done(player, stopped)
        self.inner.begin(replace(self._subtask, resumed=Resumption(steps, text)))
        return self._ask(replace(observation, results=(), notice=text, repair=""), raise_if_cancelled)

    def _back(
        self, outcome: Outcome, text: str, observation: Observation, raise_if_cancelled: Callable[[], None]
    ) -> Decision:
        asked, self._asked, self._player = self._asked, None, None
        results = (Result(asked, outcome, text),) if asked is not None else ()
        return self._ask(replace(observation, results=results, notice="", repair=""), raise_if_cancelled)

    def _flaw(self) -> None:
        if self.recorder is not None:
            self.recorder.flaw = self.recorder.flaw or "a part of it was replayed"


def _steps_done(player: Player, stopped: Stopped) -> int | None:
    """How many steps need not be done again; ``None`` where an action was done that must not be done twice."""
    action = player.entry.actions[stopped.index]
    if player.is_done(stopped.index) and action.action["action"] not in _HARMLESS_TWICE:
        return None
    return action.step


def _done(text: str) -> Proposal:
    return Proposal(move=Done(result=text), tool_call={"name": "done", "arguments": {"result": text}})


def _sum(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in one.keys() | other.keys()}
