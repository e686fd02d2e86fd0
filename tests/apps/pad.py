"""A window with a line and a page to write on; it tells on its standard output what was asked on its standard input."""

from __future__ import annotations

import json
import sys
import time
import tkinter as tk


def main() -> None:
    """Answer "line", "page" (a JSON string each), "clear", "select line|page" and "hang MS"; ends with its input."""
    root = tk.Tk(className="Pad")
    root.geometry("700x400+20+40")
    line = tk.Entry(root, width=80)
    page = tk.Text(root, width=80, height=18, undo=False)
    line.pack()
    page.pack()
    root.update()

    def asked(*_: object) -> None:
        request = sys.stdin.readline().split()
        if not request:
            root.destroy()
            return
        if request[0] == "clear":
            line.delete(0, "end")
            page.delete("1.0", "end")
        elif request[0] == "select":
            field = {"line": line, "page": page}[request[1]]
            field.focus_force()
            root.update()
        elif request[0] == "hang":
            time.sleep(int(request[1]) / 1000)
        answer = {"line": line.get(), "page": page.get("1.0", "end-1c")}.get(request[0], "")
        print(json.dumps(answer), flush=True)  # noqa: T201 - this is how it is spoken to

    root.createfilehandler(sys.stdin, tk.READABLE, asked)
    page.focus_force()
    root.mainloop()


if __name__ == "__main__":
    main()
