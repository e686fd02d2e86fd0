"""What of entries one run replays: which, with what values, and what is known of it in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from core.errors import VaiderError
from core.jobs import Stage
from core.reload.entry import SlotKind
from core.reload.offers import ReloadAccount
from core.reload.ports import UseOutcome
from core.reload.replays.healing import proposed
from core.reload.replays.playing import Player

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.actions import Reload
    from core.ports import JobContext
    from core.reload.entry import Entry
    from core.reload.offer_book import OfferBook
    from core.reload.ports import Entries, Programs, Targets
    from core.reload.replays.playing import Stopped
    from core.runs.ports import Eyes
    from core.secrets import Secrets


class Armed(NamedTuple):
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
        armed: what it replays from its beginning, if anything.
        offered: the ids that the decider may take.

    """

    entries: Entries
    book: OfferBook
    targets: Targets
    programs: Programs
    eyes: Eyes
    secrets: Secrets
    context: JobContext
    armed: Armed | None
    offered: frozenset[str]
    account: ReloadAccount | None = None
    _use: int | None = None
    _players: list[Player] = field(default_factory=list[Player])
    _stopped: Stopped | None = None

    def player_of(self, subtask: int) -> Player | None:
        """The actions of a subtask, when the whole run is a replay that has not stopped."""
        if self.armed is None or self._stopped is not None:
            return None
        entry, values, skip = self.armed
        indices = [at for at, action in enumerate(entry.actions) if action.subtask == subtask]
        return self._player(entry, indices, values, skip) if indices else None

    def take(self, move: Reload) -> Player | str:
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
        self.account = ReloadAccount(
            cache_id=entry.id,
            actions=len(entry.actions),
            replayed=sum(each.played for each in self._players if each.entry.id == entry.id),
            skipped=len(player.skip),
            stopped_at=stopped.index if stopped is not None else None,
            reason=stopped.reason if stopped is not None else "",
        )
        if stopped is not None:
            self.context.tell(Stage.RELOAD_STOPPED, self.secrets.mask_json(self.account.model_dump(mode="json")))
            self._close(UseOutcome("failed", stopped.reason))
        elif not whole:
            self._close(UseOutcome.success(entry, 0, 0))
            self._heal()

    def concluded(self, succeeded: bool | None, reason: str, *, took_ms: int, calls: int) -> ReloadAccount | None:
        """The run is over: ``None`` for one that somebody stopped."""
        if self.armed is not None and self._players and self.account is None:
            self.ended(self._players[-1], None, whole=True)
        if self._use is not None and self.armed is not None:
            if succeeded:
                self._close(UseOutcome.success(self.armed.entry, took_ms, calls))
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
