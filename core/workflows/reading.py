"""``schema.json`` as it is found in files: version 1 and 2 in, every broken rule reported, version 2 out.

Version 1 has ``subtasks`` (sentences) and ``plan.steps``, each step with a copy of its subtask's sentence; version 2
has ``plan.subtasks``, each with its own steps. What Vaider adds to version 2: the action types ``OPEN_APP`` and
``OPEN_URL`` with their ``action_value``, ``additional_args.literal``, and ``effects``. Members that the format does not
have are ignored, and named in the notes.
"""

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast, get_args

from core.errors import InvalidWorkflow
from core.steps import ActionType, Step, Target
from core.untrusted_files import parse_json
from core.workflows.checks import check_references
from core.workflows.effects import read_effects
from core.workflows.fields import Fields, Findings, kind
from core.workflows.workflow import EXTRACT, Parameter, Plan, PlannedSubtask, Workflow, places


def group_steps(
    texts: Sequence[str], steps: Sequence[tuple[str, Step]], findings: Findings
) -> Sequence[PlannedSubtask]:
    """The subtasks of these texts, each with its own steps, which are numbered anew.

    Each step of version 1 comes with the sentence of its subtask; its ``i`` counts through the plan, or anew in each.

    Equal texts are distinguished by position: each run of neighbouring steps with that text belongs to the next subtask
    that has it. A run that must serve several is shared out where its ``i`` starts again, or where it does the same
    thing as many times; else it stays with the first, and a note says so.
    """
    owned: list[list[Step]] = [[] for _ in texts]
    at = -1
    for run in _runs(steps):
        at = _owner(texts, run[0][0], at)
        if at >= 0:
            owned[at].extend(step for _, step in run)
        else:
            at = -1
    for text in dict.fromkeys(texts):
        _share_out([owned[place] for place, each in enumerate(texts) if each == text], text, findings)
    return [
        PlannedSubtask(
            subtask_i=place,
            text=text,
            # Version 1 has no list of them; what a text needs is what it names.
            dependencies=tuple(sorted(name for name in _named(text, own) if EXTRACT.fullmatch(name))),
            steps=tuple(step.model_copy(update={"i": i}) for i, step in enumerate(own)),
        )
        for place, (text, own) in enumerate(zip(texts, owned, strict=True))
    ]


def _runs(steps: Sequence[tuple[str, Step]]) -> list[list[tuple[str, Step]]]:
    runs = [[each] for each in steps[:1]]
    for (text_before, before), (text, step) in pairwise(steps):
        if text != text_before or step.i <= before.i:
            runs.append([])
        runs[-1].append((text, step))
    return runs


def _owner(texts: Sequence[str], text: str, after: int) -> int:
    """The next subtask of that text after the last run's; else the nearest before, or that one itself; else -1."""
    following = (place for place in range(after + 1, len(texts)) if texts[place] == text)
    before = (place for place in range(after, -1, -1) if texts[place] == text)
    return next(following, next(before, -1))


def _share_out(equal: Sequence[list[Step]], text: str, findings: Findings) -> None:
    """Give the steps of the only one that has any to all of them, if they repeat."""
    full = [own for own in equal if own]
    if len(equal) < 2 or len(full) != 1:  # noqa: PLR2004 - one cannot share with itself
        return
    steps = full[0]
    size, rest = divmod(len(steps), len(equal))
    parts = [steps[at * size : (at + 1) * size] for at in range(len(equal))]
    if rest or any(_done(part) != _done(parts[0]) for part in parts):
        findings.note("plan.steps", f"all steps of the {len(equal)} subtasks {text[:80]!r} go to the first of them")
        return
    for own, part in zip(equal, [list(part) for part in parts], strict=True):
        own[:] = part


def _done(steps: Sequence[Step]) -> Sequence[tuple[str, str]]:
    return [(step.action_type, step.target.primary) for step in steps]


def _named(text: str, steps: Sequence[Step]) -> set[str]:
    values = [step.action_value or "" for step in steps]
    return {name for each in (text, *values) for name in places(each)}


MAX_BYTES: Final = 8 * 1024 * 1024
MAX_PARAMETERS: Final = 200
MAX_SUBTASKS: Final = 500
MAX_STEPS: Final = 5000
"""Of one subtask, or of a version 1 plan."""
_MAX_TEXTS: Final = 50
_NAME: Final = re.compile(r"[a-zA-Z0-9_]{1,100}")
_MAX_TITLE: Final = 200
_ACTIONS: Final[tuple[str, ...]] = get_args(ActionType)
_FILLED: Final = frozenset({"KEYPRESS", "OPEN_APP", "OPEN_URL"})
_QUERY: Final = "extract_query"
_TOP: Final = (
    "task_name",
    "task_description_user",
    "detailed_task_description",
    "task_params",
    "success_criteria",
    "effects",
    "plan",
)
_STEP: Final = (
    "i",
    "expected_current_state",
    "intent",
    "action_type",
    "action_value",
    "target",
    "post_action",
    "variable_name",
    "additional_args",
)


