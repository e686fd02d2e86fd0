"""``/workflows``: what there is, with its parameters and without its secrets."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from storage.runs import RunFolders
from tests.fakes.recorded_runs import record
from tests.fakes.workflow_documents import V1, V2, changed, document

if TYPE_CHECKING:
    from pathlib import Path

    from config.settings import Settings
    from tests.fakes.memory_daemon import Daemon


@pytest.fixture
def root(settings: Settings) -> Path:
    root = settings.workflow_roots[0]
    shutil.copytree(V1, root / "spotify")
    (root / "report").mkdir()
    (root / "report" / "schema.json").write_text(changed(document(V2), "task_params.1.example", "swordfish"))
    (root / "broken").mkdir()
    (root / "broken" / "schema.json").write_text('{"plan": {"subtasks": []}}')
    return root


def _get(daemon: Daemon, path: str) -> dict[str, Any]:
    answer = daemon.http.get(path)
    assert answer.status_code == 200, answer.text
    assert "swordfish" not in answer.text
    return answer.json()


def test_all_are_listed_invalid_ones_with_what_is_wrong(daemon: Daemon, root: Path) -> None:
    found = {each["name"]: each for each in _get(daemon, "/workflows")["workflows"]}

    assert list(found) == ["broken", "report", "spotify"]
    assert found["spotify"] == {
        "name": "spotify",
        "folder": str(root / "spotify"),
        "valid": True,
        "error": None,
        "task_name": "play_a_song",
        "task_description": "Play a song on Spotify.",
        "parameters": document(V1)["task_params"],
        "subtasks": 2,
    }
    assert found["broken"]["valid"] is False
    assert "plan.subtasks: must not be empty" in found["broken"]["error"]


def test_where_there_is_none_the_list_is_empty(daemon: Daemon) -> None:
    assert _get(daemon, "/workflows") == {"workflows": []}


@pytest.mark.usefixtures("root")
def test_one_is_told_as_version_2_without_secrets(daemon: Daemon) -> None:
    answer = _get(daemon, "/workflows/report")

    assert answer["workflow"] == document(V2)
    assert (answer["name"], answer["version"], answer["notes"], answer["last_run"]) == ("report", 2, [], None)
    assert _get(daemon, "/workflows/spotify")["version"] == 1


def test_its_last_run_is_told(daemon: Daemon, root: Path, settings: Settings) -> None:
    runs = RunFolders(data_dir=settings.data_path, encode=lambda _: b"", redact=lambda text: text)
    run = record(runs.open(str(root / "report"), "job", ()))
    last = _get(daemon, "/workflows/report")["last_run"]

    assert (last["run_id"], last["outcome"], last["directory"]) == (run.run_id, "succeeded", run.directory)


@pytest.mark.parametrize("name", ["reprot", ".", "..", "schema.json", "~", ".hidden", "%2e%2e%2fx", "a%00b", "x" * 100])
@pytest.mark.usefixtures("root")
def test_what_is_not_there_is_404_with_the_nearest_name(daemon: Daemon, name: str) -> None:
    answer = daemon.http.get(f"/workflows/{name}")

    if name not in {".", ".."}:  # these are gone before they are sent
        assert answer.status_code == 404
        assert answer.json()["code"] == "not_found"
    if name == "reprot":
        assert "Did you mean 'report'?" in answer.json()["error"]


@pytest.mark.usefixtures("root")
def test_an_invalid_one_is_400_with_its_faults(daemon: Daemon) -> None:
    answer = daemon.http.get("/workflows/broken")

    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_workflow"
    assert answer.json()["fault_count"] == 2
    assert "task_name: is missing" in answer.json()["faults"]
