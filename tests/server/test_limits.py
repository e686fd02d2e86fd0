"""A token's limits over HTTP, and the commands that wait as they are told."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from core.analysis import AnalysisRequest
from core.jobs import JobState
from core.tokens import Limits, Scope
from server.client.address import Address
from server.client.remote import TeamJobs
from tests.fakes.daemons.memory_daemon import Daemon, form

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def guarded(start: Callable[..., Daemon]) -> Daemon:
    return start(token="the-text-of-data-dir-token")


def _token(daemon: Daemon, **limits: int) -> str:
    return daemon.services.tokens.add("ci", Scope.SUBMIT, None, Limits(**limits))


def _sent(daemon: Daemon, token: str, **headers: str) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Prefer": "respond-async", **headers}
    return daemon.http.post("/analyse", **form(b"\0" * 1000), headers=headers)


def test_a_day_of_bytes_is_answered_429_with_when_to_come_back_and_nothing_is_kept(guarded: Daemon) -> None:
    token = _token(guarded, bytes_a_day=2500)
    assert _sent(guarded, token).status_code == 202
    assert _sent(guarded, token).status_code == 202
    refused = _sent(guarded, token)
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert 0 < int(refused.headers["retry-after"]) == refused.json()["retry_after"] <= 86400
    assert len(guarded.jobs.jobs) == 2
    other = {"Authorization": f"Bearer {guarded.credentials.secret}"}
    assert guarded.http.post("/analyse", **form(), headers=other).status_code == 200, "the machine has no limit"


def test_a_refused_video_takes_no_place_for_long(guarded: Daemon) -> None:
    token = _token(guarded, waiting=1)
    headers = {"Authorization": f"Bearer {token}"}
    for _ in range(3):
        given: dict[str, Any] = form(metadata="no JSON")
        assert guarded.http.post("/analyse", headers=headers, **given).status_code == 400
    assert _sent(guarded, token).status_code == 202


def test_a_large_video_that_is_refused_is_still_answered(guarded: Daemon) -> None:
    token = _token(guarded, bytes_a_day=1000)
    headers = {"Authorization": f"Bearer {token}"}
    answer = guarded.http.post("/analyse", headers=headers, **form(b"\0" * (8 << 20)))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.nightly
@pytest.mark.anyio
async def test_a_command_waits_as_it_is_told_and_gets_in(guarded: Daemon, tmp_path: Path) -> None:
    token = _token(guarded, waiting=1)
    place = guarded.services.submissions.enter("ci", 10, Limits(waiting=1))
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(b"\0" * 10)
    async with TeamJobs(Address(guarded.url, token, is_named=True), "", tmp_path) as jobs:
        job = await asyncio.wait_for(jobs.submit("analysis", AnalysisRequest(video_path=str(clip))), 30)
        assert (await jobs.wait(job.id, 10)).state is JobState.DONE
    guarded.services.submissions.leave(place)


def test_the_callers_trace_is_kept_with_the_job_and_given_back(guarded: Daemon) -> None:
    token = _token(guarded)
    line = guarded.work.line = threading.Event()
    started = _sent(guarded, token, traceparent=TRACE).json()
    line.set()
    assert started["traceparent"] == TRACE
    headers = {"Authorization": f"Bearer {token}"}
    assert guarded.http.get(started["job_url"], headers=headers).json()["traceparent"] == TRACE
    for wrong in ("", "00-" + "0" * 32 + "-b7ad6b7169203331-01", "ff" + TRACE[2:], "x"):
        assert _sent(guarded, token, traceparent=wrong).json()["traceparent"] is None


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
