"""What may be done again now: found by its words, judged by its values, let through by its context."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from core.actions import ACTION
from core.errors import NotFound
from core.reload.entry import Fingerprint
from core.reload.matching.alignment import Alignment, best
from core.reload.matching.keys import question_keys, words_of_request
from core.reload.matching.similarity import ngrams, similarity, window_state_hash
from core.reload.offers import MOST_LISTED, Option, Question, Refusal
from core.reload.ports import Missing
from core.reload.recording import target_of
from core.reload.replays.pages import same_address
from core.reload.replays.reading import Pages
from core.reload.replays.windows import find_window, named
from core.reload.templates import filled_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from core.reload.entry import CachedAction, Entry, Origin, WindowIdentity
    from core.reload.ports import Entries, Keys, Lookout, Noted, Programs, Reader, Surroundings, Targets

_CANDIDATES: Final = 64
_OFFER_SECONDS: Final = 600.0
_MOST_OFFERS: Final = 1000
_RANKS: Final = ("exact", "rebound", "similar")
NOT_FOUND: Final = "Cache entry not found. Proceed manually, or ask for the options again."


class Chosen(NamedTuple):
    """What an option's id stands for: an entry, and the values of its slots that are not as recorded."""

    cache_id: str
    values: Mapping[str, str]


@dataclass
class OfferBook:
    """Remembers for ten minutes with which values an entry was offered: in memory only, for they may be private."""

    clock: Callable[[], float] = time.monotonic
    _offers: dict[str, tuple[float, Chosen]] = field(default_factory=dict[str, "tuple[float, Chosen]"])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, entry_id: str, values: Mapping[str, str]) -> str:
        """The id to offer it by: the entry's own unless it has other values now."""
        if not values:
            return entry_id
        offer = f"{entry_id}~{secrets.token_hex(4)}"
        with self._lock:
            now = self.clock()
            fresh = {key: kept for key, kept in self._offers.items() if now - kept[0] < _OFFER_SECONDS}
            self._offers = dict(list(fresh.items())[-_MOST_OFFERS:]) | {offer: (now, Chosen(entry_id, dict(values)))}
        return offer

    def chosen(self, cache_id: str) -> Chosen:
        """What it stands for. Raises ``NotFound`` for an offer that is over."""
        if "~" not in cache_id:
            return Chosen(cache_id, {})
        with self._lock:
            kept = self._offers.get(cache_id)
        if kept is None or self.clock() - kept[0] >= _OFFER_SECONDS:
            raise NotFound(NOT_FOUND)
        return kept[1]


