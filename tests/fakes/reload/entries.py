"""Drafts and keys of reload entries, for tests that keep some."""

import functools
from datetime import UTC, datetime, timedelta
from typing import Any

from adapters.embeddings import StaticWords
from core.reload.entry import CachedAction, Draft, Fingerprint
from core.reload.ports import Keys
from core.reload.templates import Template

GATE = "user_message"


@functools.cache
def static_words() -> StaticWords:
    """What words mean, read once for all tests of a process."""
    return StaticWords()


class SetClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 22, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **by: float) -> None:
        self.now += timedelta(**by)


def draft(request: str = "open the report", **changes: Any) -> Draft:
    made = Draft(
        fingerprint=Fingerprint(),
        requests=(Template(parts=(request,)),),
        actions=(CachedAction(action={"action": "left_click", "at": {"x": 1, "y": 2}}),),
        summary=request,
        verified=True,
    )
    return made.model_copy(update=changes)


def keys(request: str = "open the report", *, gate: str = GATE) -> Keys:
    """Words in capitals are values."""
    words = tuple(word for word in request.split() if not word.isupper())
    values = frozenset(word.casefold() for word in request.split() if word.isupper())
    return Keys(gate=gate, exact=frozenset({request}), phrasings=(words,), values=values)
