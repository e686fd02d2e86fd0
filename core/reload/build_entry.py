"""Makes an entry of a run that succeeded, or of what a client says it did; values from the request may be others."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from core.reload.entry import (
    CachedAction,
    Draft,
    Fingerprint,
    Origin,
    Slot,
    SlotKind,
    Vocabulary,
    label_for,
    label_text,
)
from core.reload.entry_keys import ngrams, phrasings, window_state_hash
from core.reload.templates import PARTS, Place, Template, slots_of, templated
from core.steps import PLACE, Step
from core.workflows.workflow import EXTRACT, Parameter, Workflow, places

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from core.reload.offers import Posted
    from core.reload.recording import SequenceRecorder
    from core.runs.run import Run


_SURE_LENGTH: Final = 3
"""A shorter value may be anywhere by chance: "2" seats, "2" bags."""


def build_draft(run: Run, origin: Origin, template: Workflow, recorder: SequenceRecorder) -> Draft | str:
    """The entry, or why there is none.

    Args:
        run: that succeeded.
        origin: what was carried out.
        template: the workflow, or the task in its shape, with its places not filled.
        recorder: that listened.

    """
    if recorder.flaw or not recorder.recorded:
        return recorder.flaw or "nothing was done"
    values = {name: value for name, value in recorder.values.items() if value}
    exact = [_by_step(action, template, values | recorder.read) for action in recorder.recorded]
    actions = tuple(
        action.model_copy(update={"action": known if known is not None else _filled(action, values, recorder)})
        for action, known in zip(recorder.recorded, exact, strict=True)
    )
    slots = tuple(_slot(each, values, actions, template, exact) for each in template.task_params)
    read = tuple(Slot(name=name, kind=SlotKind.READ) for name in recorder.read)
    reported = phrasings(origin, template)
    summary = template.task_description_user or template.task_name
    filled = reported[0].filled(values)
    return Draft(
        fingerprint=Fingerprint(context_ngrams=ngrams(filled)),
        requests=reported,
        slots=(*slots, *read),
        actions=actions,
        summary=" ".join(_places(summary, {*values}).filled(values).split())[:2000],
        success_criteria=_places(template.success_criteria, {each.name for each in template.task_params}),
        origin=origin,
        duration_ms=run.duration_ms,
        model_calls=run.spent.model_calls,
        verified=True,
    )


def _by_step(action: CachedAction, template: Workflow, values: Mapping[str, str]) -> dict[str, Any] | None:
    """What was typed or opened, with the places of the step that said so; ``None`` where no step says it."""
    step = _step(action, template)
    key = {"type": "text", "open_url": "url"}.get(action.action["action"])
    if step is None or key is None or step.action_value is None or step.is_literal:
        return None
    named = _places(step.action_value, places(step.action_value))
    return (
        {**action.action, key: {PARTS: named.model_dump(mode="json")["parts"]}}
        if (named.slots and named.filled(values) == action.action[key])
        else None
    )


def _step(action: CachedAction, template: Workflow) -> Step | None:
    steps = template.steps_of(action.subtask)
    return steps[action.step] if action.step is not None and action.step < len(steps) else None


def _filled(action: CachedAction, values: Mapping[str, str], recorder: SequenceRecorder) -> dict[str, Any]:
    """With places where whole words of its texts are values; a sensitive one is its own place already."""
    if action.action["action"] == "extract":
        return action.action
    hidden = {name: f"{{{name}}}" for name in recorder.secrets.values}
    reported = templated(
        {"text": action.action.get("text", ""), "url": action.action.get("url", "")},
        {**values, **recorder.read, **hidden},
    )
    return {**action.action, **{key: reported[key] for key in reported if key in action.action}}


def _slot(
    parameter: Parameter,
    values: Mapping[str, str],
    actions: Sequence[CachedAction],
    template: Workflow,
    exact: Sequence[dict[str, Any] | None],
) -> Slot:
    name = parameter.name
    if parameter.sensitive:
        return Slot(name=name, kind=SlotKind.SECRET)
    value = values.get(name, "")
    certain = _is_typed_for_certain(name, value, values, actions, exact)
    picked = any(
        name in Template.of(action.anchor.words, {name: value}).slots for action in actions if action.anchor is not None
    ) or _names_target(name, template)
    return Slot(name=name, value=value, rebinds=bool(value) and certain and not picked)


def _is_typed_for_certain(
    name: str,
    value: str,
    values: Mapping[str, str],
    actions: Sequence[CachedAction],
    exact: Sequence[dict[str, Any] | None],
) -> bool:
    """Whether each place where the value was typed is known to be this parameter's, and there is one."""
    guessed = Counter(
        slot
        for action, known in zip(actions, exact, strict=True)
        if known is None
        for slot in _all_slots(action.action)
    )
    sure = {slot for known in exact if known is not None for slot in slots_of(known)}
    if guessed[name] == 0:
        # Typed elsewhere without a step that says so it would have been taken for another's of the same value.
        twins = [each for each, other in values.items() if other == value and each != name]
        return name in sure and not any(guessed[twin] for twin in twins)
    is_lone = sum(other == value for other in values.values()) == 1
    return guessed[name] == 1 and name not in sure and is_lone and len(value) >= _SURE_LENGTH


