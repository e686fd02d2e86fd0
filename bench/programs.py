"""Programs that nobody here wrote, shown a task once and left to do it with other values: ``python -m bench programs``.

A person does a task of each program on a display of its own while ``learn --record``'s recorder watches; the task is
learned without a model, the person answers what is asked about opening the program and about what success looks like,
and it is run twice with other values, without a model. The program's own files judge. ``bench/foreign/install``
installs the programs. Four of them are held out: nothing is built with them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from adapters.recording.recorder import DemonstrationRecorder
from bench.foreign.named import NONE, Named, named
from bench.foreign.person import Person, opened, person
from bench.foreign.task import OUT, Task, new_home, search_path
from bench.foreign.tasks import SPLIT, TASKS, lacking
from bench.learning import Remembering, learn
from bench.saving.held_out import await_server
from bench.table import Table
from core.errors import VaiderError
from core.recording.input_log import log_beside, parse_input_log
from core.runs.run import RunOutcome, RunRequest
from core.tasks.heartbeat import Heartbeat
from core.tasks.parameters import parametrised
from core.tasks.plan import plan_of
from storage.tasks.tasks import TaskFolders
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.runs.replaying import Replays

_SECONDS: Final = 900
"""For one program, its demonstration and its runs."""
_STATE_SECONDS: Final = 4.0
_TYPED: Final = re.compile(r"what was typed at (\d\d):(\d\d)", re.IGNORECASE)
_VALUE: Final = re.compile(r"What is \{\w+\}\?")
Typings = Sequence[tuple[float, str]]
RIGHT, WRONG, NOT_TOLD, STOPPED = "right", "told as done though wrong", "right, not told so", "stopped or asked"


@dataclass(frozen=True)
class Ended:
    """One run: what became of it, and in which words."""

    result: str
    reason: str


@dataclass
class Tried:
    """One program."""

    name: str
    plan: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    """The questions that the person answered."""
    ignored: int = 0
    """Values that the task has no parameter for."""
    named: Named = NONE
    runs: list[Ended] = field(default_factory=list[Ended])
    fault: str = ""
    """Why there was nothing to run."""


def run(*, held_out: bool = False) -> list[Table]:
    """Measure the programs of one half."""
    if lack := lacking():
        return [Table("Programs that nobody here wrote", ("",), [(lack,)])]
    return [_table([_apart(name) for name in SPLIT["held_out" if held_out else "build"]], held_out=held_out)]


def _apart(name: str) -> Tried:
    """One program in a process of its own, whose home folder is not ours."""
    with tempfile.TemporaryDirectory(prefix="vaider-programs-") as scratch:
        home, said = Path(scratch, "home"), Path(scratch, "said.json")
        home.mkdir()
        environment = {**os.environ, "HOME": str(home), "PATH": search_path(home), "LANG": "C.UTF-8"}
        if TASKS[name].toolkit == "Firefox":
            environment["BROWSER"] = "firefox-esr"
        command = [sys.executable, "-m", "bench.programs", name, scratch]
        with (OUT / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
            try:
                process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                # With all that it has started: a program that hangs must not go on beside the next one.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return Tried(name, fault=f"It took longer than {_SECONDS} s.")
        if not said.exists():
            return Tried(name, fault="It broke off; bench/out/programs has its log.")
        found = json.loads(said.read_text(encoding="utf-8"))
    parts = {"runs": [Ended(**each) for each in found["runs"]], "named": Named(*found["named"])}
    return Tried(**found | parts)


def tried(task: Task, scratch: Path) -> Tried:
    """Show it, learn it, run it."""
    home, found = scratch / "home", Tried(task.name)
    port = _free_port()
    video = OUT / f"{task.name}.mp4"
    for each in (video, log_beside(video)):
        each.unlink(missing_ok=True)
    new_home(task, home)
    with _served(task, home, port):
        user = record(task, home, port, video)
        made = _settled(task, home, task.shown)
    if made != task.wanted(task.shown):
        found.fault = f"The demonstration itself made {made!r}."
        return found
    heartbeat = learn(video, parse_input_log(log_beside(video).read_bytes(), video.name), Remembering())
    if heartbeat is None:
        found.fault = "Nothing was learned."
        return found
    found.named = named(user.acts, heartbeat)
    answered = _answered(heartbeat, task, found, task.opening.format(home=home, port=port), user.typed)
    (OUT / f"{task.name}.md").write_text(answered.text, encoding="utf-8")
    found.plan = [line.text for line in plan_of(answered)]
    replays = Replays(scratch / "replays")
    stored = TaskFolders(scratch / "replays" / "data" / "tasks").add(answered, by="bench", why="learned")
    for values in task.runs:
        new_home(task, home)
        with _served(task, home, port):
            found.runs.append(_run(task, values, home, stored.id, answered, replays, found))
    replays.close()
    return found


def record(task: Task, home: Path, port: int, video: Path) -> Person:
    """Have a person do it while it is recorded; who did it."""
    with person(home) as user, opened(user, task.start.format(port=port)):
        user.await_window(task.window)
        user.wait(2.0)
        with _recorded(user, video):
            user.wait(1.0)
            user.begun = time.monotonic() - 1.0
            task.play(user, task.shown)
            user.wait(2.0)
        return user


@contextmanager
def _recorded(user: Person, video: Path) -> Generator[None]:
    recorder = DemonstrationRecorder(
        display=user.screen.display, microphone="none", environment=user.screen.environment
    )
    stop, begun = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: recorder.record(video, stop, lambda _state: begun.set()))
    thread.start()
    try:
        begun.wait(20)
        yield
    finally:
        stop.set()
        thread.join()


def _answered(heartbeat: Heartbeat, task: Task, found: Tried, opening: str, typed: Typings) -> Heartbeat:
    """The document after a person has answered what is asked of its beginning, its end and what was typed, no more."""
    answered = heartbeat
    for question in heartbeat.open_questions:
        if not question.required:
            continue
        if "SuccessCriteria" in question.text:
            lines = [f"- {task.criterion}" if line == "SuccessCriteria:" else "" for line in answered.text.splitlines()]
            text = "\n".join(
                f"{line}\n{more}" if more else line
                for line, more in zip(answered.text.splitlines(), lines, strict=True)
            )
            answered = Heartbeat(text + "\n").with_answer(question.id, task.criterion)
        elif question.text.startswith("Step 1,"):
            answered = answered.with_answer(question.id, opening)
        elif (asked := _TYPED.search(question.text)) is not None:
            text = _typed_at(int(asked[1]) * 60 + int(asked[2]), typed)
            answered = answered.with_answer(question.id, text if _VALUE.search(question.text) else f'Type "{text}".')
        else:
            found.asked.append(f"not answered: {question.text}")
            continue
        found.asked.append(question.text)
    return answered


def _typed_at(seconds: float, typed: Typings) -> str:
    """What the person typed nearest to then: a question tells whole seconds."""
    return min(typed, key=lambda one: abs(one[0] - seconds - 0.5))[1]


def _run(  # noqa: PLR0917 - the parts of one run
    task: Task, values: Sequence[str], home: Path, stored: str, document: Heartbeat, replays: Replays, found: Tried
) -> Ended:
    given = dict[str, str]()
    for shown, value in zip(task.shown, values, strict=True):
        names = [each.name for each in parametrised(document).parameters if each.example == shown]
        given |= dict.fromkeys(names, value)
        found.ignored += not names
    if len(given) < len(values):
        return Ended(STOPPED, f"It has no parameter for each value, only for {', '.join(given) or 'none'}.")
    request = RunRequest(task=stored, params=given, display="private", provider="local", size="1280x720")
    try:
        ended = replays.replay.run(replays.replay.admit(request), FakeContext())
        is_told, reason = ended.outcome is RunOutcome.SUCCEEDED, f"{ended.outcome}: {ended.reason}"
    except VaiderError as stopped:
        is_told, reason = False, stopped.message
    made = _settled(task, home, values)
    is_right = made == task.wanted(tuple(values))
    if is_told:
        return Ended(RIGHT if is_right else WRONG, "" if is_right else f"It has {made!r}.")
    return Ended(NOT_TOLD if is_right else STOPPED, reason)


def _settled(task: Task, home: Path, values: Sequence[str]) -> Any:
    """What the program has made, once it is as it should be or some time has gone by."""
    ends = time.monotonic() + _STATE_SECONDS
    while (made := task.state(home)) != task.wanted(tuple(values)) and time.monotonic() < ends:
        time.sleep(0.2)
    return made


def _free_port() -> int:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def _served(task: Task, home: Path, port: int) -> Generator[None]:
    """The site that it is done on, if it is one."""
    command = task.serve(home, port)
    if not command:
        yield
        return
    with (home.parent / "site.log").open("ab") as log:
        server = subprocess.Popen(command, cwd=home, stdout=log, stderr=log)
    try:
        await_server(f"http://127.0.0.1:{port}/")
        yield
    finally:
        server.terminate()
        server.wait(10)


def _table(found: Sequence[Tried], *, held_out: bool) -> Table:
    rows = [_row(each) for each in found]
    runs = [ended.result for each in found for ended in each.runs]
    expected = sum(len(TASKS[each.name].runs) for each in found)
    totals = [str(runs.count(result)) for result in (RIGHT, WRONG, NOT_TOLD)]
    steps = f"{sum(each.named.named for each in found)} of {sum(each.named.acts for each in found)}"
    invented = sum(len(each.named.invented) for each in found)
    ignored = sum(each.ignored for each in found)
    rows.append(("all", "", f"{totals[0]} of {expected}", *totals[1:], str(ignored), steps, str(invented)))
    summary = (
        "Shown once while it was recorded, learned and run twice with other values without a model; judged by what the "
        "programs made. The bar: 9 of 10 right, none told as done though wrong, no value ignored. Steps named: of what "
        "the person did, by its own words, as the plan has it before anything is answered; the bar is 98 %, and none "
        "invented."
    )
    notes = [
        summary,
        *(f"- {each.name}: {each.fault}" for each in found if each.fault),
        *(f"- {each.name}: {one.result}: {one.reason}" for each in found for one in each.runs if one.reason),
        *(f"- {each.name}: not named: {words}" for each in found for words in each.named.missed),
        *(f"- {each.name}: nobody did: {line}" for each in found for line in each.named.invented),
    ]
    title = f"{len(found)} programs that nobody here wrote{', held out' if held_out else ''}"
    columns = ("program", "toolkit", RIGHT, WRONG, NOT_TOLD, "values ignored", "steps named", "invented")
    return Table(title, columns, rows, "\n".join(notes))


def _row(each: Tried) -> tuple[str, ...]:
    task, results = TASKS[each.name], [one.result for one in each.runs]
    right = f"{results.count(RIGHT)} of {len(task.runs)}"
    told = (right, str(results.count(WRONG)), str(results.count(NOT_TOLD)), str(each.ignored))
    steps = (f"{each.named.named} of {each.named.acts}", str(len(each.named.invented)))
    return (each.name, task.toolkit, *told, *steps)


def main() -> None:
    """One program, in this process: its name and a folder, in which ``home`` is this process' home."""
    task, scratch = TASKS[sys.argv[1]], Path(sys.argv[2])
    found = Tried(task.name)
    try:
        found = tried(task, scratch)
    except Exception as error:
        found = Tried(task.name, fault=f"It broke off: {error!r}")
        raise
    finally:
        (scratch / "said.json").write_text(json.dumps(asdict(found)), encoding="utf-8")
        print(json.dumps(asdict(found), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
