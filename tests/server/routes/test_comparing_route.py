"""``POST /compare`` of a real daemon: two videos in, a comparison, its page and its file out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clock import until
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.recordings.compared_runs import plain_good_and_bad


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    made = Process(tmp_path_factory.mktemp("data"))
    try:
        yield made.started()
    finally:
        made.close()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    good, bad = plain_good_and_bad(tmp_path_factory.mktemp("runs"))
    return str(good), str(bad)


def compared(process: Process, good: str, bad: str) -> dict[str, Any]:
    answer = process.http.post("/compare", json={"good": good, "bad": bad})
    assert answer.status_code == 202, answer.text
    path = answer.json()["job_url"]
    until(lambda: process.http.get(path).json()["state"] in {"done", "failed"}, seconds=60)
    return process.http.get(path).json()


def test_a_comparison_is_a_job_with_a_page_and_a_file(process: Process, runs: tuple[str, str]) -> None:
    job = compared(process, *runs)
    assert (job["kind"], job["state"], job["result"]["same"]) == ("comparison", "done", False)
    assert [each["kind"] for each in job["result"]["differences"]] == ["gone"]
    assert job["headline"]["label"] == "1 difference"
    (brief,) = process.http.get("/jobs", params={"brief": True, "kind": "comparison"}).json()["jobs"]
    assert brief["title"] == "good.mp4 → bad.mp4"

    page = process.http.get(f"/jobs/{job['id']}/comparison")
    assert page.text.count("data:image/webp") == 2
    assert "<script" not in page.text
    assert {"sandbox", "default-src 'none'"} <= set(page.headers["content-security-policy"].split("; "))
    for side, query in (("good", ""), ("bad", "?difference=0")):
        picture = process.http.get(f"/jobs/{job['id']}/comparison/{side}{query}")
        assert (picture.headers["content-type"], picture.content[:2]) == ("image/jpeg", b"\xff\xd8")
        assert "immutable" in picture.headers["cache-control"]
    assert process.http.get(f"/jobs/{job['id']}/comparison/good?difference=1").status_code == 404
    kept = Path(runs[1]).rename(f"{runs[1]}.kept")
    gone = process.http.get(f"/jobs/{job['id']}/comparison/bad")
    kept.rename(runs[1])
    assert (gone.status_code, "bad.mp4" in gone.json()["error"]) == (404, True), gone.text
    share = process.http.get(f"/jobs/{job['id']}/share")
    assert share.content == page.content
    assert share.headers["content-disposition"].startswith("attachment")


@pytest.mark.nightly
def test_runs_that_were_analysed_are_named_by_their_jobs(process: Process, runs: tuple[str, str]) -> None:
    jobs = [process.http.post("/analyse", json={"video_path": path}).json()["job_id"] for path in runs]
    assert [each["kind"] for each in compared(process, *jobs)["result"]["differences"]] == ["gone"]
    assert compared(process, jobs[0], runs[0])["result"]["same"]


@pytest.mark.nightly
def test_a_video_that_is_not_there_is_refused_before_a_job_is_made(process: Process, runs: tuple[str, str]) -> None:
    answer = process.http.post("/compare", json={"good": "/none.mp4", "bad": runs[1]})
    assert (answer.status_code, "none.mp4" in answer.json()["error"]) == (400, True), answer.text


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"good": "job-none"}, 404, "no job"),
        ({"varying": ["("]}, 400, "regular expression"),
        ({"good": ""}, 400, "good"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_a_job_is_made(
    daemon: Daemon, runs: tuple[str, str], body: dict[str, Any], status: int, words: str
) -> None:
    answer = daemon.http.post("/compare", json={"good": runs[0], "bad": runs[1], **body})
    assert (answer.status_code, words in answer.json()["error"]) == (status, True), answer.text


def test_a_job_that_compared_nothing_has_no_such_page(daemon: Daemon, runs: tuple[str, str]) -> None:
    job = daemon.http.post("/analyse", json={"video_path": runs[0]}).json()["job_id"]
    assert daemon.http.get(f"/jobs/{job}/comparison").status_code == 404
