"""Setting one member of a JSON text and leaving every other character as it is."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\S")
_DEFAULT_INDENT: Final = "  "


class _Object(NamedTuple):
    """Where the parts of an object stand in its text."""

    start: int
    """Of its opening brace."""
    members: dict[str, tuple[int, int]]
    """By name, where the value begins and ends."""
    close: int
    """Of its closing brace."""


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text of a JSON object with the value at ``path`` set; objects on the way are made where they are missing.

    Raises:
        ValueError: the text is no JSON object, or something on the way is no object.

    """
    whole = json.loads(text)
    if not isinstance(whole, dict):
        raise ValueError("it is JSON, but no object")  # noqa: TRY004 - to the caller, content that does not fit
    changed = _set(text, _scan(text, _skip(text, 0)), path, value)
    return changed.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else changed


def _set(text: str, here: _Object, path: Sequence[str], value: Any) -> str:
    name, rest = path[0], path[1:]
    if name not in here.members:
        for missing in reversed(rest):
            value = {missing: value}
        return _insert(text, here, name, value)
    start, end = here.members[name]
    if not rest:
        return text[:start] + _dump(value, text, _line_indent(text, start)) + text[end:]
    if text[start] != "{":
        raise ValueError(f"{name!r} in it is no object")
    return _set(text, _scan(text, start), rest, value)


def _insert(text: str, here: _Object, name: str, value: Any) -> str:
    label = f"{json.dumps(name, ensure_ascii=False)}: "
    outer = _line_indent(text, here.start)
    if not here.members:
        inner = outer + _unit(text)
        dumped = _dump(value, text, inner)
        return f"{text[: here.start + 1]}\n{inner}{label}{dumped}\n{outer}{text[here.close :]}"
    first = text[here.start + 1 : _skip(text, here.start + 1)]
    end = max(end for _, end in here.members.values())
    if "\n" not in first:
        return f"{text[:end]}, {label}{json.dumps(value, ensure_ascii=False)}{text[end:]}"
    inner = first.rpartition("\n")[2]
    return f"{text[:end]},\n{inner}{label}{_dump(value, text, inner)}{text[end:]}"


def _scan(text: str, start: int) -> _Object:
    members: dict[str, tuple[int, int]] = {}
    position = _skip(text, start + 1)
    while text[position] != "}":
        name, position = _DECODER.raw_decode(text, position)
        begin = _skip(text, _skip(text, position) + 1)
        _, end = _DECODER.raw_decode(text, begin)
        members[name] = (begin, end)
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return _Object(start, members, position)


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else _DEFAULT_INDENT


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _dump(value: Any, text: str, indent: str) -> str:
    return json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", f"\n{indent}")
