"""Validates untrusted actions and entries before they are stored."""

import base64
import binascii
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn, cast

from pydantic import ValidationError

from core.actions import ACTION, Action, OpenApp, OpenUrl
from core.errors import InvalidRequest
from core.reload.entry import MAX_ACTIONS, MAX_REQUEST, Anchor, CachedAction, Draft, Effect, SlotKind, Vocabulary
from core.reload.templates import PARTS, Template, filled_in, slots_of
from core.screens import Box

MAX_ENTRY: Final = 4 * 1024 * 1024
"""Bytes of an entry as it is kept; the picture of a target is 5 to 20 KB."""
_MAX_FOREIGN: Final = 64 * 1024
"""Bytes of an action that is not Vaider's."""
_MAX_DEPTH: Final = 32
_MAX_NAME: Final = 200
_MAX_PHRASINGS: Final = 10
_MAX_SLOTS: Final = 200
_MAX_PIXELS: Final = 800
"""Longest side of a picture."""
_MAX_PICTURE: Final = 1024 * 1024
_FAR: Final = 100_000
"""Pixels; no desktop is wider."""
_LONG: Final = 1_000_000_000
"""Milliseconds, or calls: a run ends within days."""
_PNG: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_TYPED: Final = frozenset({"text", "url", "name"})
"""Of Vaider's own actions: what a value may be part of."""
_READING: Final = "extract"


def read_actions(actions: Sequence[Mapping[str, Any]]) -> tuple[Vocabulary, tuple[dict[str, Any], ...]]:
    """Whose vocabulary they are, and the actions as they were posted: without places, for values are found by us.

    Vaider's own have an ``action``, as ``core.actions.ACTION`` writes them; all others have a text ``type``. Raises
    ``InvalidRequest`` with the index and what is wrong.
    """
    return check_actions(actions, {}), tuple(dict(action) for action in actions)


def check_actions(
    actions: Sequence[Mapping[str, Any]], values: Mapping[str, str], *, reads: bool = False
) -> Vocabulary:
    """Judge actions with places for these values; tells whose vocabulary they are.

    ``reads`` lets those through that read a value off the screen: a run has them, a client does not.
    Raises ``InvalidRequest`` as ``read_actions`` does.
    """
    if not 0 < len(actions) <= MAX_ACTIONS:
        raise InvalidRequest(f"Send 1 to {MAX_ACTIONS} actions, not {len(actions)}.")
    found: set[Vocabulary] = set()
    for index, action in enumerate(actions):
        try:
            found.add(_checked(action, values, reads=reads))
        except ValueError as error:
            raise InvalidRequest(f"Action {index} {error}.") from None
    if len(found) > 1:
        raise InvalidRequest('Actions with a "type" and actions with an "action" are in one sequence: send one kind.')
    return found.pop()


def check_draft(draft: Draft) -> None:
    """Validate an entry that was written elsewhere, including the limits of a foreign replay.

    Raises ``InvalidRequest``: one sentence.
    """
    if (
        draft.duration_ms > _LONG
        or draft.model_calls > _LONG
        or not all(0 < side <= _FAR for side in draft.screen or ())
    ):
        raise InvalidRequest("Its duration, its number of model calls or its screen is beyond all that there is.")
    _check_slots(draft)
    values = {slot.name: slot.value or f"{{{slot.name}}}" for slot in draft.slots}
    _check_templates(draft, values.keys())
    if check_actions([action.action for action in draft.actions], values, reads=True) != draft.vocabulary:
        raise InvalidRequest(f'Its actions are not of the vocabulary "{draft.vocabulary}".')
    for index, action in enumerate(draft.actions):
        try:
            _check_cached(action, values, is_desktop=draft.vocabulary == "desktop")
        except ValueError as error:
            raise InvalidRequest(f"Action {index} {error}.") from None
    size = len(draft.model_dump_json().encode())
    if size > MAX_ENTRY:
        raise InvalidRequest(f"It is {size} bytes; an entry may be {MAX_ENTRY}.")


