"""The jobs of a daemon, as clients over HTTP meet them."""

import asyncio
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.settings import load_settings
from core import errors
from core.analysis import AnalysisRequest
from core.errors import InvalidRequest, NotFound, VaiderError, exit_code
from core.jobs import JobState, Stage
from server.client.address import Address, address
from server.client.jobs import RemoteJobs, error_from, health, lacks
from tests.clock import until
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon

pytestmark = pytest.mark.anyio


def at(daemon: ScriptedDaemon) -> Address:
    return Address(f"http://127.0.0.1:{daemon.port}", None)


def request(name: str, **fields: Any) -> AnalysisRequest:
    return AnalysisRequest(video_path=f"/videos/{name}.mp4", **fields)


async def test_a_job_is_submitted_followed_to_its_end_and_kept(daemon: ScriptedDaemon) -> None:
    async with RemoteJobs(at(daemon)) as jobs:
        job = await jobs.submit("analysis", request("fine", expectations=('"a" is shown',), use_cache=False))
        stages = [event.stage async for event in jobs.events(job_id=job.id)]
        done = await jobs.wait(job.id)
        listed = await jobs.list(state=JobState.DONE)
        assert [one.id for one in listed] == [job.id]
        assert await jobs.last_event_id() == 3
    assert stages == [Stage.QUEUED, Stage.DECODING, Stage.DONE]
    assert done.state is JobState.DONE
    assert daemon.requests == [
        request("fine", expectations=('"a" is shown',), use_cache=False, provider="auto").model_dump(mode="json")
    ]


async def test_waiting_ends_in_time_and_a_cancelled_job_says_so(daemon: ScriptedDaemon) -> None:
    async with RemoteJobs(at(daemon)) as jobs:
        job = await jobs.submit("analysis", request("endless"))
        assert (await jobs.wait(job.id, 0.2)).state is JobState.RUNNING
        await jobs.cancel(job.id)
        assert (await jobs.wait(job.id, 10)).state is JobState.CANCELLED


async def test_events_resume_where_they_were_left(daemon: ScriptedDaemon) -> None:
    async with RemoteJobs(at(daemon)) as jobs:
        job = await jobs.submit("analysis", request("fine"))
        seen = [event async for event in jobs.events(after=1, job_id=job.id)]
    assert [event.id for event in seen] == [2, 3]
    assert seen[0].data == {"done": 1, "total": 2}


async def test_refusals_come_back_as_the_errors_they_were(daemon: ScriptedDaemon) -> None:
    async with RemoteJobs(at(daemon)) as jobs:
        with pytest.raises(NotFound, match="There is no job 'job-9'"):
            await jobs.get("job-9")
        with pytest.raises(InvalidRequest, match="over 2000 characters"):
            await jobs.submit("analysis", request("fine", expectations=("x" * 2001,)))


async def test_a_daemon_that_went_away_is_told_of_and_exits_with_3(daemon: ScriptedDaemon) -> None:
    async with RemoteJobs(at(daemon)) as jobs:
        job = await jobs.submit("analysis", request("endless"))
        daemon.server.stop()
        await asyncio.to_thread(until, lambda: health(at(daemon)) is None)
        with pytest.raises(VaiderError, match="does not answer any more") as gone:
            await jobs.get(job.id)
    assert exit_code(gone.value) == 3


def kinds(root: type[VaiderError] = VaiderError) -> Iterator[type[VaiderError]]:
    yield root
    for kind in root.__subclasses__():
        yield from kinds(kind)


@pytest.mark.parametrize("kind", list(kinds()))
def test_every_error_survives_the_way_over_http(kind: type[VaiderError]) -> None:
    sent = kind("One sentence.", port=3456)
    received = error_from(sent.to_json())
    assert received.to_json() == sent.to_json()
    assert exit_code(received) in {exit_code(sent), 3 if kind is VaiderError else exit_code(sent)}


def test_an_error_of_a_later_version_is_still_told() -> None:
    received = error_from({"error": "New trouble.", "code": "brand_new", "deep": {"x": 1}})
    assert isinstance(received, errors.Internal)
    assert received.to_json() == {"error": "New trouble.", "code": "internal_error", "reported_code": "brand_new"}


def settings(**flags: Any) -> Any:
    return load_settings(environment={"VAIDER_SETTINGS": "/nowhere/settings.toml"}, flags=flags)


def test_the_token_goes_only_to_a_daemon_that_asks_for_it(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-the-file-0123456789\n")
    place = str(tmp_path)
    assert address(settings(data_dir=place), {}) == Address("http://127.0.0.1:3456", None)
    assert address(settings(data_dir=place), {"VAIDER_TOKEN": "t" * 20}) == Address("http://127.0.0.1:3456", None)
    everywhere = address(settings(host="::", port=80, data_dir=place), {})
    assert everywhere == Address("http://[::1]:80", "from-the-file-0123456789")
    named = address(settings(host="fd00::1", data_dir=place), {"VAIDER_TOKEN": "given-0123456789"})
    assert named == Address("http://[fd00::1]:3456", "given-0123456789")


class Stranger(http.server.BaseHTTPRequestHandler):
    """Some other program's server."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status": "ok"}')

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class calls it so
        """Say nothing."""


def test_somebody_elses_server_is_not_taken_for_the_daemon() -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        thread = threading.Thread(target=stranger.handle_request)
        thread.start()
        assert health(Address(f"http://127.0.0.1:{stranger.server_port}", None)) is None
        thread.join()


def test_a_daemon_tells_which_providers_can_be_used(daemon: ScriptedDaemon) -> None:
    found = health(at(daemon))
    assert found is not None
    assert lacks(found) == {"local": None}