class Reading(NamedTuple):
    """A document that was read."""

    workflow: Workflow
    version: int
    """1 or 2."""
    notes: tuple[str, ...]
    """What in it has no effect, a sentence each, with its path."""


def read_workflow(content: str | bytes) -> Workflow:
    """The workflow of a ``schema.json``, of either version.

    Raises:
        InvalidWorkflow: the message names the path and the rule of the first faults; ``faults`` in its details holds
            up to fifty, a line each, and ``fault_count`` says how many there are.

    """
    return read_document(content).workflow


def read_document(content: str | bytes) -> Reading:
    """The same, with what was noticed on the way."""
    try:
        raw = parse_json(content, max_bytes=MAX_BYTES)
    except ValueError as error:
        raise InvalidWorkflow(f"schema.json {error}.", faults=f"schema.json: {error}", fault_count=1) from None
    findings = Findings()
    if not isinstance(raw, dict):
        findings.fault("schema.json", f"must be an object, not {kind(raw)}")
        findings.raise_faults()
    document = Fields(findings, "", cast("dict[str, Any]", raw))
    top: dict[str, Any] = {"task_name": document.text("task_name", required=True, most=_MAX_TITLE)}
    for name in ("task_description_user", "detailed_task_description", "success_criteria"):
        top[name] = document.text(name)
    parameters = _parameters(document)
    effects = read_effects(document)
    plan = document.object("plan")
    version = 1 if "steps" in plan.raw else 2
    if "steps" in plan.raw and "subtasks" in plan.raw:
        plan.fault("steps", "stands beside subtasks: version 1 has steps, version 2 subtasks, no file both")
    queries = document.raw.get(_QUERY)
    subtasks = _old_subtasks(document, plan, queries) if version == 1 else _subtasks(plan, queries)
    document.only(*_TOP, _QUERY, *(("subtasks",) if version == 1 else ()))
    workflow = Workflow(**top, task_params=parameters, effects=effects, plan=Plan(subtasks=tuple(subtasks)))
    findings.raise_faults()
    # Unknown names can only be found in a document that is otherwise valid.
    check_references(workflow, findings, old=version == 1)
    findings.raise_faults()
    return Reading(workflow, version, findings.notes)


def write_workflow(workflow: Workflow) -> str:
    """The workflow as a ``schema.json`` of version 2; ``read_workflow`` gives it back."""
    return json.dumps(workflow.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _parameters(document: Fields) -> tuple[Parameter, ...]:
    seen: set[str] = set()
    return tuple(
        _parameter(fields, seen) for fields in document.objects("task_params", at_least=0, at_most=MAX_PARAMETERS)
    )


def _parameter(fields: Fields, seen: set[str]) -> Parameter:
    fields.only("name", "type", "description", "example", "sensitive", "optional")
    name = fields.text("name", required=True)
    if name and not _NAME.fullmatch(name):
        fields.fault("name", "must consist of at most 100 letters a-z, A-Z, digits and _")
    elif EXTRACT.fullmatch(name):
        fields.fault("name", f"must not be {name!r}: that is the name of an extract")
    elif name in seen:
        fields.fault("name", f"is {name!r} a second time")
    seen.add(name)
    return Parameter(
        name=name,
        type=fields.text("type") or "string",
        description=fields.text("description"),
        example=_example(fields),
        sensitive=fields.flag("sensitive"),
        optional=fields.flag("optional"),
    )


def _example(fields: Fields) -> str | None:
    value = fields.raw.get("example")
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str | list | dict):
        return fields.optional_text("example")
    return str(value)


def _subtasks(plan: Fields, queries: Any) -> Sequence[PlannedSubtask]:
    plan.only("subtasks")
    return [
        _subtask(fields, at, queries)
        for at, fields in enumerate(plan.objects("subtasks", at_least=1, at_most=MAX_SUBTASKS))
    ]