@dataclass(frozen=True)
class ReloadOptions:
    """Finds what may be done again.

    Args:
        entries: where they are kept.
        book: remembers the offers.
        lookout: looks at the user's desktop, when a question tells nothing of windows.
        targets: looks for the first target; a thousandth of a second each.
        reader: reads addresses of browsers; made when it is needed.
        programs: tells windows apart.
        revision: of an origin's document as it is now, ``None`` when it is gone.
        least: the similarity below which nothing is offered.

    """

    entries: Entries
    book: OfferBook
    lookout: Lookout
    targets: Targets
    reader: Callable[[], Reader]
    programs: Programs
    revision: Callable[[Origin], str | None]
    least: float = 0.7

    def options(
        self,
        question: Question,
        limit: int = MOST_LISTED,
        *,
        now: Surroundings | None = None,
        reader: Reader | None = None,
    ) -> tuple[Option, ...]:
        """The best of what may be done now, the most certain first; each offer, or that there is none, is counted.

        Args:
            question: what somebody is about to do.
            limit: how many.
            now: the desktop it would be done on; else the user's, looked at only if that matters.
            reader: reads its pictures.

        """
        options, refused = self._found(question, limit, _Sight(self, now, reader))
        self._count(options, [each.reason for each in refused])
        return options

    def explained(self, question: Question) -> tuple[tuple[Option, ...], tuple[Refusal, ...]]:
        """The same, and what is alike but not offered: for a person who wants to know, so nothing is counted."""
        return self._found(question, MOST_LISTED, _Sight(self, None, None))

    def exact(self, question: Question, *, now: Surroundings, reader: Reader) -> Option | None:
        """The one that is this very request, with its very values, if it may be done now."""
        entry = next(self.known(question_keys(question)), None)
        if entry is None:
            return None
        judged = self._judged(entry, question, _fingerprint(question), _Sight(self, now, reader))
        return judged[0] if not isinstance(judged, str) and judged[0].match == "exact" else None

    def known(self, keys: Keys) -> Iterator[Entry]:
        """Those of the very same words and values; one of two such wordings comes twice."""
        found = (self.entries.exactly(keys.gate, key) for key in sorted(keys.exact))
        return (entry for entry in found if entry is not None)

    def entry(self, entry_id: str) -> Entry:
        """The one of that id. Raises ``NotFound`` in the words of whoever wanted to do it again."""
        try:
            return self.entries.get(entry_id)
        except NotFound:
            raise NotFound(NOT_FOUND) from None

    def stale(self, entry: Entry) -> str:
        """Why an entry is not to be done at all any more, as a sentence; empty while it is."""
        if entry.origin.kind == "client":
            return ""
        revision = self.revision(entry.origin)
        if revision is None:
            return f"The {entry.origin.kind} that it was recorded from is gone."
        return (
            "" if revision == entry.origin.revision else f"Its {entry.origin.kind} was changed since it was recorded."
        )

    def _found(self, question: Question, limit: int, sight: _Sight) -> tuple[tuple[Option, ...], tuple[Refusal, ...]]:
        asked = _fingerprint(question)
        found: list[tuple[Entry, Option, Mapping[str, str]]] = []
        refused: list[Refusal] = []
        for entry in self._candidates(question):
            judged = self._judged(entry, question, asked, sight)
            if isinstance(judged, str):
                refused.append(Refusal(cache_id=entry.id, label=entry.summary, reason=judged))
                continue
            found.append((entry, *judged))
            if judged[0].match == "exact":
                # Nothing is more certain, and whoever asks for just this need not wait for the rest.
                break
        found.sort(key=_rank, reverse=True)
        options = tuple(
            option.model_copy(update={"cache_id": self.book.write(entry.id, values)})
            for entry, option, values in _distinct(found)[:limit]
        )
        return options, tuple(refused)

    def _candidates(self, question: Question) -> Iterable[Entry]:
        keys = question_keys(question)
        if not question.request.strip():
            wanted = question.trigger_type, question.trigger_target
            for entry in self.entries.newest(_CANDIDATES):
                own = entry.fingerprint
                if wanted[0] in (None, own.trigger_type) and wanted[1] in (None, own.trigger_target):
                    yield entry
            return
        seen: set[str] = set()
        for entry in self.known(keys):
            seen.add(entry.id)
            yield entry
        alike = self.entries.candidates(keys.gate, words_of_request(question.request), _CANDIDATES)
        yield from (entry for entry in alike if entry.id not in seen)

    def _judged(
        self, entry: Entry, question: Question, asked: Fingerprint, sight: _Sight
    ) -> tuple[Option, Mapping[str, str]] | str:
        """The offer and its values, or why there is none."""
        if entry.quarantined:
            return "It failed the last time."
        alignment = _alignment(entry, question)
        if alignment.match is None:
            return alignment.reason
        score = max(similarity(each, asked) for each in _fingerprints(entry))
        if question.trigger_type is None and not question.request.strip():
            score = max(score, self.least)
        if score < self.least:
            return f"Its similarity, {score:.2f}, is below {self.least:.2f}."
        obstacle = self.stale(entry) or sight.obstacle(entry, {**entry.values(), **alignment.values})
        if obstacle:
            return obstacle
        option = Option(
            cache_id=entry.id,
            label=_label(entry, alignment.values),
            similarity=round(score, 2),
            match=alignment.match,
            rebound=dict(alignment.rebound),
            reason=alignment.reason,
            actions=len(entry.actions),
            vocabulary=entry.vocabulary,
        )
        return option, alignment.values

    def _count(self, options: Sequence[Option], refused: Sequence[str]) -> None:
        noted: Counter[tuple[Noted, str]] = Counter(("offer", option.match) for option in options)
        noted.update(("refusal", _kind(reason)) for reason in refused)
        if not options:
            noted["miss", "refused" if refused else "nothing alike is known"] += 1
        self.entries.note(noted)


