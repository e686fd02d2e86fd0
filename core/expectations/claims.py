"""What an expectation says, once it is understood; and answers with three values, of which verdicts are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from core.analysis import Evidence, Verdict, VerdictResult, Video
from core.errors import Internal
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Sequence


class Verb(Enum):
    """What is claimed of a text. The first three differ only where a text was there before the time asked about."""

    APPEARS = "appears"
    """It comes: the moment counts at which it was not there before."""
    VISIBLE = "is visible"
    """It is there, whenever it came."""
    SHOWN = "is shown"
    """Either; where that makes a difference, the answer is unclear."""
    SEES = "is seen"
    """``VISIBLE``, unless another verb follows: "the user sees it disappear"."""
    GONE = "disappears"
    """It goes: the moment counts after which it is not there."""
    AWAY = "is gone"
    """The same, but said of a time, it may have gone before that."""
    STAYS = "stays"
    TYPED = "is typed"
    CHANGES = "changes"

    @property
    def is_showing(self) -> bool:
        """Whether it claims plain presence."""
        return self in {Verb.APPEARS, Verb.VISIBLE, Verb.SHOWN, Verb.SEES}

    @property
    def is_going(self) -> bool:
        """Whether it claims that a text is there no longer."""
        return self in {Verb.GONE, Verb.AWAY}


class Join(Enum):
    """How several texts or clauses belong together."""

    AND = "and"
    OR = "or"


class Compare(Enum):
    """How a number is bounded."""

    EXACTLY = "exactly"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    MORE = "more than"
    LESS = "less than"

    def holds(self, value: int, bound: int) -> bool:
        """Whether ``value`` is within the bound."""
        return {
            Compare.EXACTLY: value == bound,
            Compare.AT_LEAST: value >= bound,
            Compare.AT_MOST: value <= bound,
            Compare.MORE: value > bound,
            Compare.LESS: value < bound,
        }[self]


class Moment(Enum):
    """Named moments of a clip."""

    START = "at the start"
    END = "at the end"
    FIRST = "first"
    LAST = "last"
    ITSELF = "since it appeared"


@dataclass(frozen=True)
class Happening:
    """A quoted event that another one is timed by: a text that appears, or one that disappears."""

    text: str
    gone: bool = False

    def __str__(self) -> str:
        return f'"{self.text}" {"disappears" if self.gone else "appears"}'


Anchor = Happening | int
"""A happening, or milliseconds from the clip's first frame."""


@dataclass(frozen=True)
class Limits:
    """When, how long and how often; ``None`` where nothing is said."""

    within_ms: int | None = None
    within_of: Moment | None = None
    after: Anchor | None = None
    before: Anchor | None = None
    at: Moment | int | None = None
    count: tuple[Compare, int] | None = None
    lasting: tuple[Compare, int] | None = None
    until: Happening | None = None
    always: bool = False

    def named(self) -> frozenset[str]:
        """The names of the limits that are set."""
        return frozenset(name for name, value in vars(self).items() if value is not None and value is not False)


@dataclass(frozen=True)
class Clause:
    """One claim about one or more texts; for ``CHANGES`` the texts are what it was, one after another."""

    texts: tuple[str, ...]
    verb: Verb
    negated: bool = False
    join: Join = Join.AND
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Claim:
    """A whole expectation."""

    clauses: tuple[Clause, ...]
    join: Join = Join.AND


class NotUnderstood(Exception):
    """The sentence says something that no rule covers; the message is the reason of the ``unclear`` verdict."""


MOST_EVIDENCE = 8


@dataclass(frozen=True)
class Outcome:
    """What became of a claim or a part of it."""

    result: VerdictResult
    reason: str
    evidence: tuple[Evidence, ...] = ()


def passed(reason: str, evidence: Evidence, *more: Evidence) -> Outcome:
    """The claim holds, as can be seen at the evidence."""
    return Outcome(VerdictResult.PASS, reason, (evidence, *more))


def failed(reason: str, *evidence: Evidence) -> Outcome:
    """The claim does not hold."""
    return Outcome(VerdictResult.FAIL, reason, evidence)


def unclear(reason: str, *evidence: Evidence) -> Outcome:
    """The claim can be neither confirmed nor refuted."""
    return Outcome(VerdictResult.UNCLEAR, reason, evidence)


def all_of(outcomes: Sequence[Outcome]) -> Outcome:
    """Fails with the first that fails, else is unclear with the first that is, else passes with all the evidence."""
    return _combined(outcomes, (VerdictResult.FAIL, VerdictResult.UNCLEAR))


def any_of(outcomes: Sequence[Outcome]) -> Outcome:
    """Passes with the first that passes, else is unclear with the first that is, else fails for all the reasons."""
    return _combined(outcomes, (VerdictResult.PASS, VerdictResult.UNCLEAR))


def agreed(outcomes: Sequence[Outcome], otherwise: str) -> Outcome:
    """What all readings agree on, else unclear: ``otherwise`` says why there are several readings."""
    if len({outcome.result for outcome in outcomes}) == 1:
        return outcomes[0]
    return unclear(otherwise, *(outcomes[0].evidence or outcomes[-1].evidence))


def _combined(outcomes: Sequence[Outcome], decisive: Sequence[VerdictResult]) -> Outcome:
    if len(outcomes) == 1:
        return outcomes[0]
    for result in decisive:
        for outcome in outcomes:
            if outcome.result is result:
                return outcome
    reasons = "; ".join(dict.fromkeys(outcome.reason for outcome in outcomes))
    evidence = tuple(dict.fromkeys(each for outcome in outcomes for each in outcome.evidence))
    return Outcome(outcomes[0].result, reasons, evidence)


def verdict(expectation: str, outcome: Outcome) -> Verdict:
    """The outcome as a verdict on the expectation.

    Raises:
        Internal: a ``pass`` without evidence; no rule may produce one.

    """
    if outcome.result is VerdictResult.PASS and not outcome.evidence:
        raise Internal("A verdict would pass without evidence; please report the expectation.")
    reason = outcome.reason[:1].upper() + outcome.reason[1:]
    return Verdict(
        expectation=expectation,
        verdict=outcome.result,
        reason=reason if reason.endswith((".", "?", "!")) else f"{reason}.",
        evidence=outcome.evidence[:MOST_EVIDENCE],
    )


def demand_evidence(verdicts: Sequence[Verdict], video: Video) -> tuple[Verdict, ...]:
    """What a model judged, with every ``pass`` that nothing in the clip proves turned into ``unclear``.

    Evidence must lie within the clip: 0 to ``video.duration_ms`` milliseconds from its first frame.
    """
    return tuple(_demanded(each, video.duration_ms) for each in verdicts)


def _demanded(given: Verdict, duration_ms: int) -> Verdict:
    inside = tuple(each for each in given.evidence if 0 <= each.t_ms <= duration_ms)
    if inside or given.verdict is not VerdictResult.PASS:
        return verdict(given.expectation, Outcome(given.verdict, given.reason, inside))
    if not given.evidence:
        why = "the model says that it passed, but names no moment that shows it"
    else:
        times = ", ".join(clock(each.t_ms) for each in given.evidence[:3])
        why = f"the model says that it passed, but its evidence ({times}) is not within the {clock(duration_ms)} clip"
    return verdict(given.expectation, unclear(f"{why}. It said: {given.reason}"))
