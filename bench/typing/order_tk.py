"""A form in Tk: ``order_tk.py STATE SIZE THEME FAULT LABEL…``; each Save appends what it holds to STATE as JSON."""

from __future__ import annotations

import json
import sys
import tkinter as tk
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final


def _without_digits(text: str) -> str:
    return "".join(sign for sign in text if not sign.isdigit())


def _without_doubles(text: str) -> str:
    return "".join(sign for at, sign in enumerate(text) if not at or sign != text[at - 1])


def _cut_off(text: str) -> str:
    return text[:6]


def _capitals(text: str) -> str:
    return text.upper()


def _l_for_1(text: str) -> str:
    return text.replace("1", "l")


def _with_a_sign(text: str) -> str:
    return text if text.endswith(".") or not text else f"{text}."


FAULTS: Final[Mapping[str, Callable[[str], str]]] = {
    "cuts off": _cut_off,
    "drops digits": _without_digits,
    "in capitals": _capitals,
    "drops the second of two": _without_doubles,
    "l for 1": _l_for_1,
    "adds a sign": _with_a_sign,
}


class _Fault:
    """Changes what a field holds whenever it was changed."""

    def __init__(self, value: tk.StringVar, change: Callable[[str], str]) -> None:
        self._value = value
        self._change = change

    def __call__(self, *_: object) -> None:
        self._value.set(self._change(self._value.get()))


def main() -> None:
    """Show it until its window is closed."""
    state, size, theme, fault, *labels = sys.argv[1:]
    font = ("DejaVu Sans", int(size))
    paper, ink, field = ("#1f2126", "#eeeeee", "#2c2f36") if theme == "dark" else ("#e8e8e8", "#111111", "#ffffff")
    root = tk.Tk()
    root.title("New order")
    root.geometry("+60+40")
    root.configure(bg=paper)
    values = [tk.StringVar() for _ in labels]
    for row, (label, value) in enumerate(zip(labels, values, strict=True)):
        tk.Label(root, text=label, font=font, bg=paper, fg=ink).grid(row=row, column=0, padx=10, pady=7, sticky="w")
        entry = tk.Entry(root, textvariable=value, font=font, width=34, bg=field, fg=ink, insertbackground=ink)
        entry.grid(row=row, column=1, padx=10)
        if fault:
            value.trace_add("write", _Fault(value, FAULTS[fault]))

    def save() -> None:
        with Path(state).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps([value.get() for value in values])}\n")

    tk.Button(root, text="Save order", font=font, command=save).grid(row=len(labels), column=1, pady=10)
    root.mainloop()


if __name__ == "__main__":
    main()
