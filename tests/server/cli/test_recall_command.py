"""``vaider recall``: for people and for machines, with the right exit code."""

import json
import subprocess
from pathlib import Path

import av
import pytest

from tests.fakes.daemons.commands import vaider
from tests.fakes.recordings.remembered import procedure, record, remember


@pytest.fixture
def data(tmp_path: Path) -> Path:
    record(tmp_path)
    remember(tmp_path, procedure(1), procedure(2, "Opened \x1b[31mPaint", 'Chose "Red" from the "Colour" dropdown'))
    return tmp_path


def _recall(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return vaider("recall", *arguments, "--data-dir", str(data), "--port", "1", cwd=data)


def test_recall_tells_steps_time_and_clip_and_commands_no_terminal(data: Path) -> None:
    done = _recall(data, "which", "colour", "did", "I", "choose", "in", "the", "dropdown")
    assert done.returncode == 0, done.stderr
    assert '2. Chose "Red" from the "Colour" dropdown' in done.stdout
    assert "% sure" in done.stdout
    assert "/memory/mem-2/clip.mp4" in done.stdout
    assert "\x1b" not in done.stdout


def test_recall_as_json_is_what_the_route_answers_and_a_clip_can_be_kept(data: Path, tmp_path: Path) -> None:
    clip = tmp_path / "kept.mp4"
    done = _recall(data, "add an ssh key", "--json", "--clip", str(clip))
    found = json.loads(done.stdout)
    assert [each["id"] for each in found["results"]] == ["mem-1"]
    with av.open(str(clip)) as opened:
        assert opened.duration is not None
        assert opened.duration / 1_000_000 == pytest.approx(10, abs=0.6)
    again = _recall(data, "add an ssh key", "--clip", str(clip))
    assert (again.returncode, "there already" in again.stderr) == (2, True)


def test_nothing_found_is_exit_code_one_and_says_why(data: Path) -> None:
    done = _recall(data, "knitting patterns for winter gloves")
    assert done.returncode == 1
    assert "Nothing that was remembered" in done.stdout
