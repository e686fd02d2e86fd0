"""A desktop program: menus, a table, a message box. ``python -m tests.apps.parcels REPORT`` tells what happens."""

from __future__ import annotations

import sys
import tkinter as tk
from collections.abc import Callable
from pathlib import Path
from tkinter import messagebox, ttk
from typing import IO, Any

from tests.apps.reporter import Reporter, middle

PARCELS = (
    ("P-3307", "Hotel Astoria", "On board"),
    ("P-3311", "Widow Lindqvist", "On board"),
    ("P-3314", "Harbour school", "At the quay"),
    ("P-3320", "Bakery Moreau", "At the quay"),
)
COLUMNS = ("Parcel", "Receiver", "State")
BOX = ".__tk__messagebox"
"""What Tk calls its own message box on X11."""
POLL_MS = 10


class Parcels:
    """The window and what it reports."""

    def __init__(self, report: IO[str]) -> None:
        self.window = tk.Tk()
        self.window.title("Parcel desk")
        self.window.geometry("1000x520+130+70")
        self.window.option_add("*Font", ("DejaVu Serif", 15))
        self.window.configure(bg="#dcd6c8")
        style: Any = ttk.Style()
        style.theme_use("clam")
        style.configure("Treeview", font=("DejaVu Serif", 15), rowheight=44)
        style.configure("Treeview.Heading", font=("DejaVu Serif", 14, "bold"))
        self.reporter = Reporter(self.window, report, self.lines)
        self.open_menu: list[str] = []
        self.selected = ""
        bar = tk.Frame(self.window, bg="#c9c1ae")
        bar.pack(fill="x")
        self.buttons = {
            "Desk": self._menu(bar, "Desk", {"Print the list": self._print, "Close": self.window.destroy}),
            "Actions": self._menu(bar, "Actions", {"Hand over": self._hand_over, "Send back": self._ask}),
        }
        self.table: Any = ttk.Treeview(self.window, columns=COLUMNS, show="headings", height=7)
        for name in COLUMNS:
            self.table.heading(name, text=name, anchor="w")
        for parcel in PARCELS:
            self.table.insert("", "end", parcel[0], values=parcel)
        self.table.pack(padx=20, pady=18, fill="x")
        self.status = tk.Label(self.window, text="4 parcels, 2 at the quay", anchor="w", bg="#dcd6c8")
        self.status.pack(side="bottom", fill="x", padx=20, pady=10)
        self.table.bind("<<TreeviewSelect>>", self._report_selection)
        self.window.after(700, self._introduce)

    def lines(self) -> list[str]:
        """Every word in the window."""
        rows = [[str(value) for value in self.table.item(row)["values"]] for row in self.table.get_children()]
        return [
            "Parcel desk",
            "Desk",
            "Actions",
            *COLUMNS,
            *(cell for row in rows for cell in row),
            self.status["text"],
        ]

    def _menu(self, bar: tk.Frame, name: str, entries: dict[str, Callable[[], None]]) -> tk.Menubutton:
        button = tk.Menubutton(bar, text=name, bg="#c9c1ae", padx=14, pady=5)
        menu = tk.Menu(button, tearoff=False)
        for label, command in entries.items():
            menu.add_command(label=label, command=command)
        button.configure(menu=menu)
        button.pack(side="left")
        for way in ("<Enter>", "<Leave>"):
            button.bind(way, lambda _event: self._may(name), add=True)
        menu.bind("<Map>", lambda _event: self._report_menu(menu, list(entries)))
        menu.bind("<Unmap>", self._report_closed)
        return button

    def _introduce(self) -> None:
        places = {name: middle(button) for name, button in self.buttons.items()}
        for row in self.table.get_children():
            x, y, width, height = self.table.bbox(row)
            places[row] = (self.table.winfo_rootx() + x + width // 2, self.table.winfo_rooty() + y + height // 2)
        self.reporter.send_report("seen", places=places)

    def _report_menu(self, menu: tk.Menu, labels: list[str]) -> None:
        """Tell that it is open and where its entries are; each entry may be told by itself."""
        self.open_menu = [self.reporter.send_report("begin", kind="appeared", text=labels[0])]
        self.open_menu += [self._may(label, "appeared") for label in labels[1:]]
        x, y = menu.winfo_rootx() + 50, menu.winfo_rooty() + 12
        places = {label: (x, y + int(menu.yposition(index))) for index, label in enumerate(labels)}
        self.reporter.send_report("seen", places=places, lines=[*self.lines(), *labels])

    def _report_selection(self, _event: tk.Event[Any]) -> None:
        """A row is highlighted, and the one before no longer."""
        rows = [row for row in (self.selected, *self.table.selection()) if self.table.exists(row)]
        for row in filter(None, rows):
            self._may(" ".join(str(value) for value in self.table.item(row)["values"]))
            self.selected = row

    def _report_closed(self, _event: tk.Event[Any]) -> None:
        for key in self.open_menu:
            self.reporter.send_report("end", key=key)

    def _may(self, text: str, kind: str = "changed") -> str:
        """What may be told or not: a highlight, or each entry of a menu by itself."""
        return self.reporter.send_report("begin", kind=kind, text=text, optional=True)

    def _say(self, text: str) -> None:
        before = str(self.status["text"])
        self.status["text"] = text
        self.reporter.send_report("begin", kind="changed", text=text, before=before)

    def _restate(self, parcel: str, state: str) -> None:
        before = str(self.table.set(parcel, "State"))
        self.table.set(parcel, "State", state)
        self.reporter.send_report("begin", kind="changed", text=state, before=before)

    def _print(self) -> None:
        self.window.after(300, lambda: self._say("Printing 4 parcels"))
        self.window.after(2300, lambda: self._say("List printed"))

    def _hand_over(self) -> None:
        parcel = str(self.table.selection()[0])
        self._restate(parcel, "Handed over")
        self.window.after(450, lambda: self._say("4 parcels, 1 at the quay"))

    def _ask(self) -> None:
        parcel = str(self.table.selection()[0])
        question = f"Send {parcel} back?"
        keys: list[str] = []

        def shown() -> None:
            if not self._is_asking():
                self.window.after(POLL_MS, shown)
                return
            keys.append(self.reporter.send_report("begin", kind="appeared", text=question))
            lines = [*self.lines(), "Send back", question, "It goes with the next boat.", "OK", "Cancel"]
            self.reporter.send_report("seen", lines=lines)

        self.window.after(POLL_MS, shown)
        if messagebox.askokcancel("Send back", question, detail="It goes with the next boat."):
            self.window.update()
            self.reporter.send_report("end", key=keys[0])
            self.window.after(500, lambda: self._remove(parcel))

    def _is_asking(self) -> bool:
        ask = self.window.tk.call
        return bool(int(ask("winfo", "exists", BOX))) and bool(int(ask("winfo", "viewable", BOX)))

    def _remove(self, parcel: str) -> None:
        self.table.delete(parcel)
        self.reporter.send_report("begin", kind="vanished", text=parcel)
        self.window.after(250, lambda: self._say("3 parcels, 1 at the quay"))


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w", encoding="utf-8") as report:
        Parcels(report).window.mainloop()
