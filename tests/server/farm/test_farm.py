"""A farm's real processes on a real PostgreSQL and a real store that speaks S3."""

import json
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import psutil
import psycopg
import pytest
from starlette.routing import Route

from bench.farm.machines import SLEEPER
from core.tokens import Scope
from server.farm.api import farm_routes
from server.scopes import allows
from tests.fakes.daemons.farm_processes import S3, TOKEN, Farm, running_farm, s3_server, until
from tests.fakes.jobs.postgres import postgres_server

CLIPS = Path(__file__).parents[2] / "clips"
pytestmark = pytest.mark.nightly
ROUTES = [
    (method, route.path)
    for route in farm_routes()
    if isinstance(route, Route)
    for method in sorted(route.methods or ())
]
Started = tuple[Farm, httpx2.Client, httpx2.Client]


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """Two API processes, which start on an empty database; workers are each test's own."""
    root = tmp_path_factory.mktemp("farm")
    with ExitStack() as stack:
        store = stack.enter_context(s3_server(root / "s3"))
        server = stack.enter_context(postgres_server())
        farm = stack.enter_context(running_farm(root, server, "farm", store.variables))
        yield farm, farm.api(), farm.api()


def _ask(api: httpx2.Client, clip: str, *expectations: str, **metadata: bool) -> str:
    question = json.dumps({"expectations": expectations, "use_cache": False, **metadata})
    with (CLIPS / clip).open("rb") as file:
        answer = api.post(
            "/analyse",
            files={"video": (clip, file, "video/mp4")},
            data={"metadata": question},
            headers={"Prefer": "respond-async"},
        )
    assert answer.status_code == 202, answer.text
    return answer.json()["job_id"]


def _ended(api: httpx2.Client, job_id: str) -> dict[str, Any]:
    def final() -> dict[str, Any] | None:
        job = api.get(f"/jobs/{job_id}").json()
        return job if job["state"] in {"done", "failed", "cancelled"} else None

    return until(final, 300)


def _running(api: httpx2.Client, job_id: str) -> bool:
    return api.get(f"/jobs/{job_id}").json()["state"] == "running"


def _stages(api: httpx2.Client, job_id: str, after: int = 0) -> list[tuple[int, str]]:
    with api.stream("GET", "/events", params={"job": job_id, "after": after}) as stream:
        lines = [line for line in stream.iter_lines() if line.startswith(("id: ", "event: "))]
    return [(int(number[4:]), stage[7:]) for number, stage in zip(lines[::2], lines[1::2], strict=True)]


def test_a_clip_is_analysed_by_a_worker_and_its_answer_names_no_path_of_a_machine(farm: Started) -> None:
    processes, one, other = farm
    worker = processes.start("worker")
    job_id = _ask(one, "checkout.mp4", '"Order" is shown')
    job = _ended(other, job_id)
    assert job["state"] == "done", job
    answer = job["result"]
    assert answer["interactions_dir"] == f"jobs/{job_id}/1"
    assert "/" not in answer["video"]["path"]
    assert answer["verdicts"]
    frames = {event["frame"] for event in answer["timeline"] if event["frame"]}
    frames |= {
        evidence["frame"]
        for verdict in answer["verdicts"]
        for evidence in verdict.get("evidence", [])
        if evidence.get("frame")
    }
    for frame in frames:
        assert other.get(f"/jobs/{job_id}/{frame}").status_code == 200
    part = other.get(f"/jobs/{job_id}/video", headers={"Range": "bytes=4-7"})
    assert (part.status_code, part.content) == (206, b"ftyp")
    assert other.get("/ui/videos").status_code == 200
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0


def test_a_viewer_goes_on_at_another_process_with_the_same_rising_ids(farm: Started) -> None:
    processes, one, other = farm
    processes.start("worker")
    job_id = _ask(one, "still.mp4")
    whole = _stages(one, job_id)
    assert [number for number, _ in whole] == sorted({number for number, _ in whole})
    assert whole[-1][1] == "done"
    assert _stages(other, job_id, after=whole[0][0]) == whole[1:]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM])
def test_what_a_worker_leaves_goes_on_at_another_one_and_ends_once(farm: Started, how: signal.Signals) -> None:
    processes, one, other = farm
    for process in processes.workers():
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    first = processes.start("worker", VAIDER_MAX_PARALLEL_ANALYSES="1")
    job_id = _ask(one, "dashboard.mp4")
    until(lambda: _running(one, job_id))
    processes.start("worker", VAIDER_MAX_PARALLEL_ANALYSES="1")
    first.send_signal(how)
    job = _ended(other, job_id)
    first.send_signal(signal.SIGCONT)
    assert job["state"] == "done", job["error"]
    finals = [stage for _, stage in _stages(other, job_id) if stage in {"done", "failed", "cancelled"}]
    assert finals == ["done"]
    with psycopg.connect(processes.url) as connection:
        begun = connection.execute("SELECT begun FROM jobs WHERE id = %s", [job_id]).fetchone()
    assert begun == ((2,) if how is not signal.SIGTERM else (1,))


