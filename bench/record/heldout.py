"""The held-out sessions: labelled before the observer saw them, and never used to tune it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.record.clips import FULL_HD, Session, on_page
from bench.record.programs import Terminal, wait_until

if TYPE_CHECKING:
    from collections.abc import Generator

    from bench.record.browser import Browser
    from bench.record.ledger import Ledger
    from bench.record.screen import Screen

SHELL = r"""
PS1='pilot> '
note() { # operation, key, kind, text, further fields
  printf '{"op": "%s", "key": "%s", "t": %s, "kind": "%s", "text": %s%s}\n' \
    "$1" "$2" "$(date +%s%3N)" "$3" "$4" "$5" >> "$REPORT"
}
survey() {
  printf '%s\n' 'total 4' 'drwxr-x--- soundings' '-rw-r----- berths.csv' '-rw-r----- tides-2031.csv'
  echo '-rwxr-x--- publish.sh'
  note begin survey appeared '"berths.csv"'
  for word in 'total 4' soundings tides-2031.csv publish.sh 'pilot>'; do
    note begin "may-$word" appeared "\"$word\"" ', "optional": true'
  done
}
publish() {
  note begin publish busy null
  note begin may-publish appeared '"Sending charts"' ', "optional": true'
  for part in 0 4 9 15 21 28 34 41 47 52 58 63 70 76 81 88 93 97 100; do
    printf '\rSending charts %3d%%' "$part"; sleep 0.12
  done
  note end publish busy null
  note begin may-published changed '"Sending charts 100%"' ', "optional": true'
  sleep 1
  printf '\nerror: sheet 19 was refused by the printer\n'
  note begin refused appeared '"error: sheet 19 was refused by the printer"'
  note begin may-refused appeared '"pilot>"' ', "optional": true'
}
note ready ready none null
"""
LOOK = ("-fa", "Nimbus Mono PS:style=Bold", "-fs", "15", "-geometry", "74x22+60+40", "-title", "Chart room",
        "-bg", "#f3ead2", "-fg", "#1c2b4a")  # fmt: skip
PRINTED = (
    "Chart room", "pilot>", "total 4", "drwxr-x--- soundings", "-rw-r----- berths.csv", "-rw-r----- tides-2031.csv",
    "-rwxr-x--- publish.sh", "error: sheet 19 was refused by the printer",
    *(f"Sending charts {part}%" for part in (0, 4, 9, 15, 21, 28, 34, 41, 47, 52, 58, 63, 70, 76, 81, 88, 93, 97, 100)),
)  # fmt: skip


@contextmanager
def console(screen: Screen, ledger: Ledger) -> Generator[Terminal]:
    """Open a light xterm whose commands report as ``truth.js`` does."""
    with tempfile.TemporaryDirectory(prefix="vaider-console-") as folder:
        report, start = Path(folder, "report"), Path(folder, "start")
        start.write_text(SHELL)
        command = ["xterm", *LOOK, "-e", "bash", "--noprofile", "--rcfile", str(start), "-i"]
        environment = {**os.environ, **screen.environment, "REPORT": str(report), "HOME": folder}
        with subprocess.Popen(command, env=environment) as process:
            try:
                wait_until(report.exists)
                screen.click(500, 300)
                screen.glide(1150, 640)
                yield Terminal(screen, ledger, report)
                for line in report.read_text().splitlines():
                    ledger.take(json.loads(line))
            finally:
                process.terminate()
        ledger.take({"op": "seen", "t": 0.0, "lines": PRINTED})


def charts(terminal: Terminal) -> None:
    """A listing, then a command that counts up to 100 % and fails."""
    terminal.wait(1.4)
    for command, seconds in (("survey", 1.8), ("publish", 6.2)):
        terminal.type(command)
        terminal.wait(0.7)
        terminal.enter()
        terminal.wait(seconds)


def letters(browser: Browser) -> None:
    """A letter is opened, one is archived for good, and one is archived and brought back."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#letter-0 .subject")
    browser.wait(1.6)
    browser.calm()
    browser.click("#letter-3 button")
    browser.wait(3.9)
    browser.calm()
    browser.click("#letter-2 button")
    browser.wait(1.0)
    browser.click("#undo")
    browser.wait(1.9)
    browser.calm()


def board(browser: Browser) -> None:
    """A status is changed, a ticket added, the board filtered, and a ticket removed after a question."""
    browser.wait(1.2)
    browser.calm()
    browser.click("#ticket-230 .status")
    browser.wait(1.4)
    browser.click("#add")
    browser.wait(1.5)
    browser.calm()
    browser.click("#filter")
    browser.screen.type("pump", 150)
    browser.wait(0.9)
    browser.screen.press("Return")
    browser.wait(1.8)
    browser.calm()
    browser.click("#ticket-188 .remove")
    browser.wait(2.2)
    browser.click("#sure")
    browser.wait(1.8)
    browser.calm()


def transfer(browser: Browser) -> None:
    """A form is sent incomplete, put right, sent again, and a receipt is shown."""
    browser.wait(1.0)
    browser.calm()
    browser.click("#to")
    browser.screen.type("4410")
    browser.wait(0.7)
    browser.click("#send")
    browser.wait(1.6)
    browser.calm()
    browser.click("#to")
    browser.screen.press("End")
    browser.screen.type("583")
    browser.wait(0.7)
    browser.screen.press("Tab")
    browser.wait(0.6)
    browser.screen.type("72.90")
    browser.wait(0.7)
    browser.screen.press("Tab")
    browser.wait(0.6)
    browser.screen.press("Down")
    browser.wait(1.0)
    browser.click("#send")
    browser.wait(3.6)
    browser.calm()


def settings(browser: Browser) -> None:
    """Toggles and tabs, while the caret blinks and the pointer never rests."""
    wander(browser, (420, 900), (1500, 960))
    browser.screen.type("Heron", 150)
    for selector in ("#night", "#tab-sound", "#louder", "#tab-display"):
        browser.click(selector)
        wander(browser, (330, 940), (700, 1000))
        browser.wait(0.0)
    browser.calm()


def wander(browser: Browser, *places: tuple[int, int]) -> None:
    """Move the pointer about for a second and a half."""
    for x, y in places:
        browser.screen.glide(x, y, steps=34)


HELD_OUT: dict[str, Session] = {
    "letters": Session(on_page("heldout_letters.html"), letters, {"letters": "desktop"}),
    "board": Session(on_page("heldout_board.html"), board, {"board": "desktop"}),
    "transfer": Session(on_page("heldout_transfer.html"), transfer, {"transfer": "playwright"}, pointer=False),
    "charts": Session(console, charts, {"charts": "desktop"}),
    "settings": Session(
        on_page("heldout_settings.html", focus="#boat"),
        settings,
        {"settings": "desktop", "settings_2fps": "slow"},
        FULL_HD,
    ),
}
