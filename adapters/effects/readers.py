"""Reads effects, each kind by its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.effects.files import read_file
from adapters.effects.http_get import MAX_BYTES, get
from adapters.effects.json_rows import tables_of
from adapters.effects.pages import read_page
from adapters.effects.selecting import rows_for
from core.effects.rows import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.effects.effect import Effect


class EffectReaders:
    """Implements ``core.effects.ports.EffectReader``."""

    def read(self, effect: Effect, raise_if_cancelled: Callable[[], None]) -> Reading:
        """See the port."""
        raise_if_cancelled()
        if effect.kind == "file":
            return read_file(effect)
        if effect.kind == "json":
            return _read_json(effect, raise_if_cancelled)
        return read_page(effect, raise_if_cancelled)


def _read_json(effect: Effect, raise_if_cancelled: Callable[[], None]) -> Reading:
    source = f"the JSON at {effect.at}"
    tables = tables_of(get(effect.at, raise_if_cancelled), effect, source, max_bytes=MAX_BYTES)
    return Reading(rows_for(effect, tables, source), source)
