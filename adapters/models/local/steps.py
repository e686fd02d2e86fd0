"""How each kind of step is carried out; also reading a value that has one place on the screen."""

import re
import sys
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final, Literal, cast

from adapters.desktop.eyesight.segments import Segment
from adapters.desktop.eyesight.shapes import is_set
from adapters.models.local.entry import enter
from adapters.models.local.finding import find
from adapters.models.local.grounding import Place, ground
from adapters.models.local.phrases import LABELLED, Relation, Role, parse, quoted
from adapters.models.local.seeking import expect_after, expect_before, place, seek, target
from adapters.models.local.situation import Impossible, Situation, Unsure
from adapters.models.local.view import View
from core.accessibility import State
from core.actions import Click, Drag, Extract, Key, OpenApp, OpenUrl, Scroll
from core.key_names import parse_keys
from core.runs.deciding import Decision
from core.screens import Box, Point
from core.steps import Step

_NUMBER: Final = re.compile(r"[#№]?\s*([-+]?\d+(?:[.,:/-]\d+)*)")
_FIELD: Final = re.compile(r"\b(?:field|input|box)\b", re.IGNORECASE)
_NUMBER_AFTER: Final = re.compile(
    r"\b(?:number|digits?|amount|price|id|no\.?)\b.*?\b(?:after|following|behind|of|in)\b", re.IGNORECASE
)
_WORD_AFTER: Final = re.compile(r"\b(?:word)\b.*?\b(?:after|following|behind)\b", re.IGNORECASE)
_BEGINS: Final = re.compile(
    r"\b(?:line|row|text|sentence|message)\b.*\b(?:begins?|starts?|starting|beginning)\b", re.IGNORECASE
)
_CONTAINS: Final = re.compile(
    r"\b(?:line|row|sentence|message)\b.*\b(?:contains?|containing|with|that says)\b", re.IGNORECASE
)
_AFTER: Final = re.compile(r"\b(?:text|everything|value|words?)\b.*?\b(?:after|following|behind)\b", re.IGNORECASE)
_SIDES: Final = (
    (Relation.RIGHT, re.compile(r"\bright of\b|\bnext to\b|\bbeside\b", re.IGNORECASE)),
    (Relation.BELOW, re.compile(r"\bbelow\b|\bunder(?:neath)?\b|\bbeneath\b", re.IGNORECASE)),
    (Relation.ABOVE, re.compile(r"\babove\b", re.IGNORECASE)),
    (Relation.LEFT, re.compile(r"\bleft of\b", re.IGNORECASE)),
)
_REACH: Final = 40


def extract(query: str, view: View) -> str | list[str] | None:
    """The answer; several when it is not the only one; ``None`` when nothing answers.

    Understood are: ``the value to the right of/below "Label"``, ``the text in the "X" field``, ``the line that begins
    with "Order"``, ``the number after "Order"``, ``the word after "Hello"``, ``the text after "Name:"``.
    """
    texts = quoted(query)
    if not texts:
        return None
    wanted = texts[0]
    rows = _rows(view.segments)
    answers = _by_line(query, wanted, rows)
    if answers is None:
        side = next((relation for relation, pattern in _SIDES if pattern.search(query)), None)
        if side is not None:
            answers = _beside(side, wanted, view)
        elif _FIELD.search(query) or parse(query).role in LABELLED - {Role.CHECKBOX, Role.RADIO}:
            answers = _in_field(wanted, query, view)
        elif _CONTAINS.search(query):
            answers = [row for row in rows if _after(row, wanted) is not None]
        elif _AFTER.search(query):
            answers = [rest for rest in _rests(rows, wanted) if rest]
    found = list(dict.fromkeys(answers or ()))
    return found[0] if len(found) == 1 else found or None


