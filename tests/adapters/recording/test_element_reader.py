"""Which element of a program stands at a point, for trees that programs of the tests' machine do not have."""

import asyncio
from typing import Any, Final, NamedTuple

from adapters.desktop.accessibility.bus import ROOT
from adapters.recording.element_reader import ElementReader, Place
from core.accessibility import Role
from core.screens import Point

_SHOWING: Final = 1 << 25
_SELECTED: Final = 1 << 23
_FRAME, _TAB_LIST, _TAB, _PUSH_BUTTON = 23, 38, 37, 43


class _Node(NamedTuple):
    number: int
    name: str
    box: tuple[int, int, int, int]
    children: tuple[str, ...] = ()
    states: int = _SHOWING
    text: str = ""
    caret: int = -1


class _Program:
    """Answers as a program on the bus does."""

    def __init__(self, nodes: dict[str, _Node]) -> None:
        self._nodes = nodes

    async def ask(self, name: str, path: str, member: str, *arguments: Any) -> list[Any] | None:
        node = self._nodes.get(path)
        if name == "org.a11y.atspi.Registry":
            return [[(":1.0", ROOT)]]
        if member.endswith("GetConnectionUnixProcessID"):
            return [7]
        if node is None:
            return None
        if member == "Text.GetText":
            _, start, end = arguments
            return [node.text[start:end]]
        return {
            "Accessible.GetChildren": [[(":1.0", child) for child in node.children]],
            "Accessible.GetRole": [node.number],
            "Accessible.GetState": [[node.states, 0]],
            "Component.GetExtents": [node.box],
        }.get(member)

    async def property_of(self, name: str, path: str, interface: str, what: str) -> Any:
        del name, interface
        if what == "Parent":
            above = [each for each, node in self._nodes.items() if path in node.children]
            return (":1.0", above[0]) if above else None
        node = self._nodes[path]
        return {"Name": node.name, "CaretOffset": node.caret}.get(what)


def test_what_stands_on_the_page_of_a_tab_is_found_outside_of_the_tab() -> None:
    """As GTK 3 lays it: a page is a part of its tab, whose place is that of its words."""
    nodes = {
        ROOT: _Node(0, "", (0, 0, 0, 0), ("/window",)),
        "/window": _Node(_FRAME, "Settings", (0, 0, 400, 300), ("/tabs",)),
        "/tabs": _Node(_TAB_LIST, "", (0, 0, 400, 300), ("/style", "/fonts")),
        "/style": _Node(_TAB, "Style", (0, 0, 100, 30), ("/other",)),
        "/other": _Node(_PUSH_BUTTON, "Other", (50, 100, 200, 30)),
        "/fonts": _Node(_TAB, "Fonts", (100, 0, 100, 30), ("/button",), _SHOWING | _SELECTED),
        "/button": _Node(_PUSH_BUTTON, "Sans", (50, 100, 200, 30)),
    }
    reader = ElementReader(_Program(nodes))  # type: ignore[arg-type] - what is asked of the bus

    async def at(x: int, y: int) -> tuple[Role, str] | None:
        found = await reader.at(Place(Point(x=x, y=y), 7, "Settings"))
        return None if found is None else (found.role, found.name)

    assert asyncio.run(at(60, 110)) == (Role.BUTTON, "Sans")
    assert asyncio.run(at(120, 10)) == (Role.TAB, "Fonts")
    assert asyncio.run(at(60, 200)) is None


def test_the_caret_of_a_page_s_document_stands_in_one_of_its_paragraphs() -> None:
    """As Firefox tells a document: each paragraph is one sign of its text, and tells its own letters and caret."""
    paragraph, document = 73, 82
    nodes = {
        "/document": _Node(document, "", (0, 0, 0, 0), ("/one", "/two"), text="\ufffc\ufffc", caret=1),
        "/one": _Node(paragraph, "", (0, 0, 0, 0), text="Tides", caret=-1),
        "/two": _Node(paragraph, "", (0, 0, 0, 0), text="High water at nine", caret=10),
        "/empty": _Node(document, "", (0, 0, 0, 0), text="\ufffc", caret=0),
        "/plain": _Node(document, "", (0, 0, 0, 0), text="Low water", caret=3),
    }
    reader = ElementReader(_Program(nodes))  # type: ignore[arg-type] - what is asked of the bus

    def before(path: str) -> str | None:
        return asyncio.run(reader.before_caret(":1.0", path, 100))

    assert (before("/document"), before("/empty"), before("/plain")) == ("High water", "", "Low")
