"""What goes wrong around a run ends it with a clear word, or does not end it; its folder is whole in each case."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from adapters.models.retry import RetryPolicy
from core.actions import HoldKey
from core.errors import Cancelled, DesktopLost, InvalidCredentials, RateLimited
from core.jobs import Stage
from core.runs.budget import Limits
from core.runs.run import Run, RunOutcome
from tests.clock import until, within
from tests.fakes.desktops.x_user import connected, server_process, x_display
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models import anthropic_messages as claude
from tests.fakes.models.anthropic_checks import error
from tests.fakes.models.model_families import Families, model_families
from tests.fakes.models.scripted_decider import ScriptedDecider, propose
from tests.fakes.runs.made_workflows import made_case, made_page, step
from tests.fakes.runs.replaying import Case, Replays, Running, program_case
from tests.fakes.web.servers import Response

pytestmark = pytest.mark.screen
SAIL = """<button onclick="told('sail', 'The sail is up')">Hoist the sail</button>"""
IS_UP = '"The sail is up" is shown.'


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with x_display() as name:
        yield name


@pytest.fixture
def families() -> Iterator[Families]:
    with model_families(RetryPolicy(first_seconds=0.01)) as all_of_them:
        yield all_of_them


def bare(tmp_path: Path) -> Case:
    """A workflow whose subtask is nothing but what the model makes of it."""
    return made_case(tmp_path / "w", ("Hoist the sail.", []), criteria=IS_UP)


def kept(case: Case) -> Run:
    """The run as its folder tells it; whatever is in the folder is whole."""
    folder = case.run_folder
    rows = folder / "events.jsonl"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.json")]
    for text in texts + (rows.read_text(encoding="utf-8").splitlines() if rows.exists() else []):
        json.loads(text)
    assert "</html>" in (folder / "report.html").read_text(encoding="utf-8")
    return Run.model_validate_json((folder / "run.json").read_bytes())


@pytest.mark.parametrize("provider", ["openai", pytest.param("tagged", marks=pytest.mark.nightly)])
def test_a_run_is_cancelled_while_its_model_hangs(
    display: str, tmp_path: Path, families: Families, provider: str
) -> None:
    case = bare(tmp_path)
    families.hang(provider)
    context = FakeContext()
    replays = Replays(tmp_path, families.makers)
    running = Running(lambda: replays.run(case, context, display=display, provider=provider))
    thread = running.start()
    families.await_asked(provider)
    began = time.monotonic()
    context.stop.set()
    thread.join(10)

    within(1, time.monotonic() - began)
    assert isinstance(running.error, Cancelled)
    assert kept(case).outcome is RunOutcome.CANCELLED


def test_a_model_that_hangs_forever_has_no_more_than_the_runs_minutes(
    display: str, tmp_path: Path, families: Families
) -> None:
    case = bare(tmp_path)
    families.hang("gemini")
    replays = Replays(tmp_path, families.makers, limits=Limits(minutes=0.02))
    run = replays.run(case, display=display, provider="gemini")

    assert (run.outcome, run.reason) == (
        RunOutcome.FAILED,
        "The run has used its 0.02 minutes; replay_max_minutes moves that.",
    )
    assert run.duration_ms < 4000
    assert kept(case) == run


@pytest.mark.nightly
def test_what_passes_is_waited_out_and_what_is_no_answer_is_asked_for_again(tmp_path: Path, families: Families) -> None:
    far = {"action": "left_click", "coordinate": [5000, -3]}
    nothing = claude.says()
    passing = (
        claude.limited("0.1"),
        claude.overloaded(),
        Response(200, nothing.body, {"Content-Length": "99999", "Connection": "close"}),
        claude.says(claude.text("Ahoy! I would rather sing.")),
        nothing,
        claude.says(claude.text("x" * 10_000_000)),
        claude.says(claude.calls("computer", far)),
    )
    families.script("anthropic", *passing)
    with made_page(tmp_path / "w", SAIL, step("CLICK", 'the "Hoist the sail" button'), outcome=IS_UP) as case:
        run = Replays(tmp_path, families.makers).run(case, provider="anthropic")
        state = case.await_state()

    rows = [json.loads(line) for line in (case.run_folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert state == {"clicked": ["sail"]}
    faults = [row["error"] for row in rows if row["type"] == "exec_error"]
    assert ["rather sing" in faults[0], "No tool was called" in faults[1], "endless" in faults[2]] == [True] * 3
    assert "5000" in faults[3]
    assert len(faults) == 4
    assert sum(path.stat().st_size for path in case.run_folder.iterdir()) < 5_000_000


@pytest.mark.parametrize(
    ("refusal", "advice"),
    [
        (error(401, "authentication_error", "invalid x-api-key"), "ANTHROPIC_API_KEY"),
        (claude.limited("120"), "try again in 120 s"),
    ],
)
def test_what_does_not_pass_ends_the_run_with_what_to_do(
    display: str, tmp_path: Path, families: Families, refusal: Response, advice: str
) -> None:
    case = bare(tmp_path)
    families.script("anthropic", refusal)
    with pytest.raises((InvalidCredentials, RateLimited), match=advice):
        Replays(tmp_path, families.makers).run(case, display=display, provider="anthropic")

    run = kept(case)
    assert run.outcome is RunOutcome.FAILED
    assert advice in run.reason
    for path in case.run_folder.iterdir():
        assert claude.KEY.encode() not in path.read_bytes()


@pytest.mark.nightly
def test_a_window_that_dies_in_the_middle_fails_the_run(tmp_path: Path) -> None:
    case = program_case("booking", tmp_path)
    context = FakeContext()

    def kill(data: dict[str, Any]) -> None:
        if data["pixel_action"]["action"] == "type":
            for each in psutil.process_iter(["cmdline"]):
                if case.params["program"] in (each.info["cmdline"] or ()):
                    each.kill()

    context.on_event(Stage.PIXEL_ACTION, kill)
    run = Replays(tmp_path, patience=1).run(case, context)

    assert run.outcome in {RunOutcome.FAILED, RunOutcome.UNCLEAR, RunOutcome.ASKED}
    assert run.reason
    assert case.state() is None
    assert kept(case) == run


def test_a_display_that_dies_in_the_middle_ends_the_run(tmp_path: Path) -> None:
    case, held = bare(tmp_path), HoldKey(keys=("ctrl",), seconds=60)
    replays = Replays(tmp_path, {"scripted": lambda _: ScriptedDecider([propose(held)])})
    with x_display() as name:
        running = Running(lambda: replays.run(case, display=name, provider="scripted"))
        thread = running.start()
        with connected(name) as x:
            until(lambda: any(x.core.QueryKeymap().reply().keys))
            server = server_process(x)
        os.kill(server, signal.SIGKILL)
        thread.join(10)

    assert isinstance(running.error, DesktopLost)
    assert kept(case).outcome is RunOutcome.FAILED
    assert kept(case).reason == running.error.message


@pytest.mark.nightly
def test_a_private_display_that_dies_in_the_middle_ends_the_run(tmp_path: Path) -> None:
    case, context = bare(tmp_path), FakeContext()

    def kill(_: dict[str, Any]) -> None:
        for each in psutil.Process().children(recursive=True):
            # The module's own display is a child of ours, a private one is the acting process's.
            with suppress(psutil.NoSuchProcess):
                if each.name() == "Xvfb" and each.ppid() != os.getpid():
                    each.kill()

    context.on_event(Stage.PIXEL_ACTION, kill)
    script = [propose(HoldKey(keys=("ctrl",), seconds=60))]
    with pytest.raises(DesktopLost):
        Replays(tmp_path, {"scripted": lambda _: ScriptedDecider(script)}).run(case, context, provider="scripted")

    assert kept(case).outcome is RunOutcome.FAILED


FULL = """
import resource, sys
from pathlib import Path
from core.actions import Key, Press
from core.errors import StorageFailed
from core.screens import Point
from tests.fakes.runs.made_workflows import made_case
from tests.fakes.runs.replaying import Replays
from tests.fakes.models.scripted_decider import ScriptedDecider, propose

