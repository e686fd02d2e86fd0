"""``vaider jobs answer``, ``hold`` and ``resume``: what a run asks and waits for is told it from the terminal."""

import json
import threading
from pathlib import Path

import pytest

from config.settings import load_settings
from core.jobs import Stage
from core.runs.budget import Budget, Limits
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.memory_daemon import running
from tests.fakes.jobs.contexts import FakeContext


@pytest.mark.parametrize(("said", "agreed"), [("yes", True), ("no", False)])
def test_what_a_run_asks_is_answered_once_from_the_terminal(said: str, tmp_path: Path, *, agreed: bool) -> None:
    settings = load_settings(environment={}, flags={"data_dir": str(tmp_path)}, user_file=tmp_path / "none.toml")
    with running(settings, None) as daemon:
        port = ("--port", str(daemon.address[1]))
        job_id = daemon.http.post("/replay", json={"workflow": "note"}).json()["job_id"]
        context, answers, asked = FakeContext(job_id=job_id), list[bool](), threading.Event()
        context.on_event(Stage.APPROVAL_ASKED, lambda _: asked.set())
        approvals = daemon.services.approvals
        run = threading.Thread(
            target=lambda: answers.append(approvals.ask(context, 'Click "Pay"?', context.raise_if_cancelled))
        )
        run.start()
        assert asked.wait(5)
        approval_id = context.reported[0][1]["approval_id"]
        wrong = vaider("jobs", "answer", job_id, approval_id, "perhaps", *port, cwd=tmp_path)
        first = vaider("jobs", "answer", job_id, approval_id, said, "--json", *port, cwd=tmp_path)
        run.join(10)
        second = vaider("jobs", "answer", job_id, approval_id, said, *port, cwd=tmp_path)

    assert wrong.returncode == 2
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["id"] == job_id
    assert answers == [agreed]
    assert (second.returncode, "asks no question" in second.stderr) == (2, True)


def test_a_run_is_held_and_resumed_from_the_terminal(tmp_path: Path) -> None:
    settings = load_settings(environment={}, flags={"data_dir": str(tmp_path)}, user_file=tmp_path / "none.toml")
    with running(settings, None) as daemon:
        port = ("--port", str(daemon.address[1]))
        job_id = daemon.http.post("/replay", json={"workflow": "note"}).json()["job_id"]
        with daemon.services.live.during(job_id, Budget(Limits(), lambda _: 0.0)) as run:
            held = vaider("jobs", "hold", job_id, "--json", *port, cwd=tmp_path)
            was_wanted = run.hold.is_wanted
            resumed = vaider("jobs", "resume", job_id, "--json", *port, cwd=tmp_path)
        over = vaider("jobs", "hold", job_id, *port, cwd=tmp_path)

    assert (held.returncode, was_wanted) == (0, True), held.stderr
    assert (json.loads(resumed.stdout)["id"], run.hold.is_wanted) == (job_id, False)
    assert (over.returncode, "nothing to hold" in over.stderr) == (2, True)
