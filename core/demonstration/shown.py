"""What a demonstration is: the steps that were shown, and what of them is not known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core.plans.grammar import read_step
from core.plans.step_sentences import sentence
from core.secrets import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.steps import Step


class ShownStep(NamedTuple):
    """One line of the plan."""

    t_ms: int
    until_ms: int
    line: str
    step: Step | None
    """``None`` where it is not known what was done."""
    doubt: str = ""
    """Why it is not known; asked about then."""
    secret: str = ""
    """The name of a place whose value the recording hides."""
    missing: str = ""
    """The name of a place whose value could not be read."""
    remark: str = ""
    """What is known of a missing value all the same."""
    inferred: bool = False
    """Whether it was inferred from the screen, without an input log."""
    read: str = ""
    """What was read where a missing value was typed, though not for certain."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What a recording shows."""

    steps: tuple[ShownStep, ...]
    applications: tuple[str, ...]
    """Windows and pages, in sentences."""
    criteria: tuple[str, ...]
    """What is shown in the end, in sentences; empty where nothing that could confirm it came."""
    gone: str
    """A text that went away in the end, empty for none: it confirms nothing by itself."""
    title: str
    hidden: bool
    """Whether something was left out because a password manager was in front."""
    has_log: bool
    idle_clicks: tuple[int, ...] = ()
    """When something without a name was clicked, to no visible effect."""
    says_anything: bool = True
    """Whether any text was read at all."""


def known(
    t_ms: int, until_ms: int, step: Step, *, secret: str = "", missing: str = "", remark: str = "", read: str = ""
) -> ShownStep:
    """A step that is known."""
    return ShownStep(t_ms, until_ms, sentence(step), step, secret=secret, missing=missing, remark=remark, read=read)


def unknown(t_ms: int, until_ms: int, line: str, doubt: str) -> ShownStep:
    """An unknown action."""
    return ShownStep(t_ms, until_ms, line, None, doubt)


def place_name(label: str, *, hidden: bool) -> str:
    """What a value is called that is to be supplied: by its field; one that was hidden is always taken for a secret."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:40] or "Value"
    return f"{name}_secret" if hidden and not is_secret_name(name) else name


def with_own_places(steps: Sequence[ShownStep]) -> list[ShownStep]:
    """The steps, each value that is to be supplied under a name of its own: the second of one name is ``Name_2``.

    Under one name they would be asked for as one value, and that would be typed into each of the fields.
    """
    taken: set[str] = set()
    found: list[ShownStep] = []
    for shown in steps:
        name = own = shown.missing or shown.secret
        number = 1
        while own and own.casefold() in taken:
            number += 1
            own = f"{name}_{number}"
        taken.add(own.casefold())
        if shown.step is None or own == name:
            found.append(shown)
            continue
        line = sentence(shown.step.model_copy(update={"action_value": f"{{{own}}}"}))
        renamed = {"missing": own} if shown.missing else {"secret": own}
        found.append(shown._replace(step=read_step(line), line=line, **renamed))
    return found


def clock(t_ms: int) -> str:
    """``mm:ss``."""
    return f"{t_ms // 60_000:02}:{t_ms // 1000 % 60:02}"
