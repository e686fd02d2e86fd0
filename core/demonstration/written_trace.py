"""The record of a test that its runner wrote into the film itself: its commands, and with what it failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz

from core.analysis import EventKind
from core.demonstration.command_rows import CLICKS, FINDS
from core.demonstration.runner_tests import runner_tests
from core.demonstration.screen_texts import ScreenTexts, same_row
from core.demonstration.test_commands import command_log
from core.page_addresses import shown_address
from core.text import RUNNER_VIEWPORT
from core.traces import SourceLine, TestTrace, TraceAction

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from core.analysis import Event, Findings, Video
    from core.demonstration.command_rows import Row
    from core.demonstration.screen_texts import Seen
    from core.demonstration.test_commands import Command, CommandLog
    from core.traces import TestResult

_ERROR: Final = re.compile(r"(?:\S )?\W*(?P<kind>[A-Z]\w*Error)\W*")
_SOURCE: Final = re.compile(
    r"(?:\S )?\W*(?P<file>[\w@./\\,:\u00b7-]+[.,\u00b7-] ?[cm]?[jt]sx?) ?[:;.,] ?(?P<line>\d+)[:;.,] ?\d+\W*"
)
_FILE: Final = re.compile(r"(?:\S )?\W*[\w@./\\,:\u00b7-]+[.,\u00b7-] ?[cm]?[jt]sx? ?[:;.,]")
"""The same where its line and column stand below it."""
_DOT: Final = re.compile(r"[,:\u00b7]|-(?=[cm]?[jt]sx?$)| ")
_ENDS: Final = re.compile(
    r"\W*(?:Because this error|View stack trace|Print to console|Learn more|[\w ]*code frame)\b.*"
)
_OWN: Final = re.compile(
    rf"{RUNNER_VIEWPORT}|(?:Electron|Chrome|Firefox) \d+|\d+%|Specs|Your tests are loading.*|"
    r"(?:This is the )?default blank page\.?|This page was cleared by navigating to about:blank\.?|"
    r"All active session data \(.*|\(?cy\)?|To test your web application:?|"
    r"(?:\d\. ?)?(?:Start your app.?s server|\w?[ce]y\.visit.{,2} your app|Begin writing tests)",
    re.IGNORECASE,
)
"""What the runner writes above a page, and where none is open."""
_QUOTED: Final = re.compile(r'"([^"]*)"')
_COLUMN: Final = 3.5
"""Heights of a line: so far apart begin at most the lines of an error."""
_INDENT: Final = 6
"""The same for one of which the first word is not read yet."""
_SPACED: Final = 4
"""Heights of a line at most from one of its lines to the next."""
_MOST: Final = 8
_BEGINS: Final = ("Timed out", "expected", "cy.")
"""How what fails is mostly said; above it stands the error's name."""
_UNSEEN: Final = "what the runner wrote of it is out of view"
_WAITED: Final = re.compile(r"(?:Timed out )?retrying(?: after)? ?(?P<time>\d+ ?ms)?[:;]? ", re.IGNORECASE)
_LASTED: Final = re.compile(r"after (?P<time>\d+) ?ms")
_LATE_MS: Final = 500
"""So long after the next test began an error is read at the latest."""
_PATIENCE_MS: Final = 10_000
"""So long at most a command waits, as tests mostly are set."""
_READ_MS: Final = 600
_LATEST_MS: Final = 2000
"""What was seen longer after a command is not taken to follow from it."""
_TYPING_MS: Final = 4000
"""So long it may take until what a command types is seen."""
_EARLY_MS: Final = 100
_APART_MS: Final = 400
"""Of commands that were carried out so near each other it is not known what came of which."""
_SUDDEN_MS: Final = 250
"""What a command does to a page takes longer than that."""
_PAIR: Final = 2
_LETTERS: Final = 2
_ALIKE: Final = 85
"""Of 100: so much of a value was read as it was typed."""
_CONTAINS: Final = re.compile(r':contains\("([^"]*)"\)')
_METHODS: Final = {"visit": "goto", "type": "fill", "select": "selectOption"}
_WORDS: Final = {"visit": "open", "select": "choose"}


class _Failure(NamedTuple):
    """What the runner wrote of an error, and when."""

    t_ms: int
    message: str
    source: SourceLine | None


