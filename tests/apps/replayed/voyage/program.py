"""A window that is somewhere else after each step. ``program.py STATE``."""

from __future__ import annotations

import json
import sys
import tkinter as tk
from pathlib import Path

STEPS = ("Cast off", "Hoist the sail", "Steer north")
PLACES = ("+520+90", "+80+340", "+640+300")


def main(state: Path) -> None:
    """Show it until it is closed; the buttons that were pressed are written to the file ``state``."""
    window = tk.Tk(className="Voyage")
    window.title("Voyage")
    window.geometry("420x280+40+40")
    window.option_add("*Font", ("DejaVu Sans", 13))
    pressed: list[str] = []
    said = tk.StringVar(value="In the harbour")

    def press(name: str) -> None:
        window.geometry(PLACES[len(pressed) % len(PLACES)])
        pressed.append(name)
        new = state.with_suffix(".new")
        new.write_text(json.dumps({"pressed": pressed}), encoding="utf-8")
        new.replace(state)
        said.set("Under way" if pressed == list(STEPS) else f"Done: {name}")

    for name in STEPS:

        def pressed_now(name: str = name) -> None:
            press(name)

        tk.Button(window, text=name, command=pressed_now).pack(pady=10)
    tk.Label(window, textvariable=said).pack(pady=10)
    window.mainloop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
