"""A native form: fields, a check box, radio buttons, a list that drops down, a menu. ``program.py STATE``."""

from __future__ import annotations

import json
import sys
import tkinter as tk
from pathlib import Path
from tkinter import ttk

FLOORS = ("Ground floor", "First floor", "Second floor")


def main(state: Path) -> None:
    """Show it until it is closed; what is saved is written to the file ``state``."""
    window = tk.Tk(className="Booking")
    window.title("Harbour Inn")
    window.geometry("640x420+120+90")
    window.option_add("*Font", ("DejaVu Sans", 12))
    guest, nights = tk.StringVar(), tk.StringVar(value="1")
    breakfast, room, floor = tk.BooleanVar(), tk.StringVar(value="Single room"), tk.StringVar(value=FLOORS[0])
    said = tk.StringVar(value="Nothing is saved yet")

    def save() -> None:
        kept = {"guest": guest, "nights": nights, "breakfast": breakfast, "room": room, "floor": floor}
        new = state.with_suffix(".new")
        new.write_text(json.dumps({name: value.get() for name, value in kept.items()}), encoding="utf-8")
        new.replace(state)
        said.set(f"Booked for {guest.get()}")

    menu = tk.Menu(window)
    window.configure(menu=menu)
    actions = tk.Menu(menu, tearoff=False)
    actions.add_command(label="Save booking", command=save)
    actions.add_command(label="Leave", command=window.destroy)
    menu.add_cascade(label="Actions", menu=actions)
    for row, (name, value) in enumerate({"Guest": guest, "Nights": nights}.items()):
        tk.Label(window, text=name).grid(row=row, column=0, sticky="w", padx=20, pady=8)
        tk.Entry(window, textvariable=value, width=28).grid(row=row, column=1, columnspan=2, sticky="w")
    tk.Checkbutton(window, text="With breakfast", variable=breakfast).grid(row=2, column=1, sticky="w")
    for column, name in enumerate(("Single room", "Double room"), start=1):
        tk.Radiobutton(window, text=name, variable=room, value=name).grid(row=3, column=column, sticky="w", pady=8)
    tk.Label(window, text="Floor").grid(row=4, column=0, sticky="w", padx=20)
    ttk.Combobox(window, textvariable=floor, values=FLOORS, state="readonly", font=("DejaVu Sans", 12)).grid(
        row=4, column=1, sticky="w"
    )
    tk.Label(window, textvariable=said).grid(row=5, column=0, columnspan=3, sticky="w", padx=20, pady=24)
    window.mainloop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
