"""A small desktop program: a list of notes. ``python -m tests.apps.notes REPORT`` tells what happens (see reporter)."""

from __future__ import annotations

import sys
import tkinter as tk
from pathlib import Path
from typing import IO, Any

from tests.apps.reporter import Reporter, middle


class Notes:
    """The window and what it reports."""

    def __init__(self, report: IO[str]) -> None:
        self._typing = ""
        self.window = tk.Tk()
        self.notify = Reporter(self.window, report, self._lines).send_report
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

    def _lines(self) -> list[str]:
        fixed = ["Notes", "Add note", "Delete all", str(self.status["text"]), self.entry.get()]
        notes = [str(self.notes.get(index)) for index in range(self.notes.size())]
        return [*fixed, *notes]

    def _introduce(self) -> None:
        widgets = {"entry": self.entry, "add": self.add, "clear": self.clear}
        places = {name: middle(widget) for name, widget in widgets.items()}
        self.notify("seen", places=places)

    def _typed(self, _event: tk.Event[Any]) -> None:
        if self.entry.get():
            more = {"key": self._typing} if self._typing else {}
            self._typing = self.notify("typed", text=self.entry.get(), **more)

    def _add(self) -> None:
        text = self.entry.get()
        self.entry.delete(0, tk.END)
        self.notes.insert(tk.END, text)
        self._typing = ""
        before = str(self.status["text"])
        self.status["text"] = f"{self.notes.size()} notes"
        self.notify("begin", kind="appeared", text=text)
        self.notify("begin", kind="vanished", text=text, optional=True)
        self.notify("begin", kind="changed", text=str(self.status["text"]), before=before)

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
        key = self.notify("begin", kind="appeared", text="Delete all notes for good?")
        self.notify("seen", lines=lines)

        def delete() -> None:
            dialog.destroy()
            self.window.update()
            self.notify("end", key=key)
            self.window.after(800, self._empty)

        sure["command"] = delete
        self.window.after(400, lambda: self.notify("seen", places={"sure": middle(sure)}))

    def _empty(self) -> None:
        self.notes.delete(0, tk.END)
        before = str(self.status["text"])
        self.status["text"] = "No notes"
        self.notify("begin", kind="vanished", text="Oil the winch")
        self.notify("begin", kind="changed", text="No notes", before=before)


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w", encoding="utf-8") as report:
        Notes(report).window.mainloop()
