"""What a workflow or a task may be asked for by: its own words, and one wording that only programs use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.reload.templates import Place, Template
from core.runs.outcomes import instruction
from core.workflows.templates import EXTRACT, PLACE

if TYPE_CHECKING:
    from core.reload.entry import Origin
    from core.workflows.workflow import Workflow


def wordings(origin: Origin, template: Workflow) -> tuple[Template, ...]:
    """Its wordings, the most telling first; those that hold what is only read in the run are none.

    Args:
        origin: what is carried out.
        template: its places not filled.

    """
    names = {each.name for each in template.task_params if not each.sensitive}
    plan = " ".join(instruction(each.text) for each in template.plan.subtasks)
    texts = [template.task_description_user, template.task_name, plan]
    if origin.kind == "workflow":
        texts.append(template.detailed_task_description)
    if template.task_name:
        texts.append(f"Run {template.task_name}")
    told = [templated for text in texts if (templated := _template(text, names)) is not None]
    return tuple(dict.fromkeys([*told, canonical_wording(origin, template)]))


def canonical_wording(origin: Origin, template: Workflow) -> Template:
    """``workflow:<folder> name = <place>, …``: a run of the same with the same values has the same."""
    parts: list[str | Place] = [f"{origin.kind}:{origin.name}"]
    for each in template.task_params:
        if not each.sensitive:
            parts += [f", {each.name} = ", Place(slot=each.name)]
    return Template(parts=tuple(parts))


def _template(text: str, names: set[str]) -> Template | None:
    pieces = PLACE.split(" ".join(text.split()))
    if any(EXTRACT.fullmatch(name) or name not in names for name in pieces[1::2]):
        return None
    parts = [Place(slot=piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece]
    return Template(parts=tuple(parts)) if parts else None
