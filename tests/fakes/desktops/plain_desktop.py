"""Acts by the parts of systems without X displays, on the X display of the environment, and says what came of it."""

import subprocess

from adapters.desktop.display_names import SCREEN
from adapters.desktop.process.child import ActingProcess
from adapters.desktop.process.client import ProcessDesktop
from core.actions import Move
from core.errors import TakenOver
from core.screens import Point


def main() -> None:
    """Look, move, be taken over, and go on."""
    process = ActingProcess([], _nothing)
    try:
        desktop = ProcessDesktop(process, _nothing, display=SCREEN, hands="auto", browser="", stop_key=())
        picture = desktop.look()
        _say(picture.width, picture.height)
        desktop.act(Move(at=Point(x=40, y=50)), _nothing)
        if b"x:40 y:50" in subprocess.check_output(["xdotool", "getmouselocation"]):
            _say("moved")
        subprocess.check_call(["xdotool", "mousemove", "300", "300"])
        try:
            desktop.act(Move(at=Point(x=40, y=50)), _nothing)
        except TakenOver:
            _say("taken")
        desktop.await_user(_nothing, quiet_seconds=0.2)
        desktop.act(Move(at=Point(x=41, y=50)), _nothing)
        _say("resumed")
    finally:
        process.end()


def _say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 - it is how the test learns of it


def _nothing() -> None:
    """Nobody stops it."""


if __name__ == "__main__":
    main()
