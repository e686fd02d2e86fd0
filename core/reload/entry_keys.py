"""By what an entry is found: its trigger, windows, requests, words; and where it comes from, if that is as it was."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, cast

from core.errors import CallerError
from core.reload.entry import Draft, Origin
from core.reload.ports import Keys
from core.reload.requests import normalise, words
from core.reload.templates import Place, Template
from core.runs.outcomes import instruction
from core.runs.run import RunRequest
from core.runs.task_run_subject import TaskRunSubject, WorkflowRunSubject
from core.screens import Window
from core.steps import PLACE
from core.workflows.workflow import EXTRACT, Workflow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from core.reload.offers import Question
    from core.runs.ports import Runs, RunSubject, Workflows
    from core.tasks.ports import Tasks


_SHORT: Final = 2
"""Words of so many letters tell nothing."""
_HASH: Final = 16


def ngrams(text: str) -> tuple[str, ...]:
    """Each two and each three words that follow one another, in lower case, of words longer than two letters."""
    words = [word for word in text.lower().split() if len(word) > _SHORT]
    twos = (f"{one} {two}" for one, two in pairwise(words))
    threes = (" ".join(three) for three in zip(words, words[1:], words[2:], strict=False))
    return (*twos, *threes)


def window_state_hash(state: Any) -> str:
    """A client's account of its windows, or the windows of the desktop, as 16 hexadecimal digits; empty for ``None``.

    A list of objects with ``id`` and ``renderer`` counts by these alone and in any order, as the seed has it, windows
    of the desktop by application and title. Any other JSON counts as a whole.
    """
    if state is None:
        return ""
    items = cast("Sequence[Any]", state) if isinstance(state, list | tuple) else ()
    if items and all(isinstance(item, Window) for item in items):
        text = _joined(f"{window.application}:{window.title}" for window in items)
    elif isinstance(state, list) and all(_is_rendered(item) for item in items):
        text = _joined(f"{item['id']}:{item['renderer']}" for item in items)
    else:
        text = json.dumps(state, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def _joined(parts: Collection[str] | Iterable[str]) -> str:
    return "|".join(sorted(parts))


def _is_rendered(item: Any) -> bool:
    return isinstance(item, dict) and {"id", "renderer"} <= cast("dict[str, Any]", item).keys()


_LENGTH: Final = 16
_MOST_WORDS: Final = 200
"""Words of one request that it is found by."""


def keys_of(draft: Draft) -> Keys:
    """By what an entry is found.

    The windows count only when a client sent them: what Vaider itself saw is compared at the lookup.
    """
    text = draft.fingerprint.window_state_hash if draft.origin.kind == "client" else ""
    gate = _gate(draft.fingerprint.trigger_type, draft.fingerprint.trigger_target, text)
    values = draft.values()
    exact = frozenset(_exact(gate, phrasing.filled(values)) for phrasing in draft.requests)
    said = frozenset(word for value in values.values() for word in words(value)[:_MOST_WORDS])
    return Keys(gate, exact, tuple(_fixed(phrasing) for phrasing in draft.requests), said)


def gate_of(question: Question) -> str:
    """The gate of the entries that may answer a question. Without a trigger it is a message of the user."""
    trigger = question.trigger_type or "user_message"
    return _gate(trigger, question.trigger_target or "", window_state_hash(question.window_state))


def exact_key(question: Question) -> str:
    """The exact key of a question's request."""
    return _exact(gate_of(question), question.request)


def _fixed(phrasing: Template) -> tuple[str, ...]:
    """The words of a phrasing that are no value."""
    text = " ".join("" if isinstance(part, Place) else part for part in phrasing.parts)
    return tuple(words(text)[:_MOST_WORDS])


def _gate(trigger: str, target: str, windows: str) -> str:
    return _digest(trigger, target, windows)[:_LENGTH]


def _exact(gate: str, request: str) -> str:
    """Letter by letter, but for encoding, white space and the last full stop: in a value the case counts."""
    return _digest(gate, normalise(request))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Origins:
    """Finds the documents again.

    Args:
        workflows: where workflows are.
        tasks: where tasks are.
        runs: of both; nothing is written.

    """

    def __init__(self, workflows: Workflows, tasks: Tasks, runs: Runs) -> None:
        self._workflows = workflows
        self._tasks = tasks
        self._runs = runs

    def revision(self, origin: Origin) -> str | None:
        """Of the document as it is now, ``None`` when there is none that could be carried out."""
        try:
            if origin.kind == "workflow":
                return revision_of(self._workflows.load(origin.name))
            return revision_of(TaskRunSubject.found(RunRequest(task=origin.name), self._tasks, self._runs).workflow)
        except CallerError:
            return None


def origin_of(subject: RunSubject) -> Origin:
    """What a run carries out, as entries name it."""
    if isinstance(subject, TaskRunSubject):
        return Origin(kind="task", name=subject.request.task, revision=revision_of(subject.workflow))
    if isinstance(subject, WorkflowRunSubject):
        return Origin(kind="workflow", name=subject.request.workflow, revision=revision_of(subject.workflow))
    return Origin()


def revision_of(workflow: Workflow) -> str:
    """SHA-256 of a document, its places not filled."""
    return hashlib.sha256(workflow.model_dump_json().encode()).hexdigest()


def phrasings(origin: Origin, template: Workflow) -> tuple[Template, ...]:
    """Its phrasings, the most specific first, without those that hold a value that only the run reads.

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
    reported = [templated for text in texts if (templated := _template(text, names)) is not None]
    return tuple(dict.fromkeys([*reported, canonical_phrasing(origin, template)]))


def canonical_phrasing(origin: Origin, template: Workflow) -> Template:
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
