"""What reloading asks of the outside: a place for entries, a look at the desktop, and eyes for targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.reload.entry import Anchor, Draft, Entry, Origin, Proposal
    from core.screens import Box, Picture, Point, TextLine, Window


Noted = Literal["offer", "hit", "miss", "refusal"]
"""What is counted besides uses."""


class Keys(NamedTuple):
    """By what an entry is found; ``core.reload.entry_keys`` makes them of a draft."""

    gate: str
    """Hash of its trigger and of the windows that a client sent: only equal ones are candidates."""
    exact: frozenset[str]
    """One hash for each phrasing with its recorded values: the same request in the same words has the same hash."""
    phrasings: tuple[tuple[str, ...], ...]
    """The words of each phrasing, without its values."""
    values: frozenset[str] = frozenset()
    """The words of its values."""


class Nearby(NamedTuple):
    """An entry that shares words with a request."""

    entry_id: str
    phrasings: Sequence[Sequence[str]]
    """As ``Keys`` has them."""


class UseOutcome(NamedTuple):
    """What became of a use."""

    outcome: Literal["succeeded", "failed", "interrupted"]
    reason: str = ""
    saved_ms: int = 0
    """What the recorded run took longer; 0 when it did not."""
    saved_calls: int = 0

    @classmethod
    def success(cls, entry: Entry, took_ms: int, calls: int) -> UseOutcome:
        """Of a replay that took so long and so many model calls: what the recorded run took more is saved."""
        return cls("succeeded", "", max(entry.duration_ms - took_ms, 0), max(entry.model_calls - calls, 0))


class EntryStore(Protocol):
    """Where entries are kept. Safe to call from any thread and from several daemons; each method is one transaction.

    The document of an entry is never changed by a use. Raises ``StorageFailed`` when it cannot be read or written;
    a row that cannot be read is set aside, logged, and as if it were not there. ``NotFound`` for an unknown id.
    """

    def keep(self, draft: Draft, keys: Keys, *, message_id: str = "", agent_id: str = "") -> Entry:
        """Keep it, and let the least recently used leave when there are too many.

        ``message_id`` and ``agent_id`` are what ``Metadata`` tells of the recorded run. Raises ``TooLarge``, and
        ``InvalidRequest`` for texts with half characters.

        One with an ``exact`` key in common, the same gate and origin is replaced: its id and counts stay, its version
        grows, and a quarantine is lifted if the draft is ``verified``. If it is not, and its actions are other ones,
        successes and failures start anew, because the new actions are not proven.
        """
        ...

    def get(self, entry_id: str) -> Entry:
        """The one of that id; expired and quarantined ones too."""
        ...

    def newest(self, limit: int, *, offset: int = 0) -> Sequence[Entry]:
        """The entries used last, the newest first; expired ones are removed, not listed."""
        ...

    def exactly(self, gate: str, key: str) -> Entry | None:
        """The one of that exact key, by an index. Never an expired one.

        Of several the last used one, but before any that is in quarantine.
        """
        ...

    def nearest(self, gate: str, words: Mapping[str, float], limit: int) -> Sequence[Nearby]:
        """Those that share most with these words, the nearest first; rare words count more. Never an expired one.

        Args:
            gate: others are never candidates.
            words: in lower case, each with how much it counts.
            limit: how many.

        """
        ...

    def of_origin(self, gate: str, origin: Origin, limit: int) -> Sequence[Entry]:
        """Those of that origin, whatever its revision, the last used first; never an expired one."""
        ...

    def change(self, entry: Entry, keys: Keys) -> None:
        """Put it in the place of the version before it: healing. Counts and quarantine stay.

        Its ``version`` is one more than what was read; raises ``Conflict`` if it was changed meanwhile.
        """
        ...

    def propose(self, entry_id: str, version: int, proposal: Proposal | None) -> None:
        """Keep what healing proposes beside that version; ``Conflict`` as ``change``."""
        ...

    def quarantine(self, entry_id: str, reason: str) -> None:
        """Have it not offered any more; an empty reason lifts it."""
        ...

    def forget(self, entry_id: str) -> None:
        """Remove the entry."""
        ...

    def forget_all(self) -> int:
        """Remove all; tells how many."""
        ...

    def begin_use(self, entry_id: str, job_id: str) -> int:
        """Count a use; tells its number."""
        ...

    def end_use(self, use: int, outcome: UseOutcome) -> Entry | None:
        """Count how it ended, once; ``None`` when the entry has been forgotten meanwhile.

        A use that failed quarantines, one that succeeded lifts a quarantine. No failure removes an entry, because it is
        its user's: it can be shown, done again by its id, and forgotten.
        """
        ...

    def report(self, entry_id: str, outcome: UseOutcome, job_id: str = "") -> Entry:
        """Set the reported outcome of the last use, or of the job's: it replaces the counted one, never adds to it.

        Raises ``Conflict`` when there was no use.
        """
        ...

    def close_abandoned(self, is_alive: Callable[[str], bool]) -> int:
        """End as interrupted the uses that a daemon left open when it died; tells how many.

        ``is_alive`` tells whether the job of that id may still end its use itself; of no job the id is empty.
        """
        ...

    def note(self, counts: Mapping[tuple[Noted, str], int]) -> None:
        """Count so many of a kind, by their reason."""
        ...

    def statistics(self) -> Mapping[str, object]:
        """Entries, bytes, quarantined, counts by kind and reason, uses by outcome, time and model calls saved."""
        ...


class Found(NamedTuple):
    """A target that was found again."""

    point: Point
    """Where to act now, in pixels of the desktop."""
    how: Literal["same_place", "moved", "resized", "restyled"]
    """``resized``: at another scale; ``restyled``: in other colours, and its words read the same."""
    core: Box
    """Where the target is now, in pixels of the desktop."""


class Missing(NamedTuple):
    """A target that is missing or ambiguous; ``reason`` is the middle of a sentence."""

    reason: str


class Reader(Protocol):
    """Reads lines of text; ``core.runs.ports.Eyes`` is one."""

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text, top to bottom."""
        ...


