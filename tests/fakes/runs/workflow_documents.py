"""Documents of workflows, and copies of them with one thing changed."""

import copy
import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[2] / "data" / "workflows"
V1: Final = FOLDER / "spotify"
V2: Final = FOLDER / "report"
ABSENT: Final = object()


def document(folder: Path = V2) -> dict[str, Any]:
    return json.loads((folder / "schema.json").read_text(encoding="utf-8"))


def changed(source: dict[str, Any], path: str, value: Any) -> str:
    """The document with the member at ``path`` (``plan.subtasks.0.text``) set, or removed when it is ``ABSENT``."""
    whole: Any = copy.deepcopy(source)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = whole
    for part in way:
        place = place[part]
    if value is ABSENT:
        del place[last]
    else:
        place[last] = value
    return json.dumps(whole)


def step(**members: Any) -> dict[str, Any]:
    """A step that breaks no rule."""
    whole: dict[str, Any] = {
        "i": 0,
        "expected_current_state": "A page is shown.",
        "intent": "Go on",
        "action_type": "CLICK",
        "action_value": None,
        "target": {"primary": 'the "Next" button', "fallback": None},
        "post_action": ["The next page is shown."],
        "variable_name": None,
        "additional_args": {},
    }
    return whole | members


def plan(*subtasks: dict[str, Any], **members: Any) -> str:
    """A document of version 2; what a subtask lacks is supplied."""
    bare: dict[str, Any] = {"dependencies": [], "steps": []}
    numbered = [{"subtask_i": at, "text": f"Part {at}."} | bare | subtask for at, subtask in enumerate(subtasks)]
    return json.dumps({"task_name": "t", "plan": {"subtasks": numbered}, **members})


def old_plan(subtasks: list[str], steps: list[tuple[str, str, int]], **members: Any) -> str:
    """A document of version 1; each step by its subtask, the words of its target and its ``i``."""
    made = [step(subtask=text, target={"primary": target, "fallback": None}, i=i) for text, target, i in steps]
    for each in made:
        del each["variable_name"], each["additional_args"]
    return json.dumps({"task_name": "t", "subtasks": subtasks, "plan": {"steps": made}, **members})
