"""A list with a button that asks in a dialog of its own before it does anything. ``program.py STATE``."""

from __future__ import annotations

import json
import sys
import tkinter as tk
from pathlib import Path
from typing import Any

NOTES = ("Oil the winch", "Call the sailmaker", "Paint the rudder")


def main(state: Path) -> None:
    """Show it until it is closed; what became of the notes is written to the file ``state``."""
    window = tk.Tk(className="Archive")
    window.title("Notes")
    window.geometry("620x420+60+60")
    window.option_add("*Font", ("DejaVu Sans", 13))
    shown: Any = tk.Listbox(window, height=7, width=40)
    for note in NOTES:
        shown.insert(tk.END, note)
    said = tk.StringVar(value="3 notes are here")
    shown.pack(padx=20, pady=16)
    tk.Button(window, text="Archive", command=lambda: ask(window, done)).pack()
    tk.Label(window, textvariable=said).pack(pady=14)

    def done(what: str) -> None:
        new = state.with_suffix(".new")
        new.write_text(json.dumps({"notes": what}), encoding="utf-8")
        new.replace(state)
        if what == "archived":
            shown.delete(0, tk.END)
        said.set(f"All notes are {what}")

    window.mainloop()


def ask(window: tk.Tk, done: Any) -> None:
    """The dialog; until it is answered the window behind it takes no input."""
    dialog = tk.Toplevel(window)
    dialog.title("Please confirm")
    dialog.geometry("420x150+560+330")
    dialog.transient(window)
    tk.Label(dialog, text="Put all notes away for good?").pack(pady=20)
    for name, what in (("Archive", "archived"), ("Cancel", "kept")):

        def answer(what: str = what) -> None:
            dialog.destroy()
            done(what)

        tk.Button(dialog, text=name, command=answer).pack(side="left", padx=50)
    dialog.wait_visibility()
    dialog.grab_set()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
