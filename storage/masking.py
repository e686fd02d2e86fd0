"""What a run writes down, without its secrets, and without anything that is no JSON."""

from __future__ import annotations

import html
import json
import math
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from core.runs.deciding import Outcome
from core.runs.run import Check, Run, RunOutcome, RunStatus, Spent, SubtaskRun
from core.secrets import Secrets
from core.tasks.questions import Question, QuestionState
from core.workflows.workflow import Parameter, Plan, PlannedSubtask, Step, Target, Workflow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_TEXT: Final = 100_000
_MAX_DEPTH: Final = 40
_MAX_ITEMS: Final = 10_000
_OURS: Final = (Check, Question, Run, Spent, SubtaskRun, Parameter, Plan, PlannedSubtask, Step, Target, Workflow)
_ROW: Final = (
    "type subtask_idx iter tool_call arguments pixel_action task_memory variable_name query value result error"
)
_NAMES: Final = frozenset(
    [*(name for kind in _OURS for name in kind.model_fields), *_ROW.split(), "check", "action", "extracts"]
)
"""Members of our own formats: they stay, even if a secret is spelt like one of them."""
_WORDS: Final = {
    "type": frozenset({"computer_use", "extract", "done", "exec_error"}),
    "outcome": frozenset({*map(str, Outcome), *map(str, RunOutcome)}),
    "verdict": frozenset({"pass", "fail", "unclear"}),
    "status": frozenset(map(str, RunStatus)),
    "state": frozenset(map(str, QuestionState)),
}
"""The same for their closed vocabularies."""


class Mask:
    """Takes secrets out of values, also where they are spelt as JSON, HTML or a URL spells them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        spelt = {each for secret in secrets if secret for each in _spellings(secret)}
        self._secrets = Secrets({str(at): each for at, each in enumerate(sorted(spelt))})

    def text(self, text: str) -> str:
        """A text; after ``MAX_TEXT`` letters it is cut, and half characters are replaced."""
        clean = self._secrets.mask(text)
        if len(clean) > MAX_TEXT:
            clean = clean[:MAX_TEXT] + "…"
        return clean.encode("utf-8", "replace").decode()

    def json(self, value: Any) -> Any:
        """A JSON value, its names too; numbers that JSON does not have become ``null``, and bottomless ones end."""
        return self._clean(value, "", _MAX_DEPTH)

    def _clean(self, value: Any, name: str, depth: int) -> Any:
        match value:
            case str():
                return str(value) if value in _WORDS.get(name, ()) else self.text(value)
            case float() if not math.isfinite(value):
                return None
            case dict() | list() | tuple() if not depth:
                return "…"
            case dict():
                parts = list(cast("Mapping[str, Any]", value).items())[:_MAX_ITEMS]
                return {self._name(str(each)): self._clean(part, str(each), depth - 1) for each, part in parts}
            case list() | tuple():
                return [self._clean(part, "", depth - 1) for part in cast("list[Any]", value)[:_MAX_ITEMS]]
            case _:
                return value

    def _name(self, name: str) -> str:
        return name if name in _NAMES else self.text(name)


def _spellings(secret: str) -> set[str]:
    in_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {secret, html.escape(secret), quote(secret, safe="", errors="replace"), *in_json}
