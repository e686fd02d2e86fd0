"""How many of a person's acts a learned plan names, each by its own words, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from core.tasks.parameters import parametrised
from core.tasks.plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.tasks.heartbeat import Heartbeat

_SELECT_ALL: Final = "ctrl+a"
_PLAIN_QUOTES: Final = str.maketrans("“”", '""')


class Act(NamedTuple):
    """What the person did: ``click``, ``type`` or ``press``, and on or with which words."""

    kind: str
    words: str


class Named(NamedTuple):
    """Acts that the plan names, all acts, those that it does not name, and its lines that are none of them."""

    named: int
    acts: int
    missed: Sequence[str]
    invented: Sequence[str]


NONE: Final = Named(0, 0, (), ())


def named(acts: Sequence[Act], heartbeat: Heartbeat) -> Named:
    """Hold what was done against the plan; its first line, which opens the program, is none of the acts."""
    examples = {each.name: each.example or "" for each in parametrised(heartbeat).parameters}
    lines = [_filled(line.text, examples) for line in plan_of(heartbeat)][1:]
    lines = [line.translate(_PLAIN_QUOTES) for line in lines]
    # Selecting what a field holds before typing is a part of the typing.
    done = [
        act
        for act, then in zip(acts, [*acts[1:], Act("", "")], strict=True)
        if act != ("press", _SELECT_ALL) or then.kind != "type"
    ]
    at, used, missed = 0, set[int](), list[str]()
    for act in done:
        found = next((place for place in range(at, len(lines)) if _says(lines[place], act)), None)
        if found is None:
            missed.append(f"{act.kind} {act.words}")
        else:
            # A click into a field and what is typed there are one line.
            at = found + (act.kind != "click")
            used.add(found)
    # What could not be read is asked about, and claims nothing.
    extra = [
        line
        for place, line in enumerate(lines)
        if place not in used and line != "Press Ctrl+A." and not line.startswith('Type ""')
    ]
    return Named(len(done) - len(missed), len(done), missed, extra)


def _says(line: str, act: Act) -> bool:
    if act.kind == "press":
        keys = "+".join("Enter" if key == "Return" else key.capitalize() for key in act.words.split("+"))
        return line.startswith(f"Press {keys}.")
    if act.kind == "type":
        return line.startswith("Type ") and f'"{act.words}"' in line
    return f'"{act.words.rstrip(":")}"'.casefold() in line.replace(':"', '"').casefold()


def _filled(line: str, examples: dict[str, str]) -> str:
    for name, example in examples.items():
        line = line.replace(f"{{{name}}}", example)
    return line
