"""Other accounts of the same machine need the daemon's token; the kernel says whose a connection is."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.client.address import address
from server.client.jobs import health
from server.security import account_of, can_ask, is_own
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.daemons.other_account import NOBODY, STRANGER, Request, answers_for, needs_root

ROOT = Path(__file__).parents[2]
CLIP = ROOT / "tests" / "clips" / "still.mp4"
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}},
}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    daemon = Process(tmp_path_factory.mktemp("own") / "data")
    try:
        yield daemon.started()
    finally:
        daemon.close()


def upload() -> Request:
    boundary = "b0undary"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="video"; filename="still.mp4"\r\n\r\n'
    body = head.encode() + CLIP.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
    return Request("POST", "/analyse", {"Content-Type": f"multipart/form-data; boundary={boundary}"}, body)


def writes(video: Path) -> list[Request]:
    bodies = {
        "/analyse": {"video_path": str(video)},
        "/recorder": {"action": "start"},
        "/replay": {"workflow": "parcel-form"},
        "/mcp": INITIALIZE,
    }
    return [Request("POST", path, JSON, json.dumps(body).encode()) for path, body in bodies.items()]


@needs_root
@pytest.mark.parametrize("account", [NOBODY, STRANGER])
def test_another_account_gets_nothing_from_any_route(real: Process, tmp_path: Path, account: int) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    (private / "secret.mp4").write_bytes(CLIP.read_bytes())
    paths = real.http.get("/openapi.json").json()["paths"]
    requests = [
        Request(method.upper(), re.sub(r"{.*?}", "1", path), JSON, b"{}")
        for path, methods in paths.items()
        for method in methods
    ]
    requests += [upload(), *writes(private / "secret.mp4"), Request("GET", "/memory?query=bank"), Request("GET", "/")]
    requests += [Request("GET", path) for path in ("/health", "/events", "/mcp", "/docs", "/nothing", "/ui/tasks")]

    answers = answers_for(account, real.port, requests)

    for request, answer in zip(requests, answers, strict=True):
        if request[:2] == ("POST", "/session"):
            assert answer.status == 400, answer
            continue
        assert answer.status == 401, request
        assert answer.json()["code"] == "forbidden"
        assert "Authorization: Bearer" in answer.json()["error"]
        assert str(real.data) not in str(answer)
    assert len(requests) > 80
    assert real.http.get("/jobs").json()["jobs"] == []
    assert not list((real.data / "uploads").glob("*/*"))


@pytest.mark.nightly
@needs_root
def test_another_account_that_has_the_token_can_do_everything(real: Process) -> None:
    token = {"Authorization": f"Bearer {(real.data / 'token').read_text().strip()}"}
    asked = [upload(), Request("GET", "/jobs"), Request("GET", "/events?after=0"), writes(CLIP)[-1]]
    requests = [request._replace(headers={**request.headers, **token}) for request in asked]

    analysed, jobs, events, session = answers_for(STRANGER, real.port, requests)

    assert analysed.status == 200, analysed
    assert jobs.json()["jobs"][0]["id"] == analysed.json()["job_id"]
    assert (events.status, session.status) == (200, 200)
    assert b"serverInfo" in session.content


@needs_root
def test_a_browser_of_another_account_signs_in_with_the_token(daemon: Daemon) -> None:
    html = {"Accept": "text/html"}
    token = daemon.credentials.secret
    sign_in = Request("POST", "/session", JSON, json.dumps({"token": token}).encode())

    page, signed_in = answers_for(STRANGER, daemon.address[1], [Request("GET", "/", html), sign_in])
    cookie = signed_in.headers["set-cookie"].partition(";")[0]
    jobs, write = answers_for(
        STRANGER,
        daemon.address[1],
        [
            Request("GET", "/jobs", {"Cookie": cookie}),
            Request("DELETE", "/jobs/1", {"Cookie": cookie, "Origin": daemon.url}),
        ],
    )

    assert page.status == 401
    assert b"Sign in to Vaider" in page.content
    assert daemon.credentials.page.encode() not in page.content
    assert (jobs.status, write.status, write.json()["code"]) == (200, 403, "stale_page")


@needs_root
def test_the_daemons_own_account_and_root_need_no_token() -> None:
    script = """
import os, socket, sys
from server.security import account_of, can_ask, is_own
listener = socket.create_server(("127.0.0.1", 0))
os.setresgid(4242, 4242, 4242)
os.setresuid(4242, 4242, 4242)
own = socket.create_server(("127.0.0.1", 0))
own.settimeout(20)
print(own.getsockname()[1], can_ask(own), can_ask(listener), flush=True)
for _ in range(3):
    peer, _ = own.accept()
    account = account_of(peer.getpeername(), peer.getsockname())
    print(account, is_own(account), flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "."},
    ) as process:
        assert process.stdout
        port, *asks = process.stdout.readline().split()
        reported: list[str] = []
        for account in (0, 4242, 4243):
            connect = f"""
import os, socket, sys
os.setresuid({account}, {account}, {account})
client = socket.socket()
client.connect(("127.0.0.1", {port}))
sys.stdin.read()
"""
            with subprocess.Popen([sys.executable, "-c", connect], stdin=subprocess.PIPE):
                reported.append(process.stdout.readline().strip())

    # A listener of another account does not show that the kernel can tell whose this process's own connections are.
    assert asks == ["True", "False"]
    assert reported == ["0 True", "4242 True", "4243 False"]


