"""A form in Tk that keeps records in a file: ``ledger_tk.py FILE FAULT``. Its banner always says that it was saved."""

from __future__ import annotations

import csv
import json
import sys
import tkinter as tk
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[2]))
from bench.saving.faults import LABELS, SEEDED, Record, save, typed

_FONT: Final = ("DejaVu Sans", 13)


class FileStore:
    """The records in a CSV or a JSON file, which is written anew with each change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._records: list[Record] = [dict(each) for each in SEEDED]

    def insert(self, record: Record) -> None:
        """See ``Store``."""
        self._records.append(dict(record))

    def change(self, at: int, **cells: Any) -> None:
        """See ``Store``."""
        self._records[at] |= cells

    def delete(self, at: int) -> None:
        """See ``Store``."""
        del self._records[at]

    def write(self) -> None:
        """Write the file."""
        if self._path.suffix == ".json":
            self._path.write_text(json.dumps({"records": self._records}, indent=1), encoding="utf-8")
            return
        with self._path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [label.lower() for label in LABELS])
            writer.writeheader()
            writer.writerows(self._records)


def main() -> None:
    """Show it until its window is closed."""
    store, fault = FileStore(Path(sys.argv[1])), sys.argv[2]
    root = tk.Tk()
    root.title("Ledger")
    root.geometry("+60+40")
    values = [tk.StringVar() for _ in LABELS]
    for row, (label, value) in enumerate(zip(LABELS, values, strict=True)):
        tk.Label(root, text=label, font=_FONT).grid(row=row, column=0, padx=10, pady=7, sticky="w")
        tk.Entry(root, textvariable=value, font=_FONT, width=34).grid(row=row, column=1, padx=10)
    banner = tk.Label(root, text="Nothing saved yet", font=_FONT)
    banner.grid(row=4, column=1, pady=8)

    def keep() -> None:
        name, weight, code = (value.get() for value in values)
        save(store, typed(name, weight, code), fault)
        store.write()
        banner.configure(text=f"Saved: {name}")

    tk.Button(root, text="Save", font=_FONT, command=keep).grid(row=3, column=1, pady=10)
    root.mainloop()


if __name__ == "__main__":
    main()