def _all_slots(action: Mapping[str, Any]) -> list[str]:
    """Each place, as often as it stands there."""
    found: list[str] = []
    for value in action.values():
        if isinstance(value, dict) and PARTS in value:
            parts = Template.model_validate({"parts": value[PARTS]}).parts
            found += [part.slot for part in parts if isinstance(part, Place)]
    return found


def _names_target(name: str, template: Workflow) -> bool:
    """Whether a step's target is described by the value: the row of "{recipient}"."""
    return any(
        name in places(step.target.primary) | places(step.target.fallback or "")
        for subtask in template.plan.subtasks
        for step in subtask.steps
        if step.action_type != "EXTRACT"
    )


def _places(text: str, names: set[str]) -> Template:
    """A workflow's text: ``{name}`` of these names are places, every other brace is text."""
    pieces = PLACE.split(text)
    parts = [
        Place(slot=piece)
        if at % 2 and (piece in names or EXTRACT.fullmatch(piece))
        else f"{{{piece}}}"
        if at % 2
        else piece
        for at, piece in enumerate(pieces)
    ]
    return Template(parts=tuple(part for part in parts if part != ""))


_KINDS: Final = frozenset(
    {
        *("type", "action", "op", "renderer", "variant", "position", "dockEdge", "windowStyle"),
        *("icon", "keys", "modifiers"),
    }
)
"""Keys whose texts say what kind of thing is done: never a value of the request."""
_PLACES: Final = frozenset({"x", "y", "w", "h", "width", "height", "duration", "zIndex", "position"})
_TYPED: Final = frozenset({"text", "url"})
"""Keys of Vaider's own actions whose texts go to the desktop as they stand."""
_SECRET: Final = re.compile(
    r"pass(word|wd|phrase|code)?|secret|token|pin|cvv|cvc|otp|api_?key|credential", re.IGNORECASE
)
_ID: Final = re.compile(r"(^id|Id|_id)s?$")
_WORD: Final = re.compile(r"\w+")
_MOST_SLOTS: Final = 50


class _Text(NamedTuple):
    """One text of the actions, with the key that it stands under."""

    key: str
    text: str