def connected(listener: socket.socket, family: int, to: tuple[str, int]) -> tuple[socket.socket, socket.socket]:
    client = socket.socket(family)
    client.connect(to)
    return client, listener.accept()[0]


@pytest.mark.parametrize(
    ("bound", "family", "host"),
    [
        ("127.0.0.1", socket.AF_INET, "127.0.0.1"),
        ("127.0.0.1", socket.AF_INET6, "::ffff:127.0.0.1"),
        ("::ffff:127.0.0.1", socket.AF_INET, "127.0.0.1"),
        ("::1", socket.AF_INET6, "::1"),
    ],
)
def test_the_account_of_a_connection_is_known_until_its_program_closes_it(bound: str, family: int, host: str) -> None:
    listening = socket.AF_INET6 if ":" in bound else socket.AF_INET
    with socket.socket(listening) as listener:
        listener.bind((bound, 0))
        listener.listen()
        client, server = connected(listener, family, (host, listener.getsockname()[1]))
        with client, server:
            peer, own = server.getpeername(), server.getsockname()
            assert can_ask(listener)
            assert account_of(peer, own) == os.geteuid()
            client.shutdown(socket.SHUT_WR)
            assert server.recv(1) == b""
            assert account_of(peer, own) == os.geteuid()
            client.close()
            # The kernel has it for a while yet, with the user id 0.
            assert account_of(peer, own) is None
            server.close()
            assert account_of(peer, own) is None


def test_a_socket_that_is_not_connected_to_us_belongs_to_no_account() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_server(("127.0.0.1", 0)) as other:
        own = listener.getsockname()
        client, server = connected(listener, socket.AF_INET, own)
        with client, server:
            # A listening socket at the peer's address, a connection to somebody else, an address of no socket.
            assert account_of(other.getsockname(), own) is None
            assert account_of(client.getsockname(), other.getsockname()) is None
            assert account_of(("127.0.0.1", 1), own) is None
    assert not is_own(None)


@needs_root
def test_a_peer_that_has_hung_up_when_it_is_accepted_is_not_taken_for_root(real: Process) -> None:
    body = json.dumps({"video_path": str(CLIP), "use_cache": False}).encode()
    head = "POST /analyse HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}"
    sent = "\r\n".join((*head, "", "")).encode() + body
    script = f"""
import os, socket
os.setresuid({STRANGER}, {STRANGER}, {STRANGER})
with socket.socket() as daemon:
    daemon.connect(("127.0.0.1", {real.port}))
    daemon.sendall({sent!r})
"""
    before = real.http.get("/jobs").json()

    real.process.send_signal(signal.SIGSTOP)
    try:
        subprocess.run([sys.executable, "-c", script], check=True)
    finally:
        real.process.send_signal(signal.SIGCONT)

    # Connections are accepted in their order: this one is answered after that one was.
    assert real.http.get("/health", headers={"Connection": "close"}).status_code == 200
    assert real.http.get("/jobs").json() == before


def test_with_require_token_the_own_account_needs_it_too(start: Callable[..., Daemon]) -> None:
    daemon = start(require_token=True)
    settings = daemon.services.settings.model_copy(update={"port": daemon.address[1]})
    token = daemon.credentials.secret

    assert daemon.http.get("/jobs").json()["access"] == "closed"
    assert daemon.http.get("/jobs", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert daemon.http.get("/clients", headers={"Authorization": f"Bearer {token}"}).json()["token_needed"] is True
    # Commands send it where the settings say so, and only there.
    assert health(address(settings, {"VAIDER_TOKEN": token})) is not None
    assert address(settings.model_copy(update={"require_token": False}), {"VAIDER_TOKEN": token}).token is None


def test_where_the_kernel_cannot_be_asked_the_doctor_says_what_to_do() -> None:
    # A user namespace without any id of its own: in it, every account has the same number.
    namespace = ["unshare", "--user"]
    if subprocess.run([*namespace, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this machine lets no process make a user namespace")
    script = """
from config.settings import load_settings
from server.setup.doctor import accounts
for required in (False, True):
    check = accounts(load_settings(environment={}, flags={"require_token": required}))
    print(check.state, check.advice)
"""
    reported = subprocess.run(
        [*namespace, sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT
    )

    assert reported.stdout.splitlines() == ["note Set require_token = true if other people use this machine.", "ok "]


@needs_root
def test_commands_of_another_account_work_as_without_a_daemon(daemon: Daemon) -> None:
    script = f"""
import os
from server.client.address import Address
from server.client.jobs import health
print(health(Address({daemon.url!r}, None)) is not None)
os.setresuid({STRANGER}, {STRANGER}, {STRANGER})
print(health(Address({daemon.url!r}, None)))
"""
    reported = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT)

    assert reported.stdout.split() == ["True", "None"]


def test_a_page_cannot_switch_the_token_off(daemon: Daemon) -> None:
    answer = daemon.http.patch("/settings", json={"require_token": False})

    assert (answer.status_code, "who can reach the daemon" in answer.json()["error"]) == (403, True)
