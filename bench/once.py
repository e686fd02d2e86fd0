"""Record once, run for ever: ``bench once``.

A real daemon records a display while something is done there in a real program. Then it is asked about in other words
than the screen's, what it remembers is learned as a task, the task made a workflow, and that replayed on a fresh page:
whether it was done is told by the page's own state.
"""

import json
import re
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx2

from bench.daemon import Daemon, running_daemon
from bench.learning import SIZE, served
from bench.learning_sessions import SESSIONS, Session
from bench.record.browser import chromium
from bench.record.ledger import Ledger
from bench.record.screen import Screen, virtual_screen
from bench.table import Table
from core.demonstration.shown import place_name

QUESTIONS: Final = {
    "parcel form": "how did I send a package to Ada?",
    "parcel form, other values": "which parcel went to Malmo",
    "crew": "how do I remove somebody from the crew",
    "crew, two members": "how did I take Cara off the list",
    "weather": "how did I look up the weather at sea",
    "stations": "which station did I pick",
}
"""In other words than the screens'; sessions whose pages tell their state."""
_PLACE: Final = re.compile(r"What is \{([A-Za-z0-9_]+)\}\?")
_PATIENCE: Final = 60.0
_RUN: Final = 120.0


@dataclass(frozen=True)
class Outcome:
    """What became of one session."""

    fresh_s: float | None
    """From the last thing that was done until it was remembered."""
    first: bool
    """Whether the question's first answer was it."""
    confidence: float
    clip: bool
    asked: int
    """Questions about steps that had to be answered."""
    replayed_s: float | None
    """What the replay took; ``None`` where it was not done."""
    why: str = ""


