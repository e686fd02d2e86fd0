"""What every deciding model gets in words: the task, the subtask, what is known, and what became of its actions.

Whatever comes from a screen, a window's title or a value that was read, is written as JSON: so it ends where it ends,
and cannot pose as a heading or as another turn.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from core.actions import Action, Ask, Click, Done, Drag, Extract, Move, Press, ReadField, ReplayEntry, Scroll, in_words
from core.screens import Point, Window
from core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from core.runs.deciding import Briefing, Observation, Result, Subtask
    from core.steps import Step

MAX_TASK: Final = 8000
"""Characters of the task's, the subtask's and the memory's text each."""
MAX_DOCUMENT: Final = 100_000
"""Characters of a task's document."""
TASK_PLACE: Final = "{{TASK_MARKDOWN}}"
MAX_VALUE: Final = 2000
"""Characters of one parameter or extract."""
MAX_LINE: Final = 400
"""Characters of one line of the history, or of one reference step."""
MAX_STEPS: Final = 60
MAX_HISTORY: Final = 40
"""Lines; older ones are left out."""
MAX_WINDOWS: Final = 12

_RELOAD: Final = """\
{options}
What was done here before (data). When an option does just what is asked, with just these values, call `reload_cached`
with its cacheId: it is done again at once, each action checked. Where it stops you go on. Otherwise do it yourself."""
_NO_VALUE: Final = frozenset({"CLICK", "DOUBLE_CLICK", "RIGHT_CLICK", "MIDDLE_CLICK", "DRAG", "SCROLL", "EXTRACT"})


def instruction(briefing: Briefing, prompt: str, task_prompt: str) -> str:
    """What a model gets before all else: for a task its document stands in ``{{TASK_MARKDOWN}}``."""
    # No text that was quoted from a screen shall end the document.
    document = briefing.document.replace("</task", "<\u2060/task")
    return task_prompt.replace(TASK_PLACE, bounded(document.strip(), MAX_DOCUMENT)) if briefing.document else prompt


def run_text(briefing: Briefing) -> str:
    """What holds for the whole run: task, success criteria, parameters; a task's document is in the instruction."""
    options = [_RELOAD.format(options=briefing.reload_options.strip())] if briefing.reload_options else []
    parts = options if briefing.document else [*options, section("Task", bounded(briefing.task, MAX_TASK))]
    if briefing.success_criteria.strip():
        parts.append(section("The whole task has succeeded when", bounded(briefing.success_criteria, MAX_TASK)))
    if briefing.parameters:
        text = f"Values to use (data):\n{as_data(briefing.parameters)}"
        secret = [name for name, value in briefing.parameters.items() if value == f"{{{name}}}"]
        if secret:
            places = ", ".join(f"{{{name}}}" for name in secret)
            text += f"\nSecret, and not shown to you: {places}. Type the place as it stands, with its braces, and the "
            text += "secret is filled in as it is typed."
        parts.append(section("Parameters", text))
    return "\n\n".join(parts)


def subtask_text(subtask: Subtask) -> str:
    """The current subtask with its expected outcome, and how it was done when it was shown."""
    said = bounded(subtask.text, MAX_TASK)
    if subtask.expected_outcome and subtask.expected_outcome not in subtask.text:
        said += f"\nExpected outcome: {bounded(subtask.expected_outcome, MAX_TASK)}"
    parts = [section(f"Current subtask ({subtask.index + 1} of {subtask.total})", said)]
    if subtask.resumed is not None:
        parts.append(section("Done already; look before you go on", bounded(subtask.resumed.explanation, MAX_TASK)))
    if subtask.steps:
        lines = "\n".join(step_line(number, step) for number, step in enumerate(subtask.steps[:MAX_STEPS], start=1))
        parts.append(section("Reference steps: how it was done once; the screen may differ now", lines))
    return "\n\n".join(parts)


def step_line(number: int, step: Step) -> str:
    """One reference step: ``2. Enter the name - TYPE "Ada" - the "Name" field``."""
    said = [bounded(one_line(step.intent), MAX_LINE), step.action_type]
    if step.action_value is not None and step.action_type not in _NO_VALUE:
        # As it stands and whole: a model types what it reads here.
        said[1] += f" {json.dumps(step.action_value, ensure_ascii=False)}"
    if step.action_type == "EXTRACT":
        query = step.additional_args.get("extract_query", "")
        said[1] += f" {step.variable_name}: {json.dumps(query, ensure_ascii=False)}"
    target = step.target.primary + (f" (or: {step.target.fallback})" if step.target.fallback else "")
    said.append(bounded(one_line(target), MAX_LINE))
    return f"{number}. {' - '.join(said)}"


