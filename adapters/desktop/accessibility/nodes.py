"""The nodes of a program's tree, and the elements that a person can see of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from adapters.desktop.accessibility.vocabulary import CLIPPING
from core.accessibility import Element, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from core.screens import Box

Text = TypeVar("Text")
LONGEST_NAME: Final = 1000
_TOUCHING: Final = 2
"""Pixels by which a text may reach into a field's place."""
HOLDING: Final = frozenset({Role.TEXTBOX, Role.COMBOBOX, Role.SPIN_BUTTON})
"""What holds a text."""
NAMED_BESIDE: Final = HOLDING | {Role.SLIDER, Role.LISTBOX, Role.CHECKBOX, Role.RADIO, Role.SWITCH}
"""What is named by a text beside it where its program names it not."""


@dataclass(slots=True)
class Node:
    """A node as the program's cache describes it; ``states`` are bits, ``kinds`` its interfaces."""

    path: str
    parent: str
    index: int
    kinds: frozenset[str]
    name: str
    role: int
    description: str
    states: int
    children: int = 0
    """How many there are, -1 where the cache leaves that open."""
    is_walked: bool = True
    """Whether what is below it was asked for, where that is not told by itself."""
    labels: tuple[str, ...] | None = None
    """What names it, by their paths; ``None`` before that was asked."""
    actions: tuple[str, ...] | None = None


def node_of(item: Any) -> Node | None:
    """An item of the cache; ``None`` for what is none, or has ended."""
    try:
        (_, path), _, (_, parent), index, children, kinds, name, role, description, states = item
        return Node(
            path=path,
            parent=parent,
            index=index,
            kinds=frozenset(kind.rpartition(".")[2] for kind in kinds),
            name=clean(name),
            role=role,
            description=description[:LONGEST_NAME],
            states=bits_of(states),
            children=children,
        )
    except (TypeError, ValueError, AttributeError):
        return None


def clean(name: str) -> str:
    """A name with single spaces, no longer than anybody reads."""
    return " ".join(name[:LONGEST_NAME].split())


def by_parent(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    """The nodes below each, in their order."""
    below: dict[str, list[Node]] = {}
    for node in nodes:
        if node.path != node.parent:
            below.setdefault(node.parent, []).append(node)
    for each in below.values():
        each.sort(key=lambda node: node.index)
    return below


def bits_of(words: Sequence[int]) -> int:
    """Two words of 32 bits as one number."""
    return words[0] | (words[1] << 32 if len(words) > 1 else 0)


def visible(nodes: Sequence[Node], elements: Sequence[Element]) -> list[Element]:
    """Without what is scrolled out of what holds it, or is a bare container."""
    clips: dict[str, Box] = {}
    above: dict[str, str] = {}
    kept: list[Element] = []
    for node, element in zip(nodes, elements, strict=True):
        clip = clips.get(element.parent)
        box = element.box
        parent = above.get(element.parent, "")
        if box is None or (clip is not None and not clip.contains(box.centre)):
            is_kept = False
        else:
            is_kept = element.role not in (Role.GENERIC, Role.TEXT) or bool(element.name.strip())
        above[element.id] = element.id if is_kept else parent
        if node.role in CLIPPING and box is not None:
            clip = box if clip is None else box.common(clip)
        if clip is not None:
            clips[element.id] = clip
        if is_kept:
            kept.append(element if parent == element.parent else replace(element, parent=parent))
    return kept


def named(elements: Sequence[Element]) -> Iterator[Element]:
    """Each nameless field with the text that stands before it, or above it, among what is beside it."""
    texts: dict[str, list[Element]] = {}
    for each in elements:
        if each.role is Role.TEXT and each.name.strip():
            texts.setdefault(each.parent, []).append(each)
    for each in elements:
        label = _label(each, texts.get(each.parent, ())) if not each.name and each.role in NAMED_BESIDE else None
        yield replace(each, name=label.name) if label is not None else each


def _label(field: Element, texts: Sequence[Element]) -> Element | None:
    box = field.box
    return None if box is None else label_of(box, [(each, each.box) for each in texts if each.box is not None])


def label_of(box: Box, texts: Sequence[tuple[Text, Box]]) -> Text | None:
    """Of texts with their places the nearest one before a field, or else above it."""
    before = [
        (box.x - place.x - place.width, text)
        for text, place in texts
        if place.x + place.width <= box.x + _TOUCHING and place.y <= box.centre.y < place.y + place.height
    ]
    over = [
        (box.y - place.y - place.height, text)
        for text, place in texts
        if place.y + place.height <= box.y + _TOUCHING and place.x < box.x + box.width and box.x < place.x + place.width
    ]
    nearest = min(before or over, key=lambda each: each[0], default=None)
    return nearest[1] if nearest is not None else None
