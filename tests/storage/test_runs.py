"""A run's folder: what is in it, byte by byte, and what can never get into it."""

import io
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from core.errors import Internal, StorageFailed
from core.runs.run import RunOutcome
from core.screens import Picture
from core.secrets import MASK
from storage.runs import RunFolders
from tests.canary import CANARY, files_with
from tests.fakes.runs.recorded_runs import DOCUMENT, action, finished, picture, record

REPOSITORY = Path(__file__).parents[2]
FILES = {
    "events.jsonl",
    "extracts.json",
    "report.html",
    "run.json",
    "schema.rendered.json",
    "task_memory.json",
    *(f"subtask_00_iter_00{at}.png" for at in range(3)),
    *(f"subtask_01_iter_00{at}.png" for at in range(2)),
}


def png(picture: Picture) -> bytes:
    file = io.BytesIO()
    Image.frombuffer("RGB", (picture.width, picture.height), picture.bgra, "raw", "BGRX", 0, 1).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def workflow(tmp_path: Path) -> Path:
    folder = tmp_path / "workflows" / "send_a_form"
    folder.mkdir(parents=True)
    return folder


def folders(data_dir: Path, encode: Callable[[Picture], bytes] = png) -> RunFolders:
    return RunFolders(data_dir=data_dir, encode=encode, redact=lambda text: text.replace(CANARY, "[key]"))


@pytest.fixture
def runs(data_dir: Path) -> RunFolders:
    return folders(data_dir)


def _rows(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "events.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_runs_folder_lies_in_its_workflow_for_the_user_only(runs: RunFolders, workflow: Path) -> None:
    folder = runs.open(str(workflow), "0b1c2d3e-ffff", ())
    record(folder)

    assert folder.directory.parent == workflow / ".replay"
    assert re.fullmatch(r"\d{8}T\d{6}Z-0b1c2d3e", folder.directory.name)
    assert {path.name for path in folder.directory.iterdir()} == FILES
    assert {path.stat().st_mode & 0o777 for path in folder.directory.iterdir()} == {0o600}
    assert folder.directory.stat().st_mode & 0o777 == 0o700


def test_two_runs_in_one_second_have_a_folder_each(runs: RunFolders, workflow: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(runs.open, str(workflow), "same", ()) for _ in range(32)]
    assert len({each.result().directory for each in made}) == 32


def test_the_rows_are_the_seeds_with_time_and_duration(runs: RunFolders, workflow: Path) -> None:
    folder = runs.open(str(workflow), "job", ())
    record(folder)
    lines = (folder.directory / "events.jsonl").read_bytes().split(b"\n")
    rows = _rows(folder.directory)
    first = rows[0]
    t, ms = first.pop("t"), first.pop("ms")

    assert lines[-1] == b""
    assert lines[0] == json.dumps(first | {"t": t, "ms": ms}, ensure_ascii=False).encode()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", t)
    assert isinstance(ms, int)
    assert first == action(0, 0, action="left_click", x_px=610, y_px=192)
    assert [list(row) for row in rows[2:4]] == [
        ["type", "subtask_idx", "iter", "variable_name", "query", "value", "task_memory", "t", "ms"],
        ["type", "subtask_idx", "iter", "result", "task_memory", "check", "t", "ms"],
    ]
    assert list(rows[-1]) == ["type", "subtask_idx", "iter", "error", "task_memory", "pixel_action", "t", "ms"]
    assert [row["ms"] for row in rows[1:]] == sorted(row["ms"] for row in rows[1:])


def test_memory_and_extracts_have_the_seeds_shape(runs: RunFolders, workflow: Path) -> None:
    folder = runs.open(str(workflow), "job", ())
    folder.memory("Zürich", {"extract_0": "1042"})

    assert json.loads((folder.directory / "task_memory.json").read_bytes()) == {"task_memory": "Zürich"}
    assert json.loads((folder.directory / "extracts.json").read_bytes()) == {"extracts": {"extract_0": "1042"}}


def test_a_row_is_there_as_soon_as_it_is_written(runs: RunFolders, workflow: Path) -> None:
    folder = runs.open(str(workflow), "job", ())
    folder.row({"type": "done", "result": "line\nbreak\u2028"})
    assert [row["result"] for row in _rows_by_newline(folder.directory)] == ["line\nbreak\u2028"]


def _rows_by_newline(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "events.jsonl").read_bytes().split(b"\n")[:-1]]


def test_pictures_are_kept_in_their_own_size(runs: RunFolders, workflow: Path) -> None:
    folder = runs.open(str(workflow), "job", ())
    folder.rendered(DOCUMENT)
    assert folder.screenshot(2, 14, picture(width=1920, height=1080)) == "subtask_02_iter_014.png"
    folder.finish(finished(folder, "Ada"))

    with Image.open(folder.directory / "subtask_02_iter_014.png") as kept:
        assert kept.size == (1920, 1080)
        assert kept.getpixel((10, 10)) == (0x2B, 0x4A, 0x8B)


def test_what_is_in_the_folder_can_be_read_again(runs: RunFolders, workflow: Path) -> None:
    assert runs.last(str(workflow)) is None
    run = record(runs.open(str(workflow), "job", ()))
    runs.open(str(workflow), "unfinished", ()).row({"type": "done"})

    assert runs.last(str(workflow)) == run


