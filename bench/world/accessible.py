"""Says what desktop programs show: ``python -m bench.world.accessible LOG``.

It writes what stands on the screen, by their accessibility trees, whenever that has changed, and each change as the
programs tell it. It asks and hears by the adapter with which Vaider itself does.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

from dbus_fast import Message

from adapters.desktop.accessibility.bus import REGISTRY, ROOT, Bus
from adapters.desktop.accessibility.nodes import Node, by_parent
from adapters.desktop.accessibility.program import Program
from adapters.desktop.accessibility.vocabulary import ROLES, SHOWING, STATE_NAMES
from bench.world.covering import Cover, Line, uncovered
from core.accessibility import Role
from core.analysis import Region

PERIOD_S: Final = 0.03
REST_S: Final = 0.25
MANY: Final = 400
LETTER_PX: Final = 6.0
SQUARE: Final = 1.3
ICON_BORDER_PX: Final = 10
MENUS: Final = 1000
LONGEST: Final = 6000
LARGEST: Final = 1 << 15
EVENTS: Final = (
    "object:children-changed",
    "object:model-changed",
    "object:property-change:accessible-name",
    "object:property-change:accessible-role",
    "object:state-changed",
    "object:text-changed",
    "object:visible-data-changed",
    "window",
)
_CHANGES: Final = {"ModelChanged", "TextChanged", "VisibleDataChanged"}
_DETAILS: Final = {"PropertyChange": {"accessible-name"}, "StateChanged": {"showing", "visible"}}
_WINDOWS: Final = {"Create", "Destroy", "Minimize", "Restore"}
# Numbers of roles, as in atspi-constants.h.
_CHECK_BOX, _ICON, _LABEL, _LIST, _MENU, _STATUS_BAR = 7, 26, 29, 31, 33, 54
_WRITTEN: Final = {40, 52, 60, 61, 73, 79}
"""Password, spin button, terminal, text, paragraph, entry."""
_NAMED: Final = {7, 8, 10, 26, _LABEL, 32, 33, 35, 37, 43, 44, 45, 56, 57, 62, 83, 88, 91, 102, 116, 129}
_BUTTONS: Final = {43, 62, 129}
_ITEMS: Final = {8, 35, 45}
_PICTURES: Final = {6, 18, 26, 27}
_POPUPS: Final = {33, 41, 64, 69}
"""Menu, popup menu, tool tip, window: what the window manager leaves alone; others are frames and dialogs."""
_LINE: Final = 3
_LINE_START: Final = 5
_SEEN: Final = SHOWING | 1 << STATE_NAMES["visible"]
_ACTIVE: Final = 1 << STATE_NAMES["active"]
_SMALL_PX: Final = 24
"""What is no wider and no higher is a picture, whatever its name."""


def thing_of(event: Message) -> str | None:
    """What an event tells of; ``None`` for what changes no text, as a focus does."""
    member, body = event.member or "", event.body
    if member == "ChildrenChanged" and len(body) > 3 and body[3].signature == "(so)":
        return "".join(body[3].value)
    is_change = member in _CHANGES or (body and body[0] in _DETAILS.get(member, ()))
    is_window = member in _WINDOWS and (event.interface or "").endswith("Window")
    return f"{event.sender}{event.path}" if is_change or is_window else None


@dataclass
class Screen:
    """What a sweep has found."""

    bars: list[str] = field(default_factory=list[str])
    lines: list[Line] = field(default_factory=list[Line])
    covers: list[Cover] = field(default_factory=list[Cover])
    pictures: list[tuple[Region, int]] = field(default_factory=list[tuple[Region, int]])
    places: list[tuple[str, str, int, int, int, int]] = field(default_factory=list[tuple[str, str, int, int, int, int]])

    def __add__(self, other: Screen) -> Screen:
        return Screen(
            self.bars + other.bars,
            self.lines + other.lines,
            self.covers + other.covers,
            self.pictures + other.pictures,
            self.places + other.places,
        )

    @property
    def sample(self) -> dict[str, Any]:
        """What stands on the screen, and what stands there covered."""
        seen, covered = uncovered(self.lines, self.covers)
        pictures = [box for box, layer in self.pictures if not any(each.hides(box, layer) for each in self.covers)]
        return {"texts": seen, "covered": covered, "bars": self.bars, "pictures": pictures, "places": self.places,
                "apart": True}  # fmt: skip


class Reader:
    """Asks one program for what it shows."""

    def __init__(self, bus: Bus, name: str) -> None:
        self.program = Program(bus, name, None)
        self._bus, self._name = bus, name
        self._icons: dict[str, int] = {}
        self._keys: dict[str, str] = {}
        self._below: Mapping[str, Sequence[Node]] = {}

    async def windows(self) -> list[Node]:
        """Its windows that are shown; popups of older programs have nothing in them: their items stand in the menu."""
        self._below = by_parent((await self.program.nodes()).values())
        return [node for node in self._below.get(ROOT, ()) if _is_seen(node) and node.path in self._below]

    async def take(self, window: Node, layer: int) -> Screen:
        """What stands in a window."""
        screen = Screen([window.name] if window.name else [])
        found = list(self._shown(window, layer, ()))
        boxes, taken = await asyncio.gather(
            asyncio.gather(*(self._box(node) for node, _, _ in found)),
            asyncio.gather(*(self._lines(node) for node, _, _ in found)),
        )
        known = {node.path: box for (node, _, _), box in zip(found, boxes, strict=True)}
        screen.covers.append(Cover(known[window.path], layer, (self._key(window),)))
        # Of a closed combo box, Qt says that its list is shown, but has no place for it.
        closed = {self._key(node) for node, _, _ in found if node.role == _LIST and not _has_place(known[node.path])}
        for (node, height, above), box, lines in zip(found, boxes, taken, strict=True):
            # The items of a menu stand below it in the tree, and hang out of its window.
            is_outside = height < MENUS and not _meets(box, known[window.path])
            if not _has_place(box) or is_outside or not closed.isdisjoint(above):
                continue
            if node.name:
                screen.places.append((node.name, str(ROLES.get(node.role, Role.GENERIC)), *box))
            shown = self._named(node, box) if lines is None else [each for each in lines if _is_inside(each[1], box)]
            screen.lines += [Line(text, place, height, above) for text, place in shown]
            if node.role in _PICTURES and not shown:
                screen.pictures.append((box, height))
            if node.role == _MENU:
                screen.covers += self._open_menu(node, known, height, above)
        return screen

    def _shown(self, node: Node, layer: int, above: tuple[str, ...]) -> Iterator[tuple[Node, int, tuple[str, ...]]]:
        """What is shown of a node and below it, with its height and the things on which it depends."""
        things = (self._key(node), *above)
        yield node, layer, things
        inner = max(layer, MENUS) + 1 if node.role == _MENU else layer
        for child in self._below.get(node.path, ())[:MANY]:
            if _is_seen(child):
                yield from self._shown(child, inner, things)

    def _open_menu(
        self, node: Node, known: Mapping[str, Region], layer: int, above: tuple[str, ...]
    ) -> Iterator[Cover]:
        """What an open menu covers: all but its items, and menus that are opened from it."""
        shown = [each for each in self._below.get(node.path, ()) if _has_place(known.get(each.path, (0, 0, 0, 0)))]
        if shown:
            boxes = [known[each.path] for each in shown]
            left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
            right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
            things = (*above, *map(self._key, shown))
            yield Cover((left, top, right - left, bottom - top), max(layer, MENUS) + 1, things)

    def _key(self, node: Node) -> str:
        return f"{self._name}{node.path}"

    async def _ask(self, node: Node, what: str, signature: str = "", *body: Any) -> list[Any]:
        return await self._bus.ask(self._name, node.path, what, signature, *body) or []

    async def _box(self, node: Node) -> Region:
        found = await self._ask(node, "Component.GetExtents", "u", 0) if "Component" in node.kinds else []
        x, y, width, height = found[0] if found else (0, 0, 0, 0)
        return x, y, width, height

    async def _lines(self, node: Node) -> list[tuple[str, Region]] | None:
        """The lines of a text as they are laid out; ``None`` for what shows its name."""
        if "Text" not in node.kinds or node.role not in {*_WRITTEN, _LABEL}:
            await self._learn(node)
            return None
        whole = await self._ask(node, "Text.GetText", "ii", 0, LONGEST)
        starts, at = list[tuple[int, int]](), 0
        for paragraph in (whole[0] if whole else "").split("\n"):
            if paragraph.strip():
                starts.append((at, at + len(paragraph)))
            at += len(paragraph) + 1
        rows = [row for rows in await asyncio.gather(*(self._rows(node, *each) for each in starts)) for row in rows]
        places = await asyncio.gather(
            *(self._ask(node, "Text.GetRangeExtents", "iiu", start, end, 0) for _, start, end in rows)
        )
        placed = [(text, place) for (text, _, _), place in zip(rows, places, strict=True) if place]
        return [(text, (x, y, width, height)) for text, (x, y, width, height) in placed]

    async def _rows(self, node: Node, start: int, end: int) -> list[tuple[str, int, int]]:
        """A paragraph's lines."""
        rows = list[tuple[str, int, int]]()
        while start < end:
            found = await self._ask(node, "Text.GetStringAtOffset", "iu", start, _LINE)
            # Qt 5 has only what was there before.
            found = found or await self._ask(node, "Text.GetTextAtOffset", "iu", start, _LINE_START)
            text = found[0] if found else ""
            last = min(max(found[2] if found else end, start + 1), end)
            content = text.rstrip("\n")
            if content.strip():
                rows.append((content.strip(), start, start + len(content)))
            start = last
        return rows

    async def _learn(self, node: Node) -> None:
        """Ask once for what stays the same: the size of a button's picture, and a menu item's shortcut."""
        if node.role in _BUTTONS and node.path not in self._icons:
            size = await self._ask(node, "Image.GetImageSize") if "Image" in node.kinds else []
            self._icons[node.path] = max(size[0], 0) if size else 0
        if node.role in _ITEMS and node.path not in self._keys:
            found = await self._ask(node, "Action.GetKeyBinding", "i", 0) if "Action" in node.kinds else []
            # It stands last in "mnemonic;path;shortcut".
            said = found[0] if found else ""
            # Of Qt it is the letter that is underlined, unless it is none of a menu's.
            keys = said.rpartition(";")[2] if ";" in said or not said.startswith("Alt+") else ""
            if "<Shift>" in keys:
                # GTK writes it first, wherever it stands here.
                keys = "<Shift>" + keys.replace("<Shift>", "")
            keys = keys.replace("<Primary>", "Ctrl+")
            keys = keys.replace("<Control>", "Ctrl+").replace("<Shift>", "Shift+").replace("<Alt>", "Alt+")
            prefix, plus, key = keys.rpartition("+")
            self._keys[node.path] = prefix + plus + (key.upper() if len(key) == 1 else key)

    def _named(self, node: Node, box: Region) -> list[tuple[str, Region]]:
        """The name that a thing shows, and its shortcut, which stands at the right end of a menu."""
        is_named = node.role in _NAMED or (node.role == _STATUS_BAR and node.path not in self._below)
        if not node.name or not is_named or (node.role in _BUTTONS and self._is_icon(node, box)):
            return []
        if (node.role == _ICON and max(box[2:]) <= _SMALL_PX) or (node.role == _CHECK_BOX and _is_square(node, box)):
            return []
        shortcut = self._keys.get(node.path, "")
        if not shortcut:
            return [(node.name, box)]
        width = round(LETTER_PX * 1.5 * len(shortcut))
        return [(node.name, box), (shortcut, (box[0] + box[2] - width, box[1], width, box[3]))]

    def _is_icon(self, node: Node, box: Region) -> bool:
        """Whether the name is only spoken: the thing shows a picture, and no room for letters is left."""
        if _is_square(node, box):
            return True
        taken = self._icons.get(node.path, 0)
        return box[2] - taken < LETTER_PX * len(node.name) + (taken and ICON_BORDER_PX)


