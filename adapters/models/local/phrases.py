"""What a target phrase means: ``second "Delete" in the row of "Alice"`` as values instead of words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from adapters.models.local.vocabulary import (
    EDGES,
    LONGEST,
    NAMING,
    ORDINALS,
    PLAIN,
    RELATIONS,
    ROLES,
    Relation,
    Role,
)
from core.text import closing_mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LABELLED: Final = frozenset({Role.FIELD, Role.AREA, Role.DROPDOWN, Role.CHECKBOX, Role.RADIO})
"""What is found by a text that stands beside it."""
_AROUND: Final = frozenset({Role.WINDOW, Role.DIALOG, Role.REGION})
"""What other things stand in."""
_NARROW: Final = frozenset({Relation.FOR, Relation.NEAR, Relation.RIGHT, Relation.BELOW, Relation.LEFT, Relation.ABOVE})
_LITERAL_WORDS: Final = 4
_NAMES: Final = frozenset({"name", "names"})
"""What "First" and "Last" begin the label of."""
_MOST: Final = 2000

Edge = tuple[float, float]
"""A place of the screen by its share of width and height: 1.0, 0.0 is the top right corner."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """That the thing stands so to another."""

    relation: Relation
    of: Phrase


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a target phrase asks for. All fields may be empty: then it says nothing that can be found."""

    text: str = ""
    """The words on the thing, or on its label."""
    role: Role | None = None
    ordinal: int = 0
    """1 is the first from above, -1 the last, 0 the only one."""
    constraints: tuple[Constraint, ...] = ()
    edge: Edge | None = None
    beside: Relation | None = None
    """Where the thing stands to its label, when the phrase says so: ``field below "Notes"``."""

    @property
    def is_findable(self) -> bool:
        """Whether there is anything to look for on a screen."""
        return bool(
            self.text or self.edge or (self.role in LABELLED and any(each.of.text for each in self.constraints))
        )


@dataclass(frozen=True, slots=True)
class _Item:
    """A quotation, a known phrase or a single word; ``value`` is what the table says of it."""

    kind: str
    value: Any
    said: str


@dataclass(frozen=True, slots=True)
class _Group:
    """What stands between two relations."""

    relation: _Item | None = None
    items: list[_Item] = field(default_factory=list[_Item])


_WORD: Final = re.compile(r"[^\s\"\u201c\u201d\u201e«»`,;]+")
_TABLES: Final[tuple[tuple[str, Any], ...]] = (
    ("relation", RELATIONS),
    ("edge", EDGES),
    ("ordinal", ORDINALS),
    ("role", ROLES),
    ("naming", dict[tuple[str, ...], None].fromkeys(NAMING)),
    ("plain", dict[tuple[str, ...], None].fromkeys(PLAIN)),
)


def parse(phrase: str) -> Phrase:
    """Read a target phrase; never raises. What it does not understand stays out, and finds nothing by itself."""
    groups: list[_Group] = [_Group()]
    for item in _items(phrase[:_MOST]):
        if item.kind == "relation":
            groups.append(_Group(item))
        else:
            groups[-1].items.append(item)
    groups = _joined(_closed(groups))
    head = _noun(groups[0].items)
    for group in groups[1:]:
        if group.relation is not None:
            head = _constrained(head, group.relation.value, _noun(group.items))
    return head


def quoted(text: str) -> tuple[str, ...]:
    """Every quotation in a sentence, in order."""
    return tuple(item.said for item in _items(text[:_MOST]) if item.kind == "quote" and item.said.strip())


def _constrained(head: Phrase, relation: Relation, noun: Phrase) -> Phrase:
    if noun.edge and not noun.text:
        return head if head.edge else replace(head, edge=noun.edge)
    if not noun.text:
        # "in the dialog" names a place that cannot be told from others.
        return head
    is_label = head.role in LABELLED and not head.text and relation in _NARROW and noun.role not in _AROUND
    if is_label:
        beside = relation if relation not in (Relation.FOR, Relation.NEAR) else None
        return replace(head, text=noun.text, ordinal=head.ordinal or noun.ordinal, beside=beside)
    if relation is Relation.FOR or (relation is Relation.IN and noun.role is Role.ROW):
        relation = Relation.ROW
    return replace(head, constraints=(*head.constraints, Constraint(relation, noun)))


