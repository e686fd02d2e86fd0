"""What the programs of a display say of themselves: their elements with role, name, value, states and place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from core.screens import Box


class Role(StrEnum):
    """The kind of an element, by its name in WAI-ARIA; ``text`` is text that names or explains something else."""

    ALERT = "alert"
    APPLICATION = "application"
    ARTICLE = "article"
    BUTTON = "button"
    CELL = "cell"
    CHECKBOX = "checkbox"
    COLUMN_HEADER = "columnheader"
    COMBOBOX = "combobox"
    DIALOG = "dialog"
    DOCUMENT = "document"
    FORM = "form"
    GENERIC = "generic"
    GRID = "grid"
    GROUP = "group"
    HEADING = "heading"
    IMAGE = "img"
    LINK = "link"
    LIST = "list"
    LISTBOX = "listbox"
    LIST_ITEM = "listitem"
    LOG = "log"
    MENU = "menu"
    MENU_BAR = "menubar"
    MENU_ITEM = "menuitem"
    MENU_ITEM_CHECKBOX = "menuitemcheckbox"
    MENU_ITEM_RADIO = "menuitemradio"
    OPTION = "option"
    PARAGRAPH = "paragraph"
    PROGRESS_BAR = "progressbar"
    RADIO = "radio"
    REGION = "region"
    ROW = "row"
    ROW_HEADER = "rowheader"
    SCROLLBAR = "scrollbar"
    SEPARATOR = "separator"
    SLIDER = "slider"
    SPIN_BUTTON = "spinbutton"
    STATUS = "status"
    SWITCH = "switch"
    TAB = "tab"
    TABLE = "table"
    TAB_LIST = "tablist"
    TAB_PANEL = "tabpanel"
    TEXT = "text"
    TEXTBOX = "textbox"
    TOGGLE = "togglebutton"
    TOOLBAR = "toolbar"
    TOOLTIP = "tooltip"
    TREE = "tree"
    TREE_ITEM = "treeitem"
    WINDOW = "window"


class State(StrEnum):
    """What holds for an element now."""

    BUSY = "busy"
    """It is still being made: of a page, until it has loaded."""
    CHECKED = "checked"
    MIXED = "mixed"
    """Neither checked nor unchecked."""
    EDITABLE = "editable"
    ENABLED = "enabled"
    EXPANDABLE = "expandable"
    EXPANDED = "expanded"
    FOCUSABLE = "focusable"
    FOCUSED = "focused"
    MODAL = "modal"
    MULTILINE = "multiline"
    PROTECTED = "protected"
    """It holds a password: its value is never read."""
    SELECTED = "selected"
    VISIBLE = "visible"
    """It says that it is shown, which another window may cover."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element, as its program describes it; only the pixels tell whether that is what a person sees."""

    id: str
    """Names it as long as it exists."""
    parent: str
    """The ``id`` of what it is a part of, which may be left out where that is not shown; empty for a window."""
    pid: int | None
    """The process of its program."""
    role: Role
    name: str = ""
    description: str = ""
    value: str | None = None
    """What it holds: a field's text, a slider's number; ``None`` where it has none or does not tell."""
    states: frozenset[State] = frozenset()
    box: Box | None = None
    """Its place on the screen."""
    actions: tuple[str, ...] = ()
    """What can be done with it, in its program's words."""


@dataclass(frozen=True)
class AccessibleTree:
    """The elements that are shown, of each program parents before their children and in reading order."""

    elements: tuple[Element, ...] = ()
    left_out: tuple[str, ...] = ()
    """The programs that are not in it, or not whole, a sentence about each."""
    late: frozenset[int] = frozenset()
    """The processes of those that did not answer in time: they may still be starting, or busy."""

    @cached_property
    def by_id(self) -> dict[str, Element]:
        """Each element by its ``id``."""
        return {each.id: each for each in self.elements}

    @cached_property
    def pids(self) -> frozenset[int]:
        """The processes that have elements in it."""
        return frozenset(each.pid for each in self.elements if each.pid is not None)

    def ancestors(self, element: Element) -> Sequence[Element]:
        """What it is a part of, the nearest first."""
        found: list[Element] = []
        while (above := self.by_id.get(element.parent)) is not None and above not in found:
            found.append(above)
            element = above
        return found


@dataclass(frozen=True, slots=True)
class AccessibleChange:
    """An event: ``kind`` is ``added``, ``removed``, ``name``, ``text``, ``window`` or a state.

    ``is_on`` is the new value of a state.
    """

    element: str
    pid: int | None
    kind: str
    is_on: bool = True


class Accessibility(Protocol):
    """The accessibility tree of one display. Its programs may hang, lie, and change while they are read.

    Nothing here raises for what a program does, and nothing waits for one longer than the time that is said.
    """

    def unavailable(self) -> str | None:
        """``None`` while it can be read, else one sentence that says why not."""
        ...

    def prepare(self, pids: Collection[int]) -> None:
        """Begin to read these processes while something else is done; returns at once."""
        ...

    def read(self, pids: Collection[int] | None = None) -> AccessibleTree:
        """What is shown now, of these processes alone if named; a program that does not answer in 150 ms is left out.

        It is left out without waiting until it has answered.
        """
        ...

    def again(self, element: Element) -> Element | None:
        """The element as it is now, after at most 150 ms; ``None`` when it is gone or does not answer."""
        ...

    def follow(self, hear: Callable[[AccessibleChange], None]) -> None:
        """Have each change told from now on, on a thread of its own; what it raises is passed over."""
        ...

    def close(self) -> None:
        """Let go of the display."""
        ...
