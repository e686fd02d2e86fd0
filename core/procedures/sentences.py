"""Steps of a plan as sentences of the past: what is done there was done here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.screen_texts import is_quotable
from core.plans.grammar import CHOSEN, FOCUS, TICKED, UNTICKED
from core.plans.quotes import marks, quoted
from core.plans.words import DROPDOWN
from core.procedures.acts import Act
from core.procedures.concealment import looks_secret
from core.secrets import is_secret_name
from core.tasks.plan import sentence
from core.text import one_line

if TYPE_CHECKING:
    from core.demonstration.shown import ShownStep
    from core.workflows.workflow import Step

MOST_VALUE: Final = 60
_CLICKS: Final = {
    "CLICK": "Clicked",
    "DOUBLE_CLICK": "Double-clicked",
    "RIGHT_CLICK": "Right-clicked",
    "MIDDLE_CLICK": "Middle-clicked",
}
_MARKED: Final = {TICKED: "Ticked", UNTICKED: "Unticked", CHOSEN: "Chose"}
_ORDINAL: Final = re.compile(r"\A(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) ")
_CHORDS: Final = {"ctrl+c": "copy", "ctrl+x": "copy", "ctrl+v": "paste"}
_TERMINAL_CHORDS: Final = {"ctrl+shift+c": "copy", "ctrl+shift+v": "paste", "shift+insert": "paste"}


def told(shown: ShownStep) -> Act | None:
    """The act of a step that is known; ``None`` for one that is not."""
    step = shown.step
    if step is None:
        return None
    said = quoted(step.target.primary)
    target = said.texts[0] if said is not None and said.texts else ""
    times = (shown.t_ms, shown.until_ms)
    if step.action_type in _CLICKS:
        verb = next((verb for post, verb in _MARKED.items() if post in step.post_action), _CLICKS[step.action_type])
        return Act(*times, "click", f"{verb} {_named(step.target.primary)}", target)
    if step.action_type == "TYPE":
        return _typed(shown, step, target)
    if step.action_type == "KEYPRESS":
        return _pressed(shown, step)
    return _moved(shown, step, target)


def _moved(shown: ShownStep, step: Step, target: str) -> Act | None:
    times = (shown.t_ms, shown.until_ms)
    if step.action_type == "SCROLL":
        direction = str(step.additional_args.get("direction") or "down")
        return Act(*times, "scroll", f"Scrolled {direction}", value=direction)
    if step.action_type == "DRAG":
        onto = step.additional_args.get("to", "")
        return Act(*times, "drag", f"Dragged {_named(step.target.primary)} onto {onto}", target)
    return None


def typing(value: str, field: str, read: str = "") -> str:
    """What was typed into a field.

    Args:
        value: empty if it is not known.
        field: the name of the field, empty if nothing names it.
        read: what was read there when the value is not known for certain.

    """
    where = f" into the {marks(field)} field" if field and marks(field) else ""
    if value:
        return f"Typed {shortened(value)}{where}"
    if read and is_quotable(read):
        return f"Typed{where or ' something'}, where {shortened(read)} then stood"
    return f"Typed{where}" if where else "Typed something"


def hidden_typing(field: str) -> str:
    """The same for a value that is not to be told."""
    return f"Typed a hidden value into the {marks(field)} field" if field and marks(field) else "Typed a hidden value"


def shortened(value: str) -> str:
    """A value in quotation marks, cut where it is long."""
    plain = one_line(value)
    plain = plain if len(plain) <= MOST_VALUE else f"{plain[: MOST_VALUE - 1].rstrip()}\u2026"
    return marks(plain) or "something"


def _typed(shown: ShownStep, step: Step, field: str) -> Act:
    value = step.action_value or ""
    times = (shown.t_ms, shown.until_ms)
    is_secret = shown.secret or is_secret_name(field) or looks_secret(value) or looks_secret(shown.read)
    if is_secret:
        return Act(*times, "type", hidden_typing(field), field)
    if shown.missing:
        return Act(*times, "type", typing("", field, shown.read), field, shown.read)
    if step.target.primary == FOCUS:
        return Act(*times, "type", typing(value, ""), "", value)
    if re.search(rf"\b(?:{DROPDOWN})\Z", step.target.primary, re.IGNORECASE):
        return Act(*times, "choose", choosing(value, field), field, value)
    return Act(*times, "type", typing(value, field), field, value)


def choosing(value: str, field: str) -> str:
    """What was chosen from a list."""
    where = f" from the {marks(field)} dropdown" if field and marks(field) else ""
    return f"Chose {shortened(value)}{where}"


def _pressed(shown: ShownStep, step: Step) -> Act:
    keys = (step.action_value or "").casefold()
    plain = step.model_copy(update={"post_action": ()})
    said = re.sub(r"\APress ", "Pressed ", sentence(plain).removesuffix("."))
    does = _CHORDS.get(keys) or _TERMINAL_CHORDS.get(keys)
    if does == "copy":
        verb = "Cut" if keys == "ctrl+x" else "Copied"
        return Act(shown.t_ms, shown.until_ms, "copy", f"{verb} with {said.removeprefix('Pressed ')}", value=keys)
    if does == "paste":
        return Act(shown.t_ms, shown.until_ms, "paste", f"Pasted with {said.removeprefix('Pressed ')}", value=keys)
    return Act(shown.t_ms, shown.until_ms, "key", said, value=keys)


def _named(phrase: str) -> str:
    return f"the {phrase}" if _ORDINAL.match(phrase) else phrase
