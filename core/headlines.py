"""How a job ended, in one line, and the moment that shows it: the same words in lists, pages, reports and notices."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast

from core.narrative import clock
from core.plans.phrasing import without_asides
from core.text import one_line
from core.values import Value

Mood = Literal["good", "warn", "bad", "muted"]

_LONGEST: Final = 300
_MOODS: Final[Mapping[str, Mood]] = {
    "succeeded": "good",
    "unclear": "warn",
    "asked": "warn",
    "failed": "bad",
    "refused": "bad",
}
_STOPPED: Final = {
    "failed": "Stopped",
    "refused": "Refused",
    "asked": "Asks",
    "unclear": "Unclear",
    "cancelled": "Cancelled",
    "taken_over": "Taken over",
}
_ORDER: Final = {"fail": 0, "unclear": 1, "pass": 2}
"""The verdict that matters most comes first."""


class Headline(Value):
    """One line about an end."""

    mood: Mood
    label: str
    """A few words for lists: ``2 of 3 as expected``, ``failed``, ``taken over``."""
    text: str
    """One sentence: data, never an instruction."""
    t_ms: int | None = None
    """Of an analysis: the moment of the clip that shows it."""
    frame: str = ""
    """Of an analysis: the picture of that moment."""
    at_end: bool = False
    """Whether the moment is the clip's last event, because what was expected was never seen."""


def outcome_words(outcome: str) -> str:
    """The outcome of a run or of another job, as people read it: the same words wherever one is shown."""
    return outcome.replace("_", " ")


def why(line: Headline) -> str:
    """The line where its label stands beside it."""
    return line.text.removeprefix(f"{line.label[:1].upper()}{line.label[1:]}: ")


def headline(
    kind: str, outcome: str, result: Mapping[str, Any] | None, error: Mapping[str, Any] | None = None
) -> Headline | None:
    """Of a job of this kind that ended so; ``None`` for one that has not.

    Args:
        kind: of the job.
        outcome: see ``core.jobs.outcome_of``.
        result: an analysis, a run or a lesson, as JSON; ``None`` without one.
        error: in the one shape of errors, when there is no result.

    """
    if not outcome:
        return None
    if result is None:
        text = _text(error or {}, "error") or outcome_words(outcome).capitalize() + "."
        return Headline(mood=_mood(outcome), label=outcome_words(outcome), text=_short(text))
    kinds = {"analysis": of_analysis, "comparison": of_comparison, "replay": of_run, "learning": _of_lesson}
    if kind in kinds:
        return kinds[kind](result)
    text = _text(result, "reason") or _text(result, "label") or outcome_words(outcome).capitalize()
    return Headline(mood=_mood(outcome), label=outcome_words(outcome), text=_short(text))


def of_analysis(result: Mapping[str, Any]) -> Headline:
    """Of an analysis as JSON: the worst verdict decides, and its first evidence is the moment."""
    verdicts = sorted(_objects(result, "verdicts"), key=lambda each: _ORDER.get(_text(each, "verdict"), len(_ORDER)))
    timeline = _objects(result, "timeline")
    reason = _object(result.get("why"))
    if not verdicts and reason:
        return Headline(
            mood="bad",
            label="test failed",
            text=_short(f"Test failed: {_text(reason, 'text')}"),
            t_ms=_number(reason, "t_ms"),
            frame=_text(reason, "frame"),
        )
    if not verdicts:
        length = clock(_number(_object(result.get("video")), "duration_ms"))
        events = f"{len(timeline)} event{'' if len(timeline) == 1 else 's'}"
        return Headline(mood="muted", label="watched", text=f"{events} in {length}; no expectation was given.")
    counted = Counter(_text(each, "verdict") for each in verdicts)
    label, decisive = _as_expected(counted), _decisive(verdicts)
    reason = _text(decisive, "reason")
    if _text(decisive, "verdict") == "unclear":
        reason = f"{_text(decisive, 'expectation')}: {reason}"
    seen = next(iter(_objects(decisive, "evidence")), None)
    place: Mapping[str, Any] = seen or (timeline[-1] if timeline else {})
    return Headline(
        mood="bad" if counted["fail"] else "warn" if counted["unclear"] else "good",
        label=label,
        text=_short(f"{label[0].upper()}{label[1:]}: {reason}"),
        t_ms=_number(place, "t_ms") if place else None,
        frame=_text(place, "frame"),
        at_end=seen is None,
    )