def _by_line(query: str, wanted: str, rows: Sequence[str]) -> list[str] | None:
    """What a line says after the wanted text, or the line itself; ``None`` when the question is another."""
    if _BEGINS.search(query):
        return [row for row in rows if _index(row, wanted) == 0]
    if _NUMBER_AFTER.search(query):
        return [found[1] for rest in _rests(rows, wanted) if (found := _NUMBER.search(rest))]
    if _WORD_AFTER.search(query):
        return [words[0].strip(".,:;!?") for rest in _rests(rows, wanted) if (words := rest.split())]
    return None


def _in_field(wanted: str, query: str, view: View) -> list[str]:
    role = parse(query).role
    phrase = parse(f'the "{wanted}" {role if role in LABELLED else "field"}')
    place = ground(phrase, view, default=Role.FIELD).place
    if place is None or place.holds is None:
        return []
    box = place.holds
    content = " ".join(each.text for each in view.segments if box.contains(each.box.centre))
    return [content] if content else []


def _beside(relation: Relation, wanted: str, view: View) -> list[str]:
    """The nearest text on that side of each place that says the wanted one."""
    found: list[str] = []
    for match in find(wanted, view.segments):
        if not match.whole and relation is Relation.RIGHT:
            rest = [word.text for word in match.extra if word.box.x > match.box.x]
            if rest:
                found.append(" ".join(rest))
                continue
        others = [
            each for each in view.segments if each is not match.segment and _stands(relation, match.box, each.box)
        ]
        nearest = min(others, key=lambda each: _distance(match.box, each.box), default=None)
        if nearest is not None:
            found.append(nearest.text)
    return found


def _stands(relation: Relation, label: Box, box: Box) -> bool:
    level = abs(label.centre.y - box.centre.y) <= label.height / 2
    in_column = (
        min(label.x + label.width, box.x + box.width) > max(label.x, box.x) or abs(label.x - box.x) < label.height
    )
    if relation is Relation.RIGHT:
        return level and 0 <= box.x - label.x - label.width <= _REACH * label.height
    if relation is Relation.LEFT:
        return level and 0 <= label.x - box.x - box.width <= _REACH * label.height
    down = box.centre.y - label.centre.y if relation is Relation.BELOW else label.centre.y - box.centre.y
    return in_column and label.height / 2 < down <= 4 * label.height


def _distance(first: Box, second: Box) -> int:
    return abs(first.centre.y - second.centre.y) + max(
        second.x - first.x - first.width, first.x - second.x - second.width, 0
    )