def run() -> list[Table]:
    """Measure."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    found: list[Outcome] = []
    for name, question in QUESTIONS.items():
        outcome = measure(SESSIONS[name], question)
        found.append(outcome)
        rows.append((name, *_cells(outcome)))
        notes += [f"- {name}: {outcome.why}"] if outcome.why else []
    fresh = [each.fresh_s for each in found if each.fresh_s is not None]
    done = [each.replayed_s for each in found if each.replayed_s is not None]
    rows.append(
        (
            "all",
            f"{statistics.median(fresh):.1f} s" if fresh else "-",
            f"{sum(each.first for each in found)} of {len(found)}",
            "",
            f"{sum(each.clip for each in found)} of {len(found)}",
            str(sum(each.asked for each in found)),
            f"{len(done)} of {len(found)}, {statistics.median(done):.1f} s" if done else f"0 of {len(found)}",
        )
    )
    header = ("done once", "remembered after", "asked about: first", "confidence", "clip", "questions", "replayed")
    return [Table("Recorded once, asked about, replayed", header, rows, "\n".join([_BAR, *notes]))]


_BAR: Final = (
    "Each by a daemon that has just begun, recording at two pictures a second; without a model and a network. "
    "Remembered after: from the last click until the memory holds it; the bar is 5 s. Questions: about steps that "
    "could not be told, answered as a person would, which page to open among them. Replayed: the page's own state is "
    "as it was; what the question does not find is picked from the list of what is remembered."
)


def measure(session: Session, question: str) -> Outcome:
    """Do it, ask about it, and do it again."""
    with (
        served(session.folder) as (url, reported),
        virtual_screen(*SIZE) as screen,
        running_daemon(record_display=screen.display, replay_provider="local") as daemon,
        httpx2.Client(base_url=daemon.url, timeout=_RUN) as http,
    ):
        fresh = _do(session, f"{url}/{session.page}", screen, http)
        answer = http.get("/memory", params={"q": question}).json()
        post(http, "/recorder", {"action": "stop"})
        # What the question does not find can still be picked from the list, and done again.
        found = answer["results"]
        best = next(iter(found or _listed(session, http)), None)
        if fresh is None or best is None:
            return Outcome(fresh, first=False, confidence=0.0, clip=False, asked=0, replayed_s=None, why="not found")
        clip = http.get(f"/memory/{best['id']}/clip.mp4").is_success
        reported.clear()
        asked, seconds, why = _again(session, f"{url}/{session.page}", best["id"], daemon, http)
        if not why and (reported[-1] if reported else None) != session.state:
            seconds, why = None, f"the page has {reported[-1] if reported else None}"
        is_it = bool(found) and _last(session) in " ".join(best["steps"])
        return Outcome(fresh, is_it, best["confidence"] if found else 0.0, clip, asked, None if why else seconds, why)


def _listed(session: Session, http: httpx2.Client) -> list[dict[str, Any]]:
    """The memories of it, as they are listed."""
    listed: list[dict[str, Any]] = http.get("/memory/procedures").json()["memories"]
    return [each for each in listed if any(_last(session) in step["text"] for step in each["steps"])]


def _do(session: Session, page: str, screen: Screen, http: httpx2.Client) -> float | None:
    """Do it while it is recorded; tells how long after its end all of it was remembered."""
    screen.glide(960, 360, steps=2)
    with chromium(screen, Ledger()) as stage:
        stage.page.goto(page)
        stage.page.wait_for_load_state("load")
        post(http, "/recorder", {"action": "start"})
        until(lambda: http.get("/recorder").json()["phase"] == "recording", _PATIENCE)
        stage.wait(2.0)
        with ThreadPoolExecutor() as pool:
            ended = threading.Event()
            watching = pool.submit(_remembered, _last(session), http, ended)
            session.play(stage)
            ended.set()
            fresh = watching.result()
        stage.wait(2.0)
    return fresh


def _last(session: Session) -> str:
    """What the sentence of the last step quotes."""
    return session.steps[-1][1].split(" in the row of ")[-1]


def _remembered(last: str, http: httpx2.Client, ended: threading.Event) -> float | None:
    """How long after the last thing was done it was remembered; ``None`` if it was not, 30 s after all was over."""
    patience = 0.0
    while not ended.is_set() or time.monotonic() < (patience := patience or time.monotonic() + 30):
        now = datetime.now(UTC)
        for memory in http.get("/memory/procedures").json()["memories"]:
            for step in memory["steps"]:
                if last in step["text"]:
                    began = datetime.fromisoformat(memory["started_at"])
                    return (now - began).total_seconds() - (step["t_ms"] - memory["start_ms"]) / 1000
        time.sleep(0.1)
    return None


def _again(session: Session, page: str, memory: str, daemon: Daemon, http: httpx2.Client) -> tuple[int, float, str]:
    """Learn it, make a workflow of it and replay that: questions answered, seconds, and why it was not done."""
    job = _finished(http, post(http, "/tasks", {"memory": memory})["job_id"])
    if job["state"] != "done":
        return 0, 0.0, f"not learned: {job['error']['error']}"
    task = job["result"]["task"]
    answers = iter([f'Open "{page}" in the browser.', *session.answers])
    blocked = 0
    for question in job["result"]["questions"]:
        if question["required"] and question["text"].startswith("Step "):
            place = _PLACE.search(question["text"])
            answer = _value(session, place[1]) if place is not None else next(answers, None)
            if answer is not None:
                blocked += 1
                http.put(f"/tasks/{task}/questions/{question['id']}", json={"answer": answer}).raise_for_status()
    command = [str(Path(sys.executable).with_name("vaider")), "workflows", "make", task, "--json"]
    made = subprocess.run(
        [*command, "--data-dir", f"{daemon.directory}/data"], capture_output=True, text=True, check=False
    )
    if made.returncode:
        return blocked, 0.0, f"no workflow: {json.loads(made.stdout)['error']}"
    began = time.monotonic()
    asked: dict[str, Any] = {
        "workflow": json.loads(made.stdout)["name"],
        "params": session.secrets,
        "display": "private",
    }
    started = http.post("/replay", json=asked)
    if started.is_error:
        return blocked, 0.0, f"not begun: {started.json()['error']}"
    ended = _finished(http, started.json()["job_id"])
    seconds = time.monotonic() - began
    result: dict[str, Any] = ended["result"] or ended["error"] or {}
    outcome = str(result.get("outcome", ended["state"]))
    if outcome == "succeeded":
        return blocked, seconds, ""
    return blocked, seconds, f"{outcome}: {result.get('reason', '')}"


def _value(session: Session, place: str) -> str | None:
    """What was typed into the field of that name; ``None`` for what the recording hides: that is given to the run."""
    for action, label, value in session.steps:
        if action == "TYPE" and place_name(label, hidden=False) == place and value != "{}":
            return value
    return None


def _finished(http: httpx2.Client, job_id: str) -> dict[str, Any]:
    end = time.monotonic() + _RUN
    while True:
        job: dict[str, Any] = http.get(f"/jobs/{job_id}").json()
        if job["state"] not in {"queued", "running"} or time.monotonic() > end:
            return job
        time.sleep(0.1)


def post(http: httpx2.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """What the daemon answers; raises for an error."""
    answer = http.post(path, json=body)
    answer.raise_for_status()
    return answer.json()


def until(holds: Any, seconds: float) -> bool:
    """Whether it holds at last; at most for so long."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _cells(outcome: Outcome) -> tuple[str, ...]:
    return (
        f"{outcome.fresh_s:.1f} s" if outcome.fresh_s is not None else "not",
        "yes" if outcome.first else "no",
        f"{outcome.confidence:.2f}",
        "plays" if outcome.clip else "no",
        str(outcome.asked),
        f"{outcome.replayed_s:.1f} s" if outcome.replayed_s is not None else "no",
    )
