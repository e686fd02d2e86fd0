"""The values of a task that may be other ones at the next run, with the answers about its plan applied to the plan.

A value is named by its field: after ``Type "Ada" into the "Recipient" field.`` the parameter is ``Recipient``, with Ada
as its default. A place such as ``{Password}`` has no default. Where a value is quoted elsewhere in the document, as in
``"Parcel for Ada is sent" is shown``, it is the same parameter; but not in the questions, nor in the schedule.
Answers are a part of the plan before its values are looked for, so a value in an answer is one like any other.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from core.errors import InvalidRequest
from core.plans.grammar import read_step
from core.plans.phrasing import FIRST, QUOTE, first_quotation, quote, quoted, restored
from core.plans.step_sentences import sentence
from core.secrets import is_secret_name
from core.steps import FOCUS, LITERAL, PLACE, Step
from core.tasks.effects import document_effect_faults, placed_effects, with_agreed_effects
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import (
    Edit,
    Line,
    edited,
    field_name,
    joined,
    kinds_of,
    lines_of,
    same_name,
    sections_of,
    task_fields,
)
from core.tasks.plan import PLAN, asked_value, is_about_plan, plan_of, questions_about
from core.tasks.questions import Question, QuestionState
from core.text import did_you_mean
from core.workflows.checks import acting_places, is_same_entry, shared_faults, unused_faults
from core.workflows.workflow import EXTRACT, NUMBER, Parameter, fill, places

CRITERIA: Final = "SuccessCriteria"
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LABEL: Final = re.compile(r"(?:\*\*)?([A-Za-z][A-Za-z ]*?)(?:\*\*)?:(?:\*\*)?[ \t]*")


def with_answers_applied(heartbeat: Heartbeat) -> tuple[Heartbeat, tuple[Step, ...]]:
    """The document whose plan says what ``plan_of`` makes of it, and the lines as ``plan_of`` gives them.

    The questions whose answers are in the plan by then are stale. A line whose answer is no instruction has the reason
    before it, by which it stays one that is not understood: as it stands it could not be followed.
    """
    lines = plan_of(heartbeat)
    applied = [
        each.id
        for each in heartbeat.questions
        if each.state is QuestionState.ANSWERED and each.answer and is_about_plan(each.text)
    ]
    if not applied:
        return heartbeat, lines
    document = with_plan(
        heartbeat, [f"Unclear, because {line.doubt}: {line.text}" if line.doubt else line.text for line in lines]
    )
    return document.stale(*applied), lines


def with_plan(heartbeat: Heartbeat, texts: Sequence[str]) -> Heartbeat:
    """The document with these instructions as its plan; one that says the same stays as it is written."""
    field = task_fields(heartbeat).get(PLAN)
    if field is None:
        numbered = [f"{number}. {text}" for number, text in enumerate(texts, 1)]
        return heartbeat.with_task_lines([f"{PLAN}:", *numbered]) if texts else heartbeat
    if tuple(texts) == field.items:
        return heartbeat
    lines = lines_of(heartbeat.text)
    if len(texts) == len(field.items):
        edits = [
            Edit(span.start, span.stop, [_marker(lines[span.start].text) + text])
            for span, text, item in zip(field.spans, texts, field.items, strict=True)
            if text != item
        ]
    else:
        first, last = field.spans[0], field.spans[-1]
        label = _label(lines[first.start].text).rstrip()
        numbered = [f"{number}. {text}" for number, text in enumerate(texts, 1)]
        edits = [Edit(first.start, last.stop, [label, *numbered] if label else numbered)]
    return Heartbeat(joined(edited(lines, edits)))


def with_criteria(heartbeat: Heartbeat, sentences: Sequence[str]) -> Heartbeat:
    """The document with these sentences as its success criteria."""
    items = [f"- {each}" for each in sentences]
    field, lines = task_fields(heartbeat).get(CRITERIA), lines_of(heartbeat.text)
    if field is not None:
        first, last = field.spans[0], field.spans[-1]
        bullet = _BULLET.match(lines[first.start].text)
        items = items if bullet is not None else [f"{CRITERIA}:", *items]
        return Heartbeat(joined(edited(lines, [Edit(first.start, last.stop, items)])))
    labels = (_LABEL.fullmatch(line.text.rstrip()) for line in lines)
    at = next((at for at, found in enumerate(labels) if found and field_name(found[1]) == CRITERIA), None)
    if at is None:
        return heartbeat.with_task_lines([f"{CRITERIA}:", *items])
    return Heartbeat(joined(edited(lines, [Edit(at + 1, at + 1, items)])))


def plan_lines(heartbeat: Heartbeat) -> set[int]:
    """The indices of the lines that the plan's instructions stand in."""
    field = task_fields(heartbeat).get(PLAN)
    return {at for span in (field.spans if field is not None else ()) for at in span}


