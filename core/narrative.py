"""Formats a timeline as text: for the answer, for ``timeline.md``, and within a limit of tokens."""

import bisect
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from core.analysis import (
    Action,
    ActionKind,
    Analysis,
    Chapter,
    Event,
    EventKind,
    Evidence,
    Findings,
    FindingsSoFar,
    Verdict,
    Video,
)
from core.text import one_line
from core.traces import PASSIVE, TestResult, TestTrace, TraceAction, Why, answered, placed

FIRST_LINES = 8
"""Lines of the first screen that are listed; the rest are counted."""

TOKEN_CHARACTERS = 4
"""Characters of English a token, the usual estimate."""

LASTING_MS = 2000
"""What stood for less is one event with its end; what stood so long has a second one, `vanished`."""

_AT_ONCE_MS = 50

_STATES_ITS_END = re.compile(r"\b(vanished|disappeared|gone|later|until|lasted|for [\d.]+ m?s)\b")
_ENDS = {EventKind.APPEARED: "and vanished {} later", EventKind.CHANGED: "and vanished {} later"}
_SAY_THEMSELVES = {ActionKind.TYPE, ActionKind.SCROLL, ActionKind.DISMISS}
"""Their events say as much: what was typed, how far it scrolled, for how long a menu stood there."""
_LEAST_TOKENS = 600
_TOKENS_A_SECOND = 20
"""What is read of a long clip grows with it."""
_EFFECTS = 3
"""Effects that stand beside an action; the rest are counted."""
_VALUES = {EventKind.NAVIGATED: 4, EventKind.SCROLLED: 1, EventKind.BUSY: 1, EventKind.VANISHED: 2}
_COUNTED = 0.5
_TITLES = 6
"""Tests of one kind that are named; the rest are counted."""
_OFTEN = 3
_MUCH = 100
"""So many letters are worth as much as another kind of event: a dialog says more than a word that changed."""
_NUMBER = re.compile(r"\d+")
_MARKUP = re.compile(r"([\\`*_{}\[\]()#|!~$^])")


def clock(t_ms: int) -> str:
    """``mm:ss.s``, cut off, never rounded up to a moment that is yet to come."""
    tenths = max(t_ms, 0) // 100
    return f"{tenths // 600:02d}:{tenths % 600 // 10:02d}.{tenths % 10}"


