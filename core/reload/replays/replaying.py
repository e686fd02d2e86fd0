"""What of entries one run replays, with what values; and new versions of entries whose targets were found elsewhere."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from core.errors import VaiderError
from core.jobs import Stage
from core.reload.entry import Entry, Healed, Proposal, SlotKind
from core.reload.entry_keys import keys_of
from core.reload.ports import EntryStore, Programs, Targets, UseOutcome
from core.reload.replays.playing import Player, Stopped
from core.runs.run import ReplaySummary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.actions import ReplayEntry
    from core.ports import JobContext
    from core.reload.offers import OfferBook
    from core.runs.ports import Eyes
    from core.secrets import Secrets


_LOG: Final = logging.getLogger("vaider.reload")
_NEEDED: Final = 2
_NEAR: Final = 8
"""Pixels in which two replays found a target in the same place."""


def proposed(entries: EntryStore, entry_id: str, healed: Sequence[Healed]) -> None:
    """After a replay that succeeded: note where its targets were, if they were elsewhere than recorded."""
    if not healed:
        return
    try:
        entry = entries.get(entry_id)
        changed = after_success(entry, healed)
        if changed.version == entry.version:
            entries.propose(entry.id, entry.version, changed.proposal)
        else:
            entries.change(changed, keys_of(changed))
    except VaiderError as error:
        _LOG.warning("%s is not healed: %s", entry_id, error.message)


def after_success(entry: Entry, healed: Sequence[Healed]) -> Entry:
    """The entry with the proposal, with one success more, or in its new version."""
    proposal = entry.proposal
    successes = proposal.successes + 1 if proposal is not None and _same(proposal.healed, healed) else 1
    if successes < _NEEDED:
        return entry.model_copy(update={"proposal": Proposal(healed=tuple(healed), successes=successes)})
    actions = list(entry.actions)
    for each in healed:
        actions[each.index] = each.action
    return entry.model_copy(update={"actions": tuple(actions), "version": entry.version + 1, "proposal": None})


def _same(one: Sequence[Healed], other: Sequence[Healed]) -> bool:
    return len(one) == len(other) and all(_is_near(a, b) for a, b in zip(one, other, strict=True))


def _is_near(one: Healed, other: Healed) -> bool:
    first, second = one.action.anchor, other.action.anchor
    if one.index != other.index or first is None or second is None:
        return False
    dx, dy = first.place.x - second.place.x, first.place.y - second.place.y
    return max(abs(dx), abs(dy)) <= _NEAR


class WholeReplay(NamedTuple):
    """What a whole run replays."""

    entry: Entry
    values: Mapping[str, str]
    skip: frozenset[int]


@dataclass
class Replaying:
    """One run's.

    Args:
        entries: counts the uses.
        book: knows the offers.
        targets: finds targets again.
        programs: tells windows apart.
        eyes: the run's.
        secrets: its sensitive values.
        context: the run's job.
        whole_replay: what it replays from its beginning, if anything.
        offered: the ids that the decider may take.

    """

    entries: EntryStore
    book: OfferBook
    targets: Targets
    programs: Programs
    eyes: Eyes
    secrets: Secrets
    context: JobContext
    whole_replay: WholeReplay | None
    offered: frozenset[str]
    account: ReplaySummary | None = None
    _use: int | None = None
    _players: list[Player] = field(default_factory=list[Player])
    _stopped: Stopped | None = None

    def player_of(self, subtask: int) -> Player | None:
        """The actions of a subtask, when the whole run is a replay that has not stopped."""
        if self.whole_replay is None or self._stopped is not None:
            return None
        entry, values, skip = self.whole_replay
        indices = [at for at, action in enumerate(entry.actions) if action.subtask == subtask]
        return self._player(entry, indices, values, skip) if indices else None

    def take(self, move: ReplayEntry) -> Player | str:
        """What the decider asks for, or why it cannot have it."""
        if move.cache_id not in self.offered:
            return "reload_cached: that cacheId is not among the options. Proceed manually."
        try:
            chosen = self.book.chosen(move.cache_id)
            entry = self.entries.get(chosen.cache_id)
        except VaiderError as error:
            return f"reload_cached: {error.message}"
        hidden = {slot.name for slot in entry.slots if slot.kind is SlotKind.SECRET} - self.secrets.values.keys()
        if hidden:
            return f"reload_cached: it needs {', '.join(sorted(hidden))}, which this run does not have."
        values = {**entry.values(), **chosen.values}
        return self._player(entry, range(len(entry.actions)), values, frozenset(move.skip_indices))

    def began(self, entry: Entry) -> None:
        """The first action is about to be done: that is a use."""
        if self._use is None:
            self._use = self.entries.begin_use(entry.id, self.context.job_id)
            self.entries.note({("hit", "replayed"): 1})

    def ended(self, player: Player, stopped: Stopped | None, *, whole: bool) -> None:
        """A player is through, or stopped; a whole run's success is judged when the run is."""
        self._stopped = stopped if whole else None
        entry = player.entry
        self.account = ReplaySummary(
            cache_id=entry.id,
            actions=len(entry.actions),
            replayed=sum(each.played for each in self._players if each.entry.id == entry.id),
            skipped=len(player.skip),
            stopped_at=stopped.index if stopped is not None else None,
            reason=stopped.reason if stopped is not None else "",
        )
        if stopped is not None:
            self.context.publish(Stage.RELOAD_STOPPED, self.secrets.mask_json(self.account.model_dump(mode="json")))
            self._close(UseOutcome("failed", stopped.reason))
        elif not whole:
            self._close(UseOutcome.success(entry, 0, 0))
            self._heal()

    def concluded(self, succeeded: bool | None, reason: str, *, took_ms: int, calls: int) -> ReplaySummary | None:
        """Finish after the run: ``None`` for a cancelled one."""
        if self.whole_replay is not None and self._players and self.account is None:
            self.ended(self._players[-1], None, whole=True)
        if self._use is not None and self.whole_replay is not None:
            if succeeded:
                self._close(UseOutcome.success(self.whole_replay.entry, took_ms, calls))
                self._heal()
            else:
                self._close(UseOutcome("failed" if succeeded is False else "interrupted", reason))
        return self.account

    def _close(self, outcome: UseOutcome) -> None:
        if self._use is not None:
            self.entries.end_use(self._use, outcome)
            self._use = None

    def _heal(self) -> None:
        """Propose what was found elsewhere, or count the proposal that proved right again."""
        for entry_id in {each.entry.id for each in self._players}:
            players = [each for each in self._players if each.entry.id == entry_id]
            healed = [one for each in players for one in each.healed]
            proposed(self.entries, entry_id, healed)

    def _player(
        self, entry: Entry, indices: range | list[int], values: Mapping[str, str], skip: frozenset[int]
    ) -> Player:
        places = {slot.name: f"{{{slot.name}}}" for slot in entry.slots if slot.kind is SlotKind.SECRET}
        player = Player(
            entry=entry,
            indices=indices,
            values={**entry.values(), **values, **places},
            hidden=self.secrets.values,
            skip=skip,
            eyes=self.eyes,
            targets=self.targets,
            programs=self.programs,
        )
        self._players.append(player)
        return player