def _marker(line: str) -> str:
    """What stands before an item: its bullet or number, or the label of the part in the same line."""
    bullet = _BULLET.match(line)
    return bullet[0] if bullet is not None else _label(line)


def _label(line: str) -> str:
    """The label of the plan, where its first item stands in the same line."""
    found = _LABEL.match(line)
    return found[0] if found is not None and field_name(found[1]) == PLAN else ""


_ITEM: Final = re.compile(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)(.*)", re.DOTALL)
_APART: Final = ("Questions", "Schedule")
_EVIDENCE: Final = "Evidence"
_LONGEST_NAME: Final = 60
_UNNAMED: Final = "Value"
"""What is typed where the focus is."""
_SHORT: Final = 3
"""A shorter value is the same only where it is all that is quoted."""


class Template(NamedTuple):
    """A document with places for its values."""

    heartbeat: Heartbeat
    """Its plan has the answers applied; they are no longer applied to it."""
    parameters: tuple[Parameter, ...]
    lines: tuple[Step, ...]
    """The instructions that its plan was made of, as the document has them, in the same order."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Why it must not be carried out with its parameters, a sentence each; see ``core.workflows.checks``."""
        lines = plan_of(self.heartbeat)
        steps = [line.model_copy(update={"i": at}) for at, line in enumerate(lines) if line.is_known]
        if lines and len(steps) == len(lines):
            used = acting_places(steps)
        else:
            # What is not understood is left to a model, which reads the whole document.
            used = {name for line in _described(self.heartbeat) for name in places(line.text)}
        faults = (*unused_faults((each.name for each in self.parameters), used), *shared_faults(steps))
        return (*faults, *document_effect_faults(self.heartbeat, self.parameters))


class _Value(NamedTuple):
    """A value of the plan."""

    name: str
    label: str
    text: str


def parametrised(heartbeat: Heartbeat) -> Template:
    """The document with places where its values stand, and the parameters that fill them."""
    resolved, origins = with_answers_applied(with_agreed_effects(heartbeat))
    lines = _with_own_names(plan_of(resolved), origins, heartbeat.open_questions)
    by_line = _values(lines, {NUMBER} if f"{{{NUMBER}}}" in heartbeat.text else ())
    values = list(dict.fromkeys(by_line.values()))
    document = with_plan(resolved, [_placed_line(line, by_line.get(at), values) for at, line in enumerate(lines)])
    apart = _lines_apart(document) | plan_lines(document)
    effects = placed_effects(document, values, lambda text, beside: _placed(text, values, beside))
    changed = [
        line if at in apart else line._replace(text=effects.get(at) or _with_places(line.text, values))
        for at, line in enumerate(lines_of(document.text))
    ]
    template = Heartbeat(joined(changed))
    shown = {value.name: value for value in values}
    names = [*shown, *(name for name in _needed(template) if name not in shown)]
    return Template(template, tuple(_parameter(name, shown.get(name), heartbeat) for name in names), origins)


def _needed(document: Heartbeat) -> Iterator[str]:
    """The places of a document, each once."""
    found = [name for line in _described(document) for name in PLACE.findall(line.text)]
    plan = {name for line in plan_of(document) for name in places(line.text)}
    # Elsewhere it is any number.
    found = [name for name in found if name != NUMBER or name in plan]
    return iter(dict.fromkeys(name for name in found if not EXTRACT.fullmatch(name)))


def _described(document: Heartbeat) -> Iterator[Line]:
    """The lines that say what is to be done: the evidence says what was done once."""
    evidence = task_fields(document).get(_EVIDENCE)
    apart = _lines_apart(document) | {at for span in (evidence.spans if evidence is not None else ()) for at in span}
    return (line for at, line in enumerate(lines_of(document.text)) if at not in apart)


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
    value = values.get(step.place) if step is not None else None
    if item is None or step is None or value is None or not PLACE.search(value):
        return _changed(text, lambda words: fill(words, values))
    return item[1] + sentence(step.typing(value))


def given_by_name(parameters: Sequence[Parameter], given: Mapping[str, str]) -> dict[str, str]:
    """The given values by the parameters' names; a field's label will do, in any case.

    Raises:
        InvalidRequest: the task has no such value, or it is given twice.

    """
    found: dict[str, str] = {}
    for key, value in given.items():
        exact = next((each.name for each in parameters if each.name == key), None)
        name = exact or next((each.name for each in parameters if _same(key, each)), None)
        if name is None:
            raise _unknown(key, parameters)
        if name in found:
            raise InvalidRequest(f"{name!r} is given twice.", field=name)
        found[name] = value
    return found


