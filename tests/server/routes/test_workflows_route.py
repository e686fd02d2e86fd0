"""``/workflows``: what there is, with its parameters and without its secrets."""

import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from core.jobs import Job, JobState
from storage.runs import RunFolders
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.jobs.memory_jobs import NOW
from tests.fakes.runs.recorded_runs import record
from tests.fakes.runs.workflow_documents import V1, V2, changed, document


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
        "last_run": None,
        "jobs": [],
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


@pytest.mark.usefixtures("root")
def test_what_a_run_takes_is_told_and_no_default_of_a_sensitive_value(daemon: Daemon) -> None:
    reported = {each["name"]: each for each in _get(daemon, "/workflows/report")["parameters"]}
    declared = {each["name"]: each for each in document(V2)["task_params"]}
    secret = reported[document(V2)["task_params"][1]["name"]]

    assert reported.keys() == declared.keys()
    assert (secret["sensitive"], secret["example"], secret["needed"]) == (True, None, False)


def test_what_carries_it_out_now_is_told_with_it(daemon: Daemon, root: Path) -> None:
    request = {"workflow": str(root / "report")}
    job = Job(id="job-1", kind="replay", state=JobState.QUEUED, request=request, place=1, created_at=NOW)
    daemon.jobs.jobs[job.id] = job
    listed = {each["name"]: each["jobs"] for each in _get(daemon, "/workflows")["workflows"]}

    assert [each["job_id"] for each in listed["report"]] == ["job-1"]
    assert (listed["spotify"], _get(daemon, "/workflows/report")["jobs"]) == ([], listed["report"])


def _package(content: bytes, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    files: dict[str, Any] = {"workflow": ("sent.zip", content, "application/zip")}
    return {"files": files | ({"metadata": (None, json.dumps(metadata))} if metadata is not None else {})}


@pytest.mark.usefixtures("root")
def test_what_is_exported_is_imported_again_without_its_secrets(daemon: Daemon, root: Path) -> None:
    packed = daemon.http.get("/workflows/report/export")
    taken = daemon.http.post("/workflows/import", **_package(packed.content))
    second = daemon.http.post("/workflows/import", **_package(packed.content, {"name": "second"}))
    replaced = daemon.http.post("/workflows/import", **_package(packed.content, {"name": "second", "force": True}))

    assert (packed.status_code, packed.headers["content-type"]) == (200, "application/zip")
    assert "report.zip" in packed.headers["content-disposition"]
    assert b"swordfish" not in zipfile.ZipFile(io.BytesIO(packed.content)).read("report/schema.json")
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert (second.status_code, second.json()["folder"]) == (201, str(root / "second"))
    assert replaced.json()["backup"]
    assert _get(daemon, "/workflows/second")["workflow"] == document(V2)
    assert daemon.uploads == []


def test_what_is_no_workflow_is_refused_whole(daemon: Daemon, settings: Settings) -> None:
    evil = io.BytesIO()
    with zipfile.ZipFile(evil, "w") as archive:
        archive.writestr("../schema.json", "{}")
    answers = [
        daemon.http.post("/workflows/import", **_package(b"no zip file")),
        daemon.http.post("/workflows/import", **_package(evil.getvalue())),
        daemon.http.post("/workflows/import", **_package(b"x", {"nosuch": 1})),
        daemon.http.post("/workflows/import", files={"video": ("a.zip", b"x")}),
    ]

    assert [each.status_code for each in answers] == [400] * 4
    assert "takes 'workflow' and 'metadata' alone" in answers[3].json()["error"]
    assert daemon.uploads == []
    assert not any(settings.data_path.rglob("schema.json"))


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
