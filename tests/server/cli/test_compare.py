"""Two real videos; in the second a line of the last page is covered."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from server.cli import run

SAMPLE = Path(__file__).parents[3] / "samples" / "checkout.mp4"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "good").mkdir()
    (folder / "bad").mkdir()
    cut = ["ffmpeg", "-loglevel", "error", "-ss", "14", "-i", SAMPLE, "-t", "5"]
    subprocess.run([*cut, folder / "good" / "pay.mp4"], check=True)
    box = "drawbox=x=0:y=130:w=500:h=60:color=white:t=fill:enable='gt(t,2)'"
    subprocess.run([*cut, "-vf", box, folder / "bad" / "pay.mp4"], check=True)
    return folder


@pytest.fixture(autouse=True)
def _own_data(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAIDER_DATA_DIR", str(runs / "data"))
    monkeypatch.setenv("VAIDER_PORT", "1")


@pytest.mark.nightly
def test_a_line_that_is_missing_is_found_and_shown_in_a_page_of_its_own(
    runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    code = run(["compare", str(runs / "good/pay.mp4"), str(runs / "bad/pay.mp4"), "--json", "--open"])
    told = capsys.readouterr()
    found = json.loads(told.out)
    page = Path(told.err.splitlines()[-1].rpartition(" it is at ")[2])
    assert code == 1
    assert [each["kind"] for each in found["differences"]] == ["gone"]
    x, y, width, height = found["differences"][0]["region"]
    assert 0 <= x < x + width <= 500
    assert 130 <= y < y + height <= 190
    html = page.read_text("utf-8")
    assert html.count("data:image/webp") == 2
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")


@pytest.mark.nightly
def test_a_folder_is_held_against_the_baseline_by_its_paths(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(runs / "good", runs / "again", dirs_exist_ok=True)
    assert run(["compare", "--baseline", str(runs / "good"), str(runs / "again")]) == 0
    assert capsys.readouterr().out.startswith("The same: ")


@pytest.mark.nightly
def test_a_video_without_a_good_run_says_where_one_belongs(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (runs / "none").mkdir(exist_ok=True)
    assert run(["compare", "--baseline", str(runs / "none"), str(runs / "bad/pay.mp4")]) == 2
    assert "copy one to" in capsys.readouterr().err


def test_one_video_alone_is_refused(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", str(runs / "good/pay.mp4")]) == 2
    assert "Name two videos" in capsys.readouterr().err