def build_posted_draft(posted: Posted, vocabulary: Vocabulary, actions: Sequence[Mapping[str, Any]]) -> Draft:
    """The entry of a sequence that succeeded, as its client says.

    Texts of the actions that stand in the request as whole words are its slots. One may be another value only if the
    request holds it once and, in a foreign vocabulary, if every other word that is shown is the request's: what came
    from elsewhere may have come of the value. Texts under keys such as ``password`` are never kept.
    """
    texts = list(_texts(list(actions)))
    secrets = _named((each for each in texts if _SECRET.fullmatch(each.key) and each.text.strip()), ())
    request = Template.of(posted.request, secrets).shown
    values = _named(
        (each for each in texts if each.text not in secrets.values() and _stands(each.text, request)), secrets
    )
    # What holds another value is made of it: "lunch with alice" beside "alice" is no value of its own.
    values = {
        name: value
        for name, value in values.items()
        if not any(other != value and _occurrences(other, value) for other in values.values())
    }
    free = vocabulary == "desktop" or (not secrets and _is_free(actions, request))
    slots = [
        *(Slot(name=name, kind=SlotKind.SECRET) for name in secrets),
        *(
            Slot(name=name, value=value, rebinds=free and _rebinds(value, request, texts, vocabulary))
            for name, value in values.items()
        ),
    ]
    known = secrets | values
    shown = Template.of(posted.summary, secrets).shown
    return Draft(
        vocabulary=vocabulary,
        fingerprint=Fingerprint(
            trigger_type=posted.trigger_type,
            trigger_target=posted.trigger_target,
            context_ngrams=ngrams(request),
            window_state_hash=window_state_hash(posted.window_state),
        ),
        requests=(Template.of(posted.request, known),),
        slots=tuple(slots),
        actions=tuple(CachedAction(action=_placed(dict(action), known)) for action in actions),
        summary=label_text(shown) or label_for(request, posted.trigger_type, posted.trigger_target),
    )


def _texts(value: Any, key: str = "", *, numbers: bool = False) -> Iterator[_Text]:
    """Every text but those that name kinds, with its key; numbers as well, but for those that say where."""
    if isinstance(value, str):
        yield _Text(key, value)
    elif numbers and isinstance(value, int | float) and not isinstance(value, bool) and key not in _PLACES:
        yield _Text(key, str(value))
    elif isinstance(value, dict):
        for name, part in cast("dict[str, Any]", value).items():
            if name not in _KINDS or isinstance(part, dict):
                yield from _texts(part, name, numbers=numbers)
    elif isinstance(value, list | tuple):
        for part in cast("list[Any]", value):
            yield from _texts(part, key, numbers=numbers)


def _named(found: Iterable[_Text], taken: Collection[str]) -> dict[str, str]:
    """Values by names made of their keys, each once."""
    names: dict[str, str] = {}
    for each in found:
        if each.text in names.values() or len(names) >= _MOST_SLOTS:
            continue
        base = re.sub(r"\W", "_", each.key)[:40] or "value"
        name, count = base, 2
        while name in names or name in taken:
            name, count = f"{base}_{count}", count + 1
        names[name] = each.text
    return names


def _stands(text: str, request: str) -> bool:
    return bool(text.strip()) and text == text.strip() and bool(_occurrences(text, request))


def _occurrences(text: str, request: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", request))


def _rebinds(value: str, request: str, texts: Sequence[_Text], vocabulary: str) -> bool:
    if len(value) < _SURE_LENGTH or _occurrences(value, request) != 1:
        return False
    held = [each for each in texts if each.text == value]
    if vocabulary == "desktop":
        return len(held) == 1 and held[0].key in _TYPED
    return any(not _ID.search(each.key) for each in held)


def _is_free(actions: Sequence[Mapping[str, Any]], request: str) -> bool:
    """Whether all that is shown was said in the request."""
    said = {word.casefold() for word in _WORD.findall(request)}
    shown = [each.text for each in _texts(list(actions), numbers=True) if not _ID.search(each.key)]
    return all(word.casefold() in said for text in shown for word in _WORD.findall(text))


def _placed(value: Any, known: Mapping[str, str]) -> Any:
    """With places for the values, but not in what names kinds."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        return {
            name: part if name in _KINDS and not isinstance(part, dict) else _placed(part, known)
            for name, part in parts.items()
        }
    if isinstance(value, list | tuple):
        return [_placed(part, known) for part in cast("list[Any]", value)]
    return templated(value, known)
