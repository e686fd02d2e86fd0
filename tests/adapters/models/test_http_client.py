"""What every request to a model's provider has in common, whichever API it is."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from adapters.models.api_formats import bearer
from adapters.models.failures import Provider, Refusal, read_refusal
from adapters.models.http_client import MAX_ANSWER, ModelClient
from adapters.models.retry import Patience
from core.errors import InvalidCall, InvalidReply, ProviderError
from tests.adapters.models.clip_helpers import QUICK
from tests.fakes.web.servers import FakeServer, Request, Response

KEY = "sk-of-the-first-server"


class Scripted(FakeServer):
    """Answers all requests with the same."""

    def __init__(self) -> None:
        super().__init__()
        self.response = Response(200, {"fine": True})

    def answer(self, request: Request) -> Response:
        del request
        return self.response


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as running:
        yield running


def post(address: str, **options: Any) -> dict[str, Any]:
    provider = Provider(
        title="The provider",
        address=address,
        key_place="A_KEY",
        model="m",
        model_setting="the_model",
        url_setting="the_url",
        lighter="ask less",
    )
    client = ModelClient(provider, key=KEY, headers=bearer(KEY), seconds=10, **options)
    with closing(client):
        return client.post("/ask", {"text": "\ud800 ü"}, Patience(QUICK, lambda: None))


def test_a_request_says_what_is_needed_and_nothing_of_this_machine(server: Scripted) -> None:
    assert post(f"{server.url}/v1") == {"fine": True}
    [request] = server.requests
    assert (request.method, request.path, request.query) == ("POST", "/v1/ask", {})
    assert request.json == {"text": "\ud800 ü"}
    assert request.headers["user-agent"] == "vaider"
    assert set(request.headers) == {"host", "accept", "accept-encoding", "connection", "user-agent"} | {
        "authorization",
        "content-type",
        "content-length",
    }


def test_a_redirect_is_a_refusal_and_the_other_host_gets_nothing(server: Scripted) -> None:
    with Scripted() as other:
        server.response = Response(307, None, {"Location": f"{other.url}/ask"})
        with pytest.raises(ProviderError, match="307"):
            post(server.url)
        assert len(server.requests) == 1
        assert not other.requests


def test_an_answer_without_end_is_not_read_to_it(server: Scripted) -> None:
    server.response = Response(200, {"text": "x" * MAX_ANSWER})
    with pytest.raises(InvalidReply, match="does not answer like The provider: check the_url"):
        post(server.url)
    with pytest.raises(InvalidCall, match="too long"):
        post(server.url, too_long=InvalidCall("It is too long."))
    server.response = Response(400, "x" * (MAX_ANSWER + 1))
    with pytest.raises(ProviderError, match="refused the request"):
        post(server.url)


def test_a_password_in_the_address_does_not_take_the_place_of_the_key(server: Scripted) -> None:
    post(server.url.replace("http://", "http://me:secret@"))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_proxy_of_the_environment_is_used(server: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", server.url)
    assert post("http://model.invalid/v1") == {"fine": True}
    assert server.requests[0].headers["host"] == "model.invalid"


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b'{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m"}}', "RESOURCE_EXHAUSTED", "m"),
        (b'[{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m"}}]', "RESOURCE_EXHAUSTED", "m"),
        (b'{"error": {"code": "a_code", "type": "a_type", "message": "m"}}', "a_code", "m"),
        (b'{"type": "error", "error": {"type": "rate_limit_error", "message": "m"}}', "rate_limit_error", "m"),
        (b'{"error": "the model is not loaded"}', "", "the model is not loaded"),
        (b'{"object": "error", "message": "m", "code": 429, "type": "Busy"}', "Busy", "m"),
        (b'{"error": {"message": null, "details": [1, {"violations": 5}]}}', "", ""),
        (b"Too many \xff requests", "", "Too many \ufffd requests"),
        (b"<html>model</html>", "", ""),
        (b"[]", "", ""),
        (b"", "", ""),
        (b"[" * 100_000, "", "[" * 2000),
    ],
)
def test_an_error_is_read_whichever_server_wrote_it(body: bytes, code: str, message: str) -> None:
    assert read_refusal(429, body, "7") == Refusal(429, code=code, message=message, after_seconds=7)