def _subtask(fields: Fields, at: int, queries: Any) -> PlannedSubtask:
    fields.only("subtask_i", "text", "dependencies", "steps")
    fields.index("subtask_i", at)
    dependencies = fields.texts("dependencies", at_least=0, at_most=MAX_SUBTASKS)
    for place, name in enumerate(dependencies):
        if name and not EXTRACT.fullmatch(name):
            fields.fault(f"dependencies[{place}]", f"must be the name of an extract (extract_0, …), not {name!r}")
        if name in dependencies[:place]:
            fields.fault(f"dependencies[{place}]", f"is {name!r} a second time")
    steps = fields.objects("steps", at_least=0, at_most=MAX_STEPS)
    for place, step in enumerate(steps):
        step.index("i", place)
        step.only(*_STEP, _QUERY)
    return PlannedSubtask(
        subtask_i=at,
        text=fields.text("text", required=True),
        dependencies=dependencies,
        steps=tuple(_step(step, place, queries) for place, step in enumerate(steps)),
    )


def _old_subtasks(document: Fields, plan: Fields, queries: Any) -> Sequence[PlannedSubtask]:
    plan.only("steps", "subtasks")
    texts = document.texts("subtasks", at_least=1, at_most=MAX_SUBTASKS)
    steps: list[tuple[str, Step]] = []
    for at, fields in enumerate(plan.objects("steps", at_least=0, at_most=MAX_STEPS)):
        fields.only(*_STEP, _QUERY, "subtask")
        text = fields.text("subtask", required=True)
        if text and text not in texts:
            near = difflib.get_close_matches(text, [each for each in texts if each], n=1, cutoff=0.8)
            hint = f"; the nearest is subtasks[{texts.index(near[0])}]" if near else ""
            fields.fault("subtask", f"must be the exact copy of an entry of subtasks{hint}")
        number = fields.raw.get("i")
        if not isinstance(number, int) or isinstance(number, bool):
            fields.fault("i", f"must be a number, not {kind(number)}" if "i" in fields.raw else "is missing")
            number = at
        steps.append((text, _step(fields, number, queries)))
    return group_steps(texts, steps, document.findings)


def _step(fields: Fields, at: int, queries: Any) -> Step:
    action = fields.text("action_type", required=True)
    if action and action not in _ACTIONS:
        near = difflib.get_close_matches(action.upper(), _ACTIONS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_ACTIONS)}"
        fields.fault("action_type", f"must be an action of the format, not {action[:50]!r}; {hint}")
        action = ""
    target = fields.object("target")
    target.only("primary", "fallback")
    arguments = _arguments(fields, queries)
    variable = _variable(fields, action, arguments)
    return Step(
        i=at,
        expected_current_state=fields.text("expected_current_state", required=True),
        intent=fields.text("intent", required=True),
        action_type=cast("ActionType", action or "CLICK"),
        action_value=_value(fields, action),
        target=Target(primary=target.text("primary", required=True), fallback=target.optional_text("fallback")),
        post_action=fields.texts("post_action", at_least=1, at_most=_MAX_TEXTS),
        variable_name=variable,
        additional_args=arguments,
    )


def _value(fields: Fields, action: str) -> str | None:
    value = fields.raw.get("action_value")
    if action in _FILLED:
        return fields.text("action_value", required=True)
    if action == "TYPE":
        if value is None:
            fields.fault("action_value", "must be a string for TYPE, the empty one to type nothing")
        return fields.text("action_value")
    if action == "EXTRACT":
        if value != fields.raw.get("variable_name"):
            fields.fault("action_value", "must equal variable_name for EXTRACT")
        return fields.optional_text("action_value")
    if action and value is not None:
        fields.fault("action_value", f"must be null for {action}")
    return None


def _variable(fields: Fields, action: str, arguments: Mapping[str, Any]) -> str | None:
    name = fields.optional_text("variable_name")
    if action != "EXTRACT":
        if name is not None:
            fields.findings.note(fields.at("variable_name"), "has no effect but in an EXTRACT step")
        return None
    if name is None or not EXTRACT.fullmatch(name):
        fields.fault("variable_name", "must be extract_<number> for EXTRACT")
    query = arguments.get(_QUERY)
    if not isinstance(query, str) or not query.strip():
        fields.fault(f"additional_args.{_QUERY}", "must be a string that is not empty for EXTRACT")
    return name


def _arguments(fields: Fields, queries: Any) -> dict[str, Any]:
    """The step's ``additional_args``, with the ``extract_query`` that older files keep elsewhere."""
    arguments = fields.free("additional_args")
    if fields.raw.get("action_type") != "EXTRACT" or _QUERY in arguments:
        return arguments
    name = fields.raw.get("variable_name")
    everywhere = cast("dict[Any, Any]", queries).get(name) if isinstance(queries, dict) else queries
    found = fields.raw.get(_QUERY, everywhere)
    return arguments if found is None else {**arguments, _QUERY: found}