def _checked(action: Mapping[str, Any], values: Mapping[str, str], *, reads: bool) -> Vocabulary:
    text = _written(action)
    for place in _parts_of(action):
        _check_parts(place, values)
    if isinstance(action.get("type"), str):
        if not 0 < len(action["type"]) <= _MAX_NAME:
            raise ValueError(f'has a "type" of {len(action["type"])} characters; 1 to {_MAX_NAME} will do')
        if len(text) > _MAX_FOREIGN:
            raise ValueError(f"is {len(text)} bytes; {_MAX_FOREIGN} may be kept")
        return "foreign"
    if reads and action.get("action") == _READING:
        _check_reading(action)
        return "desktop"
    if isinstance(action.get("action"), str):
        _read_desktop(action, values)
        return "desktop"
    raise ValueError('has neither an "action" nor a "type" that is a text')


def _check_reading(action: Mapping[str, Any]) -> None:
    """As ``core.reload.recording`` notes it: what was read is not kept."""
    reported = [action.get(name) for name in ("variable_name", "query")]
    if len(action) > 1 + len(reported) or not all(
        isinstance(each, str) and len(each) <= MAX_REQUEST for each in reported
    ):
        raise ValueError('reads no value off the screen: it needs a "variable_name" and a "query", and nothing else')


def _read_desktop(action: Mapping[str, Any], values: Mapping[str, str]) -> Action:
    if misplaced := [key for key, part in action.items() if key not in _TYPED and slots_of(part)]:
        raise ValueError(f'has a value in "{misplaced[0]}": only texts may be other ones')
    try:
        return ACTION.validate_json(json.dumps(filled_in(dict(action), values)), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"is no action of a desktop: {where or 'action'}: {first['msg']}"[:300]) from None


def _written(value: Any) -> bytes:
    """As UTF-8 JSON, if it is such: bounded in depth, with finite numbers and whole characters."""
    _check_json(value, 0)
    return json.dumps(value, ensure_ascii=False).encode()