folder, display = Path(sys.argv[1]), sys.argv[2]
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

def fill_up(observation):  # a write over the limit fails, as one to a full disk: Python ignores the signal
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))
    return propose(Key(keys=("shift",)))

def run(*script):
    replays = Replays(folder, {"scripted": lambda _: ScriptedDecider(script)})
    return replays.run(case, display=display, provider="scripted")

case = made_case(folder / "w", ("Hoist the sail.", []), criteria="It is up.")
press = propose(Press(action="left_mouse_down", at=Point(x=5, y=5)))
try:
    run(press, fill_up)
except StorageFailed as failure:
    print(failure.message)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
try:
    run(press, RuntimeError("there is room again"))
except RuntimeError as error:
    print(error)
"""


@pytest.mark.nightly
def test_a_disk_that_is_full_in_the_middle_ends_the_run_and_lets_go_of_everything(display: str, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    reported = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), display],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert reported.stdout.splitlines()[1:] == ["there is room again"], reported
    assert "There is no room left to write" in reported.stdout
    first, second = sorted((tmp_path / "w" / ".replay").iterdir(), key=lambda path: path.stat().st_mtime)
    assert not (first / "report.html").exists()
    assert (second / "report.html").exists()
    rows = (first / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["pixel_action"]["action"] for row in rows] == ["left_mouse_down"]
    with connected(display) as x:
        assert not x.core.QueryPointer(x.setup.roots[0].root).reply().mask & 0x1F00
