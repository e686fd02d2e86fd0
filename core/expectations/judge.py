"""Judges expectations, from a request or a sidecar file, on what a clip showed: understood fully, or ``unclear``."""

from __future__ import annotations

import errno
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.analysis import VerdictResult
from core.errors import InvalidPath, InvalidRequest
from core.expectations.claims import (
    Claim,
    Clause,
    Join,
    Limits,
    NotUnderstood,
    Outcome,
    Verb,
    agreed,
    all_of,
    any_of,
    unclear,
    verdict,
)
from core.expectations.grammar import Parsed, parse
from core.expectations.happenings import judge_change, judge_going, judge_staying, judge_typing
from core.expectations.match_context import MatchContext, evidence_of, short
from core.expectations.matching import Closeness, Wanted, canonical
from core.expectations.presence import judge_presence
from core.expectations.screen import Screen
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from core.analysis import Findings, Verdict, Video
    from core.expectations.screen import Seen


MOST_EXPECTATIONS = 100
LONGEST_EXPECTATION = 2000
SIDECAR_BYTES = 1 << 20


def check_expectations(expectations: Iterable[Any]) -> tuple[str, ...]:
    """The expectations, stripped.

    Raises:
        InvalidRequest: more than 100, an empty one, one that is no text, has control characters or more than
            2,000 characters; the message says which.

    """
    given = (expectations,) if isinstance(expectations, str) else tuple(expectations)
    if len(given) > MOST_EXPECTATIONS:
        raise InvalidRequest(
            f"At most {MOST_EXPECTATIONS} expectations can be judged at once, {len(given)} were given."
        )
    return tuple(_checked(expectation, f"Expectation {number}") for number, expectation in enumerate(given, 1))


def _checked(expectation: object, where: str) -> str:
    if not isinstance(expectation, str):
        raise InvalidRequest(f"{where} must be a text, not {type(expectation).__name__}.")
    if len(expectation) > LONGEST_EXPECTATION:
        raise InvalidRequest(f"{where} has {len(expectation):,} characters; at most {LONGEST_EXPECTATION:,} are read.")
    stripped = expectation.strip()
    if not stripped:
        raise InvalidRequest(f"{where} is empty; write what should be seen, or leave it out.")
    bad = next((sign for sign in stripped if unicodedata.category(sign) in {"Cc", "Cs"}), None)
    if bad is not None:
        raise InvalidRequest(f"{where} contains the control character U+{ord(bad):04X}; write it on one plain line.")
    return stripped