class WrittenTrace(NamedTuple):
    """The record, on the clock of the film that it is written in, and what else was found there."""

    trace: TestTrace
    findings: Findings
    """Those of the page, without the places where the runner writes; the record's actions name its events."""


def written_trace(findings: Findings, video: Video) -> WrittenTrace | None:
    """The record; ``None`` where a film shows no runner, and no commands of a test."""
    texts = ScreenTexts(findings.sightings or ())
    log = command_log(texts, findings.runner_column)
    if findings.runner_column is None and not log.commands:
        return None
    failures = list(_failures(texts, log.right))
    page = _of_page(findings, log)
    done = [
        _action(command, seen)
        for command, seen in zip(log.commands, _followed(log.commands, page.timeline), strict=True)
    ]
    actions = sorted(done, key=lambda action: action.t_ms)
    for failure in failures:
        actions = _with_failure(actions, log.rows, failure)
    first = failures[0] if failures else None
    tests = runner_tests(texts, log.right, video.chapters)
    has_failed = first is not None or any(one.ended == "failed" for one in tests)
    trace = TestTrace(
        path=video.path,
        recorder="cypress",
        clock="own rows",
        actions=tuple(actions),
        ended="failed" if has_failed else None,
        tests=_with_failures(tests, failures),
        error=first.message if first is not None else None,
        error_source=first.source if first is not None else None,
    )
    return WrittenTrace(trace, page)


def _with_failures(tests: Sequence[TestResult], failures: Sequence[_Failure]) -> tuple[TestResult, ...]:
    """The tests of a film with those that its errors are of: an error is written when its test ends, and not before.

    The times of chapters may be seconds early. So an error is of a test only if that is the only one, or if its error
    says for how long was waited, and its chapter fits that.
    """
    found = [*tests]
    for failure in failures:
        waited = _LASTED.search(failure.message)
        latest = failure.t_ms - (int(waited["time"]) if waited else 0)
        ends = [*(one.t_ms + _LATE_MS for one in found[1:]), failure.t_ms]
        running = [at for at, one in enumerate(found) if one.t_ms <= latest and ends[at] >= failure.t_ms]
        is_sure = waited is not None or len(found) == 1
        if is_sure and len(running) == 1 and found[running[0]].ended is None:
            failed = {"ended": "failed", "until_ms": failure.t_ms}
            found[running[0]] = found[running[0]].model_copy(update=failed)
    return tuple(found)


def _of_page(findings: Findings, log: CommandLog) -> Findings:
    """What was found beside the column, without what the runner writes above the page."""
    kept = [at for at, one in enumerate(findings.actions) if log.is_beside(one.region) and not _is_own(one.target)]
    causes = {before: after for after, before in enumerate(kept)}
    timeline = (
        one.model_copy(update={"cause": causes.get(-1 if one.cause is None else one.cause)})
        for one in findings.timeline
        if log.is_beside(one.region) and not _is_of_runner(one)
    )
    sightings = tuple(one for one in findings.sightings or () if log.is_beside(one.region))
    words = {one.text for one in sightings}
    beside = {
        "timeline": tuple(timeline),
        "actions": tuple(findings.actions[at] for at in kept),
        "first_screen": tuple(line for line in findings.first_screen if line in words and not _is_own(line)),
        "sightings": sightings,
        "unread": tuple(one for one in findings.unread if log.is_beside(one.region)),
    }
    return findings.model_copy(update=beside)


def _is_own(text: str | None) -> bool:
    """Whether the runner writes it above the page, or in its place."""
    return text is not None and _OWN.fullmatch(text) is not None


def _is_of_runner(event: Event) -> bool:
    """Whether it shows nothing but what the runner writes above the page, or in its place."""
    # A place without text is named by the text beside it.
    said = event.lines or _QUOTED.findall(event.description)
    is_own = bool(said) and all(map(_is_own, said))
    return is_own and not shown_address(event)


