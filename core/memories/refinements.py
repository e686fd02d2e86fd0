"""Refined sentences for the steps of a memory: which changes by a model are accepted."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from core.procedures.scene import Concealed
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.memory import Procedure
    from core.steps import Step

MOST_LETTERS: Final = 300
"""Of a step or a summary that a model words."""
_ROOM: Final = 160
_TIMES_LONGER: Final = 3
_MOST_ADDED: Final = 5
_EXACT: Final = ("Pressed ", "Copied ", "Cut ", "Pasted ", "Scrolled ", "Waited ")
"""Steps that quote nothing because there is nothing to quote."""
_HIDDEN: Final = "Typed a hidden value"
"""How a step with a hidden value begins."""
_BROUGHT: Final = re.compile(r', (?:and|after which|where) "[^"]*" (?:appeared|then stood)\Z')
"""Matches the result of a step, which does not name the step's target."""
_QUOTED: Final = re.compile(r'"[^"]+"|“[^”]+”|«[^»]+»|「[^」]+」')


class StepRefinement(Value):
    """A model's answer about one step."""

    number: Annotated[int, Field(ge=0)]
    """The step's number, from 1; 0 for a step that the procedure lacks."""
    text: str | None
    """Its sentence; ``None``: nothing was done there."""
    t_ms: int = 0
    """Within the video; only looked at for a step that the procedure lacks."""
    until_ms: int = 0


class Refinement(Value):
    """A model's answer about a procedure: untrusted data, of any length and content."""

    summary: str | None = None
    steps: tuple[StepRefinement, ...] = ()


def vague_steps(procedure: Procedure) -> tuple[int, ...]:
    """The numbers, from 1, of the steps that were inferred from the screen alone, or that do not name their target."""
    return tuple(number for number, step in enumerate(procedure.steps, 1) if step.inferred or _is_vague(step.text))


def _is_vague(text: str) -> bool:
    return not _QUOTED.search(_BROUGHT.sub("", text)) and not text.startswith(_EXACT)


def hides_something(procedure: Procedure) -> bool:
    """Whether a hidden value was typed in it: its pictures stay here, because they may show that value."""
    return any(step.text.startswith(_HIDDEN) for step in procedure.steps)


def accepted(text: str | None, original: str) -> str | None:
    """A model's sentence as it may be kept, ``None`` when it may not.

    It is one line of printable letters, not longer than ``MOST_LETTERS`` nor than a few times the original, and holds
    nothing that looks like a key or names a password manager.
    """
    line = (text or "").strip().removesuffix(".").rstrip()
    if not 1 < len(line) <= min(MOST_LETTERS, max(_ROOM, _TIMES_LONGER * len(original))):
        return None
    # Cc, Cf, Cs, Co, Cn: invisible, direction-changing or unassigned characters; Zl and Zp: line separators.
    if any(unicodedata.category(letter)[0] == "C" or unicodedata.category(letter) in {"Zl", "Zp"} for letter in line):
        return None
    if not any(letter.isalnum() for letter in line) or Concealed().hides(line):
        return None
    return " ".join(line.split())


def refine(procedure: Procedure, said: Refinement, asked: Sequence[int]) -> tuple[Procedure, bool]:
    """The procedure with what may be kept of what was said, and whether anything of it may.

    Only the requested steps get new sentences; their times, windows and evidence stay. A step that was not
    logged is removed when nothing was done there, as long as half of the steps stay; one that is lacking is added, as
    inferred, where it lies within the procedure and far from every other.
    """
    words: dict[int, str] = {}
    gone: set[int] = set()
    for each in said.steps[: 2 * len(procedure.steps) + _MOST_ADDED]:
        if each.number not in asked or each.number in words or each.number in gone:
            continue
        step = procedure.steps[each.number - 1]
        if each.text is None:
            gone |= {each.number} if step.inferred else set()
        elif (text := accepted(each.text, step.text)) is not None:
            words[each.number] = text
    if len(gone) * 2 > len(procedure.steps):
        gone = set()
    kept = [
        step.model_copy(update={"text": words[number]}) if number in words else step
        for number, step in enumerate(procedure.steps, 1)
        if number not in gone
    ]
    added = _added(procedure, said)
    summary = accepted(said.summary, procedure.summary)
    steps = tuple(sorted([*kept, *added], key=lambda step: step.t_ms)) if added else tuple(kept)
    better = procedure.model_copy(update={"steps": steps, "summary": summary or procedure.summary})
    nothing_said = not said.steps and said.summary is None
    silent = any(each.text is None for each in said.steps)
    return better, bool(nothing_said or words or added or summary or silent)


def _added(procedure: Procedure, said: Refinement) -> list[Step]:
    """Steps that the procedure lacks; one that was logged whole lacks none."""
    if not procedure.inferred:
        return []
    room = min(_MOST_ADDED, len(procedure.steps))
    times = [step.t_ms for step in procedure.steps]
    added: list[Step] = []
    for each in said.steps:
        text = accepted(each.text, "") if each.number == 0 else None
        within = procedure.start_ms <= each.t_ms <= procedure.end_ms
        if text is None or not within or any(abs(each.t_ms - other) < 1000 for other in times):  # noqa: PLR2004 - ms: a model's seconds are rounded
            continue
        before = [step for step in procedure.steps if step.t_ms <= each.t_ms] or [procedure.steps[0]]
        until_ms = min(max(each.t_ms, each.until_ms), procedure.end_ms)
        added.append(
            before[-1].model_copy(update={"t_ms": each.t_ms, "until_ms": until_ms, "text": text, "inferred": True})
        )
        times.append(each.t_ms)
    return added[:room]
