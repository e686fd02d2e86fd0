"""The use case that front ends share: ask what may be done again, post what was done, and look after what is kept.

``options`` finds the entries for a request by exact key, else the nearest by words and meaning (``ranked``);
``requests`` tells whether it is the recorded request with its slots filled anew, ``differences`` what differs else,
``context`` whether its windows and its first target are there. ``begin`` starts one. Vaider's own actions are a run
as every other (``core.runs.replay``), whose decider ``extension`` accompanies: ``replays/playing`` finds each target
again, awaits each effect and hands over where that fails, ``replays/replaying`` proposes a target that was found
elsewhere, ``recording`` makes an entry of what was decided anew. A front end's own actions are a job that emits them
(``foreign``), and what a client did is taken in by ``build_entry``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from core.errors import Conflict, InvalidRequest
from core.reload.build_entry import build_posted_draft
from core.reload.entry_keys import keys_of
from core.reload.foreign import KIND, Reports, refuse_skips
from core.reload.import_export import export_file, read_file
from core.reload.offers import MOST_LISTED, Option, Posted, Question, Recorded, Refusal
from core.reload.ports import EntryStore, UseOutcome
from core.reload.validation import read_actions
from core.reload.views import EntryView, ImportAnswer, ListedEntry, RefusedEntry, listed, to_entry_view
from core.runs.run import ReplayRequest, RunRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from core.reload.entry import Draft, Entry
    from core.reload.options import ActionCacheOptions
    from core.values import Value

REPLAY: Final = "replay"
_SAID: Final = "a client said that it failed"
_OFF: Final = "Reload is switched off; the setting `reload` switches it on."
_AT_ONCE: Final = 100
"""Entries that are fetched at a time."""


class ActionCache:
    """Reload without a front end. Safe to share between threads; every method blocks.

    Raises ``StorageFailed`` when the store cannot be used, ``NotFound`` for an unknown id.

    Args:
        entries: where they are kept.
        options: finds what may be done again.
        reports: takes what front ends say of replays that wait in this process.
        offered: called when the first of the options acts on the desktop: it may be taken within a moment.
        enabled: otherwise nothing is offered, kept or replayed; what is kept can still be seen and forgotten.

    """

    def __init__(
        self,
        entries: EntryStore,
        options: ActionCacheOptions,
        reports: Reports,
        offered: Callable[[], None],
        *,
        enabled: bool = True,
    ) -> None:
        self._entries = entries
        self._options = options
        self._reports = reports
        self._offered = offered
        self._enabled = enabled

    def options(self, question: Question) -> tuple[Option, ...]:
        """What may be done again now, the most certain first, at most ten; offers and misses are counted."""
        options = self._options.options(question, MOST_LISTED) if self._enabled else ()
        if any(each.vocabulary == "desktop" for each in options[:1]):
            self._offered()
        return options

    def explained(self, question: Question) -> tuple[tuple[Option, ...], tuple[Refusal, ...]]:
        """The same for a person who wants to know: also what is alike and why it is not offered. Counts nothing."""
        return self._options.explained(question) if self._enabled else ((), ())

    def post(self, posted: Posted) -> Recorded:
        """Keep what a client carried out. What failed is not kept: it counts against the entry that does just that.

        Raises ``InvalidRequest`` for actions that cannot be kept, ``TooLarge``.
        """
        if not self._enabled:
            return Recorded(cache_id=None, reason=_OFF)
        vocabulary, actions = read_actions(posted.actions)
        draft = build_posted_draft(posted, vocabulary, actions)
        if not posted.succeeded:
            return Recorded(cache_id=None, reason=self._counted_failure(draft))
        entry = self._entries.keep(draft, keys_of(draft), message_id=posted.message_id, agent_id=posted.agent_id)
        values = ", ".join(slot.name for slot in draft.slots if slot.rebinds and slot.value is not None)
        text = f"other values can be given for {values}" if values else "only the same request brings it back"
        again = "kept" if entry.version == 1 else f"kept as version {entry.version}"
        return Recorded(cache_id=entry.id, reason=f"{entry.id} is {again}; {text}.")

    def begin(
        self,
        cache_id: str,
        skip_indices: Collection[int],
        params: Mapping[str, str],
        usual: RunRequest,
        admit: Callable[[RunRequest], RunRequest],
    ) -> tuple[str, Value]:
        """The kind and the request of the job that replays an entry, or an option of the last ten minutes.

        Args:
            cache_id: as an option or the list has it.
            skip_indices: of the actions that are left out.
            params: values of its slots that are not as recorded, sensitive ones too.
            usual: where and by whom a run is carried out.
            admit: refuses at once a run that is plainly wrong, see ``core.runs.replay.Replay.admit``.

        Raises ``NotFound``, ``InvalidRequest`` and ``Conflict``.

        """
        if not self._enabled:
            raise Conflict(_OFF)
        chosen = self._options.book.chosen(cache_id)
        entry = self._options.entry(chosen.cache_id)
        if len(set(skip_indices)) != len(skip_indices):
            raise InvalidRequest("skip_indices names an index twice: name each once.")
        wanted = ReplayRequest(cache_id=cache_id, skip_indices=tuple(sorted(skip_indices)))
        refuse_skips(wanted, entry)
        if entry.vocabulary == "desktop":
            return REPLAY, admit(usual.model_copy(update={"params": dict(params), "reload": wanted}))
        values = {**chosen.values, **params}
        _refuse_values(entry, values)
        return KIND, wanted.model_copy(update={"cache_id": entry.id, "values": values})

    def entries(self, limit: int, offset: int = 0) -> Sequence[ListedEntry]:
        """Those used last, the newest first."""
        return [listed(entry) for entry in self._entries.newest(limit, offset=offset)]

    def count(self) -> int:
        """Number of entries."""
        return int(str(self._entries.statistics().get("entries", 0)))

    def entry(self, entry_id: str, *, images: bool = False) -> EntryView:
        """The entry of that id whole; pictures only when they are wanted."""
        entry = self._options.entry(entry_id)
        return to_entry_view(entry, images=images, stale=self._options.stale(entry))

    def forget(self, entry_id: str) -> None:
        """Remove the entry."""
        self._options.entry(entry_id)
        self._entries.forget(entry_id)

    def forget_all(self) -> int:
        """Remove all; tells how many."""
        return self._entries.forget_all()

    def report(self, entry_id: str, *, succeeded: bool, reason: str = "", job_id: str = "") -> ListedEntry:
        """Count the reported outcome of the last use, or of a job's.

        Raises ``Conflict`` when there was no use.
        """
        entry = self._options.entry(entry_id)
        outcome = UseOutcome("succeeded") if succeeded else UseOutcome("failed", reason[:500].strip() or _SAID)
        if job_id and self._reports.give(entry_id, job_id, outcome):
            return listed(entry)
        return listed(self._entries.report(entry_id, outcome, job_id))

    def statistics(self) -> Mapping[str, object]:
        """What is kept, what came of it, and what it saved.

        ``hit_rate`` is the share of requests that led to a replay, however it ended: of the replays that were begun and
        the questions that nothing fitted. ``success_rate`` is the share of replays that succeeded, of those that
        succeeded or failed; a replay that stopped and was handed over failed. ``None`` where there is nothing to count.
        """
        reported = dict(self._entries.statistics())
        uses = cast("dict[str, int]", reported["uses"])
        return {
            **reported,
            "hit_rate": _share(_sum(reported.get("hits")), _sum(reported.get("misses"))),
            "success_rate": _share(uses["succeeded"], uses["failed"]),
        }

    def export(self) -> bytes:
        """All entries as a file that ``import_`` takes."""
        return export_file(self._all())

    def import_(self, data: bytes) -> ImportAnswer:
        """Keep the entries of a file; what is in it has to be seen to succeed before it is believed.

        Raises ``InvalidRequest`` for what is no such file, ``TooLarge``.
        """
        read = read_file(data)
        kept: list[str] = []
        refused = [RefusedEntry(position=each.position, reason=each.reason) for each in read.refused]
        for draft, message_id, agent_id in read.entries:
            entry = self._entries.keep(draft, keys_of(draft), message_id=message_id, agent_id=agent_id)
            kept.append(entry.id)
        return ImportAnswer(cache_ids=tuple(kept), refused=tuple(refused))

    def _all(self) -> list[Entry]:
        found: list[Entry] = []
        while page := self._entries.newest(_AT_ONCE, offset=len(found)):
            found += page
        return found

    def _counted_failure(self, draft: Draft) -> str:
        keys = keys_of(draft)
        found = next(self._options.known(keys.exact, keys.gate), None)
        self._entries.note({("refusal", "not recorded: it failed"): 1})
        if found is None:
            return "What failed is not kept."
        try:
            self._entries.report(found.id, UseOutcome("failed", _SAID))
        except Conflict:
            self._entries.quarantine(found.id, _SAID)
            return f"What failed is not kept, and {found.id}, which is the same, is not offered until it has succeeded."
        return f"What failed is not kept, and {found.id}, which is the same, is counted as failed."


def _refuse_values(entry: Entry, values: Mapping[str, str]) -> None:
    slots = {slot.name: slot for slot in entry.slots if slot.value is not None}
    for name, value in values.items():
        slot = slots.get(name)
        if slot is None:
            text = ", ".join(slots) or "none"
            raise InvalidRequest(f"{entry.id} has no value called {name[:80]!r}; it has {text}.")
        if not value.strip():
            raise InvalidRequest(f"Give {entry.id} a value for {name}, or leave it out: an empty one is not typed.")
        if value != slot.value and not slot.rebinds:
            raise Conflict(f"{entry.id} cannot have another {name}: what it shows came of {slot.value!r}.")


def _share(part: int, others: int) -> float | None:
    return round(part / (part + others), 3) if part + others else None


def _sum(counts: object) -> int:
    return sum(cast("dict[str, int]", counts).values()) if isinstance(counts, dict) else 0
