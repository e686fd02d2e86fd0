"""A notice on the user's desktop, by the platform's own notifier; where there is none, nothing happens."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

_SECONDS: Final = 5
_LONGEST: Final = 300


def show_notice(title: str, text: str) -> None:
    """Show it for as long as the platform does; never raises, and never waits longer than a few seconds."""
    command = notice_command(sys.platform, _plain(title), _plain(text))
    if shutil.which(command[0]) is None:
        return
    try:
        subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return


def notice_command(platform: str, title: str, text: str) -> Sequence[str]:
    """The notifier's argument list; texts are arguments of their own, never part of a script."""
    if platform == "darwin":
        script = "on run {t, m}\ndisplay notification m with title t\nend run"
        return ("osascript", "-e", script, title, text)
    if platform == "win32":
        return ("msg", "*", f"{title}\n{text}")
    return ("notify-send", "--app-name=Vaider", "--", title, text)


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)[:_LONGEST]
