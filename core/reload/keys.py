"""By what an entry is found: its trigger and windows, its requests letter by letter, and the words of its requests."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from core.reload.fingerprint import window_state_hash
from core.reload.ports import Keys
from core.reload.requests import squeezed, words
from core.reload.templates import Place

if TYPE_CHECKING:
    from core.reload.entry import Draft
    from core.reload.offers import Question
    from core.reload.templates import Template

_LENGTH: Final = 16
_MOST_WORDS: Final = 200
"""Words of one request that it is found by."""


def keys_of(draft: Draft) -> Keys:
    """By what an entry is found.

    The windows count only when a client told them: what Vaider itself saw is compared at the lookup.
    """
    told = draft.fingerprint.window_state_hash if draft.origin.kind == "client" else ""
    gate = _gate(draft.fingerprint.trigger_type, draft.fingerprint.trigger_target, told)
    values = draft.values()
    exact = frozenset(_exact(gate, wording.filled(values)) for wording in draft.requests)
    said = frozenset(word for value in values.values() for word in words(value)[:_MOST_WORDS])
    return Keys(gate, exact, tuple(_fixed(wording) for wording in draft.requests), said)


def gate_of(question: Question) -> str:
    """The gate of the entries that may answer a question. Without a trigger it is a message of the user."""
    trigger = question.trigger_type or "user_message"
    return _gate(trigger, question.trigger_target or "", window_state_hash(question.window_state))


def exact_key(question: Question) -> str:
    """The exact key of a question's request."""
    return _exact(gate_of(question), question.request)


def _fixed(wording: Template) -> tuple[str, ...]:
    """The words of a wording that are no value."""
    text = " ".join("" if isinstance(part, Place) else part for part in wording.parts)
    return tuple(words(text)[:_MOST_WORDS])


def _gate(trigger: str, target: str, windows: str) -> str:
    return _digest(trigger, target, windows)[:_LENGTH]


def _exact(gate: str, request: str) -> str:
    """Letter by letter, but for encoding, white space and the last full stop: in a value the case counts."""
    return _digest(gate, squeezed(request))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
