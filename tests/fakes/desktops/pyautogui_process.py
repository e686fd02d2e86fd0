"""The pyautogui hands in a process of their own, as they are used: pyautogui belongs to one display for its life."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import core.errors
from adapters.desktop.pyautogui_hands import PyAutoGuiHands
from core.actions import ACTION, Action
from core.errors import Cancelled, VaiderError
from core.screens import Point
from tests.fakes.desktops.x_programs import Sent
from tests.fakes.desktops.x_user import running

_ROOT = Path(__file__).parents[3]


class Proxy:
    """``Hands`` whose work is done in the process; each check is made here."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._ask({"do": "new"})

    def perform(self, action: Action, check: Callable[[], None]) -> None:
        self._say({"do": "perform", "action": ACTION.dump_python(action, mode="json")})
        stopped: BaseException | None = None
        while "check" in (answer := self._hear()):
            try:
                check()
            except BaseException as error:  # noqa: BLE001 - it is raised again below
                stopped = error
            self._say({"go": stopped is None})
        if stopped is not None:
            assert answer == {"error": "Cancelled", "message": "It was told to stop."}
            raise stopped
        self._result(answer)

    def release(self) -> None:
        self._ask({"do": "release"})

    def pointer(self) -> Point:
        return Point(**self._ask({"do": "pointer"}))

    def close(self) -> None:
        self._ask({"do": "close"})

    def sent(self) -> list[tuple[str, int]]:
        """What the ledger was told."""
        return [(kind, detail) for kind, detail in self._ask({"do": "sent"})]

    def _ask(self, request: dict[str, Any]) -> Any:
        self._say(request)
        return self._result(self._hear())

    def _result(self, answer: dict[str, Any]) -> Any:
        if "error" in answer:
            raise getattr(core.errors, answer["error"])(answer["message"])
        return answer["done"]

    def _say(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "The process has ended."
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def pyautogui_process(display: str) -> Generator[subprocess.Popen[bytes]]:
    """The process, for a ``Proxy`` or several after each other."""
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    environment.pop("DISPLAY", None)
    command = [sys.executable, "-m", "tests.fakes.desktops.pyautogui_process", display]
    with running(command, stdin=pipe, stdout=pipe, env=environment, cwd=_ROOT) as process:
        yield process
        for end in (process.stdin, process.stdout):
            assert end is not None
            end.close()


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _check() -> None:
    _say({"check": True})
    if not json.loads(sys.stdin.readline())["go"]:
        raise Cancelled("It was told to stop.")


def _do(request: dict[str, Any], hands: PyAutoGuiHands, ledger: Sent) -> Any:
    match request["do"]:
        case "perform":
            hands.perform(ACTION.validate_python(request["action"]), _check)
        case "release":
            hands.release()
        case "pointer":
            return hands.pointer().model_dump()
        case "close":
            hands.close()
        case _:
            return ledger.events
    return None


def main() -> None:
    """Do what is asked, until nobody asks."""
    display = sys.argv[1]
    ledger = Sent()
    hands: PyAutoGuiHands | None = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "new" or hands is None:
                ledger = Sent()
                hands = PyAutoGuiHands(display, ledger)
                _say({"done": None})
            else:
                _say({"done": _do(request, hands, ledger)})
        except VaiderError as error:
            _say({"error": type(error).__name__, "message": error.message})


if __name__ == "__main__":
    main()