def _check_json(value: Any, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ValueError(f"is nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, dict):
        for key, part in cast("dict[Any, Any]", value).items():
            _check_leaf(key, is_key=True)
            _check_json(part, depth + 1)
    elif isinstance(value, list | tuple):
        for part in cast("Sequence[Any]", value):
            _check_json(part, depth + 1)
    else:
        _check_leaf(value)


def _check_leaf(value: Any, *, is_key: bool = False) -> None:
    wrong = f"a {'key' if is_key else 'value'} of the kind {type(value).__name__}, which JSON does not have"
    match value:
        case str():
            wrong = "half a character (a \\ud800 to \\udfff without its pair)" if _is_halved(value) else ""
        case _ if is_key:
            pass
        case float():
            wrong = "" if math.isfinite(value) else "a number that is not finite"
        case int():
            wrong = "" if abs(value) < 1 << 63 else "a number of more than 63 bits"
        case None:
            wrong = ""
        case _:
            pass
    if wrong:
        raise ValueError(f"holds {wrong}")


def _is_halved(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _parts_of(value: Any) -> Iterator[dict[str, Any]]:
    """Every object that has the key of a text with places."""
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        if PARTS in parts:
            yield parts
            return
        for part in parts.values():
            yield from _parts_of(part)
    elif isinstance(value, list | tuple):
        for part in cast("Sequence[Any]", value):
            yield from _parts_of(part)


def _check_parts(value: dict[str, Any], values: Mapping[str, str]) -> None:
    if not values:
        raise ValueError(f'has a "{PARTS}": send texts as they were, values are found by Vaider')
    try:
        template = Template.model_validate_json(json.dumps({"parts": value[PARTS]}), strict=True)
    except ValidationError:
        template = None
    if template is None or len(value) > 1 or not template.slots:
        raise ValueError(f'has a "{PARTS}" that is no list of texts and {{"slot": name}}')
    if unknown := [name for name in template.slots if name not in values]:
        raise ValueError(f'has a place for "{unknown[0][:_MAX_NAME]}", which is none of its slots')


def _check_slots(draft: Draft) -> None:
    names = [slot.name for slot in draft.slots]
    if len(set(names)) < len(names) or len(names) > _MAX_SLOTS:
        raise InvalidRequest(f"Its slots are more than {_MAX_SLOTS}, or two have one name.")
    for slot in draft.slots:
        if not 0 < len(slot.name) <= _MAX_NAME or not slot.name.isprintable():
            raise InvalidRequest(f"The name of a slot is no line of 1 to {_MAX_NAME} letters.")
        if (slot.kind is SlotKind.VALUE) != (slot.value is not None):
            raise InvalidRequest(f'The slot "{slot.name}" is a {slot.kind.value}: only a "value" has one, and must.')


def _check_templates(draft: Draft, names: Collection[str]) -> None:
    if len(draft.requests) > _MAX_PHRASINGS:
        raise InvalidRequest(f"It has {len(draft.requests)} requests; {_MAX_PHRASINGS} wordings may be kept.")
    values = draft.values()
    for request in draft.requests:
        if len(request.filled(values)) > MAX_REQUEST:
            raise InvalidRequest(f"A request of it is longer than {MAX_REQUEST} characters.")
    windows = [each for action in draft.actions for each in _windows(action)]
    shown = [action.effect.shows for action in draft.actions if action.effect and action.effect.shows]
    for template in (*draft.requests, draft.success_criteria, *windows, *shown):
        if unknown := [name for name in template.slots if name not in names]:
            raise InvalidRequest(f'It has a place for "{unknown[0][:_MAX_NAME]}", which is none of its slots.')


def _windows(action: CachedAction) -> Iterator[Template]:
    effect = action.effect
    for window in (action.window, *(effect.appeared if effect else ()), *(effect.vanished if effect else ())):
        if window is not None:
            yield window.title


def _check_cached(action: CachedAction, values: Mapping[str, str], *, is_desktop: bool) -> None:
    if not is_desktop:
        if action.anchor or action.effect or action.window:
            raise ValueError("is not Vaider's, and has a target on the desktop")
        return
    if action.action["action"] != _READING:
        _refuse_programs(_read_desktop(action.action, values))
    if not (0 <= action.subtask < MAX_ACTIONS and 0 <= (action.step or 0) < MAX_ACTIONS):
        raise ValueError(f"belongs to a step that is not 0 to {MAX_ACTIONS - 1}")
    if max(abs(action.origin.x), abs(action.origin.y)) > _FAR:
        raise ValueError("has a window on no desktop")
    if action.anchor:
        _check_anchor(action.anchor)
    if action.effect:
        _check_effect(action.effect)


def _refuse_programs(action: Action) -> None:
    if isinstance(action, OpenApp) and (action.arguments or re.search(r"[/\\]|^-", action.name)):
        raise ValueError("starts a program by its path or with arguments: an import must not")
    if isinstance(action, OpenUrl) and not re.match(r"https?://[^/]", action.url, re.IGNORECASE):
        raise ValueError("opens what is no http or https address: an import must not open files or programs")


def _check_anchor(anchor: Anchor) -> None:
    width, height = _check_picture(anchor.image)
    if not _is_inside(anchor.core, width, height):
        raise ValueError("has an anchor whose core lies outside of its picture")
    if not (0 <= anchor.point.x < width and 0 <= anchor.point.y < height):
        raise ValueError("has an anchor whose point lies outside of its picture")
    if max(abs(anchor.place.x), abs(anchor.place.y)) > _FAR:
        raise ValueError("has an anchor whose place is on no desktop")


def _check_effect(effect: Effect) -> None:
    pictured = (effect.image_of,) if effect.image_of is not None else ()
    for box in (*effect.changed, *pictured):
        if not (0 < box.width <= _FAR and 0 < box.height <= _FAR and max(abs(box.x), abs(box.y)) <= _FAR):
            raise ValueError("has an effect on no desktop")
    if effect.image:
        _check_picture(effect.image)
        if not (pictured or effect.changed):
            raise ValueError("has the picture of an effect that is nowhere")


def _check_picture(image: str) -> tuple[int, int]:
    """The width and height of a PNG; only its bounds are checked, because decoding it finds other faults."""
    if len(image) > _MAX_PICTURE:
        _refuse_picture()
    try:
        content = base64.b64decode(image, validate=True)
    except (binascii.Error, ValueError):
        _refuse_picture()
    size = content[len(_PNG) : len(_PNG) + 8]
    width, height = int.from_bytes(size[:4], "big"), int.from_bytes(size[4:], "big")
    if not (content.startswith(_PNG) and 0 < width <= _MAX_PIXELS and 0 < height <= _MAX_PIXELS):
        _refuse_picture()
    return width, height


def _refuse_picture() -> NoReturn:
    raise ValueError(f"has a picture that is no PNG of at most {_MAX_PIXELS}x{_MAX_PIXELS} pixels and 1 MB, as base64")


def _is_inside(box: Box, width: int, height: int) -> bool:
    return (
        box.x >= 0 and box.y >= 0 and box.width > 0 and box.height > 0
        and box.x + box.width <= width and box.y + box.height <= height
    )  # fmt: skip