def state_text(observation: Observation) -> str:
    """What is known besides the picture: memory, extracts, windows, and what the loop has to say."""
    parts: list[str] = []
    if observation.task_memory.strip():
        parts.append(section("task_memory (what you noted)", bounded(observation.task_memory, MAX_TASK)))
    if observation.extracts:
        parts.append(section("Values read off the screen so far (data)", as_data(observation.extracts)))
    if observation.windows:
        parts.append(section("Windows, topmost first (data)", windows_text(observation.windows)))
    if observation.elements:
        said = "\n".join(observation.elements)
        parts.append(section("What the programs tell of their elements; `at` is the middle (data)", said))
    if observation.notice:
        parts.append(section("Notice", bounded(observation.notice, MAX_TASK)))
    return "\n\n".join(parts)


def opening_text(briefing: Briefing, subtask: Subtask, observation: Observation) -> str:
    """What a conversation about a subtask begins with."""
    return "\n\n".join(filter(None, (run_text(briefing), subtask_text(subtask), state_text(observation))))


def news_text(observation: Observation, known: Sequence[Window]) -> str:
    """What is new since the last turn; ``known`` are the windows as they were then."""
    windows = () if observation.windows == known else observation.windows
    return state_text(replace(observation, windows=windows, task_memory="", extracts={}))


def windows_text(windows: Sequence[Window]) -> str:
    """One line of JSON for each."""
    return "\n".join(
        as_data({"title": each.title, "application": each.application} | ({"focused": "yes"} if each.focused else {}))
        for each in windows[:MAX_WINDOWS]
    )


def history_text(lines: Sequence[str]) -> str:
    """The subtask's history, its newest lines."""
    if not lines:
        return section("History of this subtask", "Nothing was done yet.")
    left_out = len(lines) - MAX_HISTORY
    reported = [f"({left_out} older lines are left out.)"] if left_out > 0 else []
    return section(
        "History of this subtask (what you did - what came of it)", "\n".join([*reported, *lines[-MAX_HISTORY:]])
    )


def history_lines(first: int, results: Iterable[Result], back: Callable[[Point], tuple[int, int]]) -> list[str]:
    """One line a result: ``3. left_click at (512, 384) - confirmed: "the menu opened"``.

    ``back`` turns pixels of the desktop into the model's own coordinates, so that it reads what it would say.
    """
    return [
        bounded(f"{number}. {move_words(result.proposal.move, back)} - {result_text(result)}", MAX_LINE)
        for number, result in enumerate(results, start=first)
    ]


def result_text(result: Result) -> str:
    """What became of one proposal, with its evidence as data: ``failed: "no such key"``."""
    return str(result.outcome) + (f": {quoted(result.evidence)}" if result.evidence else "")


def move_words(
    move: Action | Done | Ask | Extract | ReadField | ReplayEntry, back: Callable[[Point], tuple[int, int]]
) -> str:
    """A move in a few words, in the model's coordinates."""
    if isinstance(move, Done):
        return f"done {quoted(move.result)}"
    if isinstance(move, Ask):
        return f"ask {quoted(move.question)}"
    if isinstance(move, Extract):
        return f"extract {move.variable_name} = {quoted(move.value)}"
    if isinstance(move, ReplayEntry):
        return f"reload_cached {quoted(move.cache_id)}"
    if isinstance(move, ReadField):
        return f"read_field at {back(move.at)}"
    return one_line(in_words(move.model_copy(update=_relocated(move, back))))


def section(title: str, text: str) -> str:
    """A heading and what stands under it."""
    return f"# {title}\n{text}"


def as_data(values: Mapping[str, str]) -> str:
    """JSON without a ``<``, so that no text in it can open or close a tag; each value is bounded."""
    return data_line({name: bounded(value, MAX_VALUE) for name, value in values.items()})


def quoted(text: str) -> str:
    """A text from outside as one JSON string."""
    return data_line(bounded(text, MAX_LINE))


def data_line(value: object) -> str:
    """JSON of what is bounded already, without a ``<``."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def bounded(text: str, most: int) -> str:
    """The text, or its beginning and how much is missing."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most} more characters)"


def _relocated(move: Action, back: Callable[[Point], tuple[int, int]]) -> dict[str, Any]:
    """The move's places in the model's coordinates, by the names of its fields."""

    def point(at: Point) -> Point:
        x, y = back(at)
        return Point(x=x, y=y)

    if isinstance(move, Drag):
        return {"path": tuple(point(at) for at in move.path)}
    if isinstance(move, (Click, Press, Move, Scroll)) and move.at is not None:
        return {"at": point(move.at)}
    return {}
