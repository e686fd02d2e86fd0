"""Which forms the words of entries' keys are in: whoever keeps such keys makes them anew when it is another."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast

from core.reload.matching import courtesies, quantities, vocabulary

if TYPE_CHECKING:
    from types import ModuleType

_BUILT: Final = 1
"""Grows when the same tables make other words of a request."""
_LENGTH: Final = 16


@lru_cache(maxsize=1)
def word_forms() -> str:
    """16 hexadecimal digits, the same as long as all tables of words are."""
    told = [_BUILT, *(_tables(module) for module in (vocabulary, courtesies, quantities))]
    return sha256(repr(told).encode()).hexdigest()[:_LENGTH]


def _tables(module: ModuleType) -> list[tuple[str, object]]:
    return [(name, _ordered(table)) for name, table in sorted(vars(module).items()) if name.isupper()]


def _ordered(table: Any) -> object:
    """The same in each process, in which sets are in another order."""
    if isinstance(table, Mapping):
        return sorted(cast("Mapping[Any, Any]", table).items())
    return sorted(cast("AbstractSet[Any]", table)) if isinstance(table, AbstractSet) else table
