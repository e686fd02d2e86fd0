"""Real programs on a virtual display, and grabs of it once they are painted."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mss
import numpy as np

from core.screens import Picture
from tests.fakes.desktops.x_user import x_display

PATIENCE = 60.0
PAINTED = (255, 0, 255)
"""The colour that a program shows when everything else is painted."""

_WORDS = """
Invoice Customer Payment Shipping address Region Total Status Settings Profile Password Email Export Delete Archive
Search results Monthly report Revenue Forecast Team members Billing History Support Ticket Priority Assigned Created
Updated Attachment Comment Approve Reject Pending Warehouse Inventory Quantity Discount Delivery Tracking Balance
Transfer Recipient Currency Schedule Calendar Meeting Reminder Location Document Folder Version Review
"""

_PAGE = """<!doctype html><meta charset=utf-8><title>Orders</title><style>
body {{ margin: 0; font: 14px 'DejaVu Sans', sans-serif; color: #1f2328; display: flex }}
nav {{ background: #24303f; color: #d5dde6; width: 200px; min-height: 100vh; padding: 12px; font-size: 13px }}
nav p {{ margin: 7px 0 }} main {{ padding: 12px 20px }} td, th {{ padding: 4px 24px 4px 0; text-align: left }}
table {{ font-size: 13px }} h1 {{ font-size: 26px; margin: 8px 0 }} .pale {{ color: #8c959f }}
.dark {{ background: #16181d; color: #e6e6e6; padding: 8px; font-size: 16px }}
input {{ font: inherit; padding: 4px }} input::placeholder {{ color: #a9a9a9 }}
button {{ font: inherit; background: #0969da; color: white; border: 0; border-radius: 4px; padding: 6px 14px }}
b {{ background: #1a7f37; color: white; border-radius: 9px; padding: 1px 7px; font-weight: normal }}
#painted {{ position: fixed; right: 0; bottom: 0; width: 12px; height: 12px;
  background: rgb(255, 0, 255) }}
</style><nav>{menu}</nav><main><h1>{title}</h1><p>{first}</p><p class=pale>{second}</p>
<p><input placeholder="{hint}"> <button>{button}</button></p><p class=dark>{third}</p>
<table>{rows}</table></main><div id=painted></div>"""

_FORM = """
import sys, tkinter
root = tkinter.Tk()
root.title("Parcels")
root.geometry("700x500+40+40")
for line in sys.argv[1:]:
    tkinter.Label(root, text=line, anchor="w", font=("DejaVu Sans", -14)).pack(fill="x", padx=20, pady=4)
entry = tkinter.Entry(root, font=("DejaVu Sans", -14), width=40)
entry.insert(0, "Typed value")
entry.pack(anchor="w", padx=20)
tkinter.Button(root, text="Send parcel", font=("DejaVu Sans", -14)).pack(anchor="w", padx=20, pady=8)
root.update()
root.after(200, lambda: tkinter.Frame(root, bg="#ff00ff", width=12, height=12).pack())
root.mainloop()
"""


def phrases(seed: int, count: int, length: int = 3) -> list[str]:
    """Words of an office program."""
    chance = random.Random(seed)
    words = _WORDS.split()
    return [" ".join(chance.choices(words, k=length)) for _ in range(count)]


def page(seed: int) -> tuple[str, list[str]]:
    """An HTML page with text of 13 to 16 pixels, and its words."""
    menu, cells = phrases(seed, 12, 2), phrases(seed + 1, 24, 2)
    title, first, second, hint, button, third = phrases(seed + 2, 6)
    numbers = [f"{random.Random(seed + row).randint(1000, 9999)}" for row in range(12)]
    rows = [
        f"<tr><td>{number}<td>{left}<td>{right}<td><b>Paid</b>"
        for number, left, right in zip(numbers, cells[::2], cells[1::2], strict=True)
    ]
    html = _PAGE.format(
        menu="".join(f"<p>{item}</p>" for item in menu),
        title=title,
        first=first,
        second=second,
        hint=hint,
        button=button,
        third=third,
        rows="".join(rows),
    )
    said = [*menu, *cells, title, first, second, hint, button, third, *numbers, *["Paid"] * len(rows)]
    return html, " ".join(said).split()


def browser(folder: Path, html: str, size: tuple[int, int], scale: int = 1) -> list[str]:
    """The command that shows a page on the whole screen."""
    (folder / "page.html").write_text(html, encoding="utf-8")
    return [
        os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium"),
        *("--no-sandbox", "--no-first-run", "--disable-gpu", "--kiosk", "--window-position=0,0"),
        *(f"--window-size={size[0] // scale},{size[1] // scale}", f"--force-device-scale-factor={scale}"),
        *(f"--user-data-dir={folder / 'profile'}", f"--app=file://{folder / 'page.html'}"),
    ]


def form(lines: Sequence[str]) -> list[str]:
    """The command of a native form."""
    return [sys.executable, "-c", _FORM, *lines]


def terminal(folder: Path, lines: Sequence[str], *options: str) -> list[str]:
    """The command of a terminal that shows the lines, and then a prompt."""
    (folder / "shown.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    script = f"cat {folder / 'shown.txt'}; printf '\\033[48;5;201m  \\033[0m'; exec sleep 600"
    return ["xterm", *options, "-geometry", "90x24+10+10", "-e", "sh", "-c", script]


@contextmanager
def shown(
    command: Sequence[str], folder: Path, size: tuple[int, int] = (1280, 720)
) -> Generator[Callable[[], Picture]]:
    """Run a program on a display of its own; what is handed over grabs that display."""
    with x_display(*size) as display:
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "DISPLAY": display, "LANG": "C.UTF-8"}
        quiet = subprocess.DEVNULL
        program = subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
        try:
            grabber: Any = mss.MSS(display=display)
            with grabber:
                yield lambda: _grab(grabber)
        finally:
            program.terminate()
            program.wait(20)


def painted(grab: Callable[[], Picture]) -> Picture:
    """Wait until the program is painted and the screen rests."""
    deadline = time.monotonic() + PATIENCE
    last = None
    while time.monotonic() < deadline:
        picture = grab()
        pixels = np.frombuffer(picture.bgra, np.uint8).reshape(-1, 4)[:, :3]
        if last is not None and last.bgra == picture.bgra and (pixels == PAINTED).all(axis=1).any():
            return picture
        last = picture
        time.sleep(0.1)
    raise TimeoutError("the program was not painted in time")


def _grab(grabber: Any) -> Picture:
    shot = grabber.grab(grabber.monitors[0])
    return Picture(shot.width, shot.height, bytes(shot.raw), time.monotonic())
