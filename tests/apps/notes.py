"""A small desktop program: a list of notes. ``notes.py REPORT`` writes what happens to it as JSON lines.

Each line is ``{"op", "t": wall clock ms when it was drawn, "key", "kind", "text", "lines": all text in the window}``;
the first one has ``"places"``: the middle of each widget in pixels of the screen.
"""

from __future__ import annotations

import json
import sys
import time
import tkinter as tk
from pathlib import Path
from typing import IO, Any


class Notes:
    """The window and what it reports."""

    def __init__(self, report: IO[str]) -> None:
        self._report = report
        self._marks = 0
        self._typing = ""
        self.window = tk.Tk()
        self.window.title("Notes")
        self.window.geometry("760x480+200+90")
        self.window.option_add("*Font", ("DejaVu Sans", 13))
        self.entry = tk.Entry(self.window, width=44)
        self.add = tk.Button(self.window, text="Add note", command=self._add)
        self.notes: Any = tk.Listbox(self.window, height=11, width=62)
        self.clear = tk.Button(self.window, text="Delete all", command=self._ask)
        self.status = tk.Label(self.window, text="2 notes")
        self.entry.grid(row=0, column=0, padx=16, pady=16)
        self.add.grid(row=0, column=1)
        self.notes.grid(row=1, column=0, columnspan=2, padx=16)
        self.clear.grid(row=2, column=0, sticky="w", padx=16, pady=14)
        self.status.grid(row=2, column=1)
        for text in ("Oil the winch", "Call the sailmaker"):
            self.notes.insert(tk.END, text)
        self.entry.bind("<KeyRelease>", self._typed)
        self.window.after(700, self._introduce)

    def tell(self, op: str, **more: Any) -> str:
        """Write one line once everything is drawn; returns its key."""
        self.window.update_idletasks()
        key = str(more.pop("key", "")) or f"notes-{self._marks}"
        self._marks += 1
        line = {"op": op, "t": time.time() * 1000, "key": key, "lines": self._lines(), **more}
        self._report.write(json.dumps(line) + "\n")
        self._report.flush()
        return key

    def _lines(self) -> list[str]:
        fixed = ["Notes", "Add note", "Delete all", str(self.status["text"]), self.entry.get()]
        notes = [str(self.notes.get(index)) for index in range(self.notes.size())]
        return [*fixed, *notes]

    def _introduce(self) -> None:
        widgets = {"entry": self.entry, "add": self.add, "clear": self.clear}
        places = {name: _middle(widget) for name, widget in widgets.items()}
        self.tell("seen", places=places)

    def _typed(self, _event: tk.Event[Any]) -> None:
        if self.entry.get():
            self._typing = self._typing or f"typing-{self._marks}"
            self.tell("typed", key=self._typing, text=self.entry.get())

    def _add(self) -> None:
        text = self.entry.get()
        self.entry.delete(0, tk.END)
        self.notes.insert(tk.END, text)
        self._typing = ""
        before = str(self.status["text"])
        self.status["text"] = f"{self.notes.size()} notes"
        self.tell("begin", kind="appeared", text=text)
        self.tell("begin", kind="vanished", text=text, optional=True)
        self.tell("begin", kind="changed", text=str(self.status["text"]), before=before)

    def _ask(self) -> None:
        dialog = tk.Toplevel(self.window)
        dialog.title("Please confirm")
        dialog.geometry("420x150+640+380")
        tk.Label(dialog, text="Delete all notes for good?").pack(pady=18)
        sure = tk.Button(dialog, text="Yes, delete")
        sure.pack()
        dialog.wait_visibility()
        dialog.update()
        lines = ["Please confirm", "Delete all notes for good?", "Yes, delete"]
        key = self.tell("begin", kind="appeared", text="Delete all notes for good?")
        self.tell("seen", lines=lines)

        def delete() -> None:
            dialog.destroy()
            self.window.update()
            self.tell("end", key=key)
            self.window.after(800, self._empty)

        sure["command"] = delete
        self.window.after(400, lambda: self.tell("seen", places={"sure": _middle(sure)}))

    def _empty(self) -> None:
        self.notes.delete(0, tk.END)
        before = str(self.status["text"])
        self.status["text"] = "No notes"
        self.tell("begin", kind="vanished", text="Oil the winch")
        self.tell("begin", kind="changed", text="No notes", before=before)


def _middle(widget: tk.Widget) -> tuple[int, int]:
    return widget.winfo_rootx() + widget.winfo_width() // 2, widget.winfo_rooty() + widget.winfo_height() // 2


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w", encoding="utf-8") as report:
        Notes(report).window.mainloop()