def of_comparison(result: Mapping[str, Any]) -> Headline:
    """Of a comparison as JSON: its first difference; a run that was compared with itself is no success."""
    found, videos = _objects(result, "differences"), _objects(result, "videos")
    if not found and len({_text(video, "path") for video in videos}) == 1:
        text = "Both are the same file, which tells nothing: compare it with another run."
        return Headline(mood="warn", label="one file", text=text)
    if not found:
        lengths = " and ".join(dict.fromkeys(clock(_number(video, "duration_ms")) for video in videos))
        return Headline(
            mood="good", label="the same", text=f"The same: {lengths} of video." if lengths else "The same."
        )
    label = f"{len(found)} difference{'' if len(found) == 1 else 's'}"
    return Headline(mood="bad", label=label, text=_short(f"{label}: {_text(found[0], 'description')}"))


def of_run(run: Mapping[str, Any]) -> Headline:
    """Of a run as JSON; what its reason says in parentheses is left out."""
    outcome, total = _text(run, "outcome"), _number(run, "subtask_total")
    reason = without_asides(_text(run, "reason"))[0]
    at = run.get("stopped_at")
    if outcome == "succeeded":
        by = confirmed_words(_text(run, "confirmed_by"))
        text = f"{f'All {total} steps done' if total > 1 else 'Done'}{by and f', {by}'}: {_proof(run)}"
    elif isinstance(at, int):
        # The reason names the part as well, for where it stands alone.
        why = reason.removeprefix(f"Subtask {at + 1}").lstrip(": ")
        text = _stopped(_STOPPED.get(outcome, "Stopped"), at, total, why)
    else:
        text = reason or outcome_words(outcome).capitalize()
    return Headline(mood=_mood(outcome), label=outcome_words(outcome), text=_short(text))


def _stopped(how: str, at: int, total: int, why: str) -> str:
    """Where a run stopped, and why; of a plan in one part the reason itself names the step."""
    if total > 1:
        return f"{how} at step {at + 1} of {total}: {why}"
    return f"{how} at {why[:1].lower()}{why[1:]}" if why.startswith("Step ") else f"{how}: {why}"


def _of_lesson(learned: Mapping[str, Any]) -> Headline:
    asked = sum(_text(each, "state") == "open" for each in _objects(learned, "questions"))
    label = "learned" if learned.get("created") else "merged"
    asks = f", which asks {asked} question{'' if asked == 1 else 's'}" if asked else ""
    return Headline(
        mood="warn" if asked else "good",
        label=label,
        text=_short(f"{label.capitalize()}: {_text(learned, 'title')}{asks}."),
    )


def confirmed_words(by: str) -> str:
    """What confirmed a success: ``effect`` or ``screen``; empty for nothing."""
    return {"effect": "checked by its effect", "screen": "seen on the screen only"}.get(by, "")


def _as_expected(counted: Mapping[str, int]) -> str:
    total, passed, unclear = sum(counted.values()), counted.get("pass", 0), counted.get("unclear", 0)
    if total == 1:
        return "as expected" if passed else "unclear" if unclear else "not as expected"
    return f"{passed} of {total} as expected" + (f", {unclear} unclear" if unclear else "")


def _decisive(verdicts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of the worst ones the first that can be seen; of those that passed the one that was seen last."""
    worst = [each for each in verdicts if each.get("verdict") == verdicts[0].get("verdict")]
    seen = [each for each in worst if _objects(each, "evidence")]
    if _text(worst[0], "verdict") == "pass" and seen:
        return max(seen, key=lambda each: _number(_objects(each, "evidence")[0], "t_ms"))
    return next(iter(seen), worst[0])


def _proof(run: Mapping[str, Any]) -> str:
    checks = [*_objects(run, "effects"), _object(run.get("success_check"))]
    return next((text for each in checks if (text := _text(each, "expected"))), _text(run, "task_name"))


def _mood(outcome: str) -> Mood:
    return _MOODS.get(outcome, "muted")


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name)
    return int(value) if isinstance(value, int | float) else 0


def _object(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(values: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    found = values.get(name)
    return [_object(each) for each in cast("Sequence[Any]", found)] if isinstance(found, list | tuple) else []
