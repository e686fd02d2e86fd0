"""The values of a task that may be other ones at the next run: what is typed or chosen in its plan, and its places.

A value is named by its field: after ``Type "Ada" into the "Recipient" field.`` the parameter is ``Recipient``, with Ada
as its default. A place such as ``{Password}`` has no default. Where a value is quoted elsewhere in the document, as in
``"Parcel for Ada is sent" is shown``, it is the same parameter; but not in the questions, nor in the schedule.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from core.errors import InvalidRequest
from core.plans.quotes import FIRST, QUOTE, quote, quoted
from core.secrets import is_secret_name
from core.tasks.fields import task_fields
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import joined, kinds_of, lines_of, same_name, sections_of
from core.tasks.plan import PLAN, plan_of, read_step, sentence
from core.workflows.templates import EXTRACT, LITERAL, PLACE, fill, places
from core.workflows.workflow import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_ITEM: Final = re.compile(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)(.*)", re.DOTALL)
_APART: Final = ("Questions", "Schedule")
_EVIDENCE: Final = "Evidence"
_SHORT: Final = 3
"""A shorter value is the same only where it is all that is quoted."""


class Template(NamedTuple):
    """A document with places for its values."""

    heartbeat: Heartbeat
    parameters: tuple[Parameter, ...]


class _Value(NamedTuple):
    """A value of the plan."""

    name: str
    label: str
    text: str


def parametrised(heartbeat: Heartbeat) -> Template:
    """The document with places where its values stand, and the parameters that fill them."""
    values = list(_values(heartbeat))
    lines = lines_of(heartbeat.text)
    apart = _lines_apart(heartbeat)
    changed = [
        line if at in apart else line._replace(text=_with_places(line.text, values)) for at, line in enumerate(lines)
    ]
    used = {name for at, line in enumerate(changed) if at not in apart for name in places(line.text)}
    # What only an answer says stands in the questions, which are nobody's to fill in.
    values = [value for value in values if value.name in used]
    shown = {value.name: value for value in values}
    names = [*shown, *(name for name in _needed(heartbeat, apart) if name not in shown)]
    return Template(Heartbeat(joined(changed)), tuple(_parameter(name, shown.get(name), heartbeat) for name in names))


def _needed(heartbeat: Heartbeat, apart: set[int]) -> Iterator[str]:
    """The places of a document, each once, but for those of lines that an answer has replaced."""
    plan = plan_of(heartbeat)
    fields = task_fields(heartbeat)
    # Of the plan, what is followed counts; the evidence tells of what was done once.
    told_apart = {text for name in (PLAN, _EVIDENCE) if name in fields for text in fields[name].lines}
    others = (line.text for at, line in enumerate(lines_of(heartbeat.text)) if at not in apart)
    texts = [*(line.text for line in plan), *(text for text in others if text not in told_apart)]
    return iter(dict.fromkeys(name for text in texts for name in PLACE.findall(text) if not EXTRACT.fullmatch(name)))


def _parameter(name: str, value: _Value | None, heartbeat: Heartbeat) -> Parameter:
    """One parameter. A place whose name says so is a secret, also where its value stands in an answer."""
    is_secret = is_secret_name(name) and f"{{{name}}}" in heartbeat.text
    if value is None:
        return Parameter(name=name, description=name, sensitive=is_secret)
    return Parameter(name=name, description=value.label, example=value.text, sensitive=is_secret)


def filled(template: Template, values: Mapping[str, str]) -> Heartbeat:
    """The document with these values in their places; what is in quotation marks stays in some, whatever is in it."""
    apart = _lines_apart(template.heartbeat)
    changed = [
        line
        if at in apart or places(line.text).isdisjoint(values)
        else line._replace(text=_filled_line(line.text, values))
        for at, line in enumerate(lines_of(template.heartbeat.text))
    ]
    return Heartbeat(joined(changed))


def _filled_line(text: str, values: Mapping[str, str]) -> str:
    """A line with values in its places. What is typed is typed as it stands, also if it looks like a place itself."""
    item = _ITEM.fullmatch(text)
    step = read_step(item[2]) if item is not None else None
    name = PLACE.fullmatch(step.action_value) if step is not None and step.action_value else None
    value = values.get(name[1]) if name is not None else None
    if item is None or step is None or value is None or not PLACE.search(value):
        return _changed(text, lambda words: fill(words, values))
    literal = {"action_value": value, "additional_args": {**step.additional_args, LITERAL: True}}
    return item[1] + sentence(step.model_copy(update=literal))


def given_by_name(parameters: Sequence[Parameter], given: Mapping[str, str]) -> dict[str, str]:
    """The given values by the parameters' names; a field's label will do, in any case.

    Raises:
        InvalidRequest: the task has no such value, or it is given twice.

    """
    found: dict[str, str] = {}
    for key, value in given.items():
        name = next((each.name for each in parameters if _same(key, each)), None)
        if name is None:
            raise _unknown(key, parameters)
        if name in found:
            raise InvalidRequest(f"{name!r} is given twice.", field=name)
        found[name] = value
    return found


def _values(heartbeat: Heartbeat) -> Iterator[_Value]:
    """What the plan types or chooses, and into what; of two of one name, the second is ``Name_2``."""
    taken: set[str] = set()
    for line in plan_of(heartbeat):
        step = line.step
        if step is None or step.action_type != "TYPE" or not step.action_value or PLACE.fullmatch(step.action_value):
            continue
        said = quoted(step.target.primary)
        label = said.texts[0].strip() if said is not None and said.texts else step.target.primary
        plain = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_") or "value"
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name)
        yield _Value(name, label, step.action_value)


def _with_places(text: str, values: Sequence[_Value]) -> str:
    """A line whose quoted texts have places for the values in them."""
    said = quoted(text)
    if said is None or not any(value.text in words for value in values for words in said.texts):
        return text
    return _changed(text, lambda words: _placed(words, values, said.texts) if words in said.texts else words)


def _changed(text: str, change: Callable[[str], str]) -> str:
    """A line with each of its quoted texts changed, and what stands between them."""
    said = quoted(text)
    if said is None:
        return change(text)
    parts = re.split(f"({QUOTE})", said.skeleton)
    return "".join(
        quote(change(said.texts[ord(part) - FIRST])) if at % 2 else change(part) for at, part in enumerate(parts)
    )


def _placed(words: str, values: Sequence[_Value], beside: Sequence[str]) -> str:
    for value in sorted(values, key=lambda each: len(each.text), reverse=True):
        twins = [each for each in values if each.text == value.text]
        if len(twins) > 1 and value.label not in beside:
            # Whose it is, only a line that names the field tells.
            continue
        if words == value.text:
            return f"{{{value.name}}}"
        if len(value.text) >= _SHORT and value.label != words:
            words = re.sub(rf"(?<!\w){re.escape(value.text)}(?!\w)", f"{{{value.name}}}", words)
    return words


def _lines_apart(heartbeat: Heartbeat) -> set[int]:
    lines = lines_of(heartbeat.text)
    sections = sections_of(lines, kinds_of(lines))
    return {
        at
        for section in sections
        if any(same_name(section.name, name) for name in _APART)
        for at in range(section.heading, section.end)
    }


def _same(key: str, parameter: Parameter) -> bool:
    words = " ".join(key.split()).casefold()
    return words in {parameter.name.casefold(), " ".join(parameter.description.split()).casefold()}


def _unknown(key: str, parameters: Sequence[Parameter]) -> InvalidRequest:
    names = [each.name for each in parameters]
    near = difflib.get_close_matches(key, names, n=1)
    if near:
        hint = f"Did you mean {near[0]!r}?"
    else:
        hint = f"It has {', '.join(map(repr, names))}." if names else "It has none: write them into its plan."
    return InvalidRequest(f"The task has no value {key[:100]!r}. {hint}", field=key[:100])