def _rows(segments: Sequence[Segment]) -> list[str]:
    """Each row's text, what stands close together in one."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda each: (each.box.centre.y, each.box.x)):
        last = rows[-1][-1] if rows else None
        if last is not None and abs(last.box.centre.y - segment.box.centre.y) <= segment.box.height / 3:
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [" ".join(each.text for each in sorted(row, key=lambda each: each.box.x)) for row in rows]


def _index(row: str, wanted: str) -> int:
    found = re.search(r"(?<!\w)" + re.escape(wanted) + r"(?!\w)", row, re.IGNORECASE)
    return found.start() if found else -1


def _after(row: str, wanted: str) -> str | None:
    at = _index(row, wanted)
    return None if at < 0 else row[at + len(wanted) :].strip(" :=").strip()


def _rests(rows: Sequence[str], wanted: str) -> list[str]:
    return [rest for row in rows if (rest := _after(row, wanted)) is not None]


Clicked = Literal["left_click", "right_click", "middle_click", "double_click"]

_CLICKS: Final[Mapping[str, Clicked]] = {
    "CLICK": "left_click",
    "DOUBLE_CLICK": "double_click",
    "RIGHT_CLICK": "right_click",
    "MIDDLE_CLICK": "middle_click",
}
_MARKED: Final = frozenset({Role.CHECKBOX, Role.RADIO})
_SET: Final = re.compile(
    r"\b(?:is|are|becomes?|gets?|be|stays?)\s+(?:now\s+)?(?:checked|ticked|selected|chosen|on|marked)\b", re.IGNORECASE
)
_UNSET: Final = re.compile(
    r"\b(?:unchecked|unticked|deselected|unselected|cleared|not (?:checked|ticked|selected))\b", re.IGNORECASE
)
_COMMAND: Final = re.compile(r"(?:^|[+\s-])(?:cmd|command|\u2318)(?=$|[+\s-])", re.IGNORECASE)
_DRAG_POINTS: Final = 8
_DEFAULT_NOTCHES: Final = 5


def carry_out(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    """One step: what it expects, what it does, what it should have brought about.

    Raises ``Impossible`` and ``Unsure``; ``Disturbed`` when the user was in between.
    """
    situation.read_back = None
    yield from expect_before(situation, step)
    before = situation.view
    if step.action_type in _CLICKS:
        yield from _click(situation, step, _CLICKS[step.action_type])
    elif step.action_type == "TYPE":
        yield from enter(situation, step)
    elif step.action_type == "KEYPRESS":
        yield from situation.await_keyboard()
        yield from situation.do(_keys(step), note=step.intent)
    elif step.action_type == "SCROLL":
        yield from _scroll(situation, step)
    elif step.action_type == "DRAG":
        yield from _drag(situation, step)
    elif step.action_type == "EXTRACT":
        yield from _extract(situation, step)
    elif step.action_type == "OPEN_APP":
        arguments = step.additional_args.get("arguments", [])
        words = tuple(str(each) for each in cast("list[Any]", arguments)) if isinstance(arguments, list) else ()
        yield from situation.do(OpenApp(name=_value(step), arguments=words), note=step.intent)
    else:
        yield from situation.do(OpenUrl(url=_value(step)), note=step.intent)
    yield from expect_after(situation, step, before)


def _value(step: Step) -> str:
    if not step.action_value:
        raise Impossible(f'"{step.intent}" has no action_value that says what to open.')
    return step.action_value


def _click(situation: Situation, step: Step, kind: Clicked) -> Generator[Decision, None, None]:
    found = yield from target(situation, step)
    role = parse(step.target.primary).role
    wanted = _wanted_mark(step) if role in _MARKED else None
    if wanted is not None:
        state = _mark(situation, found)
        if state == wanted:
            return
        if state is None and role is Role.CHECKBOX:
            raise Unsure(f'To "{step.intent}": is {step.target.primary} set now? It cannot be told from its picture.')
    if _is_greyed(situation, found):

        def enabled() -> Place | None:
            now = found if found.element is not None else ground(parse(step.target.primary), situation.view).place
            return now if now is not None and not _is_greyed(situation, now) else None

        again = yield from situation.wait_for(enabled, seconds=situation.patience)
        if again is None:
            raise Impossible(f'To "{step.intent}", {step.target.primary} was found, but it looks disabled.')
        found = again
    note = f"{step.intent} (found by what its program tells)" if found.element is not None else step.intent
    yield from situation.do(Click(action=kind, at=found.point), note=note)
    if wanted is not None and (_is_mark(found) or found.element is not None):
        yield from _await_mark(situation, step, found, wanted=wanted)


def _mark(situation: Situation, found: Place) -> bool | None:
    """Whether a check box, a radio button or a switch is set: as its program says, or as it looks."""
    now = situation.now(found.element) if found.element is not None else None
    if now is not None:
        return None if State.MIXED in now.states else State.CHECKED in now.states
    return is_set(situation.view.grey, found.box) if _is_mark(found) else None


def _await_mark(situation: Situation, step: Step, mark: Place, *, wanted: bool) -> Generator[Decision, None, None]:
    def is_done() -> bool | None:
        # A radio button whose picture does not tell is set by the click all the same.
        return True if _mark(situation, mark) in (wanted, None) else None

    if not (yield from situation.wait_for(is_done, seconds=situation.patience)):
        state = "set" if wanted else "cleared"
        raise Impossible(f'To "{step.intent}", {step.target.primary} was clicked, but it does not look {state}.')


def _is_greyed(situation: Situation, found: Place) -> bool:
    """Whether the words of what is to be clicked look disabled; those of fields are pale where they only hint."""
    if found.element is not None:
        now = situation.now(found.element)
        return now is not None and State.ENABLED not in now.states
    return found.holds is None and found.words.width > 1 and situation.view.is_greyed(found.words)


def _is_mark(found: Place) -> bool:
    return found.box != found.words


def _wanted_mark(step: Step) -> bool | None:
    """Whether the step is to set a check box or to clear it, if it says so."""
    text = " ".join(step.post_action)
    if _UNSET.search(text):
        return False
    return True if _SET.search(text) else None


def _keys(step: Step) -> Key:
    text = step.action_value or ""
    try:
        keys = parse_keys(text)
    except ValueError as wrong:
        raise Impossible(f'"{step.intent}" names no key: {wrong}') from None
    if len(keys) > 1 and sys.platform != "darwin" and _COMMAND.search(text):
        # A shortcut that was shown on a Mac: everywhere else its Cmd is Ctrl.
        keys = tuple("ctrl" if key == "meta" else key for key in keys)
    repeat = step.additional_args.get("repeat", 1)
    return Key(keys=keys, repeat=repeat if isinstance(repeat, int) and 1 <= repeat <= 100 else 1)  # noqa: PLR2004 - Key's


def _scroll(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    direction, notches = step.additional_args.get("direction"), step.additional_args.get("notches")
    phrase = parse(step.target.primary)
    found = ground(phrase, situation.view).place if phrase.is_findable else None
    if direction is None and notches is None and phrase.is_findable:
        seen = found or (yield from seek(situation, lambda: ground(phrase, situation.view).place))
        if seen is None:
            raise Impossible(
                f'To "{step.intent}", {step.target.primary} was looked for by scrolling, and is not there.'
            )
        return
    count = abs(notches) if isinstance(notches, int) and notches else _DEFAULT_NOTCHES
    is_back = direction in ("up", "left") or (direction is None and isinstance(notches, int) and notches < 0)
    yield from situation.do(
        Scroll(
            action="hscroll" if direction in ("left", "right") else "scroll",
            notches=min(count, 100) * (-1 if is_back else 1),
            at=found.point if found is not None else situation.view.whole.centre,
        ),
        note=step.intent,
    )


def _drag(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    to = step.additional_args.get("to")
    if not isinstance(to, str) or not to.strip():
        raise Unsure(f'Where is it to be dragged in "{step.intent}"? Say so in additional_args.to, e.g. "Done" column.')
    start = yield from target(situation, step)
    end = yield from place(situation, to, step)
    path = [
        Point(
            x=start.point.x + round((end.point.x - start.point.x) * part / _DRAG_POINTS),
            y=start.point.y + round((end.point.y - start.point.y) * part / _DRAG_POINTS),
        )
        for part in range(_DRAG_POINTS + 1)
    ]
    yield from situation.do(Drag(path=tuple(path)), note=step.intent)


def _extract(situation: Situation, step: Step) -> Generator[Decision, None, None]:
    query = str(step.additional_args.get("extract_query") or step.intent)
    found = yield from situation.wait_for(lambda: extract(query, situation.view), seconds=situation.patience / 2)
    if isinstance(found, list):
        raise Unsure(f"{query}: is it {' or '.join(f'“{each}”' for each in found[:4])}?")
    if found is None:
        raise Unsure(
            f"{query}: what is it? Without a model this is read only where the question quotes a text that stands "
            'beside it, e.g. the number after "Order".'
        )
    move = Extract(variable_name=step.variable_name or step.action_value or "extract_0", query=query, value=found)
    yield from situation.do(move, note=step.intent)
