"""The real daemon in the middle of a run: stopped by a request, or killed without a word."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.runs.run import Run, RunOutcome
from tests.clock import until
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.desktops.x_user import connected, x_display
from tests.fakes.models import anthropic_messages as claude
from tests.fakes.models.model_families import Families, model_families
from tests.fakes.runs.made_workflows import made_case
from tests.fakes.runs.replaying import Case

pytestmark = pytest.mark.screen
PRESS: dict[str, Any] = {"action": "left_mouse_down"}
HOLD: dict[str, Any] = {"action": "hold_key", "text": "shift", "duration": 60}


@dataclass
class Scene:
    """A daemon, its display, and a model that it asks."""

    folder: Path
    display: str
    families: Families
    case: Case
    stack: ExitStack

    def daemon(self) -> Process:
        """Start it, again on the same data."""
        process = Process(
            self.folder / "data",
            environment={"ANTHROPIC_API_KEY": claude.KEY},
            anthropic_base_url=self.families.servers["anthropic"].url,
            anthropic_model="claude-opus-4-6",
        )
        self.stack.callback(process.close)
        return process.started()

    def begin(self, daemon: Process) -> str:
        """Start the run; returns the address of its job."""
        asked = {"workflow": str(self.case.workflow), "provider": "anthropic", "display": self.display}
        return daemon.http.post("/replay", json=asked).raise_for_status().json()["job_url"]

    @property
    def down(self) -> tuple[bool, bool]:
        """Whether a button is down, and whether a key."""
        with connected(self.display) as x:
            buttons = x.core.QueryPointer(x.setup.roots[0].root).reply().mask & 0x1F00
            return bool(buttons), any(x.core.QueryKeymap().reply().keys)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    case = made_case(tmp_path / "w", ("Drag it.", []), criteria='"It is there" is shown.')
    with ExitStack() as stack:
        display, families = stack.enter_context(x_display()), stack.enter_context(model_families())
        yield Scene(tmp_path, display, families, case, stack)


def stages(daemon: Process, job_url: str) -> list[str]:
    """The events of a job that has ended."""
    sentence = daemon.http.get("/events", params={"job": job_url.rpartition("/")[2]}).text
    return [line.removeprefix("event: ") for line in sentence.splitlines() if line.startswith("event: ")]


@pytest.mark.nightly
def test_a_run_is_stopped_by_a_request_while_its_model_hangs(scene: Scene) -> None:
    scene.families.script("anthropic", claude.says(claude.calls("computer", PRESS)))
    scene.families.hang("anthropic")
    daemon = scene.daemon()
    job_url = scene.begin(daemon)
    scene.families.await_asked("anthropic")
    assert scene.down == (True, False)
    daemon.http.delete(job_url).raise_for_status()
    until(lambda: daemon.http.get(job_url).json()["state"] == "cancelled", 1.0)

    assert scene.down == (False, False)
    reported = stages(daemon, job_url)
    assert reported[:5] == ["queued", "replay_started", "subtask_started", "predicted_tool_call", "pixel_action"]
    assert reported[-2:] == ["replay_finished", "cancelled"]
    run = Run.model_validate_json((scene.case.run_folder / "run.json").read_bytes())
    assert run.outcome is RunOutcome.CANCELLED


@pytest.mark.nightly
def test_a_daemon_that_is_killed_during_a_drag_lets_go_and_never_resumes_it(scene: Scene) -> None:
    drag = claude.says(claude.calls("computer", PRESS, id="a"), claude.calls("computer", HOLD, id="b"))
    scene.families.script("anthropic", drag)
    daemon = scene.daemon()
    job_url = scene.begin(daemon)
    until(lambda: scene.down == (True, True))
    daemon.process.kill()
    until(lambda: scene.down == (False, False), 1.0)
    daemon.ended()

    again = scene.daemon()
    assert stages(again, job_url)[-1] == "failed"
    assert again.http.get(job_url).json()["error"]["code"] == "interrupted"
    assert len(scene.families.servers["anthropic"].requests) == 1
    assert scene.down == (False, False)
    # The display is free for the next run, which the user has to start.
    scene.families.script("anthropic", claude.says(claude.calls("done", {"result": "No.", "succeeded": False})))
    next_url = scene.begin(again)
    until(lambda: again.http.get(next_url).json()["state"] == "failed")
    assert again.http.get(next_url).json()["result"]["outcome"] == "failed"
