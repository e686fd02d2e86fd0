"""Done again at once: from the call to the first action, and whole forms beside the bare input: `reload_replay`.

A real daemon on a display of its own; a native form that stands there already. The form is filled in once without a
model, then again by what was kept of that. What was filled in is told by the program's own state.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2

from adapters.desktop.x11.hands import X11Hands
from adapters.desktop.x11.raw_input import SentEvents
from bench.daemon import Daemon, running_daemon
from bench.table import Table
from core.actions import ACTION
from core.reload.templates import filled_in
from tests.clock import until
from tests.fakes.desktops.x_user import started, x_display
from tests.fakes.runs.replaying import PATIENCE, REPLAYED

TIMES: Final = 10
_THINKS: Final = 1.0
GUEST: Final = {"guest": "Ada Lovelace", "nights": "3", "floor": "Second floor"}
ASKED: Final = "Please book a room at the inn, guest: Emmy Noether"
RIVAL: Final = """
import json, sys, time, pyautogui
began = time.perf_counter()
for act in json.loads(sys.argv[1]):
    if act["action"] == "type":
        pyautogui.write(act["text"])
    elif act["action"] == "key":
        pyautogui.hotkey(*act["keys"])
    else:
        clicks = {"double_click": 2, "triple_click": 3}.get(act["action"], 1)
        pyautogui.click(act["at"]["x"], act["at"]["y"], clicks=clicks)
print(time.perf_counter() - began)
"""


@dataclass
class Measured:
    """Seconds, by what was measured."""

    first_action: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    whole: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    wrong: int = 0


def run() -> list[Table]:
    """Measure."""
    measured = Measured()
    with x_display() as display, tempfile.TemporaryDirectory() as scratch:
        os.environ["DISPLAY"], before = display, os.environ.get("DISPLAY")
        try:
            with running_daemon() as daemon:
                actions = _measure(daemon, display, Path(scratch), measured)
            bare, rival = _bare(display, actions), _rival(display, actions)
        finally:
            os.environ.pop("DISPLAY")
            if before is not None:
                os.environ["DISPLAY"] = before
    return [_first(measured), _whole(measured, bare, rival, len(actions))]


def _measure(daemon: Daemon, display: str, scratch: Path, measured: Measured) -> list[dict[str, Any]]:
    workflow = _workflow(scratch)
    state = scratch / "state.json"
    program = [sys.executable, str(REPLAYED / "booking" / "program.py"), str(state)]
    with httpx2.Client(base_url=daemon.url, trust_env=False, timeout=60) as http, _events(daemon) as events:

        def form(kind: str, body: dict[str, Any], guest: str) -> None:
            state.unlink(missing_ok=True)
            with started(display, *program):
                _await_form(display)
                if kind.endswith("asked before"):
                    option = http.post("/reload/options", json={"request": ASKED}).json()["options"][0]
                    body = {"cache_id": option["cacheId"]}
                    # As long as the quickest model thinks about what it was offered.
                    time.sleep(_THINKS)
                took, first = _carried_out(http, events, body)
                reported = json.loads(state.read_text(encoding="utf-8")) if state.exists() else None
            measured.whole.setdefault(kind, []).append(took)
            measured.first_action.setdefault(kind, []).append(first)
            expected = {**GUEST, "guest": guest, "breakfast": True, "room": "Double room"}
            measured.wrong += reported != expected

        form("the first run, without a model", {"workflow": str(workflow), "params": GUEST}, GUEST["guest"])
        for _ in range(TIMES):
            form("the same without a model again", {"workflow": str(workflow), "params": GUEST}, GUEST["guest"])
        for _ in range(TIMES):
            form("done again, not asked for before", {"cache_id": "reload-1"}, GUEST["guest"])
        for _ in range(TIMES):
            form("done again for another guest, asked before", {}, "Emmy Noether")
        entry = http.get("/reload/reload-1").json()
    values = {slot["name"]: slot["value"] for slot in entry["slots"]}
    return [filled_in(each["action"], values) for each in entry["sequence"]]


def _workflow(scratch: Path) -> Path:
    """The booking without its start: the program stands there already."""
    folder = Path(shutil.copytree(REPLAYED / "booking", scratch / "booking"))
    document = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    document["task_params"] = [each for each in document["task_params"] if each["name"] in GUEST]
    subtasks = document["plan"]["subtasks"][1:]
    for number, subtask in enumerate(subtasks):
        subtask.update(subtask_i=number, dependencies=[])
    document["plan"]["subtasks"] = subtasks
    (folder / "schema.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def _await_form(display: str) -> None:
    def is_there() -> bool:
        reported = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "Harbour Inn"],
            env={**os.environ, "DISPLAY": display},
            capture_output=True,
            check=False,
        )
        return bool(reported.stdout.strip())

    until(is_there, PATIENCE)


class _Events:
    """When the last run's first input was sent."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.at = 0.0

    def hear(self, line: str) -> None:
        if line == "event: pixel_action" and not self.began.is_set():
            self.at = time.perf_counter()
            self.began.set()


