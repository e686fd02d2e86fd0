"""Says where a person would click: ``places.py ROLE NAME`` prints the middle of the last such thing that is shown.

It runs by the system's Python, which has the bindings (python3-gi, gir1.2-atspi-2.0): what a person sees must not come
from the code that is measured. ``places.py LOG`` writes what text elements hold into a file, again and again.
"""

import contextlib
import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

PATIENCE_S = 20
MANY = 200
SECONDS = 0.3


def find(atspi: Any, role: str, name: str) -> tuple[int, int] | None:
    """The middle of the last thing of that role and name; a field without one is named by the label left of it."""
    found = None
    label = None
    boxes = list[Any]()
    for thing in shown(atspi):
        box, own = thing.get_extents(atspi.CoordType.SCREEN), (thing.get_name() or "").strip()
        if box.width <= 0 or box.height <= 0:
            continue
        if own == name and thing.get_role_name() == role:
            found = box.x + box.width // 2, box.y + box.height // 2
        elif own == name and thing.get_role_name() == "label":
            label = box
        elif not own and thing.get_role_name() == role:
            boxes.append(box)
    if found is None and label is not None:
        level = [box for box in boxes if box.x > label.x and abs(box.y - label.y) < box.height]
        return next(((box.x + box.width // 2, box.y + box.height // 2) for box in level), None)
    return found


def shown(atspi: Any) -> Any:
    """Everything that is shown."""
    desktop = atspi.get_desktop(0)
    left = [desktop.get_child_at_index(number) for number in range(desktop.get_child_count())]
    while left:
        thing = left.pop(0)
        if thing is None:
            continue
        if thing.get_role_name() != "application":
            if not thing.get_state_set().contains(atspi.StateType.SHOWING):
                continue
            yield thing
        count = min(thing.get_child_count(), MANY)
        left += [thing.get_child_at_index(number) for number in range(count)]


def texts(atspi: Any) -> list[str]:
    """What elements hold that have text."""
    found = list[str]()
    for thing in shown(atspi):
        text = thing.get_text_iface()
        if text is not None:
            found.append(str(atspi.Text.get_text(text, 0, -1)))
    return found


def main() -> None:
    """Wait for the thing, and say where it is; or write on until it is ended."""
    gi: Any = importlib.import_module("gi")
    gi.require_version("Atspi", "2.0")
    atspi: Any = importlib.import_module("gi.repository.Atspi")
    gone: type[Exception] = importlib.import_module("gi.repository.GLib").Error
    if len(sys.argv) == 2:
        watched = os.getppid()
        # The program itself: with it, this ends.
        while os.getppid() == watched:
            with contextlib.suppress(gone):
                held = texts(atspi)
                if held:
                    Path(sys.argv[1]).write_text(json.dumps(held), encoding="utf-8")
            time.sleep(SECONDS)
        return
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        with contextlib.suppress(gone):
            place = find(atspi, sys.argv[1], sys.argv[2])
            if place is not None:
                print(*place)
                return
        time.sleep(SECONDS)
    raise SystemExit(f"There is no {sys.argv[1]} {sys.argv[2]!r}.")


if __name__ == "__main__":
    main()
