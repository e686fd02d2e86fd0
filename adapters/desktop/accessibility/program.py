"""The tree of one program: read at once where it can be, else node by node; kept as its events say."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from adapters.desktop.accessibility.bus import ATSPI, ROOT
from adapters.desktop.accessibility.nodes import (
    HOLDING,
    LONGEST_NAME,
    NAMED_BESIDE,
    Node,
    bits_of,
    by_parent,
    clean,
    named,
    node_of,
    visible,
)
from adapters.desktop.accessibility.vocabulary import (
    DEFUNCT,
    EDITABLE,
    ICONIFIED,
    MANAGES,
    MULTILINE,
    OBJECT,
    PASSWORD,
    ROLES,
    SELECTED,
    SHOWING,
    STATE_NAMES,
    states_of,
)
from core.accessibility import Element, Role
from core.screens import Box

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dbus_fast import Message

    from adapters.desktop.accessibility.bus import Bus

_MOST_SHOWN: Final = 2000
"""Elements of one program that are asked for their places: more than a screen shows."""
_MOST_WALKED: Final = 5000
_READ_AGAIN: Final = 5000
"""A larger tree is not read again when it changed: its program tells what came and went."""
_MOST_OPTIONS: Final = 60
_DEEPEST: Final = 200
_LONGEST_VALUE: Final = 20_000
_LARGEST: Final = 1 << 15
"""Pixels of a place that can be believed."""
_LABELLED_BY: Final = 2
_NUMBERED: Final = frozenset({Role.SLIDER, Role.PROGRESS_BAR, Role.SCROLLBAR})
_LONG: Final = frozenset({Role.TABLE, Role.TREE, Role.LIST, Role.LISTBOX})
_OPTIONS: Final = frozenset({Role.OPTION, Role.MENU_ITEM, Role.LIST_ITEM})


class Program:
    """One program on the bus.

    Args:
        bus: how it is asked.
        name: its name on the bus.
        pid: its process.

    """

    def __init__(self, bus: Bus, name: str, pid: int | None) -> None:
        self._bus = bus
        self.name, self.pid = name, pid
        self.title = ""
        self._nodes: dict[str, Node] = {}
        self._before: dict[str, Node] = {}
        """The nodes of the last reading."""
        self._below: dict[str, list[Node]] = {}
        self._is_stale = True
        self._gives_all = True
        """Whether it gives all its nodes in one call, and tells of each change."""
        self.lacks_cache = False
        """Whether it has none that could be asked for all nodes; that of Qt is empty."""
        self.is_cut = False
        """Whether the last reading left something out."""

    def doubt(self) -> None:
        """Read it again the next time: its events were not heard for a while."""
        self._is_stale = True

    def apply(self, event: Message) -> None:
        """Take in what has changed."""
        body, path = event.body, event.path or ""
        if event.interface == f"{ATSPI}.Cache":
            self._apply_cached(event.member or "", body)
        elif not self._gives_all:
            # Qt tells of few changes in the tree itself: whatever happens there, it is read again.
            self._is_stale = True
            if event.member == "PropertyChange" and body[:1] == ["accessible-role"]:
                self._nodes.pop(path, None)
        elif event.member == "StateChanged" and len(body) > 1:
            bit = STATE_NAMES.get(str(body[0]))
            node = self._nodes.get(path)
            if node is None:
                self._is_stale = True
            elif bit is not None:
                # A page that has loaded may be none that the cache knows.
                self._is_stale = self._is_stale or body[0] == "busy" or not node.is_walked
                node.states = node.states | 1 << bit if body[1] else node.states & ~(1 << bit)
        elif event.member == "PropertyChange" and len(body) > 3:  # noqa: PLR2004 - what, two numbers, the value
            node = self._nodes.get(path)
            value = getattr(body[3], "value", None)
            if node is not None and body[0] == "accessible-name" and isinstance(value, str):
                node.name = clean(value)
            else:
                self._is_stale = True
        elif event.member != "TextChanged" and len(self._nodes) <= _READ_AGAIN:
            self._is_stale = True

    def _apply_cached(self, member: str, body: Sequence[Any]) -> None:
        if len(self._nodes) <= _READ_AGAIN:
            self._is_stale = True
            return
        if member == "AddAccessible" and (node := node_of(body[0])) is not None:
            self._nodes[node.path] = node
        elif member == "RemoveAccessible":
            self._nodes.pop(body[0][1], None)

    async def nodes(self) -> Mapping[str, Node]:
        """All of its tree that it tells, shown or not, by path."""
        if self._is_stale:
            # Before the reading: what changes in its middle makes it stale again.
            self._is_stale = False
            self._before = self._nodes
            try:
                self._nodes = await self._all_nodes()
            except BaseException:
                self._is_stale = True
                raise
        return self._nodes

    async def elements(self) -> tuple[Element, ...]:
        """What it shows now, parents before their children."""
        await self.nodes()
        shown = list(self._shown())
        self.is_cut = len(shown) > _MOST_SHOWN
        shown = shown[:_MOST_SHOWN]
        described = await asyncio.gather(*(self._described(node, above) for node, above in shown))
        return tuple(named(visible([node for node, _ in shown], described)))

    async def again(self, path: str) -> Element | None:
        """One of its elements as it is now."""
        node = self._nodes.get(path)
        if node is None:
            return None
        states = await self._bus.ask(self.name, path, "Accessible.GetState")
        bits = bits_of(states[0]) if states else DEFUNCT
        if bits & DEFUNCT:
            return None
        node.states = bits
        if ROLES.get(node.role) is Role.COMBOBOX:
            await self._choose_again(node)
        return await self._described(node, node.parent)

    async def _choose_again(self, node: Node) -> None:
        """Ask what is chosen in a list that folds up: not every program has an event for it."""
        name = await self._bus.property_of(self.name, node.path, "Accessible", "Name")
        node.name = clean(name) if isinstance(name, str) else node.name
        options = self._options(node)[:_MOST_OPTIONS]
        states = await asyncio.gather(*(self._bus.ask(self.name, each.path, "Accessible.GetState") for each in options))
        for each, answer in zip(options, states, strict=True):
            each.states = bits_of(answer[0]) if answer else each.states

    async def _all_nodes(self) -> dict[str, Node]:
        if not self.title:
            self.title = str(await self._bus.property_of(self.name, ROOT, "Accessible", "Name") or self.name)
        found = await self._bus.ask(self.name, "/org/a11y/atspi/cache", "Cache.GetItems")
        items: list[Any] = found[0] if found else []
        nodes = {node.path: node for item in items if (node := node_of(item)) is not None}
        self._gives_all = len(nodes) > 1
        self.lacks_cache = found is None
        if not self._gives_all:
            self._is_stale = self._is_stale or self.lacks_cache
            return await self._walked({}, [ROOT])
        # What a table of GTK holds is in no cache, and a page is not that came before anybody listened to Chromium.
        known = Counter(each.parent for each in nodes.values() if each.path != each.parent)
        lacking = [
            each.path
            for each in nodes.values()
            if each.states & SHOWING
            and (each.children > known[each.path] or (each.states & MANAGES and each.children < 0))
        ]
        # What is heard while the rest is asked for is true of these.
        self._nodes = nodes
        return await self._walked(nodes, lacking) if lacking else nodes

    async def _walked(self, nodes: dict[str, Node], roots: Sequence[str]) -> dict[str, Node]:
        """The nodes below these, level by level, added to those that are known."""
        level = list(roots)
        for _ in range(_DEEPEST):
            if not level or len(nodes) > _MOST_WALKED:
                break
            lists = await asyncio.gather(*(self._children(each, nodes.get(each)) for each in level))
            listed = [
                (path, parent, index)
                for parent, paths in zip(level, lists, strict=True)
                for index, path in enumerate(paths)
            ]
            for path, parent, index in listed:
                if path in nodes and path != parent:
                    # A cache may not say yet what a node is a part of.
                    nodes[path].parent, nodes[path].index = parent, index
            below = [each for each in listed if each[0] not in nodes]
            read = await asyncio.gather(*(self._read(*each) for each in below[:_MOST_WALKED]))
            fresh = [node for node in read if node is not None]
            nodes |= {node.path: node for node in fresh}
            level = [node.path for node in fresh if self._is_worth_walking(node, nodes)]
        return nodes

    @staticmethod
    def _is_worth_walking(node: Node, nodes: Mapping[str, Node]) -> bool:
        """Whether what is below it is shown, or can be chosen in a list that is folded up."""
        if node.role == PASSWORD or node.states & ICONIFIED:
            return False
        above = nodes.get(node.parent)
        is_folded = Role.COMBOBOX in (ROLES.get(node.role), ROLES.get(above.role) if above is not None else None)
        return bool(node.states & SHOWING) or is_folded

    async def _children(self, path: str, node: Node | None) -> list[str]:
        if node is not None:
            node.is_walked = True
        if node is not None and (node.states & MANAGES or ROLES.get(node.role) in _LONG):
            # A sheet has more cells than any program could list: LibreOffice hangs when it is asked for them.
            count = await self._bus.property_of(self.name, path, "Accessible", "ChildCount")
            if not isinstance(count, int) or not 0 <= count <= _MOST_WALKED:
                return []
        found = await self._bus.ask(self.name, path, "Accessible.GetChildren")
        children: list[Any] = found[0][:_MOST_SHOWN] if found else []
        return [str(below) for owner, below in children if owner == self.name]

    async def _read(self, path: str, parent: str, index: int) -> Node | None:
        if (known := self._before.get(path)) is not None:
            return await self._read_again(known, parent, index)
        # One by one, as the library for C does: Qt 5 crashes when it is asked for all properties at once.
        name, role, states, kinds = await asyncio.gather(
            self._bus.property_of(self.name, path, "Accessible", "Name"),
            self._bus.ask(self.name, path, "Accessible.GetRole"),
            self._bus.ask(self.name, path, "Accessible.GetState"),
            self._bus.ask(self.name, path, "Accessible.GetInterfaces"),
        )
        if not (role and states):
            return None
        interfaces: list[str] = kinds[0] if kinds else []
        node = node_of((("", path), ("", ROOT), ("", parent), index, 0, interfaces, name or "", role[0], "", states[0]))
        if node is not None:
            node.is_walked = False
        return node

    async def _read_again(self, node: Node, parent: str, index: int) -> Node | None:
        """A node of the last reading: what it is stays the same."""
        name, states = await asyncio.gather(
            self._bus.property_of(self.name, node.path, "Accessible", "Name"),
            self._bus.ask(self.name, node.path, "Accessible.GetState"),
        )
        if not states:
            return None
        node.name, node.states = clean(name) if isinstance(name, str) else "", bits_of(states[0])
        node.parent, node.index, node.is_walked = parent, index, False
        return node

    def _shown(self) -> Iterator[tuple[Node, str]]:
        """The nodes that say that they are shown and are worth telling, each with the nearest such one above."""
        below = self._below = by_parent(self._nodes.values())
        waiting = [(node, "") for node in reversed(below.get(ROOT, []))]
        seen: set[str] = set()
        while waiting:
            node, above = waiting.pop()
            if node.path in seen or node.states & ICONIFIED:
                continue
            seen.add(node.path)
            is_shown = bool(node.states & SHOWING)
            if node.parent == ROOT and not is_shown:
                continue
            if is_shown:
                yield node, above
            if node.role != PASSWORD:
                inner = node.path if is_shown else above
                waiting += [(each, inner) for each in reversed(below.get(node.path, []))]

    async def _described(self, node: Node, above: str) -> Element:
        """The node with its place, and with what it holds."""
        role = ROLES.get(node.role, Role.WINDOW if node.parent == ROOT else Role.GENERIC)
        box, value, name, actions = await asyncio.gather(
            self._box(node), self._value(node, role), self._name(node, role), self._actions(node, role)
        )
        if role is Role.COMBOBOX and not value:
            name, value = self._chosen(node, name)
        return Element(
            id=f"{self.name}{node.path}",
            parent=f"{self.name}{above}" if above else "",
            pid=self.pid,
            role=role,
            name=name,
            description=node.description,
            value=value,
            states=states_of(node.states, node.role),
            box=box,
            actions=actions,
        )

    async def _box(self, node: Node) -> Box | None:
        if "Component" not in node.kinds:
            return None
        found = await self._bus.ask(self.name, node.path, "Component.GetExtents", "u", 0)
        x, y, width, height = found[0] if found else (0, 0, 0, 0)
        is_likely = 0 < width < _LARGEST and 0 < height < _LARGEST and abs(x) < _LARGEST and abs(y) < _LARGEST
        return Box(x=x, y=y, width=width, height=height) if is_likely else None

    async def _value(self, node: Node, role: Role) -> str | None:
        if node.role == PASSWORD:
            return None
        if "Text" in node.kinds and (role in HOLDING or node.states & EDITABLE):
            end = -1
            if node.states & MULTILINE:
                count = await self._bus.property_of(self.name, node.path, "Text", "CharacterCount")
                end = min(int(count or 0), _LONGEST_VALUE)
            found = await self._bus.ask(self.name, node.path, "Text.GetText", "ii", 0, end)
            return str(found[0])[:_LONGEST_VALUE].replace(OBJECT, "") if found else None
        if "Value" in node.kinds and role in _NUMBERED | HOLDING:
            number = await self._bus.property_of(self.name, node.path, "Value", "CurrentValue")
            return f"{number:g}" if isinstance(number, float) else None
        return None

    async def _name(self, node: Node, role: Role) -> str:
        if node.name or role not in NAMED_BESIDE:
            return node.name
        if node.labels is None:
            found = await self._bus.ask(self.name, node.path, "Accessible.GetRelationSet")
            node.labels = tuple(
                path for kind, targets in (found[0] if found else ()) if kind == _LABELLED_BY for _, path in targets
            )
        texts = [self._nodes[path].name for path in node.labels if path in self._nodes]
        return " ".join(text for text in texts if text)

    def _chosen(self, node: Node, name: str) -> tuple[str, str | None]:
        """The name and the value of a list that folds up: GTK and Qt name it by the option that it shows."""
        options = self._options(node)
        if name and any(each.name == name for each in options):
            return "", name
        return name, next((each.name for each in options if each.states & SELECTED), None)

    def _options(self, node: Node) -> list[Node]:
        """What can be chosen in it."""
        options: list[Node] = []
        waiting = list(self._below.get(node.path, ()))
        while waiting and len(options) < _MOST_SHOWN:
            each = waiting.pop()
            if ROLES.get(each.role) in _OPTIONS:
                options.append(each)
            waiting += self._below.get(each.path, ())
        return options

    async def _actions(self, node: Node, role: Role) -> tuple[str, ...]:
        if "Action" not in node.kinds or role in (Role.GENERIC, Role.TEXT, Role.PARAGRAPH):
            return ()
        if node.actions is None:
            found = await self._bus.ask(self.name, node.path, "Action.GetActions")
            node.actions = tuple(str(each[0])[:LONGEST_NAME] for each in (found[0] if found else ()))
        return node.actions
