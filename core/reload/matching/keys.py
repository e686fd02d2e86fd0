"""By what an entry is found: its context, its wordings as they stand, and the words that a request must hold."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from core.reload.matching.clauses import Clause, clauses_of, clauses_of_template
from core.reload.matching.similarity import window_state_hash
from core.reload.matching.vocabulary import COORDINATORS, PREPOSITIONS
from core.reload.matching.words import canonical, squeezed
from core.reload.ports import Keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.reload.entry import Draft
    from core.reload.matching.words import Token
    from core.reload.offers import Question

_LENGTH: Final = 16
_MAY_CHANGE: Final = COORDINATORS | PREPOSITIONS
"""Words that a paraphrase may have otherwise."""


def keys_of(draft: Draft) -> Keys:
    """By what an entry is found.

    The windows count only when a client told them: what Vaider itself saw is compared at the lookup.
    """
    told = draft.fingerprint.window_state_hash if draft.origin.kind == "client" else ""
    gate = _gate(draft.fingerprint.trigger_type, draft.fingerprint.trigger_target, told)
    values = draft.values()
    exact = frozenset(_exact(gate, wording.filled(values)) for wording in draft.requests)
    return Keys(gate, exact, tuple(_needed(clauses_of_template(wording, values)) for wording in draft.requests))


def question_keys(question: Question) -> Keys:
    """By what the entries are found that may answer it: one exact key, and the words it holds.

    Without a trigger it is what a user says.
    """
    trigger = question.trigger_type or "user_message"
    gate = _gate(trigger, question.trigger_target or "", window_state_hash(question.window_state))
    words = (words_of_request(question.request),)
    return Keys(gate, frozenset({_exact(gate, question.request)}), words)


def words_of_request(text: str) -> frozenset[str]:
    """The words it holds, in every form in which a wording may need them."""
    found: set[str] = set()
    for word in _words(clauses_of(text)):
        found |= {word.canon, word.plain, canonical(word.plain)}
    return frozenset(found)


def _needed(clauses: Sequence[Clause]) -> frozenset[str]:
    return frozenset(
        word.plain if word.literal else word.canon
        for word in _words(clauses)
        if word.kind == "word" and word.canon not in _MAY_CHANGE
    )


def _words(clauses: Sequence[Clause]) -> list[Token]:
    return [word for clause in clauses for phrase in clause.phrases for word in phrase.words]


def _gate(trigger: str, target: str, windows: str) -> str:
    return _digest(trigger, target, windows)[:_LENGTH]


def _exact(gate: str, request: str) -> str:
    """Letter by letter, but for encoding, white space and the last full stop: in a value the case counts."""
    return _digest(gate, squeezed(request))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
