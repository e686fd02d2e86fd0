"""What runs have left, over HTTP: events, screenshots and reports, by job and from the history."""

import io
from pathlib import Path

import pytest
from PIL import Image

from core.jobs import JobState, Stage
from core.runs.ports import RunFolder
from core.screens import Picture
from storage.runs import RunFolders
from storage.tasks.runs import TaskRunFolders
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.runs.finished_runs import finished_run
from tests.fakes.runs.workflow_documents import plan


def png(_: Picture | None) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (320, 200), "red").save(file, "PNG")
    return file.getvalue()


PNG = png(None)


@pytest.fixture
def folder(daemon: Daemon) -> Path:
    """Of the workflow ``note``."""
    made = daemon.services.settings.data_path / "workflows" / "note"
    made.mkdir(parents=True)
    (made / "schema.json").write_text(plan({"text": "Save it."}), encoding="utf-8")
    return made


def finish(run: RunFolder, job_id: str = "job-1") -> str:
    """Close a run's folder, with two screenshots; tells its id."""
    run.rendered({"plan": {"subtasks": []}})
    for name in ("subtask_00_iter_010.png", "subtask_00_iter_002.png"):
        (run.directory / name).write_bytes(PNG)
    run.finish(finished_run(run_id=run.directory.name, job_id=job_id, directory=str(run.directory)))
    return run.directory.name


@pytest.fixture
def run(daemon: Daemon, folder: Path) -> Path:
    """The folder of the run of ``job-1``, which is over."""
    made = runs(daemon).open(str(folder), "job-1", [])
    finish(made)
    daemon.http.post("/replay", json={"workflow": "note"})
    until(lambda: daemon.jobs.jobs["job-1"].state is JobState.DONE)
    daemon.jobs.jobs["job-1"] = daemon.jobs.jobs["job-1"].model_copy(
        update={"result": {"directory": str(made.directory)}}
    )
    return made.directory


def runs(daemon: Daemon) -> RunFolders:
    return RunFolders(data_dir=daemon.services.settings.data_path, encode=png, redact=lambda text: text)


def test_a_jobs_events_are_told_as_json_and_page_by_page(daemon: Daemon, run: Path) -> None:
    del run
    events = daemon.http.get("/jobs/job-1/events").json()["events"]
    first = daemon.http.get("/jobs/job-1/events", params={"limit": 1}).json()["events"]
    rest = daemon.http.get("/jobs/job-1/events", params={"after": first[0]["id"]}).json()["events"]

    assert [event["stage"] for event in events] == ["queued", "decoding", "replay_started", "done"]
    assert first + rest == events
    assert daemon.http.get("/jobs/none/events").status_code == 404


def test_the_screenshots_of_a_run_are_listed_in_order_and_served(daemon: Daemon, run: Path) -> None:
    names = daemon.http.get("/jobs/job-1/screenshots").json()["names"]
    whole = daemon.http.get(f"/jobs/job-1/screenshots/{names[0]}")
    small = daemon.http.get(f"/jobs/job-1/screenshots/{names[0]}", params={"width": 64})

    assert names == ["subtask_00_iter_002.png", "subtask_00_iter_010.png"]
    assert (whole.headers["content-type"], whole.content) == ("image/png", (run / names[0]).read_bytes())
    assert Image.open(io.BytesIO(small.content)).size == (64, 40)


def test_the_last_screenshot_is_the_screen_of_a_run_that_is_over(daemon: Daemon, run: Path) -> None:
    screen = daemon.http.get("/jobs/job-1/screen.jpg")
    again = daemon.http.get("/jobs/job-1/screen.jpg", headers={"If-None-Match": screen.headers["etag"]})

    assert (screen.status_code, screen.headers["content-type"], again.status_code) == (200, "image/jpeg", 304)
    for name in ("subtask_00_iter_002.png", "subtask_00_iter_010.png"):
        (run / name).write_bytes(b"no picture")
    assert daemon.http.get("/jobs/job-1/screen.jpg").status_code == 404


def test_no_link_and_no_other_file_is_served(daemon: Daemon, run: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    (run / "subtask_01_iter_000.png").symlink_to(secret)
    (run / "report.html").unlink()
    (run / "report.html").symlink_to(secret)

    for name in ("subtask_01_iter_000.png", "run.json", "..%2frun.json", "subtask_07_iter_000.png"):
        assert daemon.http.get(f"/jobs/job-1/screenshots/{name}").status_code in {400, 404}, name
    assert daemon.http.get("/jobs/job-1/report").status_code == 404


def test_a_report_shows_its_pictures_and_can_do_nothing(daemon: Daemon, run: Path) -> None:
    answer = daemon.http.get("/jobs/job-1/report")

    assert answer.content == (run / "report.html").read_bytes()
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"].split("; ")
    assert {"sandbox", "default-src 'none'", "img-src data:", "frame-ancestors 'none'"} <= set(policy)
    assert not [word for word in policy if "script" in word]
    shared = daemon.http.get("/jobs/job-1/share")
    assert shared.content == answer.content
    assert shared.headers["content-disposition"].startswith("attachment; filename")


def test_a_run_that_goes_on_or_was_stopped_is_found_by_what_it_has_told(daemon: Daemon, run: Path) -> None:
    daemon.jobs.jobs["job-1"] = daemon.jobs.jobs["job-1"].model_copy(update={"result": None})
    reported = next(at for at, event in enumerate(daemon.jobs.stored) if event.stage is Stage.REPLAY_STARTED)
    begun = daemon.jobs.stored[reported]

    assert daemon.http.get("/jobs/job-1/screenshots").status_code == 404
    daemon.jobs.stored[reported] = begun.model_copy(update={"data": {"directory": str(run)}})
    assert len(daemon.http.get("/jobs/job-1/screenshots").json()["names"]) == 2


def test_the_history_of_a_workflow_leads_to_its_reports(daemon: Daemon, folder: Path, run: Path) -> None:
    del folder
    listed = daemon.http.get("/workflows/note/runs").json()
    report = daemon.http.get(f"/workflows/note/runs/{listed['runs'][0]['run_id']}/report")

    assert (listed["workflow"], [each["run_id"] for each in listed["runs"]]) == ("note", [run.name])
    assert (report.status_code, report.headers["content-security-policy"][:7]) == (200, "sandbox")
    assert daemon.http.get("/workflows/none/runs").status_code == 404
    assert daemon.http.get("/workflows/note/runs/20200101T000000Z-x/report").status_code == 404


def test_the_history_of_a_task_leads_to_its_reports(daemon: Daemon) -> None:
    task = daemon.services.tasks.create("Save a note")
    kept = TaskRunFolders(encode=png, redact=lambda text: text)
    run_id = finish(kept.open(str(task.folder), "job-1", []))
    runs_of_task = task.folder / "runs"
    (runs_of_task / "20200101T000000Z-link").symlink_to(runs_of_task / run_id)

    assert daemon.http.get(f"/tasks/{task.id}/runs/{run_id}/report").status_code == 200
    for name in ("20200101T000000Z-none", "20200101T000000Z-link", "..", "%2e%2e%2fx"):
        assert daemon.http.get(f"/tasks/{task.id}/runs/{name}/report").status_code in {400, 404}, name
