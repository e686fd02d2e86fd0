"""The steps of a version 1 document, given to the subtasks that they belong to."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from core.workflows.templates import EXTRACT, places
from core.workflows.workflow import PlannedSubtask, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.workflows.fields import Findings


class OldStep(NamedTuple):
    """A step as version 1 has it."""

    subtask: str
    """The sentence of its subtask."""
    number: int
    """Its ``i``, which counts through the plan, or anew in each subtask."""
    step: Step


def grouped(texts: Sequence[str], steps: Sequence[OldStep], findings: Findings) -> Sequence[PlannedSubtask]:
    """The subtasks of these texts, each with its own steps, which are numbered anew.

    Equal texts are told apart by position: each run of neighbouring steps with that text belongs to the next subtask
    that has it. A run that must serve several is shared out where its ``i`` starts again, or where it does the same
    thing as many times; else it stays with the first, and a note says so.
    """
    owned: list[list[Step]] = [[] for _ in texts]
    runs = _runs(steps)
    at = -1
    for run in runs:
        at = _owner(texts, run[0].subtask, at)
        if at >= 0:
            owned[at].extend(old.step for old in run)
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


def _runs(steps: Sequence[OldStep]) -> list[list[OldStep]]:
    runs = [[step] for step in steps[:1]]
    for before, step in pairwise(steps):
        if step.subtask != before.subtask or step.number <= before.number:
            runs.append([])
        runs[-1].append(step)
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