def _followed(commands: Sequence[Command], timeline: Sequence[Event]) -> Iterator[tuple[int, ...]]:
    """Of each command what was seen after it: what it typed, and else what came while no other was carried out."""
    found: dict[int, list[int]] = {}
    left: set[Command] = set()
    for number, event in enumerate(timeline):
        typed = [at for at, one in enumerate(commands) if _is_typed(one, event)]
        before = [at for at, one in enumerate(commands) if one.t_ms <= event.t_ms + _EARLY_MS]
        near = [one for one in commands if abs(one.t_ms - event.t_ms) <= _APART_MS]
        if typed:
            nearest = min(typed, key=lambda at: abs(commands[at].t_ms - event.t_ms))
            found.setdefault(nearest, []).append(number)
        elif before and _leaves_page(commands[: before[-1] + 1], event, left):
            found.setdefault(before[-2], []).append(number)
            left.add(commands[before[-2]])
        elif before and _is_effect(event, commands[before[-1]], near, left):
            found.setdefault(before[-1], []).append(number)
            left |= {commands[before[-1]]} if event.kind is EventKind.NAVIGATED else set()
    yield from (tuple(found.get(at, ())) for at in range(len(commands)))


def _leaves_page(commands: Sequence[Command], event: Event, left: Container[Command]) -> bool:
    """Whether a page came of the last but one command: what is done next waits for it, and is written as it comes."""
    if event.kind is not EventKind.NAVIGATED or len(commands) < _PAIR:
        return False
    click, after = commands[-2:]
    is_next = after.verb != "visit" and event.t_ms - after.t_ms <= _SUDDEN_MS < event.t_ms - click.t_ms <= _LATEST_MS
    return is_next and after.follows and click.verb in CLICKS and click not in left


def _is_effect(event: Event, command: Command, near: Sequence[Command], left: Container[Command]) -> bool:
    """Whether an event follows from a command: soon, near no other one, and of two pages the first."""
    is_second = event.kind is EventKind.NAVIGATED and command in left
    return event.t_ms - command.t_ms <= _LATEST_MS and not is_second and {*near} <= {command}


def _is_typed(command: Command, event: Event) -> bool:
    """Whether a command's value, or a part of it, came to stand in its field by an event."""
    is_near = -_APART_MS <= event.t_ms - command.t_ms <= _TYPING_MS
    if command.verb != "type" or event.kind not in {EventKind.TYPED, EventKind.CHANGED} or not is_near:
        return False
    if not event.text:
        return event.kind is EventKind.TYPED and command.is_secret
    is_part = _LETTERS <= len(event.text) <= len(command.words) + _LETTERS
    return is_part and fuzz.partial_ratio(event.text, command.words) >= _ALIKE


def _action(command: Command, events: tuple[int, ...]) -> TraceAction:
    return TraceAction(
        t_ms=command.t_ms,
        method=_METHODS.get(command.verb, command.verb),
        title=_title(command),
        selector=command.selector or None,
        events=events,
    )


def _title(command: Command) -> str:
    """What was done to what, as the test says it; a password is left out."""
    verb = _WORDS.get(command.verb, command.verb)
    if command.verb == "visit":
        return f"{verb} {command.words or 'a page'}"
    value = f'"{command.words}"' if command.words else ""
    if command.is_secret:
        value = ""
    target = _CONTAINS.sub(r'"\1"', command.selector)
    link = {"type": "into", "select": "in"}.get(command.verb, "")
    return " ".join(filter(None, (verb, value, *((link, target) if target else ()))))


def _failures(texts: ScreenTexts, right: int) -> Iterator[_Failure]:
    """Each error that the runner wrote below its commands: by its name, or by the line of the test where that left."""
    known: list[str] = []
    for one in texts.came():
        if one.box[0] >= right or not any(kind.fullmatch(one.text) for kind in (_ERROR, _SOURCE, _FILE)):
            continue
        column = _column(one, texts, right)
        failure = _below(one, column) if _ERROR.fullmatch(one.text) else _above(one, column)
        if failure is not None and not any(fuzz.ratio(failure.message, each) >= _ALIKE for each in known):
            known.append(failure.message)
            yield failure


def _column(one: Seen, texts: ScreenTexts, right: int) -> list[Seen]:
    """The lines that begin near one of an error, top to bottom, as they stood when all of them had been read."""
    last_ms = max((each.t_ms for each in texts.came(one.t_ms, one.t_ms + _READ_MS) if each.box[0] < right), default=0)
    there = texts.at(max(one.t_ms, last_ms))
    within = [each for each in there if each.box[0] < right]
    near = [each for each in within if -_COLUMN <= (each.box[0] - one.box[0]) / one.box[3] <= _INDENT]
    firsts = [
        each for each in near if not any(same_row(other.box, each.box) and other.box[0] < each.box[0] for other in near)
    ]
    lines = [_with_rest(each, within) for each in firsts]
    behind = zip(lines, [*lines[1:], None], strict=True)
    return [
        one._replace(text=one.text + more.text) if more and _FILE.fullmatch(one.text) else one for one, more in behind
    ]


