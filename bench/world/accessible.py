"""Says what desktop programs show: ``accessible.py LOG`` writes a sample of their accessibility tree at each change.

It runs by the system's Python, which has the bindings (python3-gi, gir1.2-atspi-2.0), on the programs' own message bus.
"""

import contextlib
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

PERIOD_S = 0.06
MANY = 400
LETTER_PX = 6.0
SQUARE = 1.3
ICON_BORDER_PX = 10
NAMED = {
    "label", "push button", "toggle button", "check box", "radio button", "menu", "menu item", "check menu item",
    "radio menu item", "page tab", "table cell", "table column header", "list item", "icon", "heading", "static",
    "link", "tree item", "column header", "tool bar item", "button", "info bar",
}  # fmt: skip
POPUPS = {"window", "menu", "dialog", "alert", "file chooser", "popup menu", "tool tip"}


class Sweeper:
    """Walks the tree of every program."""

    def __init__(self, atspi: Any, gone: type[Exception]) -> None:
        self._atspi = atspi
        self._gone = gone
        self.texts: list[tuple[str, int, int, int, int, int]] = []
        self.places: list[tuple[str, str, int, int, int, int]] = []
        self.bars: list[str] = []
        self.pictures: list[tuple[int, int, int, int]] = []

    def sweep(self) -> dict[str, Any]:
        """What stands on the screen now; a window that came later hides what is under it."""
        self.texts, self.places, self.bars, self.pictures = [], [], [], []
        desktop = self._atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            program = desktop.get_child_at_index(number)
            for index in range(program.get_child_count() if program else 0):
                self._window(program.get_child_at_index(index))
        return {"texts": self.texts, "bars": self.bars, "pictures": self.pictures, "places": self.places, "apart": True}

    def _window(self, window: Any) -> None:
        # The popups of older programs are windows with nothing in them: their items stand in the tree of the menu.
        if window is None or not self._shows(window) or not window.get_child_count():
            return
        if window.get_name():
            self.bars.append(window.get_name())
        self._hide(self._box(window))
        for index in range(min(window.get_child_count(), MANY)):
            self._walk(window.get_child_at_index(index))

    def _walk(self, thing: Any) -> None:
        # What is removed during the sweep answers with an error.
        with contextlib.suppress(self._gone):
            if thing is not None and self._shows(thing):
                self._visit(thing)

    def _visit(self, thing: Any) -> None:
        role, box = thing.get_role_name(), self._box(thing)
        if box[2] > 0 and box[3] > 0:
            self._take(thing, role, box)
        count = min(thing.get_child_count(), MANY)
        if role == "menu" and count:
            boxes = [
                self._box(child)
                for child in map(thing.get_child_at_index, range(count))
                if child and self._shows(child)
            ]
            if boxes:
                left, top = min(each[0] for each in boxes), min(each[1] for each in boxes)
                right, bottom = max(each[0] + each[2] for each in boxes), max(each[1] + each[3] for each in boxes)
                self._hide((left, top, right - left, bottom - top))
        for index in range(count):
            self._walk(thing.get_child_at_index(index))

    def _take(self, thing: Any, role: str, box: tuple[int, int, int, int]) -> None:
        name = (thing.get_name() or "").strip()
        if name:
            self.places.append((name, role, *box))
        is_icon = role.endswith("button") and self._is_icon(thing, name, box)
        text = thing.get_text_iface()
        if text is not None and role in {"text", "entry", "password text", "terminal", "paragraph", "spin button"}:
            self._lines(text, box)
        elif name and (role in NAMED or (role == "status bar" and not thing.get_child_count())) and not is_icon:
            lines = [line for line in name.splitlines() if line.strip()]
            height = box[3] // max(len(lines), 1)
            for number, line in enumerate(lines):
                self.texts.append((line.strip(), box[0], box[1] + number * height, box[2], height, 0))
            if role.endswith("menu item"):
                self._add_shortcut(thing, box)
        elif role in {"icon", "image", "canvas", "drawing area"}:
            self.pictures.append(box)

    def _add_shortcut(self, thing: Any, box: tuple[int, int, int, int]) -> None:
        """The shortcut that a menu shows at its right end; it stands last in "mnemonic;path;shortcut"."""
        actions = thing.get_action_iface()
        keys = (
            (actions.get_key_binding(0) or "").rpartition(";")[2]
            if actions is not None and actions.get_n_actions()
            else ""
        )
        shown = (
            keys.replace("<Primary>", "Ctrl+")
            .replace("<Control>", "Ctrl+")
            .replace("<Shift>", "Shift+")
            .replace("<Alt>", "Alt+")
        )
        if shown:
            prefix, plus, key = shown.rpartition("+")
            width = round(LETTER_PX * 1.5 * len(shown))
            label = prefix + plus + (key.upper() if len(key) == 1 else key)
            self.texts.append((label, box[0] + box[2] - width, box[1], width, box[3], 0))

    def _lines(self, text: Any, box: tuple[int, int, int, int]) -> None:
        at, count = 0, min(text.get_character_count(), 6000)
        while at < count:
            line = text.get_string_at_offset(at, self._atspi.TextGranularity.LINE)
            end = max(line.end_offset, at + 1)
            content = line.content.rstrip("\n")
            if content.strip():
                place = text.get_range_extents(at, at + len(content), self._atspi.CoordType.SCREEN)
                if box[1] - 2 <= place.y and place.y + place.height <= box[1] + box[3] + 2 and place.width > 0:
                    self.texts.append((content.strip(), place.x, place.y, place.width, place.height, 0))
            at = end

    def _is_icon(self, thing: Any, name: str, box: tuple[int, int, int, int]) -> bool:
        """Whether the name is only spoken: the thing shows a picture, and no room for letters is left."""
        if len(name) > 2 and box[2] <= SQUARE * box[3]:
            return True
        image = thing.get_image_iface()
        size = image.get_image_size() if image is not None else None
        taken = size.x if size is not None and size.x > 0 else 0
        return box[2] - taken < LETTER_PX * len(name) + (taken and ICON_BORDER_PX)

    def _hide(self, box: tuple[int, int, int, int]) -> None:
        def is_clear(place: tuple[Any, ...]) -> bool:
            x, y = place[0] + place[2] / 2, place[1] + place[3] / 2
            return not (box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3])

        self.texts = [each for each in self.texts if is_clear(each[1:5])]
        self.pictures = [each for each in self.pictures if is_clear(each)]

    def _shows(self, thing: Any) -> bool:
        states = thing.get_state_set()
        return bool(states.contains(self._atspi.StateType.SHOWING) and states.contains(self._atspi.StateType.VISIBLE))

    def _box(self, thing: Any) -> tuple[int, int, int, int]:
        component = thing.get_component_iface()
        if component is None:
            return 0, 0, 0, 0
        box = component.get_extents(self._atspi.CoordType.SCREEN)
        return box.x, box.y, box.width, box.height


