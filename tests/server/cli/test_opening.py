"""``--open``: the page of the result, by the platform's own opener, or its address."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clock import until
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon


def opened(daemon: ScriptedDaemon, folder: Path, *command: str, display: str) -> subprocess.CompletedProcess[str]:
    """Run it where an opener notes what it is to open."""
    opener = folder / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text(f'#!/bin/sh\necho "$1" > {folder}/opened\n')
    opener.chmod(0o755)
    path = f"{folder}/bin:{os.environ['PATH']}"
    environment = {"PATH": path, "DISPLAY": display, "WAYLAND_DISPLAY": "", "VAIDER_DATA_DIR": str(folder / "data")}
    return vaider(*command, "--port", str(daemon.port), "--open", cwd=folder, environment=environment)


COMMANDS = [(("analyse", "fine.mp4"), "videos"), (("replay", "spotify"), "runs")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(Path(__file__).parents[2] / "data" / "workflows" / "spotify", tmp_path / "workflows" / "spotify")
    return tmp_path


@pytest.mark.parametrize(("command", "kind"), COMMANDS)
def test_open_shows_the_page_of_the_dashboard_with_the_platforms_own_opener(
    daemon: ScriptedDaemon, folder: Path, command: tuple[str, ...], kind: str
) -> None:
    done = opened(daemon, folder, *command, display=":9")

    assert done.returncode == 0, done.stderr
    until(lambda: (folder / "opened").exists() and (folder / "opened").read_text())
    assert (folder / "opened").read_text().strip() == f"http://127.0.0.1:{daemon.port}/ui/{kind}/job-1"


@pytest.mark.parametrize(("command", "kind"), COMMANDS)
def test_where_no_screen_is_open_prints_the_address_instead(
    daemon: ScriptedDaemon, folder: Path, command: tuple[str, ...], kind: str
) -> None:
    done = opened(daemon, folder, *command, display="")

    assert done.returncode == 0, done.stderr
    assert f"it is at http://127.0.0.1:{daemon.port}/ui/{kind}/job-1\n" in done.stderr
    assert not (folder / "opened").exists()
