"""``/clients`` and ``/doctor``: what to copy, and what works here."""

import json
import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from server.setup.init import snippets
from tests.canary import CANARY
from tests.fakes.daemons.memory_daemon import Daemon


def texts(answer: Any) -> dict[str, str]:
    return {snippet["name"]: snippet["text"] for snippet in answer.json()["snippets"]}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_the_address_is_the_one_that_was_asked(daemon: Daemon, host: str) -> None:
    port = daemon.address[1]
    answer = daemon.http.get("/clients", headers={"Host": f"{host}:{port}"})
    found = texts(answer)

    url = f"http://{host}:{port}"
    assert answer.json()["url"] == url
    assert json.loads(found["cursor"]) == {"mcpServers": {"vaider": {"url": f"{url}/mcp"}}}
    assert json.loads(found["claude-code"]) == {"mcpServers": {"vaider": {"type": "http", "url": f"{url}/mcp"}}}
    assert json.loads(found["stdio"])["mcpServers"]["vaider"] == {"command": "vaider", "args": ["mcp", "--stdio"]}
    assert shlex.split(found["claude-code-command"])[-1] == f"{url}/mcp"
    assert shlex.split(found["curl-analyse"])[-1] == f"{url}/analyse"
    assert json.loads(shlex.split(found["curl-analyse"])[4].removeprefix("metadata=")) == {
        "expectations": ['"Order 1042 confirmed" is shown']
    }


def test_where_a_token_is_needed_it_is_named_and_not_told(start: Callable[..., Daemon]) -> None:
    daemon = start(host="0.0.0.0")  # noqa: S104 - said, not bound
    (daemon.services.settings.data_path).mkdir(parents=True, exist_ok=True)
    (daemon.services.settings.data_path / "token").write_text("not-to-be-told")
    answer = daemon.http.get("/clients", headers={"Authorization": f"Bearer {daemon.credentials.secret}"})
    found = texts(answer)

    assert answer.json()["token_needed"] is True
    assert "not-to-be-told" not in answer.text
    assert json.loads(found["cursor"])["mcpServers"]["vaider"]["headers"] == {
        "Authorization": "Bearer ${env:VAIDER_TOKEN}"
    }
    assert "Authorization: Bearer $VAIDER_TOKEN" in found["curl"]
    assert "Authorization: Bearer $VAIDER_TOKEN" in found["claude-code-command"]


def test_no_snippet_names_what_no_template_has() -> None:
    assert not [
        each for needed in (True, False) for each in snippets("http://h:1", token_needed=needed) if "$URL" in each.text
    ]


def test_the_daemon_examines_itself_without_asking_itself_one_at_a_time(daemon: Daemon) -> None:
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(daemon.http.get, "/doctor", timeout=60) for _ in range(2)]
        answers = [each.result() for each in asked]
    report = answers[0].json()
    checks = {check["name"]: check for check in report["checks"]}

    assert [answer.status_code for answer in answers] == [200, 200]
    assert {"python", "video decoding", "reading text", "data directory", "keyring", "key gemini"} <= checks.keys()
    assert "daemon" not in checks
    assert "h264" in checks["video decoding"]["detail"]
    assert (checks["provider gemini"]["state"], checks["provider gemini"]["advice"]) == (
        "note",
        "there is no key; set GOOGLE_API_KEY",
    )
    assert report["ok"] is True, report
    assert {"vaider", "python", "av"} <= report["versions"].keys()
    assert CANARY not in answers[0].text


def test_the_samples_are_told_with_what_to_expect_of_them_and_nothing_else_is_sent(daemon: Daemon) -> None:
    reported = daemon.http.get("/samples").json()["samples"]
    video = daemon.http.get("/samples/checkout.mp4")
    others = [daemon.http.get(f"/samples/{name}") for name in ("checkout.mp4.expect.txt", "..%2fREADME.md", "x")]

    assert [(sample["name"], len(sample["expectations"])) for sample in reported] == [("checkout.mp4", 3)]
    assert (video.headers["content-type"], len(video.content)) == ("video/mp4", reported[0]["size_bytes"])
    assert {answer.status_code for answer in others} == {404}
