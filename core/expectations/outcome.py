"""Answers with three values, and the only place where verdicts are made: there is no ``pass`` without evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis import Evidence, Verdict, VerdictResult, Video
from core.errors import Internal
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Nobody can tell."""
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