def _closed(groups: list[_Group]) -> list[_Group]:
    """Without a relation that leads nowhere: it is the end of a name, as in ``Log in``."""
    last = groups[-1]
    if last.items or last.relation is None:
        return groups
    before = groups[-2]
    return [*groups[:-2], _Group(before.relation, [*before.items, replace(last.relation, kind="word")])]


def _joined(groups: list[_Group]) -> list[_Group]:
    """Put back together what is one label without quotation marks: ``Date of birth field``."""
    if len(groups) != 2 or groups[1].relation is None:  # noqa: PLR2004 - a head and one relation
        return groups
    head, tail = groups
    linking = groups[1].relation
    items = [*head.items, *tail.items]
    is_plain = all(item.kind not in ("quote", "ordinal", "naming") for item in items)
    named, role = _noun(head.items), _noun(tail.items).role
    has_control = role is not None and role not in _AROUND and role is not Role.ROW
    if not (is_plain and has_control and named.role is None and tail.items[-1].kind == "role" and head.items):
        return groups
    if linking.value not in (Relation.IN, Relation.FOR):
        return groups
    return [_Group(None, [*head.items, replace(linking, kind="word"), *tail.items])]


def _noun(group: Sequence[_Item]) -> Phrase:
    ordinal = next((item.value for item in group if item.kind == "ordinal"), 0)
    edge = next((item.value for item in group if item.kind == "edge"), None)
    texts = [item.said for item in group if item.kind == "quote"]
    roles = [item.value for item in group if item.kind == "role"]
    if texts:
        return Phrase(texts[0].strip(), roles[-1] if roles else None, ordinal, edge=edge)
    words = [item for item in group if item.kind != "naming"]
    while (
        words and words[0].kind in ("plain", "ordinal") and not _begins_a_name(words, at_start=len(words) == len(group))
    ):
        words = words[1:]
    if not words:
        return Phrase(ordinal=ordinal)
    if words[0].kind == "ordinal":
        ordinal = 0
    if words[-1].kind == "role":
        role, words = words[-1].value, words[:-1]
    elif words[0].kind == "role":
        role, words = words[0].value, words[1:]
    else:
        role = None
    text = _literal(words, role)
    return Phrase(text, role, ordinal, edge=None if text else edge)


def _begins_a_name(words: Sequence[_Item], *, at_start: bool) -> bool:
    """Whether an ordinal is part of a label, as in ``the First name field``."""
    if words[0].kind != "ordinal" or not words[0].said[0].isupper():
        return False
    return not at_start or (len(words) > 1 and words[1].said.casefold() in _NAMES)


def _literal(words: Sequence[_Item], role: Role | None) -> str:
    """A label that was not quoted: any words beside a role, else few words that begin like a name."""
    words = (
        [item for item in words if item.kind != "plain"]
        if all(item.kind in ("plain", "edge") for item in words)
        else words
    )
    if not words or all(item.kind == "edge" for item in words):
        return ""
    text = " ".join(item.said for item in words)
    if role is None and (len(words) > _LITERAL_WORDS or not (text[0].isupper() or text[0].isdigit())):
        return ""
    return text


def _items(phrase: str) -> list[_Item]:
    pieces = list(_pieces(phrase))
    items: list[_Item] = []
    at = 0
    while at < len(pieces):
        if pieces[at].kind == "quote":
            items.append(pieces[at])
            at += 1
            continue
        known = _known(pieces, at)
        items.append(known or pieces[at])
        at += len(known.said.split()) if known else 1
    return items


def _known(pieces: Sequence[_Item], at: int) -> _Item | None:
    """The longest known phrase that begins here."""
    words: list[str] = []
    for piece in pieces[at : at + LONGEST]:
        if piece.kind == "quote":
            break
        words.append(piece.said)
    for length in range(len(words), 0, -1):
        key = tuple(word.casefold() for word in words[:length])
        for kind, table in _TABLES:
            if key in table:
                return _Item(kind, table[key], " ".join(words[:length]))
    return None


def _pieces(phrase: str) -> Iterator[_Item]:
    at = 0
    while at < len(phrase):
        end = closing_mark(phrase, at)
        if end is not None:
            yield _Item("quote", None, phrase[at + 1 : end])
            at = end + 1
            continue
        found = _WORD.match(phrase, at)
        if found is None:
            at += 1
            continue
        word = found[0].strip(".:!?()[]")
        if word:
            yield _Item("word", None, word)
        at = found.end()
