"""What people see in a terminal of tasks, of what was learned, its one round of questions, and what they can do."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.text import Text

from core.errors import Cancelled, InvalidRequest
from core.headlines import of_run, why
from core.tasks.answers import answered
from core.tasks.moments import proposed_answers
from core.tasks.questions import Question, QuestionState
from server.cli_output.analysis import MOODS, plain, table
from server.times import ago

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from core.runs.run import Run
    from core.tasks.ports import Learned, StoredTask, Tasks, TaskSummary, Version


_COLOURS: Final = {QuestionState.OPEN: "yellow", QuestionState.ANSWERED: "green", QuestionState.STALE: "dim"}
_SHOWN: Final = 5
_MOST_WHY: Final = 120
_CHANGES: Final = {"+": "green", "-": "red", "@": "cyan"}


def show_list(out: Console, found: Sequence[TaskSummary], scheduled: Mapping[str, str]) -> None:
    """A line for each task, also for one that cannot be used; ``scheduled`` tells when the next time is."""
    if not found:
        say(out, 'None yet; `vaider learn VIDEO` or `vaider tasks add "What it does"` makes one.')
        return
    names = ("task", "questions", "changed", *(["next"] if scheduled else []), "does")
    rows = table(*names)
    for each in found:
        asked = f"{each.open_questions} open of {each.questions}" if each.questions else ""
        due = [scheduled.get(each.id, "")] if scheduled else []
        cells = (each.id, asked, ago(each.modified), *due, each.fault or each.title)
        rows.add_row(*(Text(plain(cell)) for cell in cells), style="red" if each.fault else None)
    out.print(rows)


def show_task(out: Console, task: StoredTask, fault: str) -> None:
    """The document as it stands, where it is, and what it waits for."""
    say(out, f"{task.id}  version {task.version.number}, {task.folder / 'HEARTBEAT.md'}", "bold")
    out.print()
    # The byte order mark and the carriage returns of an editor are no more than how lines end.
    text = task.heartbeat.text.removeprefix("\ufeff").replace("\r\n", "\n")
    out.print(Text(plain(text.rstrip("\n"))), soft_wrap=True)
    out.print()
    if fault:
        say(out, f"note: {fault}", "yellow")
    say(out, waiting(task), "dim")


def show_questions(out: Console, task: StoredTask) -> None:
    """All questions with their ids, and how one is answered."""
    questions = task.heartbeat.questions
    if not questions:
        say(out, f"{task.id} has no questions.")
        return
    rows = table("state", "question", "text")
    for each in questions:
        state = Text(f"{each.state}, required" if each.required and each.state is QuestionState.OPEN else each.state)
        state.stylize(_COLOURS[each.state])
        rows.add_row(state, Text(plain(each.id)), Text(plain(_format_question(each))))
    out.print(rows)
    unanswered = task.heartbeat.open_questions
    if unanswered:
        say(out, f'Next: vaider tasks answer {quoted(task.id)} {quoted(unanswered[0].id)} "…"', "dim")


def show_open_questions(out: Console, task: StoredTask) -> None:
    """What a task is carried out without, before it is."""
    unanswered = task.heartbeat.open_questions
    for each in unanswered[:_SHOWN]:
        out.print(Text.assemble(("open question ", "yellow"), plain(f"{each.text} ({each.id})")), soft_wrap=True)
    if len(unanswered) > _SHOWN:
        say(out, f"and {len(unanswered) - _SHOWN} more: vaider tasks questions {quoted(task.id)}", "yellow")


def show_runs(out: Console, task_id: str, runs: Sequence[Run]) -> None:
    """A line for each run, the newest first, and where its report is."""
    if not runs:
        say(out, f"{task_id} was not carried out yet: vaider run {quoted(task_id)}")
        return
    rows = table("started", "took", "by", "outcome", "report")
    for each in runs:
        took, line = f"{each.duration_ms / 1000:.1f} s", of_run(each.model_dump(mode="json"))
        ended = Text.assemble((line.label, MOODS[line.mood]), "  ", plain(why(line))[:_MOST_WHY])
        cells = (Text(plain(each)) for each in (ago(each.started_at), took, each.provider))
        rows.add_row(*cells, ended, Text(plain(f"{each.directory}/report.html")))
    out.print(rows)


def show_history(out: Console, task_id: str, versions: Sequence[Version]) -> None:
    """A line for each version, the oldest first."""
    if not versions:
        say(out, f"No version of {task_id} is kept.")
        return
    rows = table("version", "when", "by", "why", "bytes")
    for each in versions:
        rows.add_row(
            *(Text(plain(cell)) for cell in (str(each.number), ago(each.at), each.by, each.why, str(each.size)))
        )
    out.print(rows)


def show_diff(out: Console, diff: str) -> None:
    """A unified diff."""
    for line in diff.splitlines():
        out.print(Text(plain(line), style=_CHANGES.get(line[:1], "")), soft_wrap=True)


def show_restored(out: Console, task: StoredTask, number: int, before: Sequence[Version]) -> None:
    """Which version it is now, and how that is taken back."""
    if before and task.version.number == before[-1].number:
        say(out, f"{task.id} is what it was in version {number} already.")
        return
    say(out, f"{task.id} is what it was in version {number}; that is version {task.version.number} now.")
    if before:
        say(out, f"To take it back: vaider tasks restore {quoted(task.id)} {before[-1].number}", "dim")


def confirm_removal(task_id: str, versions: int) -> None:
    """Ask whether to delete a task. Raises ``Cancelled`` for a no, ``InvalidRequest`` without a terminal."""
    if not sys.stdin.isatty():
        raise InvalidRequest(
            f"This deletes {task_id!r} for good, and there is no terminal to confirm it on: confirm with --yes."
        )
    text = f"Delete {plain(task_id)} for good, with its recordings, runs and versions ({versions})?"
    if not click.confirm(text, default=False, err=True):
        raise Cancelled("Nothing is deleted.")


def say(out: Console, line: str, style: str = "") -> None:
    """One line, whole however wide the terminal is."""
    out.print(Text(plain(line), style=style), soft_wrap=True)


def waiting(task: StoredTask) -> str:
    """How many questions wait for an answer, and where they are seen."""
    count = len(task.heartbeat.open_questions)
    if not count:
        return "No question is open."
    text = "1 question is open" if count == 1 else f"{count} questions are open"
    return f"{text}: `vaider tasks questions {quoted(task.id)}` lists them."


def quoted(word: str) -> str:
    """The word as a shell takes it: an id may have blanks."""
    return shlex.quote(word)


def _format_question(question: Question) -> str:
    lines = [question.text]
    if question.answer is not None:
        lines.append(f"Answer: {question.answer}")
    elif question.earlier_answer is not None:
        lines.append(f"Earlier answer: {question.earlier_answer}")
    if question.answer is None and (proposed := proposed_answers(question.text)):
        lines.append(f"Perhaps: {' / '.join(proposed)}")
    return "\n".join(lines)


_BY = "cli"


def show_learned(out: Console, learned: Learned) -> None:
    """The task, its questions, and what to do next."""
    done = "learned" if learned.created else "merged into"
    head = Text.assemble((done, "bold green"), f" {plain(learned.title)}  ", (plain(learned.task), "bold"))
    out.print(head, soft_wrap=True)
    say(out, f"  {Path(learned.folder) / 'HEARTBEAT.md'}, by {learned.provider} in {learned.duration_ms / 1000:.1f} s")
    for warning in learned.warnings:
        say(out, f"  note: {warning}", "yellow")
    for each in learned.questions:
        kind = "needs to know" if each.required else "asks"
        out.print(Text.assemble((f"  {kind} ", "yellow"), plain(each.text), (f"  {each.id}", "dim")), soft_wrap=True)
    task = quoted(learned.task)
    if learned.questions:
        say(out, f'  Answer: vaider tasks answer {task} {quoted(learned.questions[0].id)} "…"', "dim")
    say(
        out,
        f"  Read and correct it: vaider tasks show {task}; carry it out: vaider run {task} --display private",
        "dim",
    )


def answer_questions(out: Console, tasks: Tasks, learned: Learned) -> None:
    """Ask each open question once; a blank answer leaves it open."""
    if learned.questions:
        ask_each(out, tasks, learned.task, learned.questions)


def ask_each(out: Console, tasks: Tasks, task: str, questions: Sequence[Question]) -> int:
    """Ask each of these questions, and say how many were answered; returns that."""
    say(out, "")
    say(out, "Answer now, or press Enter to leave a question open.")
    count = sum(_is_answered(out, tasks, task, each) for each in questions)
    say(out, f"{count} of {len(questions)} answered.")
    return count


def _is_answered(out: Console, tasks: Tasks, task: str, question: Question) -> bool:
    """Ask until the answer can be used, or is blank."""
    while True:
        proposed = proposed_answers(question.text)
        hint = f" ({' / '.join(map(plain, proposed))})" if proposed else ""
        answer: str = click.prompt(f"{plain(question.text)}{hint}", default="", show_default=False, err=True)
        if not answer.strip():
            return False
        try:
            tasks.change(
                task,
                lambda now, answer=answer: answered(now, question.id, answer),
                by=_BY,
                why=f"answered {question.id}",
            )
        except InvalidRequest as error:
            say(out, f"  {error.message}", "yellow")
        else:
            return True
