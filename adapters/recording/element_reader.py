"""Asks programs for single elements: what is at a point, what has the focus, what a field holds.

A recorder asks seldom and for one element each time, so no tree is kept: the way down to a point takes a few questions.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from adapters.desktop.accessibility.bus import REGISTRY, ROOT
from adapters.desktop.accessibility.vocabulary import MULTILINE, OBJECT, PASSWORD, ROLES, SELECTED, SHOWING, STATE_NAMES
from adapters.recording.element_questions import NULL, ElementQuestions
from core.accessibility import Role
from core.procedures.scene import looks_secret
from core.recording.input_log import TouchedElement
from core.secrets import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.desktop.accessibility.bus import Bus
    from core.screens import Box, Point

_DEEPEST: Final = 40
_MOST_BESIDE: Final = 300
_HIGHEST: Final = 6
_LABEL_FOR: Final = 1
_LABELLED_BY: Final = 2
_MOST_NAMES: Final = 60
_LONGEST_NAME: Final = 200
_LONGEST_VALUE: Final = 2000
_ICONIFIED: Final = 1 << STATE_NAMES["iconified"]
_FOCUSED: Final = 1 << STATE_NAMES["focused"]
_CHECKED: Final = 1 << STATE_NAMES["checked"]
_FRAME_ROLE: Final = 23
OPTIONS: Final = frozenset(
    {Role.OPTION, Role.MENU_ITEM, Role.MENU_ITEM_CHECKBOX, Role.MENU_ITEM_RADIO, Role.LIST_ITEM, Role.TREE_ITEM}
)
HOLDING: Final = frozenset({Role.TEXTBOX, Role.COMBOBOX, Role.SPIN_BUTTON})
_LISTS: Final = frozenset({Role.COMBOBOX, Role.LISTBOX})
_WRITTEN_IN: Final = frozenset({Role.PARAGRAPH, Role.CELL, Role.DOCUMENT, Role.HEADING})
"""Parts of a document or of a sheet: with the focus they take letters."""
_LONGEST_WRITTEN: Final = 300
MARKED: Final = frozenset({Role.CHECKBOX, Role.RADIO, Role.SWITCH})
_FIELDS: Final = HOLDING | _LISTS | MARKED | {Role.SLIDER}
_ACTING: Final = (
    _FIELDS
    | (OPTIONS - {Role.LIST_ITEM})
    | {Role.BUTTON, Role.LINK, Role.TAB, Role.TOGGLE, Role.MENU, Role.COLUMN_HEADER}
)
"""What reacts to a click: what is inside of it is a part of it."""
_DIALOGS: Final = frozenset({Role.DIALOG, Role.ALERT})
_OUTERMOST: Final = frozenset({Role.DOCUMENT, Role.WINDOW, Role.DIALOG, Role.APPLICATION})
_SAYING: Final = frozenset({Role.TEXT, Role.HEADING, Role.PARAGRAPH, Role.CELL, Role.LIST_ITEM, Role.IMAGE})


@dataclass(frozen=True, slots=True)
class Place:
    """A point of the screen, and whose window is there; a popup has no title."""

    point: Point
    pid: int
    title: str
    is_popup: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """An element, by its program's name on the bus and its path there."""

    program: str
    path: str
    role: Role
    name: str
    box: Box | None
    is_secret: bool
    of: str = ""
    is_document: bool = False

    def touched(
        self, window: str, value: str | None = None, before: str | None = None, written: str | None = None
    ) -> TouchedElement:
        """As the log has it."""
        hidden = self.is_secret or any(looks_secret(each) for each in (value, before, written) if each)
        return TouchedElement(
            role=self.role,
            name="" if looks_secret(self.name) else self.name,
            value=None if hidden else value,
            before=None if hidden else before,
            of=self.of,
            window=window,
            is_secret=hidden,
            is_document=self.is_document,
            written=None if hidden else written,
        )


