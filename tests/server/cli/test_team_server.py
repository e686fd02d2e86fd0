"""Commands that name a team's server: what they send there, and that they answer as if it were here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from core.analysis import AnalysisRequest
from core.errors import InvalidRequest
from core.jobs import JobState
from core.tokens import Scope
from server.client.address import Address
from server.client.jobs import question_body
from server.client.remote import TeamJobs, named_server
from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.daemon_processes import Process, free_port
from tests.fakes.videos.odd_clips import write_screen
from tests.fakes.videos.traces import TRACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.fakes.daemons.memory_daemon import Daemon

SECRET = "the text of a token file"
pytestmark = pytest.mark.anyio


@pytest.fixture
def team(start: Callable[..., Daemon]) -> Daemon:
    """A server that asks everybody for a token."""
    return start(token="the-text-of-data-dir-token")


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    file = tmp_path / "clip.webm"
    file.write_bytes(b"\0" * 1000)
    return file


def token(team: Daemon, scope: Scope = Scope.SUBMIT) -> str:
    return team.services.tokens.add("ci", scope, None)


def at(team: Daemon, cwd: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"VAIDER_DATA_DIR": str(cwd / "own"), **variables}
    return vaider(*arguments, "--server", team.url, cwd=cwd, environment=environment)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Process, str]]:
    """A real one, and a token for it."""
    process = Process(tmp_path / "server", provider="local", require_token=True, environment={"VAIDER_TOKEN": SECRET})
    process.http.headers["Authorization"] = f"Bearer {SECRET}"
    process.started()
    made = vaider(
        *("tokens", "add", "ci", "--scope", "submit"),
        cwd=tmp_path,
        environment={"VAIDER_DATA_DIR": str(tmp_path / "server")},
    )
    yield process, made.stdout.strip()
    process.close()


def answered(named: Path, environment: dict[str, str]) -> tuple[int, dict[str, Any], dict[str, bytes]]:
    """The exit code, what does not differ from answer to answer, and the pictures."""
    done = vaider("analyse", named.name, "--json", cwd=named.parent, environment=environment)
    answer = json.loads(done.stdout)
    frames = named.parent / answer.pop("interactions_dir") / "frames"
    for name in ("job_id", "duration_ms", "cached"):
        del answer[name]
    return done.returncode, answer, {frame.name: frame.read_bytes() for frame in frames.iterdir()}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["video.webm", "trace.zip"])
def test_a_failed_test_has_its_reason_by_a_server_as_by_this_machine(
    tmp_path: Path, server: tuple[Process, str], name: str
) -> None:
    results = Path(shutil.copytree(TRACES / "refused", tmp_path / "results"))
    there = {"VAIDER_SERVER": f"http://127.0.0.1:{server[0].port}", "VAIDER_TOKEN": server[1]}
    own = {"VAIDER_DATA_DIR": str(tmp_path / "own"), "VAIDER_PORT": "1"}
    _, answer, _ = answered(results / name, {**own, **there})
    assert answer["why"]["clauses"]
    assert answer == answered(results / name, own)[1]


@pytest.mark.nightly
def test_a_servers_answer_is_that_of_this_machine_with_its_pictures_and_exit_code(
    tmp_path: Path, server: tuple[Process, str]
) -> None:
    clip = write_screen(tmp_path / "clip.mp4", lines=[(0, "Harbour"), (1000, "Violin 12")], until_ms=2000)
    clip.with_name("clip.mp4.expect.txt").write_text('"Violin 12" appears\n"Glacier" is shown\n')
    there = {"VAIDER_SERVER": f"http://127.0.0.1:{server[0].port}", "VAIDER_TOKEN": server[1]}
    own = {"VAIDER_DATA_DIR": str(tmp_path / "own"), "VAIDER_PORT": "1"}
    code, answer, pictures = answered(clip, {**own, **there})
    own_code, own_answer, own_pictures = answered(clip, own)
    assert (code, answer) == (own_code, own_answer)
    assert code == 1, "an expectation was not met"
    assert pictures
    assert pictures.items() <= own_pictures.items()
    asked = json.dumps({"video_path": str(clip), "expectations": ['"Harbour" is shown']})
    watcher = subprocess.run(
        [sys.executable, "-m", "server.watcher"],
        input=f"{asked}\n",
        capture_output=True,
        text=True,
        env={**own, **there, "VAIDER_LABEL": "pr-7"},
        check=True,
        timeout=60,
    )
    assert json.loads(watcher.stdout)["verdicts"][0]["verdict"] == "pass"
    listed = server[0].http.get("/jobs", params={"label": "pr-7"}).json()["jobs"]
    assert [job["request"]["uploaded"] for job in listed] == [True], "a test run's videos go there as well"


def test_a_video_goes_there_itself_under_its_label_with_the_token_of_the_environment_or_a_file(
    team: Daemon, tmp_path: Path, clip: Path
) -> None:
    secret = token(team)
    (tmp_path / "secret").write_text(f"{secret}\n")
    done = at(team, tmp_path, "analyse", clip.name, "--label", "pr-123", VAIDER_TOKEN=secret)
    assert (done.returncode, team.work.seen) == (0, [("clip.webm", 1000)]), done.stderr
    assert str(clip) in done.stdout, "it is called as the caller calls it"
    file = str(tmp_path / "secret")
    assert at(team, tmp_path, "analyse", clip.name, VAIDER_TOKEN_FILE=file, VAIDER_LABEL="pr-9").returncode == 0
    for label, count in (("pr-123", 1), ("pr-9", 1), ("other", 0)):
        listed = at(team, tmp_path, "jobs", "list", "--json", "--label", label, VAIDER_TOKEN=secret)
        assert len(json.loads(listed.stdout)["jobs"]) == count


def test_the_trace_beside_a_video_goes_there_too_whichever_of_the_two_is_named(team: Daemon, tmp_path: Path) -> None:
    (tmp_path / "video-1.webm").write_bytes(b"\0" * 1000)
    (tmp_path / "trace-1.zip").write_bytes(b"what a test did")
    secret = token(team)
    for name in ("video-1.webm", "trace-1.zip"):
        done = at(team, tmp_path, "analyse", "--no-cache", name, VAIDER_TOKEN=secret)
        assert done.returncode == 0, done.stderr
    assert team.work.seen == [("video-1.webm", 1000)] * 2
    traces = [path.read_bytes() for path in team.uploads if path.name == "trace.zip"]
    assert traces == [b"what a test did"] * 2


def test_without_a_token_in_force_and_without_a_server_it_says_what_to_do(
    team: Daemon, tmp_path: Path, clip: Path
) -> None:
    without = at(team, tmp_path, "analyse", clip.name)
    assert without.returncode == 2
    assert "set VAIDER_TOKEN or VAIDER_TOKEN_FILE" in without.stderr
    revoked = at(team, tmp_path, "analyse", clip.name, VAIDER_TOKEN="vdr_00000000_never-given")
    assert revoked.returncode == 2
    assert "ask its administrator for another token" in revoked.stderr
    assert team.work.seen == []
    nobody = vaider("analyse", clip.name, "--server", f"http://127.0.0.1:{free_port()}", cwd=tmp_path)
    assert nobody.returncode == 3
    assert "No Vaider answers at" in nobody.stderr


def test_the_text_of_this_machines_token_file_is_sent_to_no_server(team: Daemon, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "token").write_text(team.credentials.secret)
    assert at(team, tmp_path, "jobs", "list").returncode == 2
    assert named_server(team.url, {}).token is None


@pytest.mark.parametrize(
    "url", ["vaider.example", "ftp://vaider.example", "https://", "https://ci:vdr_1@vaider.example"]
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest, match="address"):
        named_server(url, {})


async def test_a_command_that_gives_up_leaves_no_job_behind(team: Daemon, tmp_path: Path, clip: Path) -> None:
    request = AnalysisRequest(video_path=str(clip), metadata={"endless": True})
    async with TeamJobs(Address(team.url, token(team), is_named=True), "", tmp_path) as jobs:
        job = await jobs.submit("analysis", request)
        await jobs.leave(job.id)
        assert (await jobs.wait(job.id, 10)).state is JobState.CANCELLED


async def test_a_video_is_sent_piece_by_piece(team: Daemon, tmp_path: Path) -> None:
    large = tmp_path / "large.mp4"
    with large.open("wb") as file:
        file.truncate(64 << 20)
    async with TeamJobs(Address(team.url, token(team), is_named=True), "", tmp_path) as jobs:
        tracemalloc.start()
        try:
            job = await jobs.submit("analysis", AnalysisRequest(video_path=str(large)))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        await jobs.wait(job.id, 10)
    assert team.work.seen == [("large.mp4", 64 << 20)]
    assert peak < 16 << 20, "both ends together, in this process"


def test_whatever_a_request_says_reaches_the_daemon() -> None:
    given = AnalysisRequest(video_path="/a.mp4", expectations=("a",), provider="local", metadata={"run": 7})
    body = question_body(given, "pr-1")
    assert body.keys() == {*AnalysisRequest.model_fields, "label"} - {"uploaded"}
    assert re.fullmatch("pr-1", body["label"])