def _is_square(node: Node, box: Region) -> bool:
    """Whether it has no room for its name; Qt says of buttons that stay pressed that they are boxes to check."""
    return len(node.name) > 2 and box[2] <= SQUARE * box[3]


def _is_seen(node: Node) -> bool:
    return node.states & _SEEN == _SEEN


def _is_inside(line: Region, box: Region) -> bool:
    """Whether a line of a text is not scrolled out of its place."""
    return line[2] > 0 and box[1] - 2 <= line[1] and line[1] + line[3] <= box[1] + box[3] + 2


def _meets(box: Region, window: Region) -> bool:
    """Whether a part of it lies in its window, where the place of that is known."""
    across = min(box[0] + box[2], window[0] + window[2]) - max(box[0], window[0])
    down = min(box[1] + box[3], window[1] + window[3]) - max(box[1], window[1])
    return not _has_place(window) or min(across, down) > 0


def _has_place(box: Region) -> bool:
    """Whether it is one; what has just ended tells any numbers."""
    return box[2] > 0 and box[3] > 0 and max(map(abs, box)) < LARGEST


class Watch:
    """Sweeps whenever something was told, and otherwise now and then."""

    def __init__(self, log: TextIO) -> None:
        self._log = log
        self._bus = Bus(self._hear, EVENTS)
        self._readers: dict[str, Reader] = {}
        self._told = asyncio.Event()
        self._last = ""
        self._is_renewed = False

    def _hear(self, event: Message) -> None:
        now = time.time() * 1000
        if (thing := thing_of(event)) is not None:
            self._log.write(json.dumps(["change", now, thing]) + "\n")
        if (reader := self._readers.get(event.sender or "")) is not None:
            reader.program.apply(event)
        self._told.set()

    async def run(self, session: str) -> None:
        """Watch the programs of a session bus until it ends."""
        await self._bus.open(session)
        since = time.time() * 1000
        while self._bus.is_open:
            began = time.time() * 1000
            self._told.clear()
            self._keep(since, (await self._sweep()).sample)
            since = began
            await self._renew()
            await asyncio.sleep(PERIOD_S)
            await _patiently(self._told.wait, REST_S)

    def _keep(self, since: float, sample: dict[str, Any]) -> None:
        """Write what has changed: it came after the last sweep had begun and before the end of this one."""
        # Some programs make the things of their tree anew whenever they are asked for them.
        shown = {key: [each[:6] for each in sample[key]] for key in ("texts", "covered")}
        screen = json.dumps(sample | shown)
        if screen != self._last:
            self._last = screen
            self._log.write(json.dumps(["sample", since, time.time() * 1000, sample]) + "\n")

    async def _sweep(self) -> Screen:
        found = await self._bus.ask(REGISTRY, ROOT, "Accessible.GetChildren")
        names = [str(name) for name, _ in (found[0] if found else ())]
        self._readers = {name: self._readers.get(name) or Reader(self._bus, name) for name in names}
        readers = list(self._readers.values())
        lists = await asyncio.gather(*(reader.windows() for reader in readers))
        windows = [(reader, each) for reader, nodes in zip(readers, lists, strict=True) for each in nodes]
        # What pops up stands over all, the active window over the others, and a later one over an earlier one.
        windows.sort(key=lambda each: (each[1].role in _POPUPS, bool(each[1].states & _ACTIVE)))
        screens = await asyncio.gather(*(reader.take(node, layer) for layer, (reader, node) in enumerate(windows)))
        return sum(screens, Screen())

    async def _renew(self) -> None:
        """Have the first program set its cache up, which one of GTK that was started meanwhile does not do before."""
        if not self._is_renewed and any(each.program.lacks_cache for each in self._readers.values()):
            self._is_renewed = True
            await self._bus.reopen()
            for reader in self._readers.values():
                reader.program.doubt()


async def _patiently(wait: Callable[[], Any], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await wait()
    except TimeoutError:
        return


def main() -> None:
    """Watch the session bus of the environment."""
    with Path(sys.argv[1]).open("w", encoding="utf-8", buffering=1) as log:
        asyncio.run(Watch(log).run(os.environ["DBUS_SESSION_BUS_ADDRESS"]))


if __name__ == "__main__":
    main()