class ElementReader(ElementQuestions):
    """Used by the tasks of one event loop.

    Args:
        bus: that of the display's programs.

    """

    def __init__(self, bus: Bus) -> None:
        super().__init__(bus)
        self._pids: dict[str, int | None] = {}
        self._known: dict[tuple[str, str], Found] = {}
        self._labels: dict[tuple[str, str, Box | None], str] = {}
        self._secrets: set[tuple[str, str]] = set()
        """The fields that hid their letters once: one that shows them now holds the same secret."""

    async def at(self, place: Place) -> Found | None:
        """The element at a point of a window, ``None`` where its program tells of none."""
        for program in await self.programs(place.pid):
            frame = await self._frame(program, place)
            if frame is not None:
                path = await self._deepest(program, frame, place.point)
                return await self._acting(program, path, is_popup=place.is_popup)
        return None

    async def apart(self, place: Place) -> Found | None:
        """What lies at a point and outside of what it is a part of, as a page may lay it; that takes longer."""
        for program in await self.programs(place.pid):
            if await self._frame(program, place) is not None:
                return await self._searched(program, place.point)
        return None

    async def _searched(self, program: str, point: Point) -> Found | None:
        """The smallest thing at a point that reacts to a click and lies outside of what it is a part of."""
        reacting = [
            str(item[0][1])
            for item in await self.items(program)
            if ROLES.get(item[7]) in _ACTING and item[9][0] & SHOWING
        ][:_MOST_BESIDE]
        boxes = await asyncio.gather(*(self.box(program, each) for each in reacting))
        there = sorted(
            (box.width * box.height, each)
            for each, box in zip(reacting, boxes, strict=True)
            if box is not None and box.contains(point)
        )
        is_apart = bool(there) and await self._is_apart(program, there[0][1], point)
        return await self._acting(program, there[0][1], is_popup=False) if is_apart else None

    async def _is_apart(self, program: str, path: str, point: Point) -> bool:
        """Whether something that it is a part of is elsewhere: what is not was found on the way down, or is covered."""
        for _ in range(_HIGHEST):
            above = await self.parent(program, path)
            box = await self.box(program, above) if above is not None else None
            if above is None or box is None:
                return False
            if not box.contains(point):
                return True
            path = above
        return False

    async def programs(self, pid: int) -> Sequence[str]:
        """The names on the bus of a process."""
        names = [name for name, of in self._pids.items() if of == pid]
        if names:
            return names
        found = await self._bus.ask(REGISTRY, ROOT, "Accessible.GetChildren")
        names = list(dict.fromkeys(str(name) for name, _ in (found[0] if found else ())))
        self._pids = {name: await self.pid_of(name) for name in names}
        return [name for name, of in self._pids.items() if of == pid]

    async def pid_of(self, program: str) -> int | None:
        """The process of a program."""
        if (known := self._pids.get(program)) is not None:
            return known
        daemon = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID")
        answer = await self._bus.ask(*daemon, "s", program)
        return int(answer[0]) if answer else None

    async def element(self, program: str, path: str) -> Found | None:
        """The element with that path, as it was when it was first asked for."""
        if (known := self._known.get((program, path))) is not None:
            return known
        number, box, states = await asyncio.gather(
            self.number(program, path), self.box(program, path), self.states(program, path)
        )
        if number is None:
            return None
        role = ROLES.get(number, Role.GENERIC)
        name = await self._name(program, path, role, box)
        if number == PASSWORD:
            self._secrets.add((program, path))
        is_secret = (program, path) in self._secrets or (role in HOLDING and is_secret_name(name))
        is_document = role in _WRITTEN_IN or (role is Role.TEXTBOX and bool((states or 0) & MULTILINE))
        return Found(program, path, role, name, box, is_secret, is_document=is_document)

    async def focused(self, program: str, path: str) -> Found | None:
        """The same for what has the focus, with the list that an option stands in; it is asked for once."""
        found = await self.element(program, path)
        if found is not None and (program, path) not in self._known:
            if found.role in OPTIONS and (lists := await self._list_of(found)) is not None:
                found = replace(found, of=lists.name)
            self._known = {(program, path): found}
        return found

    async def has_focus(self, found: Found) -> bool:
        """Whether what is typed goes there."""
        return bool((await self.states(found.program, found.path) or 0) & _FOCUSED)

    async def value(self, found: Found) -> str | None:
        """What it holds now; never of what is secret."""
        if found.is_secret:
            return None
        program, path = found.program, found.path
        if found.role in MARKED:
            states = await self.states(program, path)
            return None if states is None else "checked" if states & _CHECKED else "unchecked"
        if found.role not in HOLDING:
            return None
        count = await self._bus.property_of(program, path, "Text", "CharacterCount")
        if isinstance(count, int) and count > _LONGEST_VALUE:
            return None
        # A field may have begun to hide its letters.
        text = await self._bus.ask(program, path, "Text.GetText", "ii", 0, -1) if count is not None else None
        if await self.number(program, path) == PASSWORD:
            self._secrets.add((program, path))
            self._known.clear()
            return None
        said = str(text[0]).replace(OBJECT, "") if text else None
        return await self._shown_option(found) if not said and found.role is Role.COMBOBOX else said

    async def _shown_option(self, found: Found) -> str | None:
        """What a list that folds up shows: its own name in GTK and Qt, else the option that is selected."""
        own = await self.name(found.program, found.path)
        is_label = not own or " ".join(str(own).split()).rstrip(" :*") == found.name
        if not is_label:
            return str(own)
        return await self._selected(found.program, await self._options(found.program, found.path))

    async def written(self, found: Found) -> str | None:
        """What stands before the caret of a document; never of what is secret."""
        if found.is_secret or not found.is_document:
            return None
        return await self.before_caret(found.program, found.path, _LONGEST_WRITTEN)

    async def _frame(self, program: str, place: Place) -> str | None:
        """The window of the program that is meant, which must be told apart from its others."""
        children = await self.children(program, ROOT)
        asked = await asyncio.gather(*(self._window(program, each) for each in children))
        shown = [each for each in zip(children, asked, strict=True) if each[1] is not None]
        there = [
            (path, name, number)
            for path, (name, number, box) in ((path, said) for path, said in shown if said is not None)
            if box.contains(place.point)
        ]
        if place.is_popup:
            popups = [path for path, _, number in there if number != _FRAME_ROLE and ROLES.get(number) not in _DIALOGS]
            return popups[-1] if popups else None
        titled = [path for path, name, _ in there if name == place.title]
        if len(titled) == 1:
            return titled[0]
        return there[0][0] if len(there) == len(shown) == 1 else None

    async def _window(self, program: str, path: str) -> tuple[str, int, Box] | None:
        states, name, number, box = await asyncio.gather(
            self.states(program, path),
            self.name(program, path),
            self.number(program, path),
            self.box(program, path),
        )
        is_shown = states is not None and states & SHOWING and not states & _ICONIFIED
        return (str(name or ""), number or 0, box) if is_shown and box is not None else None

    async def _deepest(self, program: str, path: str, point: Point) -> str:
        seen = {path}
        for _ in range(_DEEPEST):
            below = await self._inside(program, path, point)
            if below is None or below in seen:
                break
            seen.add(below)
            path = below
        return path

    async def _inside(self, program: str, path: str, point: Point) -> str | None:
        """What of its parts is at the point: the program's own answer, if that is true, else the last that is there."""
        found = await self._bus.ask(program, path, "Component.GetAccessibleAtPoint", "iiu", point.x, point.y, 0)
        if found:
            owner, below = found[0]
            if owner == program and below not in (NULL, path) and await self._is_at(program, below, point):
                return str(below)
        children = (await self.children(program, path))[:_MOST_BESIDE]
        are_there = await asyncio.gather(*(self._is_at(program, each, point) for each in children))
        there = [each for each, is_there in zip(children, are_there, strict=True) if is_there]
        return there[-1] if there else await self._on_page(program, path, children, point)

    async def _on_page(self, program: str, path: str, tabs: Sequence[str], point: Point) -> str | None:
        """What is at the point on the page of the tab that is selected: GTK lays a tab's page outside of the tab."""
        if ROLES.get(await self.number(program, path) or 0) is not Role.TAB_LIST:
            return None
        bits = await asyncio.gather(*(self.states(program, each) for each in tabs))
        shown = [each for each, states in zip(tabs, bits, strict=True) if (states or 0) & SELECTED]
        return await self._inside(program, shown[0], point) if len(shown) == 1 else None

    async def _is_at(self, program: str, path: str, point: Point) -> bool:
        box, states = await asyncio.gather(self.box(program, path), self.states(program, path))
        return box is not None and box.contains(point) and bool((states or 0) & SHOWING)

    async def _acting(self, program: str, path: str, *, is_popup: bool) -> Found | None:
        """The thing that reacts to a click there, else what stands there."""
        standing: Found | None = None
        for _ in range(_HIGHEST):
            found = await self.element(program, path)
            if found is None or found.role in _OUTERMOST:
                break
            acting = await self._reacting(found, is_popup=is_popup)
            if acting is not None:
                return acting
            if standing is None and found.name and found.role in _SAYING:
                standing = found
            above = await self.parent(program, path)
            if above is None:
                break
            path = above
        return standing

    async def _reacting(self, found: Found, *, is_popup: bool) -> Found | None:
        """What reacts to a click on an element: itself, its list that is folded up, or the field that it labels."""
        if found.role in OPTIONS or found.role is Role.MENU:
            lists = await self._list_of(found)
            if lists is None:
                return found if found.role is not Role.LIST_ITEM else None
            # The options of a list that is folded up say that they are where it is.
            is_folded = lists.role is Role.COMBOBOX and not is_popup
            return lists if is_folded else replace(found, of=lists.name)
        if found.role is Role.TEXT and (labelled := await self.related(found.program, found.path, _LABEL_FOR)):
            field = await self.element(found.program, labelled[0])
            return field if field is not None and field.role in _FIELDS else None
        return found if found.role in _ACTING else None

    async def _list_of(self, option: Found) -> Found | None:
        """The list that an option or its menu is in."""
        path = option.path
        for _ in range(_HIGHEST):
            above = await self.parent(option.program, path)
            found = await self.element(option.program, above) if above is not None else None
            if found is None or above is None or found.role in _OUTERMOST:
                break
            if found.role is Role.COMBOBOX or (found.role in _LISTS and found.name):
                return found
            path = above
        return None

    async def _selected(self, program: str, options: Sequence[str]) -> str | None:
        """The name of the option that is selected."""
        states = await asyncio.gather(*(self.states(program, each) for each in options))
        chosen = next((each for each, bits in zip(options, states, strict=True) if bits and bits & SELECTED), None)
        return None if chosen is None else str(await self.name(program, chosen) or "") or None

    async def _options(self, program: str, path: str) -> list[str]:
        """What can be chosen in a list: it stands in a menu where the list folds up, or in a group there."""
        found: list[str] = []
        level = [path]
        for _ in range(3):
            lists = await asyncio.gather(*(self.children(program, each) for each in level))
            level = [each for below in lists for each in below][:_MOST_BESIDE]
            numbers = await asyncio.gather(*(self.number(program, each) for each in level))
            are_options = [ROLES.get(number or 0) in OPTIONS for number in numbers]
            found += [each for each, is_option in zip(level, are_options, strict=True) if is_option]
            level = [each for each, is_option in zip(level, are_options, strict=True) if not is_option]
        return found[:_MOST_BESIDE]

    async def _is_shown_option(self, program: str, path: str, name: str) -> bool:
        """Whether a list that folds up is called by the option that it shows, as GTK and Qt do."""
        options = await self._options(program, path)
        if name == await self._selected(program, options):
            return True
        return name in await asyncio.gather(*(self.name(program, each) for each in options[:_MOST_NAMES]))

    async def _name(self, program: str, path: str, role: Role, box: Box | None) -> str:
        name = await self.name(program, path)
        if role is Role.COMBOBOX and name and await self._is_shown_option(program, path, name):
            name = ""
        if not name and role in _FIELDS:
            labels = await self.related(program, path, _LABELLED_BY)
            names = [await self.name(program, each) for each in labels]
            name = " ".join(str(each) for each in names if each)
            name = name or await self._known_label(program, path, box)
        return " ".join(str(name or "")[:_LONGEST_NAME].split()).rstrip(" :*")

    async def _known_label(self, program: str, path: str, box: Box | None) -> str:
        """The text beside a field, which is looked for once as long as the field stays where it is."""
        key = (program, path, box)
        if key not in self._labels:
            if len(self._labels) > _MOST_BESIDE:
                self._labels.clear()
            self._labels[key] = await self.label_beside(program, path, box)
        return self._labels[key]
