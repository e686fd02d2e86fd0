"""Setting one member of a JSON text, which keeps its order, its indent and its line ends."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

_INDENT: Final = re.compile(r"\n([ \t]+)\S")
_DEFAULT_INDENT: Final = "  "


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text of a JSON object with the value at ``path`` set; objects on the way are made where they are missing.

    Raises:
        ValueError: the text is no JSON object, something on the way is no object, or a number of it cannot be kept.

    """
    whole = here = json.loads(text)
    *outer, last = path
    for name in outer:
        here = _members(here).setdefault(name, {})
    _members(here)[last] = value
    return laid_out(whole, like=text)


def laid_out(whole: Any, *, like: str) -> str:
    """JSON with the indent, the line ends and the escapes of another text. Raises ``ValueError`` for infinities."""
    found = _INDENT.search(like)
    indent = found[1] if found else _DEFAULT_INDENT
    text = json.dumps(whole, indent=indent, ensure_ascii=like.isascii(), allow_nan=False)
    text += "\n" if like.endswith("\n") else ""
    text.encode()  # Of half a character that was escaped beside others that were not, no file can be made.
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def _members(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it is JSON, but there is no object where one belongs")  # noqa: TRY004 - content does not fit
    return cast("dict[str, Any]", value)