@dataclass
class _Sight:
    """The desktop of one question; looked at once, and only if it matters."""

    options: ReloadOptions
    now: Surroundings | None
    reader: Reader | None
    _pages: Pages | None = None

    def obstacle(self, entry: Entry, values: Mapping[str, str]) -> str:
        """What of its context is not there, as a sentence; empty when all is."""
        if entry.vocabulary != "desktop" or not entry.actions:
            return ""
        first = entry.actions[0]
        if first.window is None:
            return ""
        now = self.now = self.now or self.options.lookout.look()
        if now.picture is None:
            return "There is no desktop that could be looked at."
        for identity in _needed(entry):
            if find_window(identity, now.windows, values, self.options.programs) is None:
                name = named(identity, values)
                return f"{name[:1].upper()}{name[1:]} is not there."
        return self._unseen(first, first.window, now, values)

    def _unseen(
        self, first: CachedAction, identity: WindowIdentity, now: Surroundings, values: Mapping[str, str]
    ) -> str:
        window = find_window(identity, now.windows, values, self.options.programs)
        if window is None or now.picture is None:
            return "Its window is not there."
        reader = self.reader = self.reader or self.options.reader()
        if identity.address:
            self._pages = self._pages or Pages(reader)
            if not same_address(identity.address, self._pages.address(window, now.picture)):
                return f"Its window does not show {identity.address}."
        if first.anchor is None:
            target = target_of(ACTION.validate_python(filled_in(first.action, values)))
            return "" if target is None else "There is nothing to find its first target by."
        found = self.options.targets.find(first.anchor, now.picture, window.box, reader=reader)
        return f"Its first target is not found: {found.reason}." if isinstance(found, Missing) else ""


def _needed(entry: Entry) -> list[WindowIdentity]:
    """The windows that it does not open itself."""
    needed: list[WindowIdentity] = []
    for action in entry.actions:
        if action.window is None or (action.effect is not None and action.effect.appeared):
            # From here on windows may be its own doing.
            return needed if action.window is None else [*needed, action.window]
        needed.append(action.window)
    return list(dict.fromkeys(needed))


def _alignment(entry: Entry, question: Question) -> Alignment:
    if question.request.strip():
        return best(entry.requests, entry.slots, question.request)
    return Alignment(match="similar", values={}, rebound={}, reason="No request was told: compare the label with it.")


def _fingerprint(question: Question) -> Fingerprint:
    state = question.window_state
    return Fingerprint(
        trigger_type=question.trigger_type or "user_message",
        trigger_target=question.trigger_target or "",
        context_ngrams=ngrams(question.request),
        window_state_hash=window_state_hash(state) if state is not None else "",
    )


def _fingerprints(entry: Entry) -> Iterable[Fingerprint]:
    """One for each wording; of an imported entry, which has none, its own."""
    values, own = entry.values(), entry.fingerprint
    told = [own.model_copy(update={"context_ngrams": ngrams(each.filled(values))}) for each in entry.requests]
    return told or [own]


def _rank(found: tuple[Entry, Option, Mapping[str, str]]) -> tuple[int, float, int, str]:
    entry, option, _ = found
    return (-_RANKS.index(option.match), option.similarity, entry.metadata.success_count, entry.metadata.last_used)


def _distinct(
    found: Sequence[tuple[Entry, Option, Mapping[str, str]]],
) -> list[tuple[Entry, Option, Mapping[str, str]]]:
    """Each once: of those that would do the very same, the best."""
    seen: dict[str, tuple[Entry, Option, Mapping[str, str]]] = {}
    for each in found:
        values = {**each[0].values(), **each[2]}
        origin = each[0].origin
        does = (
            [origin.name, sorted(values.items())]
            if origin.kind != "client"
            else filled_in([action.action for action in each[0].actions], values)
        )
        seen.setdefault(repr(does), each)
    return list(seen.values())


def _label(entry: Entry, values: Mapping[str, str]) -> str:
    changed = {old: values[slot.name] for slot in entry.slots if slot.name in values and (old := slot.value)}
    told = ", ".join(f"{old} → {new}" for old, new in changed.items())
    return f"{entry.summary} ({told})" if told else entry.summary


def _kind(reason: str) -> str:
    """The reason without what it quotes: so it can be counted, and nothing private is."""
    parts = reason.split('"')
    return "…".join(parts[::2]) if len(parts) > 1 else reason
