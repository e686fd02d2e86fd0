"""``vaider`` alone: what it says to do first depends on how things stand."""

import json
from pathlib import Path

import pytest

from adapters.keys import KEY_KINDS
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon

NO_KEYS = dict.fromkeys((name for kind in KEY_KINDS.values() for name in kind.variables), "")


def said(folder: Path, port: int = 1, **environment: str) -> str:
    own = {**NO_KEYS, "VAIDER_DATA_DIR": str(folder / "data"), "VAIDER_PORT": str(port), **environment}
    done = vaider(cwd=folder, environment=own)
    assert done.returncode == 0, done.stderr
    return done.stdout


def steps(text: str) -> list[str]:
    """The commands that are named, the first thing first."""
    return [line.split("  ")[1] for line in text.splitlines() if line.startswith("  vaider ")]


def test_who_has_nothing_yet_is_told_to_watch_a_recording(tmp_path: Path) -> None:
    text = said(tmp_path)

    assert steps(text) == ["vaider analyse CLIP.mp4", "vaider init", "vaider serve", "vaider doctor"]
    assert "No daemon runs. No key is set, and none is needed." in text
    assert not (tmp_path / "data").exists(), "to ask leaves nothing behind"


def test_the_video_that_a_test_run_left_here_comes_first(tmp_path: Path) -> None:
    (tmp_path / "test-results" / "pay").mkdir(parents=True)
    (tmp_path / "test-results" / "pay" / "video.webm").touch()

    text = said(tmp_path)

    assert steps(text)[:2] == ["vaider analyse", "vaider init"]
    assert "what happened in test-results/pay/video.webm" in text


def test_with_a_daemon_it_says_how_the_last_job_ended_and_no_more_to_start_one(
    daemon: ScriptedDaemon, tmp_path: Path
) -> None:
    vaider("analyse", "wrong.mp4", "--expect", '"x" is shown', "--port", str(daemon.port), cwd=tmp_path)

    text = said(tmp_path, daemon.port, GOOGLE_API_KEY="a-key")

    assert f"The daemon runs at http://127.0.0.1:{daemon.port}. Keys: gemini." in text
    last = next(line for line in text.splitlines() if line.startswith("Last: "))
    assert last.startswith("Last: wrong.mp4, ")
    assert last.endswith(" ago: 1 of 2 as expected")
    assert steps(text)[0] == "vaider jobs list"
    assert "vaider serve" not in text
    assert "vaider keys setup" not in text


def test_where_an_agent_is_connected_it_is_not_told_to_connect_one(tmp_path: Path) -> None:
    entry = {"mcpServers": {"vaider": {"url": "http://127.0.0.1:3456/mcp"}}}
    (tmp_path / ".mcp.json").write_text(json.dumps(entry))

    assert "vaider init" not in steps(said(tmp_path))


def test_settings_that_cannot_be_read_are_told_with_the_doctor(tmp_path: Path) -> None:
    done = vaider(cwd=tmp_path, environment={"VAIDER_PORT": "many"})

    assert done.returncode == 0
    assert "port" in done.stderr
    assert steps(done.stdout) == ["vaider doctor"]


@pytest.mark.parametrize("columns", [80, 120])
def test_it_is_one_screen_whose_words_are_not_broken(columns: int, tmp_path: Path) -> None:
    lines = said(tmp_path, COLUMNS=str(columns)).splitlines()

    assert len(lines) < 24
    assert max(len(line.rstrip()) for line in lines) <= columns
