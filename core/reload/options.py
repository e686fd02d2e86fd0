"""What may be done again now: ranked by its words, shown with its slots and differences, let through by its context.

Only a request that is the recorded one, its slots filled anew, is the ``same``. Everything else is an ``offer``: the
caller reads what differs, and decides.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from core.errors import NotFound
from core.reload.context import ContextGate, Look
from core.reload.differences import Compared, compare
from core.reload.entry import Entry, Origin, SlotKind
from core.reload.entry_keys import exact_key, gate_of
from core.reload.offers import MOST_LISTED, NOT_FOUND, Match, OfferBook, OfferedSlot, Option, Question, Refusal
from core.reload.requests import accepts, same_values, words
from core.reload.templates import Template, filled_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from core.recall.ports import Words
    from core.reload.ports import EntryStore, Nearby, Noted, Reader, Surroundings


_LIKE: Final = 0.5
"""A word whose meaning is nearer than that may stand for the asked one when entries are looked up."""
_MOST_LIKE: Final = 6


class Ranked(NamedTuple):
    """An entry and how near it is."""

    similarity: float
    """0 to 1: half of it is the share of words that both have, rare words counting more; half the meaning."""
    entry_id: str
    phrasing: int
    """The index of its nearest phrasing."""


def expanded(asked: Sequence[str], meanings: Words | None) -> dict[str, float]:
    """The words to look up: those of the request with 1, and words of like meaning with their likeness."""
    found = dict.fromkeys(asked, 1.0)
    if meanings is None:
        return found
    for word in dict.fromkeys(asked):
        for other, likeness in list(meanings.near(word))[:_MOST_LIKE]:
            if likeness >= _LIKE:
                found[other] = max(found.get(other, 0.0), likeness)
    return found


def ranked(asked: Sequence[str], nearby: Sequence[Nearby], meanings: Words | None) -> list[Ranked]:
    """All of them, the nearest first; a word that few of them have counts more.

    Args:
        asked: the words of the request.
        nearby: what was found by them.
        meanings: what words mean; without them only the words that both have count.

    """
    phrasings = [(each.entry_id, at, phrase) for each in nearby for at, phrase in enumerate(each.phrasings) if phrase]
    if not phrasings:
        return []
    frequencies = Counter(word for _, _, phrase in phrasings for word in set(phrase))

    def weight(word: str) -> float:
        return math.log(1 + len(phrasings) / (0.5 + frequencies[word]))

    weights = {word: weight(word) for word in asked}
    meant = meanings.alike(weights, [phrase for _, _, phrase in phrasings]) if meanings is not None else ()
    said = set(asked)
    wanted = sum(weight(word) for word in said)
    best: dict[str, Ranked] = {}
    for place, (entry_id, at, phrase) in enumerate(phrasings):
        whole = sum(weight(word) for word in set(phrase))
        shared = sum(weight(word) for word in set(phrase) & said)
        similarity = 2 * shared / (whole + wanted)
        if meant:
            similarity = 0.5 * similarity + 0.5 * max(0.0, meant[place])
        if entry_id not in best or similarity > best[entry_id].similarity:
            best[entry_id] = Ranked(similarity, entry_id, at)
    return sorted(best.values(), key=lambda each: -each.similarity)


_CANDIDATES: Final = 64
_UNASKED: Final = 0.5
"""The similarity of what has the same trigger when nothing was said: the trigger's part of the seed's score."""


class _Judged(NamedTuple):
    """An entry as it may be offered; ``option`` has the entry's own id still."""

    entry: Entry
    option: Option
    values: Mapping[str, str]
    """What a replay of a ``same`` one fills in; of an offer as recorded."""


