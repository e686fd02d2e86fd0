"""Tasks and workflows as the subject of a run; what blocked a task's run becomes a question in its document."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from core.errors import Conflict, NotFound
from core.runs.run import STATUSES, Run, RunOutcome, RunRequest
from core.tasks.agreements import is_naming, naming_question
from core.tasks.parameters import Template, filled, given_by_name, parametrised
from core.tasks.plan import about_line, asked_about, is_about_plan, place_of
from core.tasks.ports import Tasks, find_task
from core.tasks.questions import MAX_QUESTION, Question, QuestionState, question_words
from core.tasks.workflow import as_workflow, asks_what_shows, unconfirmed_question, unseen_question
from core.text import one_line
from core.workflows.checks import parameter_faults
from core.workflows.workflow import Workflow, fill, render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.runs.execution import ReplayParts
    from core.runs.ports import RunFolder, Runs
    from core.secrets import Secrets
    from core.tasks.heartbeat import Heartbeat

_FAILED: Final = "The task could not be done:"
_ASKING: Final = frozenset({RunOutcome.ASKED, RunOutcome.UNCLEAR, RunOutcome.FAILED})


@dataclass(frozen=True)
class TaskRunSubject:
    """Implements ``core.runs.ports.RunSubject``.

    Args:
        request: what was asked for; its task is an id.
        template: the task, with places for its values.
        root: the task's folder.
        tasks: where its questions are kept.
        runs: where its runs are kept.

    """

    request: RunRequest
    template: Template
    root: str
    tasks: Tasks
    runs: Runs

    @classmethod
    def find(cls, request: RunRequest, parts: ReplayParts) -> Self:
        """The task that a request names, by id or title. Raises ``NotFound``, ``Conflict``, ``InvalidRequest``."""
        return cls.found(request, parts.tasks, parts.task_runs)

    @classmethod
    def found(cls, request: RunRequest, tasks: Tasks, runs: Runs) -> Self:
        """The same, among these tasks."""
        task = find_task(tasks, request.task)
        task.heartbeat.check()
        template = parametrised(task.heartbeat)
        given = given_by_name(template.parameters, request.params)
        named = request.model_copy(update={"task": task.id, "params": given})
        return cls(named, template, str(task.folder), tasks, runs)

    @property
    def workflow(self) -> Workflow:
        """The task in the shape that runs have."""
        return as_workflow(self.template)

    @property
    def faults(self) -> Sequence[str]:
        """See the port."""
        return self.template.faults

    def rendered(self, values: Mapping[str, str], secrets: Secrets) -> Workflow:
        """See the port."""
        shown = {name: value for name, value in values.items() if name not in secrets.values}
        workflow = as_workflow(self.template._replace(heartbeat=filled(self.template, shown)))
        # Of the template: a value that is put into an address is encoded there.
        effects = tuple(each.mapped(lambda text: fill(text, shown)) for each in self.workflow.effects)
        return workflow.model_copy(update={"effects": effects})

    def open(self, job_id: str, secrets: Sequence[str]) -> RunFolder:
        """See the port."""
        return self.runs.open(self.root, job_id, secrets)

    def conclude(self, run: Run, *, blocked: bool) -> Run:
        """Add the run's open questions to the document; none after a success, and none twice."""
        task, status = self.request.task, STATUSES[run.outcome]
        question = self._question(run) if blocked and run.outcome in _ASKING else ""
        asked: set[str] = set()
        try:
            document = self.tasks.load(task).heartbeat
            names = naming_question(document, run.targets) if self.request.trial else ""
            if question or names:
                edited = self.tasks.change(
                    task,
                    lambda now: _asking(now, question, names),
                    by=f"run {run.run_id}",
                    why="what a run could not know",
                )
                document = edited.heartbeat
                asked = {each.id for each in _known(document, question)} if question else set()
        except NotFound:
            return run.model_copy(update={"task": task, "status": status, "reason": _deleted(run)})
        waiting = document.open_questions
        return run.model_copy(
            update={
                "task": task,
                "status": status,
                "asked": tuple(each for each in waiting if each.id in asked),
                "open_questions": waiting,
            }
        )

    def _question(self, run: Run) -> str:
        """The question for the person, in one line."""
        if run.outcome is RunOutcome.ASKED:
            words = about_line(run.reason, self.template.lines)
        elif run.outcome is RunOutcome.UNCLEAR:
            words = _unseen(run)
        else:
            words = f"{_FAILED} {run.reason} What is to be done instead?"
        plain = one_line(words)
        return plain if len(plain) <= MAX_QUESTION else f"{plain[: MAX_QUESTION - 1]}…"