def test_a_video_that_kills_each_worker_is_given_up_after_three_and_the_others_go_on(farm: Started) -> None:
    processes, one, other = farm
    for process in processes.workers():
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    deadly, harmless = (_ask(one, "still.mp4", kills=kills) for kills in (True, False))
    workers = [processes.run("worker", *SLEEPER, VAIDER_MAX_PARALLEL_ANALYSES="1") for _ in range(4)]
    job = _ended(other, deadly)
    assert job["state"] == "failed"
    assert job["error"]["error"].startswith("3 workers ended while they were doing this job; it is not tried again.")
    assert _ended(one, harmless)["state"] == "done"
    assert sorted(process.poll() or 0 for process in workers) == [0, 9, 9, 9]


def test_a_large_video_is_put_into_the_store_by_its_sender_and_nobody_else_can(farm: Started) -> None:
    processes, one, other = farm
    processes.start("worker")
    place = one.post("/uploads", json={"name": "../sign in.webm"}).json()
    asked = {"upload": place["upload"], "use_cache": False}
    early = other.post("/analyse", json=asked)
    assert (early.status_code, "PUT the file" in early.json()["error"]) == (400, True)
    video = (CLIPS / "still.mp4").read_bytes()
    forged = place["url"].replace("sign", "sing")
    stranger = place["url"][:-4] + ("0000" if place["url"][-4:] != "0000" else "1111")
    expired = processes.objects().upload_url("uploads/late/clip.mp4", 1)
    until(lambda: httpx2.put(expired, content=video, trust_env=False).status_code == 403)
    assert [httpx2.put(url, content=video, trust_env=False).status_code for url in (forged, stranger)] == [403, 403]
    assert httpx2.put(place["url"], content=video, trust_env=False).status_code == 200
    token = processes.token("somebody")
    for wrong, headers in ((f"{place['upload']}x", {}), (place["upload"], token), ("uploads/a/b.mp4", {})):
        refused = other.post("/analyse", json={"upload": wrong}, headers=headers)
        assert (refused.status_code, refused.json()["field"]) == (400, "upload")
    job_id = other.post("/analyse", json=asked, headers={"Prefer": "respond-async"}).json()["job_id"]
    job = _ended(one, job_id)
    assert (job["state"], job["result"]["video"]["path"]) == ("done", "sign in.webm")


@pytest.mark.parametrize("scope", Scope)
def test_each_scope_gets_at_a_farms_routes_and_at_no_other(farm: Started, scope: Scope) -> None:
    processes, one, _ = farm
    headers = processes.token(scope.value, scope)
    wrong: list[tuple[str, str, int]] = []
    for method, template in ROUTES:
        path = re.sub(r"\{[^}]*\}", "1", template)
        with one.stream(method, path, headers=headers, timeout=20) as answer:
            refused = answer.status_code == 403
            if template == "/events":
                refused = refused and "one job at a time" not in answer.read().decode()
        if refused == allows(scope, method, template) or answer.status_code == 401:
            wrong.append((method, template, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize("kind", ["unknown", "revoked", "expired"])
def test_no_route_of_a_farm_answers_to_a_token_that_is_not_in_force(farm: Started, kind: str) -> None:
    processes, one, _ = farm
    until_then = datetime.now(UTC) - timedelta(days=1) if kind == "expired" else None
    headers = processes.token(kind, Scope.ADMIN, until_then)
    if kind == "unknown":
        headers = {"Authorization": f"{headers['Authorization'][:-4]}none"}
    if kind == "revoked":
        with processes.tokens() as tokens:
            tokens.revoke(kind)
    for method, template in ROUTES:
        answer = one.request(method, re.sub(r"\{[^}]*\}", "1", template), headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "forbidden"), template


def test_no_secret_reaches_the_process_that_reads_a_video_nor_a_log(farm: Started) -> None:
    processes, one, _ = farm
    processes.start("worker")
    job_id = _ask(one, "dashboard.mp4")
    # An earlier worker may have taken it.
    readers = until(
        lambda: [each for worker in processes.workers() for each in psutil.Process(worker.pid).children(recursive=True)]
    )
    seen = json.dumps([[reader.environ(), reader.cmdline()] for reader in readers])
    assert not [name for name in ("AWS_", "VAIDER_") if name in seen]
    assert _ended(one, job_id)["state"] == "done"
    kept = b"".join(file.read_bytes() for file in processes.root.glob("*.log"))
    secrets = (TOKEN, S3["AWS_SECRET_ACCESS_KEY"], processes.url)
    assert [secret for secret in secrets if secret in seen or secret.encode() in kept] == []


def test_a_path_is_refused_because_a_farm_has_no_files_of_the_callers(farm: Started) -> None:
    answer = farm[1].post("/analyse", json={"video_path": "/etc/passwd"})
    assert answer.status_code == 400
    assert "send the video itself" in answer.json()["error"]


def test_a_job_that_waits_is_cancelled_and_no_worker_takes_it(farm: Started) -> None:
    processes, one, other = farm
    for process in processes.workers():
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    job_id = _ask(one, "still.mp4")
    assert other.get(f"/jobs/{job_id}").json()["place"] == 1
    assert other.delete(f"/jobs/{job_id}").json()["state"] == "cancelled"
    assert [stage for _, stage in _stages(one, job_id)] == ["queued", "cancelled"]