@dataclass(frozen=True)
class ActionCacheOptions:
    """Finds what may be done again.

    Args:
        entries: where they are kept.
        book: remembers the values of what was offered.
        context: looks at the desktop.
        meanings: what words mean; read when a request is first looked up.
        revision: of an origin's document as it is now, ``None`` when it is gone.
        least: the similarity below which nothing is offered.

    """

    entries: EntryStore
    book: OfferBook
    context: ContextGate
    meanings: Callable[[], Words | None]
    revision: Callable[[Origin], str | None]
    least: float = 0.2

    def options(self, question: Question, limit: int = MOST_LISTED, look: Look | None = None) -> tuple[Option, ...]:
        """The nearest of what may be done now, what is the same first; each offer, or that there is none, is counted.

        Args:
            question: what is about to be done.
            limit: how many.
            look: at the desktop that it is to be done on; else at the user's, if that matters.

        """
        options, refused = self._found(question, limit, look or Look(self.context))
        self._count(options, [each.reason for each in refused])
        return options

    def explained(self, question: Question) -> tuple[tuple[Option, ...], tuple[Refusal, ...]]:
        """The same, and what is near but cannot be done now, with the reason. Nothing is counted."""
        return self._found(question, MOST_LISTED, Look(self.context))

    def recorded(
        self, origin: Origin, values: Mapping[str, str], limit: int, *, now: Surroundings, reader: Reader
    ) -> tuple[Option, ...]:
        """What was recorded of a workflow or a task and may be done with these values on the desktop as it is now.

        Args:
            origin: the workflow or the task.
            values: of its parameters; others are as recorded.
            limit: how many.
            now: the desktop.
            reader: reads its pictures.

        """
        if origin.kind == "client":
            return ()
        look = Look(self.context, now, reader)
        known = self.entries.of_origin(gate_of(Question()), origin, _CANDIDATES)
        judged = [self._of_origin(entry, values, look) for entry in known]
        found = [each for each in judged if isinstance(each, _Judged)]
        options = self._written(sorted(found, key=lambda each: each.option.match != "same"), limit)
        self._count(options, [each for each in judged if isinstance(each, str)])
        return options

    def known(self, keys: Iterable[str], gate: str) -> Iterator[Entry]:
        """Those of the very same words and values."""
        found = (self.entries.exactly(gate, key) for key in sorted(keys))
        return (entry for entry in found if entry is not None)

    def entry(self, entry_id: str) -> Entry:
        """The one of that id. Raises ``NotFound`` in the words of the tool that replays it."""
        try:
            return self.entries.get(entry_id)
        except NotFound:
            raise NotFound(NOT_FOUND) from None

    def stale(self, entry: Entry) -> str:
        """Why an entry is not to be done at all any more, as a sentence; empty while it may be."""
        if entry.origin.kind == "client":
            return ""
        revision = self.revision(entry.origin)
        if revision is None:
            return f"The {entry.origin.kind} that it was recorded from is gone."
        return (
            "" if revision == entry.origin.revision else f"Its {entry.origin.kind} was changed since it was recorded."
        )

    def _found(self, question: Question, limit: int, look: Look) -> tuple[tuple[Option, ...], tuple[Refusal, ...]]:
        found: list[_Judged] = []
        refused: list[Refusal] = []
        for entry, similarity, phrasing in self._candidates(question):
            judged = self._judged(entry, question, look, similarity, phrasing)
            if isinstance(judged, str):
                refused.append(Refusal(cache_id=entry.id, label=entry.summary, reason=judged))
                continue
            found.append(judged)
            if len(_distinct(found)) >= limit:
                break
        found.sort(key=lambda each: (each.option.match == "same", each.option.similarity), reverse=True)
        return self._written(found, limit), tuple(refused)

    def _candidates(self, question: Question) -> Iterator[tuple[Entry, float, int]]:
        """Entries with their nearness and the index of their nearest phrasing, the nearest first."""
        if not question.request.strip():
            wanted = question.trigger_type, question.trigger_target
            for entry in self.entries.newest(_CANDIDATES):
                own = entry.fingerprint
                if wanted[0] in (None, own.trigger_type) and wanted[1] in (None, own.trigger_target):
                    yield entry, _UNASKED, 0
            return
        gate, seen = gate_of(question), set[str]()
        for entry in self.known([exact_key(question)], gate):
            seen.add(entry.id)
            yield entry, 1.0, 0
        asked = words(question.request)
        meanings = self.meanings()
        nearby = self.entries.nearest(gate, expanded(asked, meanings), _CANDIDATES)
        for each in ranked(asked, nearby, meanings):
            if each.entry_id not in seen and each.similarity >= self.least:
                # What another process has removed meanwhile, or what cannot be read, is passed over.
                with contextlib.suppress(NotFound):
                    yield self.entries.get(each.entry_id), each.similarity, each.phrasing

    def _judged(self, entry: Entry, question: Question, look: Look, similarity: float, phrasing: int) -> _Judged | str:
        """The offer, or why there is none."""
        same = same_values(entry.requests, entry.slots, question.request)
        recorded = entry.requests[phrasing] if phrasing < len(entry.requests) else Template()
        asked = compare(recorded, entry.slots, question.request) if question.request.strip() else Compared({}, ())
        picked = _picked(entry, asked.proposed)
        values = {} if same is None else _changed(entry, same)
        return self._offered(
            entry,
            look,
            match="offer" if same is None else "same",
            similarity=similarity if same is None else 1.0,
            proposed={name: value for name, value in asked.proposed.items() if name not in picked} | (same or {}),
            differs=(*asked.differs, *picked.values()) if same is None else (),
            values=values,
        )

    def _of_origin(self, entry: Entry, given: Mapping[str, str], look: Look) -> _Judged | str:
        changed = _changed(entry, given)
        slots = {slot.name: slot for slot in entry.slots}
        if picked := _picked(entry, changed):
            return f"{', '.join(picked.values())}."
        same = all(accepts(slots[name], value) for name, value in changed.items())
        return self._offered(
            entry,
            look,
            match="same" if same else "offer",
            similarity=1.0,
            proposed={**entry.values(), **changed},
            differs=() if same else tuple(f'{name} "{value}" looks otherwise' for name, value in changed.items()),
            values=changed,
        )

    def _offered(
        self,
        entry: Entry,
        look: Look,
        *,
        match: Match,
        similarity: float,
        proposed: Mapping[str, str],
        differs: tuple[str, ...],
        values: Mapping[str, str],
    ) -> _Judged | str:
        if entry.quarantined:
            return "It failed the last time."
        obstacle = self.stale(entry) or look.obstacle(entry, {**entry.values(), **values})
        if obstacle:
            return obstacle
        slots = tuple(
            OfferedSlot(name=slot.name, value=slot.value, proposed=proposed.get(slot.name))
            for slot in entry.slots
            if slot.kind is SlotKind.VALUE
        )
        option = Option(
            cache_id=entry.id,
            match=match,
            similarity=round(min(similarity, 1.0), 2),
            label=entry.summary,
            slots=slots,
            differs=differs,
            actions=len(entry.actions),
            vocabulary=entry.vocabulary,
        )
        return _Judged(entry, option, values)

    def _written(self, found: Sequence[_Judged], limit: int) -> tuple[Option, ...]:
        """The options with the ids that they are taken by."""
        return tuple(
            each.option.model_copy(update={"cache_id": self.book.write(each.entry.id, each.values)})
            for each in islice(_distinct(found), limit)
        )

    def _count(self, options: Sequence[Option], refused: Sequence[str]) -> None:
        noted: Counter[tuple[Noted, str]] = Counter(("offer", option.match) for option in options)
        noted.update(("refusal", _kind(reason)) for reason in refused)
        if not options:
            noted["miss", "refused" if refused else "nothing alike is known"] += 1
        self.entries.note(noted)


