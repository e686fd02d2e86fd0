import asyncio
import resource
import socket
from collections.abc import Callable, Generator
from pathlib import Path

import httpx2
import pytest

from core.errors import InvalidRequest, StorageFailed
from server.http.uploads import Uploads, safe_name
from server.media.playable import MARK, KeptUploads
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon, form


def test_an_upload_that_says_it_is_too_large_is_refused_before_it_is_sent(start: Callable[..., Daemon]) -> None:
    daemon = start(max_video_bytes=1000)

    with socket.create_connection(daemon.address) as raw:
        head = b"POST /analyse HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        raw.sendall(head + b"Content-Length: 99000000\r\n\r\n")
        raw.settimeout(5)
        answer = b""
        while not answer.endswith(b"}"):
            answer += raw.recv(4096)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"max_video_bytes" in answer
    assert daemon.uploads == []


def test_an_upload_that_turns_out_too_large_is_refused_while_it_comes(start: Callable[..., Daemon]) -> None:
    daemon = start(max_video_bytes=2_000_000)

    answer = daemon.http.post(
        "/analyse", content=_pieces(3_000_000), headers={"Content-Type": "multipart/form-data; boundary=b"}
    )

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert "max_video_bytes" in answer.json()["error"]
    assert daemon.uploads == []
    assert daemon.jobs.jobs == {}


def test_a_form_without_a_length_is_taken(daemon: Daemon) -> None:
    answer = daemon.http.post(
        "/analyse", content=_pieces(3_000_000), headers={"Content-Type": "multipart/form-data; boundary=b"}
    )

    assert answer.status_code == 200
    assert daemon.work.seen == [("v.mp4", 3_000_000)]


def _pieces(size: int) -> Generator[bytes]:
    yield b'--b\r\nContent-Disposition: form-data; name="video"; filename="v.mp4"\r\n\r\n'
    for _ in range(size // 10_000):
        yield b"\0" * 10_000
    yield b"\r\n--b--\r\n"


def test_a_client_who_hangs_up_half_way_leaves_nothing(daemon: Daemon) -> None:
    with socket.create_connection(daemon.address) as raw:
        head = b"POST /analyse HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        part = b'--b\r\nContent-Disposition: form-data; name="video"; filename="v.mp4"\r\n\r\n'
        raw.sendall(head + b"Content-Length: 6000000\r\n\r\n" + part + b"\0" * 3_000_000)
        until(lambda: any(path.stat().st_size > 1_000_000 for path in daemon.uploads))

    until(lambda: daemon.uploads == [])
    assert daemon.jobs.jobs == {}


@pytest.mark.parametrize(
    ("failure", "stays"),
    [
        (InvalidRequest("Not so."), False),
        (StorageFailed("The database went away, before or after the job was stored."), True),
        (asyncio.CancelledError(), True),
    ],
)
def test_what_was_refused_is_removed_and_what_a_job_may_need_stays(
    tmp_path: Path, failure: BaseException, *, stays: bool
) -> None:
    uploads = Uploads(tmp_path, max_bytes=100)
    video = tmp_path / "1" / "clip.mp4"
    video.parent.mkdir()
    video.touch()

    with pytest.raises(type(failure)), uploads.discarded_if_refused(video):
        raise failure

    assert video.exists() == stays


PART = '--b\r\nContent-Disposition: form-data; name="video"; filename="v.mp4"\r\n\r\n123\r\n'
TRACE = PART.replace('name="video"', 'name="trace"')
JSON = '--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{}\r\n'


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (PART + PART + "--b--\r\n", "two parts 'video'"),
        (PART + JSON + JSON + "--b--\r\n", "two parts 'metadata'"),
        (PART + JSON.replace("metadata", "extra") + "--b--\r\n", "a part 'extra'"),
        (JSON + "--b--\r\n", "no part 'video'"),
        (PART.replace("v.mp4", "trace.zip") + TRACE + "--b--\r\n", "the name of its trace"),
        (TRACE + PART.replace("v.mp4", "trace.zip") + "--b--\r\n", "the name of its trace"),
        (TRACE + "--b--\r\n", "no part 'video'"),
        (PART.replace('; filename="v.mp4"', "") + "--b--\r\n", "no file"),
        (PART, "closing boundary"),
        ("--b\r\n\r\n123\r\n--b--\r\n", "a part ''"),
        ("nonsense", "malformed"),
        ("", "closing boundary"),
    ],
)
def test_a_form_that_is_none_of_ours_is_refused_and_nothing_is_kept(daemon: Daemon, body: str, says: str) -> None:
    answer = daemon.http.post(
        "/analyse", content=body.encode(), headers={"Content-Type": "multipart/form-data; boundary=b"}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert says in answer.json()["error"]
    assert daemon.uploads == []
    assert daemon.jobs.jobs == {}


@pytest.mark.parametrize("boundary", ["", "; boundary=", "; boundary=" + "x" * 1000])
def test_a_form_without_a_usable_boundary_is_refused(daemon: Daemon, boundary: str) -> None:
    answer = daemon.http.post(
        "/analyse", content=PART.encode(), headers={"Content-Type": "multipart/form-data" + boundary}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.mp4", "boot.mp4"),
        ("..", "video"),
        ("", "video"),
        (".mp4", "mp4"),
        ("a\nb\r\0c\x1b[31m.mp4", "a_b__c_[31m.mp4"),
        ("-rf.mp4", "rf.mp4"),
        ("\u202egpj.mp4", "_gpj.mp4"),
        ("film 👩‍💻.webm", "film 👩‍💻.webm"),
        ('a<b>:"|?*.mov', "a_b______.mov"),
    ],
)
def test_a_file_name_keeps_its_look_and_loses_its_tricks(given: str, kept: str) -> None:
    assert safe_name(given) == kept


