"""The fingerprint of a context as the format that entries grew from has it: n-grams of words, a hash of windows."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, cast

from core.screens import Window

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_SHORT: Final = 2
"""Words of so many letters tell nothing."""
_HASH: Final = 16


def ngrams(text: str) -> tuple[str, ...]:
    """Each two and each three words that follow one another, in lower case, of words longer than two letters."""
    words = [word for word in text.lower().split() if len(word) > _SHORT]
    twos = (f"{one} {two}" for one, two in pairwise(words))
    threes = (" ".join(three) for three in zip(words, words[1:], words[2:], strict=False))
    return (*twos, *threes)


def window_state_hash(state: Any) -> str:
    """A client's account of its windows, or the windows of the desktop, as 16 hexadecimal digits; empty for ``None``.

    A list of objects with ``id`` and ``renderer`` counts by these alone and in any order, as the seed has it, windows
    of the desktop by application and title. Any other JSON counts as a whole.
    """
    if state is None:
        return ""
    items = cast("Sequence[Any]", state) if isinstance(state, list | tuple) else ()
    if items and all(isinstance(item, Window) for item in items):
        text = _joined(f"{window.application}:{window.title}" for window in items)
    elif isinstance(state, list) and all(_is_rendered(item) for item in items):
        text = _joined(f"{item['id']}:{item['renderer']}" for item in items)
    else:
        text = json.dumps(state, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def _joined(parts: Collection[str] | Iterable[str]) -> str:
    return "|".join(sorted(parts))


def _is_rendered(item: Any) -> bool:
    return isinstance(item, dict) and {"id", "renderer"} <= cast("dict[str, Any]", item).keys()