def _changed(entry: Entry, values: Mapping[str, str]) -> dict[str, str]:
    """Those values of its slots that are not as recorded."""
    recorded = entry.values()
    return {name: value for name, value in values.items() if name in recorded and value != recorded[name]}


def _picked(entry: Entry, proposed: Mapping[str, str]) -> dict[str, str]:
    """By slot, that it cannot have the proposed value."""
    changed = _changed(entry, proposed)
    return {
        slot.name: f'{slot.name} cannot be "{changed[slot.name]}": "{slot.value}" was picked on the screen, not typed'
        for slot in entry.slots
        if slot.name in changed and not slot.rebinds
    }


def _distinct(found: Sequence[_Judged]) -> list[_Judged]:
    """Each once: of those that would do the very same, the first."""
    seen: dict[str, _Judged] = {}
    for each in found:
        values = {**each.entry.values(), **each.values}
        origin = each.entry.origin
        does = (
            [origin.name, sorted(values.items())]
            if origin.kind != "client"
            else filled_in([action.action for action in each.entry.actions], values)
        )
        seen.setdefault(repr(does), each)
    return list(seen.values())


def _kind(reason: str) -> str:
    """The reason without what it quotes: so it can be counted, and nothing private is."""
    parts = reason.split('"')
    return "…".join(parts[::2]) if len(parts) > 1 else reason
