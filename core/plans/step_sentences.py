"""How a step is written: one plain sentence, which ``core.plans.grammar`` reads back as the same step."""

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from core.key_names import parse_keys
from core.plans.phrasing import DROPDOWN, MARK, RADIO, SLIDER, quote, quoted
from core.steps import CHOSEN, FOCUS, PAGE, PLACE, TICKED, UNTICKED, Step

_CLICKS: Final = {
    "CLICK": "Click",
    "DOUBLE_CLICK": "Double-click",
    "RIGHT_CLICK": "Right-click",
    "MIDDLE_CLICK": "Middle-click",
}
_MARKED: Final = {TICKED: ("Tick", MARK), UNTICKED: ("Untick", MARK), CHOSEN: ("Choose", RADIO)}
_LONGEST_INTENT: Final = 200
_LARGE: Final = {"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift", "meta": "Super"}


def sentence(step: Step) -> str:
    """A step in one plain sentence, and behind it what is to be seen then; of an unknown one, its words.

    What a step of a workflow has besides (its number, intent, fallback, anchor, and a post-action that quotes nothing)
    is not in it.
    """
    if not step.is_known:
        return step.text
    said, reported = _sentence(step)
    posts = [post for post in step.post_action if post not in reported and _quotes(post)]
    return " ".join([f"{said}.", *(f"Then {' '.join(post.split()).rstrip('.')}." for post in posts)])


def intent_of(step: Step) -> str:
    """What is to be done, without what is to be seen then."""
    return _sentence(step)[0][:_LONGEST_INTENT]


def _sentence(step: Step) -> tuple[str, Sequence[str]]:
    """The sentence without its full stop, and the post-actions that it says itself."""
    target = " ".join(step.target.primary.split())
    if step.action_type in _CLICKS:
        for post, (verb, noun) in _MARKED.items():
            if step.action_type == "CLICK" and post in step.post_action and _is(target, noun):
                return f"{verb} {target}", (post,)
        return f"{_CLICKS[step.action_type]} {target}", ()
    match step.action_type:
        case "TYPE":
            said = _typing(step, target)
        case "KEYPRESS":
            said = f"Press {_keys(step.action_value or '')}{_times(step.additional_args.get('repeat'))}"
        case "SCROLL":
            said = _scrolling(step, target)
        case "DRAG":
            said = f"Drag {target} to {' '.join(str(step.additional_args.get('to', '')).split())}"
        case "EXTRACT":
            query = " ".join(str(step.additional_args.get("extract_query") or step.intent).split())
            said = f"Note {query} as {{{step.variable_name or step.action_value}}}"
        case "OPEN_APP":
            said = f"Open the application {quote(step.action_value or '')}{_arguments(step)}"
        case _:
            said = f"Open {quote(step.action_value or '')} in the browser"
    return said, ()


def _arguments(step: Step) -> str:
    arguments = step.additional_args.get("arguments")
    if not isinstance(arguments, list) or not arguments:
        return ""
    return f" with {', '.join(quote(str(each)) for each in cast('list[Any]', arguments))}"


def _typing(step: Step, target: str) -> str:
    value = step.action_value or ""
    exactly = " exactly" if step.is_literal and PLACE.search(value) else ""
    clear = step.additional_args.get("clear")
    if target == FOCUS:
        return f"Type{exactly} {quote(value)}"
    if _is(target, DROPDOWN):
        return f"Choose{exactly} {quote(value)} in {target}"
    if _is(target, SLIDER):
        return f"Set {target} to{exactly} {quote(value)}"
    if clear is True:
        return f"Replace the text in {target} with{exactly} {quote(value)}"
    if clear is False:
        return f"Add{exactly} {quote(value)} to {target}"
    return f"Type{exactly} {quote(value)} into {target}" if value else f"Clear {target}"


def _scrolling(step: Step, target: str) -> str:
    direction, notches = step.additional_args.get("direction"), step.additional_args.get("notches")
    if direction is None and notches is None:
        return f"Scroll to {target}"
    count = abs(notches) if isinstance(notches, int) else 0
    is_back = isinstance(notches, int) and notches < 0
    by = f" by {count} notch{'es' if count > 1 else ''}" if count else ""
    return f"Scroll {direction or ('up' if is_back else 'down')}{by}{'' if target == PAGE else f' in {target}'}"


def _keys(text: str) -> str:
    try:
        keys = parse_keys(text)
    except ValueError:
        return f"the {quote(text)} key"
    are_words = all(len(key) > 1 or (key.isascii() and key.isalnum()) for key in keys)
    if are_words and any(len(key) > 1 for key in keys):
        return "+".join(_LARGE.get(key) or key.replace("_", " ").title() for key in keys)
    return f"the {quote('+'.join(keys))} key"


def _times(repeat: object) -> str:
    return {2: " twice"}.get(repeat, f" {repeat} times") if isinstance(repeat, int) and repeat > 1 else ""


def _is(target: str, noun: str) -> bool:
    said = quoted(target)
    return re.search(rf"\b(?:{noun})\b", said.skeleton if said is not None else target, re.IGNORECASE) is not None


def _quotes(post: str) -> bool:
    said = quoted(post)
    return said is not None and bool(said.texts)
