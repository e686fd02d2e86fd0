"""How a run is written down: beside its work, in order, a little at a time, and without its secrets."""

import html
import json
import logging
import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast
from urllib.parse import quote

from core.errors import Internal, VaiderError
from core.runs.deciding import Outcome
from core.runs.run import Check, Run, RunOutcome, RunStatus, Spent, SubtaskRun
from core.secrets import Secrets
from core.steps import Step, Target
from core.tasks.questions import Question, QuestionState
from core.workflows.workflow import Parameter, Plan, PlannedSubtask, Workflow

_LOG: Final = logging.getLogger("vaider.background")


class Background:
    """Does one piece of work after the other; its thread lives only while there is some.

    Args:
        waiting: the most queued tasks; beyond, the caller blocks.

    """

    def __init__(self, waiting: int) -> None:
        self._most = waiting
        self._work: deque[Callable[[], None]] = deque()
        self._changed = threading.Condition()
        self._busy = False
        self._failure: VaiderError | None = None

    def do(self, work: Callable[[], None]) -> None:
        """Begin it, or put it in line. Raises the failure of an earlier piece, after which no more is done."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure or len(self._work) < self._most)
            if self._failure is not None:
                raise self._failure
            self._work.append(work)
            if not self._busy:
                self._busy = True
                threading.Thread(target=self._run, name="run-pictures", daemon=True).start()

    def finish(self) -> VaiderError | None:
        """Wait until all is done; the first failure, if there was one."""
        with self._changed:
            self._changed.wait_for(lambda: not self._busy)
            return self._failure

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._work or self._failure is not None:
                    self._work.clear()
                    self._busy = False
                    self._changed.notify_all()
                    return
                work = self._work.popleft()
                self._changed.notify_all()
            failure = _failure_of(work)
            if failure is not None:
                with self._changed:
                    self._failure = failure


def _failure_of(work: Callable[[], None]) -> VaiderError | None:
    try:
        work()
    except VaiderError as failure:
        return failure
    except Exception:  # noqa: BLE001 - a caller that waits for it must get the failure
        _LOG.exception("a picture could not be kept")
        return Internal("A picture of the run could not be kept; the daemon's log says why.")
    return None


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
