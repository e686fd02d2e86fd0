"""``vaider record`` beside a real daemon."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.desktops.x_user import x_display

WITHOUT = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": ""}


@pytest.fixture
def blind_daemon(tmp_path: Path) -> Generator[Process]:
    (tmp_path / "data").mkdir()
    process = Process(tmp_path / "data", environment=WITHOUT)
    try:
        yield process.started()
    finally:
        process.close()


@pytest.mark.nightly
def test_a_start_without_a_display_says_so_and_exits_3(blind_daemon: Process, tmp_path: Path) -> None:
    port = {"VAIDER_PORT": str(blind_daemon.port)}
    done = vaider("record", "start", cwd=tmp_path, environment=port)
    assert done.returncode == 3, done
    assert "There is no display here (DISPLAY is not set)" in done.stdout
    found = vaider("record", "start", "--json", cwd=tmp_path, environment=port)
    assert (found.returncode, json.loads(found.stdout)["phase"]) == (3, "failed")


@pytest.mark.nightly
@pytest.mark.screen
def test_a_start_with_a_display_waits_until_it_records(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with x_display() as display:
        process = Process(tmp_path / "data", environment=WITHOUT | {"DISPLAY": display, "XDG_SESSION_TYPE": "x11"})
        try:
            done = vaider("record", "start", cwd=tmp_path, environment={"VAIDER_PORT": str(process.started().port)})
            assert done.returncode == 0, done
            assert "recording" in done.stdout
        finally:
            process.http.post("/recorder", json={"action": "stop"})
            process.close()
