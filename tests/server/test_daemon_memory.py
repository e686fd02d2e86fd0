"""What a run leaves of itself in the daemon's memory."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.clock import until
from tests.fakes.daemons.daemon_processes import Process

FORM = Path(__file__).parents[2] / "examples" / "workflows" / "parcel-form"
MOST_MB = 160
RUN_SECONDS = 300.0
RELEASE_SECONDS = 60.0
TRIM_SECONDS = 5.0


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Process]:
    process = Process(tmp_path / "data", replay_notify=False)
    yield process.started()
    process.close()


@pytest.mark.screen
@pytest.mark.nightly
def test_what_a_private_replay_took_is_given_back_within_a_minute(daemon: Process, tmp_path: Path) -> None:
    workflow = shutil.copytree(FORM, tmp_path / "parcel-form", ignore=shutil.ignore_patterns(".replay"))
    document = json.loads((workflow / "schema.json").read_bytes())
    params = {param["name"]: param["example"] for param in document["task_params"]} | {"pickup_code": "4711"}
    asked = {"workflow": str(workflow), "params": params, "display": "private"}
    job = daemon.http.post("/replay", json=asked).json()["job_id"]
    itself = psutil.Process(daemon.process.pid)

    until(lambda: daemon.http.get(f"/jobs/{job}").json()["state"] not in {"queued", "running"}, seconds=RUN_SECONDS)
    assert daemon.http.get(f"/jobs/{job}").json()["result"]["outcome"] == "succeeded"
    until(lambda: not itself.children(recursive=True), seconds=RELEASE_SECONDS)
    # The daemon gives back what it has freed once the process that read the screen is gone.
    until(lambda: itself.memory_info().rss / 2**20 <= MOST_MB, seconds=TRIM_SECONDS)