def _with_own_names(lines: Sequence[Step], origins: Sequence[Step], waiting: Sequence[Question]) -> list[Step]:
    """The lines, with a place of its own for each value that is asked for under a name that others have as well.

    Each recorded value that could not be read is asked for with its step. Values of one name would be asked for
    several times, and one of the answers typed everywhere.
    """
    taken, asked = _names_in(lines), set[str]()
    found: list[Step] = []
    for line, origin in zip(lines, origins, strict=True):
        name = line.place if line.action_type == "TYPE" else ""
        about = {asked_value(each.text) for each in questions_about(origin, waiting)}
        if not name or name not in about:
            found.append(line)
            continue
        own = _free(name, taken) if name in asked else name
        asked.add(own)
        taken.add(own.casefold())
        renamed = line.model_copy(update={"action_value": f"{{{own}}}"})
        found.append(line if own == name else renamed.model_copy(update={"text": sentence(renamed)}))
    return found


def _values(lines: Sequence[Step], more: Collection[str]) -> dict[int, _Value]:
    """What the lines type or choose, and into what, by their index; of two of one name, the second is ``Name_2``.

    The same value in a field of the same label is one value, but not twice in a row: see ``shared_faults``. Names among
    ``more`` are taken as well.
    """
    taken = _names_in(lines) | set(more)
    known: dict[tuple[str, str], _Value] = {}
    found: dict[int, _Value] = {}
    last: Step | None = None
    for at, step in enumerate(lines):
        before, last = last, last if step.action_type == "KEYPRESS" else step
        if step.action_type != "TYPE" or not step.action_value:
            continue
        if PLACE.search(step.action_value) and not step.is_literal:
            # A text with places is not one value: those that fill them are.
            continue
        field = step.target.primary
        label = _UNNAMED if field == FOCUS else (first_quotation(field) or field).strip()
        value = known.get((label, step.action_value))
        if value is None or (before is not None and is_same_entry(step, before)):
            plain = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:_LONGEST_NAME]
            plain = plain if plain and not EXTRACT.fullmatch(plain) else "value"
            name = _free(plain, taken)
            taken.add(name.casefold())
            value = known[label, step.action_value] = _Value(name, label, step.action_value)
        found[at] = value
    return found


def _names_in(lines: Sequence[Step]) -> set[str]:
    """The names that the lines have places for, in lower case: a name is given in any case."""
    return {name.casefold() for line in lines for name in places(line.text)}


def _free(name: str, taken: Collection[str]) -> str:
    """The name, or with a number behind it: one that is not taken yet."""
    own, number = name, 1
    while own.casefold() in taken:
        number += 1
        own = f"{name}_{number}"
    return own


def _placed_line(line: Step, own: _Value | None, values: Sequence[_Value]) -> str:
    """A line of the plan with places for the values in it; what it types is the place of just that value."""
    if own is None:
        return line.text if line.doubt else _with_places(line.text, values)
    args = {name: value for name, value in line.additional_args.items() if name != LITERAL}
    wanted = line.model_copy(update={"action_value": f"{{{own.name}}}", "additional_args": args})
    said = quoted(line.text)
    for at, words in enumerate(said.texts if said is not None else ()):
        step = read_step(_with_places(line.text, (), typed=(at, own))) if words == own.text else None
        if step is not None and _does(step) == _does(wanted):
            return _with_places(line.text, values, typed=(at, own))
    return sentence(wanted)


def _does(step: Step) -> tuple[object, ...]:
    return step.action_type, step.action_value, step.target, step.additional_args


def _with_places(text: str, values: Sequence[_Value], *, typed: tuple[int, _Value] | None = None) -> str:
    """A line whose quoted texts have places for the values in them.

    Args:
        text: the line.
        values: of the plan.
        typed: of a line that types a value, which of its quotations that is, and the value: its field's label stays.

    """
    said = quoted(text)
    if said is None or not said.texts:
        return text
    place, own = typed if typed is not None else (-1, None)
    changed = [
        f"{{{own.name}}}"
        if own is not None and at == place
        else words
        if own is not None and words == own.label
        else _placed(words, values, said.texts)
        for at, words in enumerate(said.texts)
    ]
    if changed == list(said.texts):
        return text
    return restored(said.skeleton, changed)


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
    otherwise = f"It has {', '.join(map(repr, names))}." if names else "It has none: write them into its plan."
    hint = did_you_mean(key, names, otherwise)
    return InvalidRequest(f"The task has no value {key[:100]!r}. {hint}", field=key[:100])
