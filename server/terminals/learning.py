"""What people see of what was learned in a terminal, and the one round of questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from server.terminals.analysis import plain
from server.terminals.task import quoted, say

if TYPE_CHECKING:
    from rich.console import Console

    from core.tasks.lessons import Learned
    from core.tasks.ports import Tasks

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
    if not learned.questions:
        return
    say(out, "")
    say(out, "Answer now, or press Enter to leave a question open.")
    answered = 0
    for each in learned.questions:
        answer: str = click.prompt(plain(each.text), default="", show_default=False, err=True)
        if answer.strip():
            tasks.change(
                learned.task,
                lambda now, each=each, answer=answer: now.with_answer(each.id, answer),
                by=_BY,
                why=f"answered {each.id}",
            )
            answered += 1
    say(out, f"{answered} of {len(learned.questions)} answered.")