def _unseen(run: Run) -> str:
    """The question after an unconfirmed success, without what was seen instead, because that differs at each run."""
    failed = [each.check for each in run.subtasks if each.check is not None and each.check.verdict == "fail"]
    check = next(iter(failed), run.success_check)
    if check is not None and check.verdict == "unclear":
        return unconfirmed_question(check.expected)
    return unseen_question(check.expected if check is not None else "")


def _asking(document: Heartbeat, question: str, names: str) -> Heartbeat:
    """The document with the question open, and with the proposal of names, unless one was answered before."""
    if names and not any(is_naming(each.text) and each.text == names for each in document.questions):
        document = document.with_questions([names])
    return _open(document, question) if question else document


def _open(document: Heartbeat, question: str) -> Heartbeat:
    """The document with the question open; one that was answered before is asked again, its answer beside it."""
    known = _known(document, question)
    if any(each.state is QuestionState.OPEN for each in known):
        return document
    answered = next((each for each in known if each.state is QuestionState.ANSWERED), None)
    if answered is not None:
        return document.reopened(answered.id, required=True)
    with contextlib.suppress(Conflict):
        return document.with_questions([question], required=True)
    return document


def _known(document: Heartbeat, question: str) -> list[Question]:
    """The questions of the document that are this one, or whose answer is the very instruction that it is about."""
    same = [each for each in document.questions if _same(each.text, question)]
    if not same and asks_what_shows(question):
        # It is asked once, however it is put.
        return [each for each in document.open_questions if asks_what_shows(each.text)]
    about = asked_about(question)
    if same or about is None:
        return same
    return [
        each
        for each in document.questions
        if each.state is not QuestionState.STALE
        and is_about_plan(each.text)
        and about[0] - 1 in (place_of(document, each) or ())
    ]


def _same(asked: str, question: str) -> bool:
    """Whether two questions are one: also where they tell differently why a step, or the task, could not be done."""
    about = asked_about(question)
    is_failure = asked.startswith(_FAILED) and question.startswith(_FAILED)
    is_step = about is not None and asked_about(asked) == about
    return is_failure or is_step or question_words(asked) == question_words(question)


def _deleted(run: Run) -> str:
    return " ".join(filter(None, (run.reason, "The task was deleted while it ran.")))


@dataclass(frozen=True)
class WorkflowRunSubject:
    """Implements ``core.runs.ports.RunSubject``."""

    request: RunRequest
    workflow: Workflow
    runs: Runs

    @classmethod
    def find(cls, request: RunRequest, parts: ReplayParts) -> Self:
        """The workflow that a request names. Raises ``NotFound``, ``InvalidWorkflow``."""
        folder = parts.workflows.find(request.workflow)
        workflow = parts.workflows.load(folder)
        return cls(request.model_copy(update={"workflow": folder}), workflow, parts.runs)

    @property
    def root(self) -> str:
        """The workflow's folder."""
        return self.request.workflow

    @property
    def faults(self) -> Sequence[str]:
        """See the port."""
        return parameter_faults(self.workflow)

    def rendered(self, values: Mapping[str, str], secrets: Secrets) -> Workflow:
        """See the port. Raises ``InvalidRequest`` for a place without a value."""
        return render(self.workflow, values, secrets)

    def open(self, job_id: str, secrets: Sequence[str]) -> RunFolder:
        """See the port."""
        return self.runs.open(self.root, job_id, secrets)

    def conclude(self, run: Run, *, blocked: bool) -> Run:
        """Return the run unchanged, because a workflow keeps no questions."""
        del blocked
        return run
