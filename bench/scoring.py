"""How well a predicted timeline fits the truth of a clip.

A prediction and a true event are the same when all of these hold:

- **kind**: the true kind, or one that ``KINDS`` or the event's own ``also`` names as equally right. ``KINDS`` is short:
  what appears where something else was may be told as a change of that place, nothing else is interchangeable.
- **time**: the starts are no further apart than 300 ms or one and a half frames, whichever is longer.
- **words**: the prediction's text contains the true text (``bench.words``: slips are forgiven, digits never).
  For what is navigated or scrolled the description counts too, for those kinds name a place and not a text.
- **before**: where the truth says what was there before, the prediction says so too.

Each prediction is used once, each true event is found once; as many pairs as possible are made, near ones first.
What is left over and fits an ``optional`` true event is neither right nor wrong.
"""

import statistics
from collections.abc import Callable, Sequence

from bench.truth import TrueEvent, Truth
from bench.words import contains, unseen
from core.analysis import Event, EventKind
from core.values import Value

TOLERANCE_MS = 300.0
TOLERANCE_FRAMES = 1.5
KINDS: dict[EventKind, frozenset[EventKind]] = {EventKind.APPEARED: frozenset({EventKind.CHANGED})}
PLACES = frozenset({EventKind.NAVIGATED, EventKind.SCROLLED})


class Score(Value):
    """The outcome for one clip, or for several added up."""

    found: int = 0
    missed: tuple[str, ...] = ()
    """The true events that no prediction fits, as readable lines."""
    extra: tuple[str, ...] = ()
    """The predictions that fit nothing, as readable lines."""
    time_errors_ms: tuple[float, ...] = ()
    """Of what was found: predicted minus true start."""
    end_errors_ms: tuple[float, ...] = ()
    """Of what was found and has an end in both: predicted minus true end."""
    ends_missing: int = 0
    """Of what was found and has an end in truth: how many predictions give none."""
    unseen_words: tuple[str, ...] = ()
    """Quoted words that were never on screen."""

    @property
    def precision(self) -> float:
        """The share of the predictions that are right; 1 when nothing was predicted and nothing happened."""
        return _share(self.found, self.found + len(self.extra), empty=not self.missed)

    @property
    def recall(self) -> float:
        """The share of the true events that were found; 1 when nothing happened."""
        return _share(self.found, self.found + len(self.missed), empty=True)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.found or self._calm else 0.0

    @property
    def median_error_ms(self) -> float | None:
        """The median distance of the starts, ``None`` when nothing was found."""
        return statistics.median(map(abs, self.time_errors_ms)) if self.time_errors_ms else None

    @property
    def _calm(self) -> bool:
        return not self.missed and not self.extra


def score(predicted: Sequence[Event], truth: Truth, *, with_words: bool = True) -> Score:
    """Compare a timeline with the truth.

    ``with_words=False`` asks for times alone: for methods that cannot tell what happened, any kind and text will do.
    """
    tolerance = max(TOLERANCE_MS, TOLERANCE_FRAMES * truth.frame_ms)

    def is_same(event: Event, true: TrueEvent) -> bool:
        near = abs(event.t_ms - true.t_ms) <= tolerance
        return near and (not with_words or (_kind_fits(event, true) and _words_fit(event, true)))

    def may_be(event: Event, true: TrueEvent) -> bool:
        return abs(event.t_ms - true.t_ms) <= tolerance and (not with_words or _may_be_reported(event, true))

    pairs = _pair(predicted, truth.events, is_same)
    found = [(predicted[index], truth.events[pairs[index]]) for index in sorted(pairs)]
    left = [event for index, event in enumerate(predicted) if index not in pairs]
    excused = _pair(left, truth.optional, may_be)
    hit = set(pairs.values())
    ends = [(event.until_ms, true.until_ms) for event, true in found if true.until_ms is not None]
    quotes = [text for event in predicted for text in (event.text, event.before) if text]
    return Score(
        found=len(found),
        missed=tuple(_line(true) for index, true in enumerate(truth.events) if index not in hit),
        extra=tuple(_line(event) for index, event in enumerate(left) if index not in excused),
        time_errors_ms=tuple(float(event.t_ms - true.t_ms) for event, true in found),
        end_errors_ms=tuple(float(end - true) for end, true in ends if end is not None),
        ends_missing=sum(end is None for end, _ in ends),
        unseen_words=tuple(unseen(quotes, truth.vocabulary)) if with_words else (),
    )


def total(scores: Sequence[Score]) -> Score:
    """Several clips as one: every event weighs the same."""
    return Score(
        found=sum(one.found for one in scores),
        missed=tuple(line for one in scores for line in one.missed),
        extra=tuple(line for one in scores for line in one.extra),
        time_errors_ms=tuple(error for one in scores for error in one.time_errors_ms),
        end_errors_ms=tuple(error for one in scores for error in one.end_errors_ms),
        ends_missing=sum(one.ends_missing for one in scores),
        unseen_words=tuple(word for one in scores for word in one.unseen_words),
    )


def _kind_fits(event: Event, true: TrueEvent) -> bool:
    return event.kind in {true.kind, *true.also, *KINDS.get(true.kind, ())}


def _words_fit(event: Event, true: TrueEvent) -> bool:
    text = event.before or event.text if true.kind is EventKind.VANISHED else event.text
    if true.kind in PLACES:
        text = f"{event.text or ''} {event.description}"
    is_reported = true.text is None or contains(text or "", true.text)
    return is_reported and (true.before is None or contains(event.before or "", true.before))


def _may_be_reported(event: Event, true: TrueEvent) -> bool:
    if true.text is None:
        return event.text is None
    return event.text is None or contains(event.text, true.text) or contains(true.text, event.text)


def _pair(
    events: Sequence[Event], truths: Sequence[TrueEvent], fits: Callable[[Event, TrueEvent], bool]
) -> dict[int, int]:
    """Event index → truth index: a largest one-to-one pairing (augmenting paths, Kuhn 1955), near starts first."""

    def distance(index: int, number: int) -> int:
        return abs(truths[number].t_ms - events[index].t_ms)

    def fitting(index: int) -> list[int]:
        numbers = (number for number, true in enumerate(truths) if fits(events[index], true))
        return sorted(numbers, key=lambda number: distance(index, number))

    options = [fitting(index) for index in range(len(events))]
    owner: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for number in options[index]:
            if number not in tried:
                tried.add(number)
                if number not in owner or place(owner[number], tried):
                    owner[number] = index
                    return True
        return False

    with_options = (index for index in range(len(events)) if options[index])
    nearest = sorted(with_options, key=lambda index: distance(index, options[index][0]))
    for index in nearest:
        place(index, set())
    return {index: number for number, index in owner.items()}


def _line(event: Event | TrueEvent) -> str:
    before = f" (before: {event.before!r})" if event.before else ""
    return f"{event.t_ms / 1000:.2f} s {event.kind} {event.text!r}{before}"


def _share(part: int, whole: int, *, empty: bool) -> float:
    if whole == 0:
        return 1.0 if empty else 0.0
    return part / whole
