"""Files that anybody may have written: names that some system cannot have, and bounded JSON that is read one way."""

import json
import re
import unicodedata
from decimal import Decimal
from typing import Any, Final, NoReturn

MAX_DEPTH: Final = 64
# It never goes back: a string of 50 MB would take gigabytes to remember where to. One without an end reaches the end.
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET: Final = re.compile(r"[\[\]{}]")


def parse_json(content: str | bytes, *, max_bytes: int) -> Any:
    """The value; fractions are ``Decimal``, so that a default of ``1.10`` keeps its spelling.

    Raises:
        ValueError: it is too long, no UTF-8 (with or without a byte order mark), no JSON, nested deeper than
            ``MAX_DEPTH``, names a member twice, or holds a number or a character that JSON does not have.

    """
    if len(content) > max_bytes:
        raise ValueError(f"is longer than {max_bytes} bytes")
    text = _decoded(content)
    if _depth(text) > MAX_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=Decimal, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    if "\\u" in text:
        _refuse_half_characters(value)
    return value


def _decoded(content: str | bytes) -> str:
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"is no UTF-8: byte {error.start} belongs to no character") from None


def _depth(text: str) -> int:
    deepest = depth = 0
    for bracket in _BRACKET.findall(_STRING.sub('""', text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"names {twice!r} twice in one object")
    return members


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"holds {constant}, which JSON does not have")


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python's own bound, thousands of digits on
        raise ValueError(f"holds a number of {len(digits)} digits") from None


def _refuse_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise ValueError("holds half a character (a \\ud800 to \\udfff without its pair)") from None


_RESERVED: Final = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE | re.DOTALL
)
"""What Windows takes for devices, whatever the extension; see "Naming Files, Paths, and Namespaces" there."""


def is_reserved(name: str) -> bool:
    """Whether a name means a device on Windows, such as ``CON`` or ``nul.txt``."""
    return _RESERVED.fullmatch(name) is not None


def fault_of(name: str) -> str | None:
    """Why a name cannot travel between systems, ``None`` when it can."""
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in name):
        return "holds control characters"
    if is_reserved(name):
        return "is reserved on Windows"
    return None