@contextmanager
def _events(daemon: Daemon) -> Generator[_Events]:
    events = _Events()

    def listen() -> None:
        with (
            httpx2.Client(base_url=daemon.url, trust_env=False, timeout=None) as http,
            http.stream("GET", "/events") as reported,
        ):
            for line in reported.iter_lines():
                events.hear(line)

    threading.Thread(target=listen, daemon=True).start()
    yield events


def _carried_out(http: httpx2.Client, events: _Events, body: dict[str, Any]) -> tuple[float, float]:
    """Seconds until it was over, and until the first input."""
    events.began.clear()
    began = time.perf_counter()
    job = http.post("/replay", json={"display": "current", **body}).raise_for_status().json()["job_id"]
    while (reported := http.get(f"/jobs/{job}").json())["state"] not in {"done", "failed", "cancelled"}:
        time.sleep(0.01)
    ended = time.perf_counter()
    if reported["state"] != "done" or reported["result"]["outcome"] != "succeeded":
        raise RuntimeError(f"a run of the form did not succeed: {reported}")
    return ended - began, events.at - began


def _bare(display: str, actions: list[dict[str, Any]]) -> float:
    with closing(X11Hands(display, SentEvents())) as hands:
        began = time.perf_counter()
        for action in actions:
            hands.perform(ACTION.validate_python(action), lambda: None)
        return time.perf_counter() - began


def _rival(display: str, actions: list[dict[str, Any]]) -> float:
    reported = subprocess.run(
        [sys.executable, "-c", RIVAL, json.dumps(actions)],
        env=os.environ | {"DISPLAY": display, "XAUTHORITY": os.devnull},
        capture_output=True,
        check=True,
    )
    return float(reported.stdout.split()[-1])


def _first(measured: Measured) -> Table:
    rows = [
        (kind, *(f"{1000 * value:.0f} ms" for value in _spread(seconds)), "100 ms")
        for kind, seconds in measured.first_action.items()
        if kind.startswith("done again")
    ]
    note = "From `POST /replay` to the first input, as `/events` tells it; the daemon's first look at the screen in it."
    return Table("Reload: from the call to the first action", ("", "p50", "p95", "bar"), rows, note)


def _whole(measured: Measured, bare: float, rival: float, count: int) -> Table:
    rows = [
        (kind, *(f"{value:.2f} s" for value in _spread(seconds)), f"x {statistics.median(seconds) / bare:.0f}")
        for kind, seconds in measured.whole.items()
    ]
    rows.append((f"the same {count} inputs, bare, no look at the screen", f"{bare:.2f} s", "-", "x 1"))
    rows.append(("the same with pyautogui as it comes", f"{rival:.2f} s", "-", f"x {rival / bare:.0f}"))
    runs = sum(len(seconds) for seconds in measured.whole.values())
    note = f"{measured.wrong} of {runs} forms were not as they should be, by the program's own state."
    return Table("Reload: a whole form", ("", "p50", "p95", "to the bare input"), rows, note)


def _spread(seconds: list[float]) -> tuple[float, float]:
    ordered = sorted(seconds)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]


if __name__ == "__main__":
    for table in run():
        table.show()