def _with_rest(one: Seen, there: Sequence[Seen]) -> Seen:
    """A line with what was read apart from it at its right."""
    rest = [each for each in there if same_row(each.box, one.box) and each.box[0] >= one.box[0] + one.box[2]]
    return one._replace(text=" ".join([one.text, *(each.text for each in sorted(rest, key=lambda each: each.box[0]))]))


def _below(name: Seen, column: Sequence[Seen]) -> _Failure | None:
    message: list[str] = []
    source, last = None, name
    for line in [one for one in column if one.box[1] > name.box[1] + name.box[3] / 2][:_MOST]:
        source = _source(line)
        if source or _ENDS.fullmatch(line.text) or line.box[1] - last.box[1] > _SPACED * line.box[3]:
            break
        message.append(line.text)
        last = line
    named = _ERROR.fullmatch(name.text)
    kind = named["kind"] if named else ""
    return _Failure(name.t_ms, f"{kind}: {_said(message)}", source) if message else None


def _above(line: Seen, column: Sequence[Seen]) -> _Failure | None:
    """The same by the line of the test; ``None`` where the name of the error stands there."""
    source = next((found for each in column if each.box == line.box and (found := _source(each))), None)
    above = [each for each in reversed(column) if each.box[1] + each.box[3] / 2 < line.box[1]]
    if any(_ERROR.fullmatch(each.text) for each in above):
        return None
    message: list[str] = []
    last = line
    for one in above[:_MOST]:
        if last.box[1] - one.box[1] > _SPACED * one.box[3]:
            break
        message.insert(0, one.text)
        last = one
        if one.text.startswith(_BEGINS):
            return _Failure(line.t_ms, _said(message), source)
    is_error = any(_ENDS.fullmatch(each.text) for each in column)
    return _Failure(line.t_ms, _UNSEEN, source) if is_error and source else None


def _said(message: Sequence[str]) -> str:
    """What an error says in its lines; for how long it was waited stands behind that, and not before."""
    text = " ".join(message)
    waited = _WAITED.match(text)
    if waited is None:
        return text
    return f"{text[waited.end() :]}{' (after ' + waited['time'] + ')' if waited['time'] else ''}"


def _source(line: Seen) -> SourceLine | None:
    match = _SOURCE.fullmatch(line.text)
    # A dot is read as a comma or a stroke.
    return SourceLine(file=_DOT.sub(".", match["file"]), line=int(match["line"])) if match else None


def _is_about(failure: _Failure, row: Row) -> bool:
    """Whether an error is what a command came to: a check, what was not found, or what it names itself."""
    if failure.t_ms - row.t_ms > _PATIENCE_MS:
        return False
    message = failure.message.casefold()
    is_check = row.verb.startswith("asser") and "expected" in message
    return is_check or f"cy.{row.verb}(" in message or (row.verb in FINDS and "to find" in message)


def _with_failure(actions: Sequence[TraceAction], rows: Sequence[Row], failure: _Failure) -> list[TraceAction]:
    """The actions with that which failed: one of them, or what was asked of the page after the last of them."""
    failed = {"until_ms": failure.t_ms, "error": failure.message, "source": failure.source}
    row = next((row for row in reversed(rows) if row.t_ms <= failure.t_ms), None)
    is_first = row is not None and sum(one.test == row.test and one.t_ms <= failure.t_ms for one in rows) == 1
    row = row if row is not None and (_is_about(failure, row) or (is_first and failure.message == _UNSEEN)) else None
    last = max(range(len(actions)), key=lambda at: (actions[at].t_ms <= failure.t_ms, at), default=None)
    if row is not None and last is not None and actions[last].title.startswith(_WORDS.get(row.verb, row.verb)):
        return [each.model_copy(update=failed) if at == last else each for at, each in enumerate(actions)]
    title = f"{row.verb} {row.words}".strip() if row is not None else "a check"
    asked = TraceAction(t_ms=row.t_ms if row is not None else failure.t_ms, method="expect", title=title)
    return sorted([*actions, asked.model_copy(update=failed)], key=lambda action: action.t_ms)
