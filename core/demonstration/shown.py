"""What a demonstration is: the steps that were shown, and what of them is not known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.effects.effect import Effect
from core.secrets import is_secret_name
from core.steps import Step


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What a recording shows."""

    steps: tuple[Step, ...]
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
    effects: tuple[Effect, ...] = ()
    """What a run may read elsewhere to see that it was done."""
    says_anything: bool = True
    """Whether any text was read at all."""


def known(t_ms: int, until_ms: int, step: Step, *, hidden: bool = False, doubt: str = "", read: str = "") -> Step:
    """The step as it was seen then."""
    return step.model_copy(update={"t_ms": t_ms, "until_ms": until_ms, "hidden": hidden, "doubt": doubt, "read": read})


def unknown(t_ms: int, until_ms: int, line: str, doubt: str) -> Step:
    """An unknown action."""
    return Step(t_ms=t_ms, until_ms=until_ms, text=line, doubt=doubt)


def place_name(label: str, *, hidden: bool) -> str:
    """What a value is called that is to be supplied: by its field; one that was hidden is always taken for a secret."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:40] or "Value"
    return f"{name}_secret" if hidden and not is_secret_name(name) else name


def with_own_places(steps: Sequence[Step]) -> list[Step]:
    """The steps, each value that is to be supplied under a name of its own: the second of one name is ``Name_2``.

    Under one name they would be asked for as one value, and that would be typed into each of the fields.
    """
    taken: set[str] = set()
    found: list[Step] = []
    for step in steps:
        name = own = step.place if step.hidden or step.doubt else ""
        number = 1
        while own and own.casefold() in taken:
            number += 1
            own = f"{name}_{number}"
        taken.add(own.casefold())
        found.append(step if own == name else step.model_copy(update={"action_value": f"{{{own}}}"}))
    return found


def clock(t_ms: int) -> str:
    """``mm:ss``."""
    return f"{t_ms // 60_000:02}:{t_ms // 1000 % 60:02}"
