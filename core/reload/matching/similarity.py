"""How alike two contexts are: the score of the seed, which ranks what is offered and decides nothing."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, cast

from core.screens import Window

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from core.reload.entry import Fingerprint

TRIGGER: Final = 0.5
WORDS: Final = 0.3
WINDOWS: Final = 0.2
_SHORT: Final = 2
"""Words of so many letters tell nothing."""
_HASH: Final = 16


def ngrams(text: str) -> tuple[str, ...]:
    """Each two and each three words that follow one another, in lower case, of words longer than two letters."""
    words = [word for word in text.lower().split() if len(word) > _SHORT]
    twos = (f"{one} {two}" for one, two in pairwise(words))
    threes = (" ".join(three) for three in zip(words, words[1:], words[2:], strict=False))
    return (*twos, *threes)


def jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    """How much of what either has both have: 0..1; 0 when neither has anything."""
    left, right = set(one), set(other)
    either = left | right
    return len(left & right) / len(either) if either else 0.0


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


def similarity(one: Fingerprint, other: Fingerprint) -> float:
    """0.5 for the same trigger, 0.3 times the Jaccard index of the n-grams, 0.2 for the same windows: 0..1."""
    same_trigger = (one.trigger_type, one.trigger_target) == (other.trigger_type, other.trigger_target)
    same_windows = one.window_state_hash == other.window_state_hash
    alike = jaccard(one.context_ngrams, other.context_ngrams)
    return min(1.0, TRIGGER * same_trigger + WORDS * alike + WINDOWS * same_windows)


def _joined(parts: Collection[str] | Iterable[str]) -> str:
    return "|".join(sorted(parts))


def _is_rendered(item: Any) -> bool:
    return isinstance(item, dict) and {"id", "renderer"} <= cast("dict[str, Any]", item).keys()
