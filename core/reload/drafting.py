"""Makes an entry of a run that succeeded: which of what was typed came from its request, and may be another value."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from core.reload.entry import CachedAction, Draft, Fingerprint, Origin, Slot, SlotKind
from core.reload.fingerprint import ngrams
from core.reload.templates import PARTS, Place, Template, slots_of, templated
from core.reload.wordings import wordings
from core.workflows.templates import EXTRACT, PLACE, is_literal, places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.recording import SequenceRecorder
    from core.runs.run import Run
    from core.workflows.workflow import Parameter, Step, Workflow

_SURE_LENGTH: Final = 3
"""A shorter value may be anywhere by chance: "2" seats, "2" bags."""


def draft_of(run: Run, origin: Origin, template: Workflow, recorder: SequenceRecorder) -> Draft | str:
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
    told = wordings(origin, template)
    summary = template.task_description_user or template.task_name
    filled = told[0].filled(values)
    return Draft(
        fingerprint=Fingerprint(context_ngrams=ngrams(filled)),
        requests=told,
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
    if step is None or key is None or step.action_value is None or is_literal(step):
        return None
    named = _places(step.action_value, places(step.action_value))
    return (
        {**action.action, key: {PARTS: named.model_dump(mode="json")["parts"]}}
        if (named.slots and named.filled(values) == action.action[key])
        else None
    )


def _step(action: CachedAction, template: Workflow) -> Step | None:
    if action.step is None:
        return None
    steps = next((each.steps for each in template.plan.subtasks if each.subtask_i == action.subtask), ())
    return steps[action.step] if action.step < len(steps) else None


def _filled(action: CachedAction, values: Mapping[str, str], recorder: SequenceRecorder) -> dict[str, Any]:
    """With places where whole words of its texts are values; a sensitive one is its own place already."""
    if action.action["action"] == "extract":
        return action.action
    hidden = {name: f"{{{name}}}" for name in recorder.secrets.values}
    told = templated(
        {"text": action.action.get("text", ""), "url": action.action.get("url", "")},
        {**values, **recorder.read, **hidden},
    )
    return {**action.action, **{key: told[key] for key in told if key in action.action}}


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