class Targets(Protocol):
    """Cuts anchors out of pictures, and finds them again: rather not at all than in the wrong place."""

    def cut(
        self, picture: Picture, target: Point | Box, within: Box, *, ignore: Sequence[Box], reader: Reader
    ) -> Anchor | None:
        """The anchor of what is at a point (its control or its words), or of a region.

        Args:
            picture: before the action.
            target: where it acts, in pixels of the desktop.
            within: the window; the anchor does not reach out of it.
            ignore: places where values show, which are made transparent.
            reader: reads the words in the core.

        ``None`` when there is nothing to recognise it by.
        """
        ...

    def find(
        self, anchor: Anchor, picture: Picture, within: Box, *, reader: Reader, far: bool = True
    ) -> Found | Missing:
        """Where it is now: at the same place of the window, else nearby, else anywhere in it.

        ``far`` false looks at the same place only, which takes a millisecond. What is found has the same core, pixel
        by pixel but for how letters are smoothed, or reads the same words at another scale or in other colours.
        """
        ...

    def crop(self, picture: Picture, box: Box) -> str:
        """That part of a picture, as ``Anchor.image``."""
        ...

    def same(self, image: str, picture: Picture, box: Box) -> bool:
        """Whether that part of the picture looks like ``image``; sizes that differ do not."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The desktop as it is now; ``None`` of the picture when there is no display that can be looked at."""

    picture: Picture | None
    windows: tuple[Window, ...]
    size: tuple[int, int] | None


class DesktopObserver(Protocol):
    """Looks at the user's desktop without taking it."""

    def look(self) -> Surroundings:
        """How it is now; empty when there is none."""
        ...


class Programs(Protocol):
    """Tells what program a window belongs to."""

    def program(self, window: Window) -> str:
        """The file name of the executable behind it, empty when that is not known; never what the window claims."""
        ...