def test_a_name_of_255_bytes_keeps_its_extension_and_leaves_room(daemon: Daemon) -> None:
    daemon.http.post("/analyse", **form(name="ü" * 125 + ".webm"))

    name, _ = daemon.work.seen[0]
    assert name.endswith("ü.webm")
    assert len(name.encode()) <= 120


def test_a_full_disk_is_said_and_nothing_half_written_stays(daemon: Daemon) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The kernel refuses to let files of this process grow on, as a full disk or a quota does.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, hard))
    try:
        answer = daemon.http.post("/analyse", **form(b"\0" * 5_000_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert (answer.status_code, answer.json()["code"]) == (507, "storage_failed")
    assert "full" in answer.json()["error"]
    assert daemon.uploads == []
    assert daemon.jobs.jobs == {}


def test_a_data_directory_that_cannot_be_written_is_said(daemon: Daemon) -> None:
    (daemon.services.settings.data_path / "uploads").write_text("a file where the folder should be")

    answer = daemon.http.post("/analyse", **form())

    assert (answer.status_code, answer.json()["code"]) == (507, "storage_failed")


def test_what_an_earlier_daemon_left_is_swept_but_for_what_is_wanted(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "v.mp4").write_bytes(b"1")
    uploads = Uploads(tmp_path, max_bytes=10)

    uploads.sweep({tmp_path / "b" / "v.mp4"})

    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_what_is_kept_outlives_the_daemon(tmp_path: Path) -> None:
    for name in ("left", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "v.mp4").write_bytes(b"1")
    kept = KeptUploads(tmp_path, keep_days=1, keep_bytes=10)
    kept.keep(tmp_path / "kept" / "v.mp4")

    Uploads(tmp_path, max_bytes=10).sweep({folder / MARK for folder in kept.folders()})

    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_file_that_is_no_upload_is_never_discarded(tmp_path: Path) -> None:
    own = tmp_path / "elsewhere" / "v.mp4"
    own.parent.mkdir()
    own.write_bytes(b"1")

    Uploads(tmp_path / "uploads", max_bytes=10).discard(own)

    assert own.exists()


def test_a_refusal_reaches_a_client_that_is_still_sending(start: Callable[..., Daemon]) -> None:
    daemon = start(max_video_bytes=1000)

    answer = httpx2.post(f"{daemon.url}/analyse", trust_env=False, **form(b"\0" * 50_000_000))

    assert answer.status_code == 413