def narrate(findings: Findings, video: Video, trace: TestTrace | None = None, why: Why | None = None) -> str:
    """The timeline as text: why the test failed, the first screen, then ``[mm:ss.s] sentence`` a line.

    Of a clip in which more happens than one would read, the changes of least value stand in the timeline alone. A clip
    in which nothing happened says so plainly.
    """
    heads = _ended(trace, why) or _titles("Chapters", video.chapters)
    is_blank = findings.runner_column is not None and not findings.first_screen
    screen = "The screen showed a test runner, and no page yet." if is_blank else _first_screen(findings.first_screen)
    first = "\n".join([*heads, f"[{clock(0)}] {screen}"])
    if not findings.timeline and trace is None:
        return f"{first}\n[{clock(0)}] {_nothing(video)}"
    reported = statements(findings.timeline, findings.actions, trace)
    lines = [f"[{clock(statement.t_ms)}] {statement.sentence}" for statement in reported]
    room = max(_LEAST_TOKENS, _TOKENS_A_SECOND * video.duration_ms // 1000) * TOKEN_CHARACTERS
    order = _least_valuable_first(reported, findings.timeline, frozenset())

    def without(count: int) -> str:
        dropped = set(order[:count])
        kept = [first, *(line for index, line in enumerate(lines) if index not in dropped)]
        if count:
            kept.append(f"({count} smaller change{'s' if count > 1 else ''} left out; the timeline has all of them)")
        return "\n".join(kept)

    return without(_fewest(len(lines), lambda count: len(without(count)) <= room))


def _ended(trace: TestTrace | None, why: Why | None) -> list[str]:
    """Why the test failed, and the tests that the video names, those that failed first."""
    lines = [f"Why the test failed: {why.text}"] if why is not None else []
    tests = trace.tests if trace is not None else ()
    for ended in ("failed", "passed"):
        lines += _titles(f"Tests that {ended}", [one for one in tests if one.ended == ended])
    return [*lines, *_titles("Tests whose end was not seen", [one for one in tests if one.ended is None])]


def _titles(kind: str, tests: Sequence[TestResult | Chapter]) -> list[str]:
    """One line with the titles of some tests and when each was seen to be over, or of chapters and when each begins."""
    times = [one.until_ms if isinstance(one, TestResult) else one.t_ms for one in tests]
    named = [
        f'"{one_line(one.title)}"{"" if t_ms is None else f" ({clock(t_ms)})"}'
        for one, t_ms in zip(tests, times, strict=True)
    ]
    left = len(named) - _TITLES
    more = "" if left <= 0 else f" and {left} more"
    return [f"{kind}: {', '.join(named[:_TITLES])}{more}."] if named else []


def _fewest(most: int, is_short: Callable[[int], bool]) -> int:
    """How few of ``most`` lines have to go until what is left is short."""
    return bisect.bisect_left(range(most), True, key=is_short)  # noqa: FBT003 - "is it short" is what is searched


def narrate_so_far(found: FindingsSoFar, most: int) -> str:
    """The same of a video that is still being watched: at most so many events, the newest."""
    lines = [f"[{clock(0)}] {_first_screen(found.first_screen)}"]
    left = len(found.timeline) - most
    lines += [f"({left} earlier events are left out)"] if left > 0 else []
    lines += [f"[{clock(event.t_ms)}] {_cut(sentence_of(event), 200)}" for event in found.timeline[-most:]]
    return "\n".join([*lines, f"[{clock(found.done)}] So far of {clock(found.total)}."])


@dataclass(frozen=True, slots=True)
class Statement:
    """One line of the description: an action with its effects, or an event without a known cause."""

    t_ms: int
    sentence: str
    events: tuple[int, ...]
    """Indices in the timeline."""
    is_act: bool = False
    """Whether it is what a test did, by its record; it has room before what only came of something."""


def statements(timeline: Sequence[Event], actions: Sequence[Action], trace: TestTrace | None = None) -> list[Statement]:
    """What is said of a clip, in order of time; the actions of a test are those that its own record tells."""
    if trace is not None and trace.actions:
        return _by_trace(timeline, trace)
    found = [
        Statement(event.t_ms, sentence_of(event), (index,))
        for index, event in enumerate(timeline)
        if event.cause is None
    ]
    for number, action in enumerate(actions):
        effects = tuple(index for index, event in enumerate(timeline) if event.cause == number)
        if not effects and action.kind in _SAY_THEMSELVES:
            continue
        found.append(Statement(action.t_ms, _done(action, [timeline[index] for index in effects]), effects))
    return sorted(found, key=lambda statement: statement.t_ms)


def _by_trace(timeline: Sequence[Event], trace: TestTrace) -> list[Statement]:
    effects = {at for action in trace.actions for at in action.events}
    found = [Statement(event.t_ms, sentence_of(event), (at,)) for at, event in enumerate(timeline) if at not in effects]
    for action in trace.actions:
        if action.method not in PASSIVE or action.error:
            done = f"Test: {placed(action)}{', which failed' if action.error else ''}."
            followed = [event for at in action.events if not _says_value(action, event := timeline[at])]
            found.append(Statement(action.t_ms, _followed(done, followed), action.events, is_act=True))
    found += [Statement(each.t_ms, f"Request: {answered(each)}.", ()) for each in trace.requests]
    found += [
        Statement(each.t_ms, f"The page threw: {one_line(each.text)}", ())
        for each in trace.messages
        if each.kind == "pageerror"
    ]
    return sorted(found, key=lambda statement: statement.t_ms)


def _says_value(action: TraceAction, event: Event) -> bool:
    """Whether an action says what it typed, which an event shows."""
    is_typed = event.kind is EventKind.TYPED and action.method == "fill" and '"' in action.title
    return is_typed or f'"{event.text}"' in action.title


def _done(action: Action, effects: Sequence[Event]) -> str:
    if action.kind in _SAY_THEMSELVES:
        return "; ".join(sentence_of(event).rstrip(".") for event in effects) + "."
    return _followed(action.description, effects)


def _followed(done: str, effects: Sequence[Event]) -> str:
    followed = [sentence_of(event).rstrip(".") for event in effects[:_EFFECTS]]
    if left := len(effects) - len(followed):
        followed.append(f"{left} more changes" if left > 1 else "one more change")
    return f"{one_line(done).rstrip('.')} → {'; '.join(followed)}." if followed else done


def _first_screen(lines: Sequence[str]) -> str:
    if not lines:
        return "The screen showed no text that could be read."
    quoted = ", ".join(f'"{one_line(line)}"' for line in lines[:FIRST_LINES])
    left = len(lines) - FIRST_LINES
    more = "" if left <= 0 else f" and {left} more line{'s' if left > 1 else ''}"
    return f"The screen showed {quoted}{more}."


def _nothing(video: Video) -> str:
    return f"Nothing changed on the screen in the {video.duration_ms / 1000:g} s of this clip."


def sentence_of(event: Event) -> str:
    """The event's description on one line, with how long it lasted where it does not say so itself."""
    sentence = one_line(event.description)
    if event.until_ms is None or _STATES_ITS_END.search(re.sub(r'"[^"]*"', "", sentence)):
        return sentence
    lasted_ms = event.until_ms - event.t_ms
    if lasted_ms >= LASTING_MS if event.kind in _ENDS else lasted_ms < _AT_ONCE_MS:
        return sentence
    lasted = f"{max(lasted_ms, 0) / 1000:.1f} s"
    return f"{sentence.rstrip('.')}, {_ENDS.get(event.kind, 'which took {}').format(lasted)}."


def timeline_markdown(analysis: Analysis) -> str:
    """``timeline.md``: the clip, the verdicts, and the timeline with links to its pictures.

    Links are relative to the interaction folder. What was on screen or asked for is escaped: it cannot become
    markup, HTML, a link or a table's cell.
    """
    video = analysis.video
    name = re.split(r"[/\\]", video.path)[-1]
    rate = f", {video.fps:g} frames a second" if video.fps else ""
    reason = analysis.provider_reason.rstrip(".")
    lines = [
        f"# {plain(name)}",
        "",
        f"{video.duration_ms / 1000:g} s, {video.width} × {video.height} pixels{rate}, {plain(video.codec)}.",  # noqa: RUF001 - a multiplication sign
        f"Watched by {plain(analysis.provider)} ({plain(analysis.model)}): {plain(reason)}.",
        *_why_table(analysis.why),
        *_verdict_table(analysis.verdicts),
        "",
        "## What happened",
        "",
        f"- **{clock(0)}** {plain(_first_screen(analysis.first_screen))}",
        *(
            f"- **{clock(statement.t_ms)}** {plain(statement.sentence)}{_picture(_frame_of(statement, analysis))}"
            for statement in statements(analysis.timeline, analysis.actions, analysis.trace)
        ),
        *([] if analysis.timeline else [f"- {_nothing(video)}"]),
    ]
    if analysis.warnings:
        lines += ["", "## Warnings", "", *(f"- {plain(warning)}" for warning in analysis.warnings)]
    return "\n".join(lines) + "\n"


def _frame_of(statement: Statement, analysis: Analysis) -> str | None:
    return next((frame for index in statement.events if (frame := analysis.timeline[index].frame)), None)


def _why_table(why: Why | None) -> list[str]:
    if why is None:
        return []
    rows = (
        f"| {'–' if each.t_ms is None else clock(each.t_ms)}{_picture(each.frame)} | {plain(each.text)} | "  # noqa: RUF001 - a dash for an empty cell
        f"{plain(each.source)} |"
        for each in why.clauses
    )
    return ["", "## Why the test failed", "", "| when | what | who says so |", "|---|---|---|", *rows]


def _verdict_table(verdicts: Sequence[Verdict]) -> list[str]:
    if not verdicts:
        return []
    rows = (
        f"| **{each.verdict.value}** | {plain(each.expectation)} | {plain(each.reason)} | "
        f"{', '.join(map(_seen, each.evidence)) or '–'} |"  # noqa: RUF001 - a dash for an empty cell
        for each in verdicts
    )
    return ["", "## What was expected", "", "| verdict | expectation | reason | seen at |", "|---|---|---|---|", *rows]


def _seen(evidence: Evidence) -> str:
    return f"{clock(evidence.t_ms)}{_picture(evidence.frame)}"


def _picture(frame: str | None) -> str:
    if frame is None or frame.startswith("/") or ".." in frame.split("/"):
        return ""
    return f" ([picture]({quote(frame, safe='/')}))"


def plain(text: str) -> str:
    """The text on one line, as Markdown that shows it and nothing else."""
    escaped = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = _MARKUP.sub(r"\\\1", escaped)
    # Readers make links of bare addresses; an entity in their middle shows the same and links nowhere.
    return escaped.replace("://", "&#58;//").replace("@", "&#64;").replace("www.", "www&#46;")


def within_tokens(analysis: Analysis, max_tokens: int) -> str:
    """The answer as text of at most ``max_tokens`` (estimated at 4 characters each).

    Verdicts stay the longest. Events of little value go first, those in the middle of the clip before others; the
    last line says how many are missing and where the whole answer is.
    """
    room = max(max_tokens, 1) * TOKEN_CHARACTERS
    verdicts = [_verdict_line(each, 400) for each in analysis.verdicts]
    lines = analysis.description.splitlines()
    if len(whole := "\n".join([*verdicts, *lines])) <= room:
        return whole
    reason = [_cut(line, max(room // 3, 40)) for line in _ended(analysis.trace, analysis.why)]
    verdicts = [*reason, *(_verdict_line(each, 120) for each in analysis.verdicts)]
    first = [_cut(f"[{clock(0)}] {_first_screen(analysis.first_screen)}", max(room // 4, 40))]
    reported = statements(analysis.timeline, analysis.actions, analysis.trace)
    events = [f"[{clock(statement.t_ms)}] {_cut(statement.sentence, 200)}" for statement in reported]
    proof = frozenset(each.t_ms for verdict in analysis.verdicts for each in verdict.evidence)
    order = _least_valuable_first(reported, analysis.timeline, proof)

    def without(count: int) -> str:
        dropped = set(order[:count])
        return _digest(verdicts, first, [None if at in dropped else event for at, event in enumerate(events)], analysis)

    count = _fewest(len(events) + 1, lambda count: len(without(count)) <= room)
    if count <= len(events):
        return without(count)
    return _cut(
        "\n".join([*(_verdict_line(each, 0) for each in analysis.verdicts), _where(len(events), analysis)]), room
    )


def _digest(verdicts: list[str], first: list[str], events: list[str | None], analysis: Analysis) -> str:
    reported: list[str] = []
    for event in events:
        line = event or "…"
        if not (line == "…" and reported[-1:] == ["…"]):
            reported.append(line)
    missing = events.count(None)
    return "\n".join([*verdicts, *first, *reported, _where(missing, analysis)])


def _where(missing: int, analysis: Analysis) -> str:
    left_out = f"{missing} event{'' if missing == 1 else 's'} left out" if missing else "Shortened"
    return f"({left_out}; the whole answer: {analysis.interactions_dir}/timeline.md)"


def _verdict_line(verdict: Verdict, reason: int) -> str:
    head = f"{verdict.verdict.value.upper()}: {_cut(one_line(verdict.expectation), max(reason, 60))}"
    return f"{head} - {_cut(one_line(verdict.reason), reason)}" if reason else head


def _least_valuable_first(reported: Sequence[Statement], timeline: Sequence[Event], proof: frozenset[int]) -> list[int]:
    middle = (len(reported) - 1) / 2
    counts: Counter[str] = Counter(said for event in timeline if (said := _count(event)))

    def value_of(event: Event) -> float:
        # Of a number that goes on and on at one place, as where the caret of an editor is, little is to be known.
        often = counts[_count(event)] >= _OFTEN
        return (_COUNTED if often else _VALUES.get(event.kind, 3)) * event.confidence

    def worth(index: int) -> tuple[float, float]:
        events = [timeline[each] for each in reported[index].events]
        value = max(map(value_of, events), default=3.0)
        value += sum(len(event.text or "") for event in events) / _MUCH
        value += 2 if len(events) > 1 else 0
        value += 2 if reported[index].is_act else 0
        value += 10 if proof.intersection(event.t_ms for event in events) else 0
        return (value + (5 if min(index, len(reported) - 1 - index) < 2 else 0), abs(index - middle))  # noqa: PLR2004 - the two outermost

    return sorted(range(len(reported)), key=worth)


def _count(event: Event) -> str:
    """What changed in nothing but its numbers, without these; empty for anything else."""
    before, after = (_NUMBER.sub("#", text or "") for text in (event.before, event.text))
    return after if event.kind is EventKind.CHANGED and before == after else ""


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: max(length - 1, 0)]}…"[:length]
