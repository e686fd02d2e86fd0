"""An HTML document as a tree of what is shown: without scripts, templates, and what is hidden."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_SILENT: Final = frozenset(("script", "style", "template", "noscript", "head", "svg"))
_CELLS: Final = frozenset({"td", "th"})
_GROUPS: Final = frozenset({"tbody", "thead", "tfoot"})
_TERMS: Final = frozenset({"dt", "dd"})
_IMPLIED: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    **dict.fromkeys(_CELLS, (_CELLS, frozenset({"tr", "table"}))),
    **dict.fromkeys(_GROUPS, (_GROUPS, frozenset({"table"}))),
    **dict.fromkeys(_TERMS, (_TERMS, frozenset({"dl"}))),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    "li": (frozenset({"li"}), frozenset({"ul", "ol"})),
    "option": (frozenset({"option"}), frozenset({"select"})),
    "p": (frozenset({"p"}), frozenset({"td", "th", "li", "dd", "div", "body"})),
}
"""Which open elements such a start tag closes, and which ones it does not look behind."""
_ROLES: Final = {
    **dict.fromkeys(("table", "grid", "treegrid"), "table"),
    **dict.fromkeys(("cell", "gridcell"), "td"),
    **dict.fromkeys(("columnheader", "rowheader"), "th"),
    "row": "tr",
}
_DEEPEST: Final = 400


@dataclass
class Node:
    """An element; ``name`` is that of the element that its role is like."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    children: list[Node | str] = field(default_factory=list["Node | str"])

    def all(self, *names: str, within: frozenset[str] = frozenset()) -> Iterator[Node]:
        """The elements of these names in it, in order, but none inside of an element of a name in ``within``."""
        for child in self.children:
            if isinstance(child, Node):
                if child.name in names:
                    yield child
                if child.name not in within:
                    yield from child.all(*names, within=within)

    @property
    def text(self) -> str:
        """Its words, and for a picture without words what stands for it; blank space as one blank."""
        words = " ".join("".join(_words(self)).split())
        return words or " ".join(each.attributes.get("alt", "") for each in self.all("img")).strip()

    @property
    def value(self) -> str:
        """What a field of a form holds."""
        if self.name == "select":
            chosen = [each.text for each in self.all("option") if "selected" in each.attributes]
            return ", ".join(chosen)
        if self.name == "textarea":
            return "".join(each for each in self.children if isinstance(each, str)).strip()
        if self.attributes.get("type", "").lower() in {"checkbox", "radio"}:
            return "true" if "checked" in self.attributes else "false"
        return self.attributes.get("value", "")


def _words(node: Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.name in {"select", "textarea"} or (child.name == "input" and child.attributes.get("id")):
            yield child.value
        else:
            yield "\n" if child.name == "br" else ""
            yield from _words(child)
            yield " " if child.name in {"p", "div", "li"} else ""


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("document")
        self.has_scripts = False
        self._open: list[tuple[str, Node]] = [("document", self.root)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        given = {name: value or "" for name, value in attrs}
        self.has_scripts = self.has_scripts or tag == "script"
        self._close_implied(tag)
        hidden = tag in _SILENT or "hidden" in given or given.get("type") == "hidden"
        hidden = hidden or "display:none" in given.get("style", "").replace(" ", "").lower()
        node = Node(_ROLES.get(given.get("role", ""), tag), given)
        if not hidden:
            self._open[-1][1].children.append(node)
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append((tag, node))

    def handle_endtag(self, tag: str) -> None:
        """Close the element, and what is open in it."""
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        """Add a text to the innermost open element."""
        self._open[-1][1].children.append(data)

    def _close_implied(self, tag: str) -> None:
        closed, barrier = _IMPLIED.get(tag, (frozenset[str](), frozenset[str]()))
        for at in range(len(self._open) - 1, 0, -1):
            if not closed or self._open[at][0] in barrier:
                return
            if self._open[at][0] in closed:
                del self._open[at:]
                return


def tree_of(html: str) -> tuple[Node, bool]:
    """The document, and whether it has scripts."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root, builder.has_scripts