def _ignore(*event: object) -> None:
    """Programs tell of what changes only while somebody listens."""
    del event


def main() -> None:
    """Sweep until the log cannot be written any more."""
    gi: Any = importlib.import_module("gi")
    gi.require_version("Atspi", "2.0")
    atspi: Any = importlib.import_module("gi.repository.Atspi")
    glib: Any = importlib.import_module("gi.repository.GLib")
    atspi.init()
    listener = atspi.EventListener.new(_ignore)
    for kind in (
        "object:state-changed",
        "object:children-changed",
        "object:property-change",
        "object:text-changed",
        "window",
    ):
        listener.register(kind)
    sweeper, last = Sweeper(atspi, glib.Error), ""
    with Path(sys.argv[1]).open("w", encoding="utf-8") as log:
        while True:
            while glib.MainContext.default().iteration(False):  # noqa: FBT003 - "may it block"
                pass
            began = time.time()
            try:
                found = json.dumps(sweeper.sweep())
            except glib.Error:
                continue
            # What changed during the sweep may be in it, so it says what stood at its end.
            ended = time.time()
            if found != last:
                last = found
                log.write(json.dumps([ended * 1000, found]) + "\n")
                log.flush()
            time.sleep(max(PERIOD_S - (ended - began), 0.01))


if __name__ == "__main__":
    main()