def read_sidecar(video_path: Path) -> tuple[str, ...]:
    """The expectations in ``<video>.expect.txt`` (``clip.mp4.expect.txt``), none when there is no such file.

    One a line; empty lines and lines that begin with ``#`` say nothing. UTF-8, with or without a mark.

    Raises:
        InvalidPath: the file is there but cannot be read, or it is a link that leads out of the video's folder.
        InvalidRequest: it is over 1 MiB, no UTF-8, or a line of it is no expectation; the message says which.

    """
    path = video_path.with_name(f"{video_path.name}.expect.txt")
    try:
        if not path.is_file():
            return ()
        # Else a video from elsewhere could bring along a link to any file of this user, and have it sent to a provider.
        if not path.resolve().is_relative_to(path.parent.resolve()):
            raise InvalidPath(f"{path} is a link that leads out of its folder; put the expectations themselves there.")
        with path.open("rb") as file:
            content = file.read(SIDECAR_BYTES + 1)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return ()  # the video's name leaves no room for a sidecar's, so there cannot be one
        raise InvalidPath(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > SIDECAR_BYTES:
        raise InvalidRequest(f"{path} is larger than {SIDECAR_BYTES:,} bytes; that is no list of expectations.")
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidRequest(f"{path}, line {line}: this is no UTF-8; save the file as UTF-8.") from None
    asked = [
        (number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")
    ]
    if len(asked) > MOST_EXPECTATIONS:
        raise InvalidRequest(
            f"{path} has {len(asked)} expectations; at most {MOST_EXPECTATIONS} can be judged at once."
        )
    return tuple(_checked(line, f"{path}, line {number}: the expectation") for number, line in asked)


_WINDOW = frozenset({"within_ms", "after", "before"})
_KNOWN_LIMITS = {
    Verb.APPEARS: _WINDOW | {"at", "count", "lasting", "always"},
    Verb.VISIBLE: _WINDOW | {"at", "count", "lasting", "always"},
    Verb.SHOWN: _WINDOW | {"at", "count", "lasting", "always"},
    Verb.GONE: _WINDOW | {"at", "within_of"},
    Verb.AWAY: _WINDOW | {"at", "within_of"},
    Verb.STAYS: frozenset({"lasting", "until", "always", "at"}),
    Verb.TYPED: _WINDOW,
    Verb.CHANGES: _WINDOW,
}
_ALONE = frozenset({"at", "always", "until"})
"""Limits that no other one can stand beside."""

_SAID = {
    "within_ms": "within",
    "within_of": "since it appeared",
    "at": "at that moment",
    "count": "a number of times",
    "lasting": "for a time",
}


def judge_all(expectations: Sequence[str], findings: Findings, video: Video) -> tuple[Verdict, ...]:
    """One verdict per expectation, in order. ``findings.sightings`` must not be ``None``."""
    clip = _Clip.of(findings, video)
    return tuple(_judge(expectation, clip) for expectation in expectations)


def judge(expectation: str, findings: Findings, video: Video) -> Verdict:
    """The verdict on one expectation; see ``judge_all``."""
    return _judge(expectation, _Clip.of(findings, video))


@dataclass(frozen=True)
class _Clip:
    """What was read in a clip: as far as it shows the program, and with the blank end of its recording."""

    program: Screen
    whole: Screen

    @classmethod
    def of(cls, findings: Findings, video: Video) -> _Clip:
        whole = Screen(findings, video.duration_ms, video.fps)
        end = findings.closing_ms
        if end is None:
            return cls(whole, whole)
        sightings = tuple(
            seen if seen.until_ms is None or seen.until_ms < end else seen.model_copy(update={"until_ms": None})
            for seen in findings.sightings or ()
            if seen.t_ms < end
        )
        return cls(Screen(findings.model_copy(update={"sightings": sightings}), end, video.fps), whole)


def _judge(expectation: str, clip: _Clip) -> Verdict:
    try:
        parsed = _parsed(expectation)
    except NotUnderstood as reason:
        return verdict(expectation, unclear(f"not understood: {reason}"))
    outcome = _in_clip(parsed.readings, clip)
    if parsed.kinds:
        kinds = ", ".join(dict.fromkeys(parsed.kinds))
        outcome = Outcome(
            outcome.result, f"{outcome.reason} (only the text was looked for, not the {kinds})", outcome.evidence
        )
    return verdict(expectation, outcome)


def _in_clip(readings: Sequence[Claim], clip: _Clip) -> Outcome:
    """The outcome as far as the clip shows the program; what went only with the recording's end may have stayed."""
    outcome = in_all_contexts(readings, clip.program, _clause, _describe_seen)
    end = clip.whole.findings.closing_ms
    if end is None or outcome.result is not VerdictResult.FAIL or not _is_going(readings):
        return outcome
    if in_all_contexts(readings, clip.whole, _clause, _describe_seen).result is not VerdictResult.PASS:
        return outcome
    reason = (
        f"{outcome.reason}: only the end of the recording itself, a blank screen from {clock(end)} on, took it away"
    )
    return unclear(reason, *outcome.evidence)


def _is_going(readings: Sequence[Claim]) -> bool:
    """Whether anything is said to disappear."""
    return any(clause.verb.is_going and not clause.negated for claim in readings for clause in claim.clauses)


def _describe_seen(seen: Seen) -> str:
    return f"at {clock(seen.t_ms)}"


def _parsed(expectation: str) -> Parsed:
    if len(expectation) > LONGEST_EXPECTATION:
        raise NotUnderstood("it is too long to be read")
    parsed = parse(expectation)
    _check_limits(parsed)
    return parsed


def _check_limits(parsed: Parsed) -> None:
    for clause in (clause for reading in parsed.readings[:1] for clause in reading.clauses):
        named = clause.limits.named()
        unknown = named - _KNOWN_LIMITS[clause.verb]
        if clause.limits.within_of is not None and clause.limits.within_of.value == "at the start":
            unknown -= {"within_of"}
        if clause.negated:
            unknown |= named & {"lasting", "always", "until"}
        if (named & _ALONE and len(named) > 1) or ({"count", "lasting"} <= named):
            unknown |= named
        if unknown:
            said = " and ".join(f'"{_SAID.get(name, name)}"' for name in sorted(unknown))
            negation = "not " if clause.negated else ""
            raise NotUnderstood(f'there is no rule for {said} together with "{negation}{clause.verb.value}"')


def in_all_contexts(
    readings: Sequence[Claim],
    screen: Screen,
    rule: Callable[[MatchContext, Clause], Outcome],
    reported: Callable[[Seen], str],
) -> Outcome:
    """The outcome without doubtful sightings, if it is the same with them, and the same in all readings.

    Args:
        readings: the ways in which the sentence can be read.
        screen: what was read.
        rule: judges one clause.
        reported: says when or where something was seen.

    """
    wanted = _wanted(readings)
    sure = _outcome(readings, MatchContext(screen, wanted, Closeness.TOLERANT), rule)
    doubts = [
        (text, seen) for text in wanted for seen in screen.found(wanted[text]) if seen.closeness is Closeness.NEAR
    ]
    if not doubts:
        return _if_all_was_read(sure, readings, screen, wanted, rule)
    near = MatchContext(screen, wanted, Closeness.NEAR)
    text, seen = min(doubts, key=lambda doubt: doubt[1].t_ms)
    appearance = screen.appearances([seen])[0]
    reason = _doubt(text, seen, reported(seen))
    agreement = agreed([sure, _outcome(readings, near, rule)], reason)
    return agreement if agreement is sure else Outcome(agreement.result, reason, (evidence_of(appearance),))


def _if_all_was_read(
    sure: Outcome,
    readings: Sequence[Claim],
    screen: Screen,
    wanted: dict[str, Wanted],
    rule: Callable[[MatchContext, Clause], Outcome],
) -> Outcome:
    """The outcome, unless it would be another if what was never read had stood where nothing came to rest."""
    if sure.result is VerdictResult.UNCLEAR:
        return sure
    absent = {text: screen.supposed(text) for text in wanted if not screen.found(wanted[text])}
    for text, supposed in absent.items():
        hidden = MatchContext(screen, wanted, Closeness.TOLERANT, {text: supposed})
        if _outcome(readings, hidden, rule).result is not sure.result:
            since, until = min(one.t_ms for one in supposed), max(one.until_ms or one.t_ms for one in supposed)
            reason = f"{sure.reason}; but between {clock(since)} and {clock(until)} not all was read"
            return unclear(reason, *sure.evidence)
    return sure


def _doubt(text: str, seen: Seen, sentence: str) -> str:
    seen_there = f'"{short(seen.quote)}" was seen {sentence}'
    if canonical(text).casefold() == canonical(seen.quote).casefold():
        return f"{seen_there}, but could not be read surely enough"
    return f'{seen_there}: near "{short(text)}", but not surely the same'


def _outcome(
    readings: Sequence[Claim], context: MatchContext, rule: Callable[[MatchContext, Clause], Outcome]
) -> Outcome:
    outcomes = [_claim(context, reading, rule) for reading in readings]
    return agreed(outcomes, "it can be read in two ways, and they differ here; write one expectation for each part")


def _claim(context: MatchContext, claim: Claim, rule: Callable[[MatchContext, Clause], Outcome]) -> Outcome:
    combine = any_of if claim.join is Join.OR else all_of
    return combine([rule(context, clause) for clause in claim.clauses])


def _clause(context: MatchContext, clause: Clause) -> Outcome:
    if clause.verb is Verb.CHANGES:
        return judge_change(context, clause)
    rule = {Verb.GONE: judge_going, Verb.AWAY: judge_going, Verb.STAYS: judge_staying, Verb.TYPED: judge_typing}.get(
        clause.verb, judge_presence
    )
    return of_texts(clause, [rule(context, clause, text) for text in clause.texts])


def of_texts(clause: Clause, outcomes: Sequence[Outcome]) -> Outcome:
    """What follows for a clause from what became of each of its texts."""
    if clause.join is Join.AND:
        return all_of(outcomes)
    if not clause.negated:
        return any_of(outcomes)
    return agreed([all_of(outcomes), any_of(outcomes)], '"or" together with "not" can be read in two ways')


def _wanted(readings: Sequence[Claim]) -> dict[str, Wanted]:
    texts = set(_texts(readings))
    folded = [text.casefold() for text in texts]
    return {text: Wanted(text, case_matters=folded.count(text.casefold()) > 1) for text in sorted(texts)}


def _texts(readings: Sequence[Claim]) -> Iterator[str]:
    for reading in readings:
        for clause in reading.clauses:
            yield from clause.texts
            yield from _anchors(clause.limits)


def _anchors(limits: Limits) -> Iterator[str]:
    for anchor in (limits.after, limits.before, limits.until):
        if anchor is not None and not isinstance(anchor, int):
            yield anchor.text