@pytest.mark.parametrize("secret", ['corréct <horse> & "staple"', "1", "pass", "type", "Ada Lovelace"])
def test_no_artefact_holds_a_secret(runs: RunFolders, workflow: Path, secret: str) -> None:
    folder = runs.open(str(workflow), "job", (secret, ""))
    folder.row({"type": "computer_use", "tool_call": {"arguments": {"x": [secret, {secret * 2: json.dumps(secret)}]}}})
    record(folder, name=f"»{secret}«", outcome=RunOutcome.FAILED)
    (first, *_), run = _rows(folder.directory), runs.last(str(workflow))

    assert first["tool_call"]["arguments"]["x"][0] == MASK
    assert run is not None
    assert run.outcome is RunOutcome.FAILED
    assert run.params == {"name": f"»{MASK}«"}
    if len(secret) > 4:
        spelt = {secret, json.dumps(secret)[1:-1], "corr&eacute;ct", "&lt;horse&gt;"}
        assert not [path for each in spelt for path in files_with(each, folder.directory)]


def test_no_artefact_holds_a_key(runs: RunFolders, workflow: Path) -> None:
    folder = runs.open(str(workflow), "job", ())
    record(folder, name=CANARY)
    assert not list(files_with(CANARY, folder.directory))


def test_what_is_no_json_is_written_as_json(runs: RunFolders, workflow: Path) -> None:
    folder = runs.open(str(workflow), "job", ())
    bottomless: list[Any] = []
    bottomless.append(bottomless)
    folder.row({"nan": float("nan"), "half": "\ud83d", "long": "x" * 5_000_000, "deep": bottomless, "tuple": (1,)})
    (row,) = _rows(folder.directory)

    assert (row["nan"], row["half"], row["tuple"]) == (None, "?", [1])
    assert len(row["long"]) == 100_001
    assert "…" in json.dumps(row["deep"], ensure_ascii=False)


def test_a_workflow_that_cannot_be_written_has_its_runs_in_the_data_directory(
    runs: RunFolders, data_dir: Path, tmp_path: Path
) -> None:
    workflow = tmp_path / "mine"
    workflow.mkdir()
    (workflow / ".replay").symlink_to(tmp_path)  # refused as a folder that is not ours to write would be
    folder = runs.open(str(workflow), "job", ())
    run = record(folder)

    assert re.fullmatch(r"mine-[0-9a-f]{8}", folder.directory.parent.name)
    assert folder.directory.is_relative_to(data_dir / "runs")
    assert runs.last(str(workflow)) == run
    assert [path.name for path in tmp_path.iterdir()].count("events.jsonl") == 0


def test_a_workflow_that_is_gone_is_told(runs: RunFolders, tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be written: No such file"):
        runs.open(str(tmp_path / "none"), "job", ())


def test_a_picture_waits_only_for_those_before_it(data_dir: Path, workflow: Path) -> None:
    may_go, begun = threading.Event(), threading.Event()

    def slow(picture: Picture) -> bytes:
        begun.set()
        assert may_go.wait(10)
        return png(picture)

    folder = folders(data_dir, slow).open(str(workflow), "job", ())
    folder.rendered(DOCUMENT)
    folder.screenshot(0, 0, picture())
    assert begun.wait(10)
    folder.screenshot(0, 1, picture())
    assert not list(folder.directory.glob("*.png"))
    may_go.set()
    folder.finish(finished(folder, "Ada"))

    assert len(list(folder.directory.glob("*.png"))) == 2


def test_a_picture_that_cannot_be_made_is_told_after_the_run_is_written(data_dir: Path, workflow: Path) -> None:
    def broken(_: Picture) -> bytes:
        raise ValueError("no such colour")

    folder = folders(data_dir, broken).open(str(workflow), "job", ())
    folder.rendered(DOCUMENT)
    folder.screenshot(0, 0, picture())
    with pytest.raises(Internal, match="picture of the run could not be kept"):
        folder.finish(finished(folder, "Ada"))
    assert (folder.directory / "report.html").exists()


FULL = """
import resource, signal, sys
from pathlib import Path
from core.errors import StorageFailed
from tests.fakes.runs.recorded_runs import DOCUMENT, finished, picture
from tests.storage.test_runs import folders

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write over the limit fails with EFBIG, as one to a full disk
folder = folders(Path(sys.argv[1])).open(sys.argv[2], "job", ())
folder.rendered(DOCUMENT)
folder.row({"type": "done", "result": "kept"})
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
folder.screenshot(0, 0, picture())
for act in (lambda: folder.row({"result": "x" * 3000}), lambda: folder.finish(finished(folder, "Ada"))):
    try:
        act()
    except StorageFailed as failure:
        print(failure.message)
"""


def test_a_full_disk_is_told_and_leaves_nothing_that_looks_whole(data_dir: Path, workflow: Path) -> None:
    reported = subprocess.run(
        [sys.executable, "-c", FULL, str(data_dir), str(workflow)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (directory,) = (workflow / ".replay").iterdir()

    assert reported.stdout.count("There is no room left to write") == 2
    assert {path.name for path in directory.iterdir()} == {"events.jsonl", "schema.rendered.json", "run.json"}
    assert [row["result"] for row in _rows(directory)] == ["kept"]
