"""What Anthropic's errors come to, against a server that answers as it does."""

import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from adapters.models.computer.deciders import anthropic_decider
from core.errors import (
    BillingRequired,
    InvalidCall,
    InvalidCredentials,
    InvalidReply,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    VaiderError,
)
from core.runs.deciding import Decision, Observation
from tests.adapters.models.clip_helpers import QUICK
from tests.adapters.models.computer.plays import never_cancelled, opened
from tests.adapters.models.computer.screens import draw_form
from tests.fakes.models.anthropic_checks import OPUS_46, error
from tests.fakes.models.anthropic_messages import KEY, FakeAnthropic, calls, limited, overloaded, says
from tests.fakes.web.servers import Response

SCREEN = draw_form((320, 180))
CLICK = says(calls("computer", {"action": "left_click", "coordinate": [1, 2]}))
CUT = Response(200, CLICK.body, {"Content-Length": "99999", "Connection": "close"})
HTML = "<html><title>502 Bad Gateway</title></html>"
OWN_LIMIT = "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


def decide(server: FakeAnthropic, raise_if_cancelled: Any = never_cancelled, **options: Any) -> Decision:
    settings: dict[str, Any] = {
        "key": lambda: KEY,
        "prompt": "Go.",
        "task_prompt": "",
        "model": OPUS_46,
        "retry": QUICK,
    }
    settings |= {"base_url": server.url, **options}
    with opened(anthropic_decider(**settings)) as conversation:
        return conversation.decide(Observation(SCREEN), raise_if_cancelled)


class Case(NamedTuple):
    """What the server says, what comes of it, and after how many requests."""

    response: Response
    kind: type[VaiderError]
    advice: str
    tries: int


CASES = [
    Case(error(400, "invalid_request_error", "messages: odd"), ProviderError, '"messages: odd"', 1),
    Case(error(400, "invalid_request_error", OWN_LIMIT), QuotaExhausted, "raise the plan", 1),
    Case(error(400, "invalid_request_error", "prompt is too long: 210000 > 200000"), ProviderError, "split", 1),
    Case(
        error(400, "invalid_request_error", "Please go to Plans & Billing to upgrade."), BillingRequired, "billing", 1
    ),
    Case(error(401, "authentication_error", "invalid x-api-key"), InvalidCredentials, "ANTHROPIC_API_KEY", 1),
    Case(error(402, "billing_error", "No credit."), BillingRequired, "billing", 1),
    Case(error(403, "permission_error", "Not yours."), ProviderError, "Not yours.", 1),
    Case(error(404, "not_found_error", f"model: {OPUS_46}"), ProviderError, "has no model", 1),
    Case(Response(404, HTML), ProviderError, "anthropic_base_url", 1),
    Case(error(413, "request_too_large", "Too large."), ProviderError, "split the subtask", 1),
    Case(error(408, "timeout_error", "Too slow."), ProviderError, "in time", 4),
    Case(limited("0.5"), RateLimited, "try again in", 4),
    Case(limited("120"), RateLimited, "try again in 120 s", 1),
    Case(limited(None), RateLimited, "a minute", 4),
    Case(error(500, "api_error", "Internal."), ProviderError, "500", 4),
    Case(Response(502, HTML), ProviderError, "(502", 4),
    Case(overloaded(), ProviderError, '529, "Overloaded"', 4),
    Case(Response(drop=True), ProviderError, "cannot be reached", 4),
    Case(CUT, ProviderError, "cannot be reached", 4),
    Case(Response(200, HTML), InvalidReply, "does not answer like Anthropic", 1),
    Case(Response(200, []), InvalidReply, "does not answer like Anthropic", 1),
    Case(Response(200, {"type": "message"}), InvalidReply, "does not answer like Anthropic", 1),
    Case(says({"type": "tool_use", "id": 7}), InvalidReply, "does not answer like Anthropic", 1),
    Case(Response(200, {"type": "message", "content": ["x"]}), InvalidReply, "does not answer like Anthropic", 1),
    Case(
        says(stop="refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "Not this."}),
        ProviderError,
        "refuses to go on (Not this.)",
        1,
    ),
    Case(says(stop="refusal", stop_details=None), ProviderError, "does not say why", 1),
    Case(says(stop="model_context_window_exceeded"), ProviderError, "split it", 1),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.response.status} {case.advice}")
def test_each_refusal_has_its_class_and_its_advice_and_is_retried_or_not(server: FakeAnthropic, case: Case) -> None:
    server.script = [case.response] * 9
    with pytest.raises(VaiderError) as raised:
        decide(server)
    assert type(raised.value) is case.kind
    assert case.advice in raised.value.message
    assert len(server.requests) == case.tries


def test_while_a_model_thinks_it_is_asked_whether_to_stop(server: FakeAnthropic) -> None:
    hold = threading.Event()
    server.script = [Response(200, CLICK.body, hold=hold)]
    beats: list[int] = []

    def raise_if_cancelled() -> None:
        beats.append(1)
        if len(beats) > 4:
            hold.set()

    assert decide(server, raise_if_cancelled).proposals
    assert hold.is_set()


def test_nobody_there_is_said_with_the_address(server: FakeAnthropic) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ProviderError, match=address):
            decide(server, base_url=address)
    assert not server.requests


def test_the_key_is_in_no_error_and_no_log(server: FakeAnthropic, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [error(400, "invalid_request_error", f"Your key {KEY} and {KEY[:20]} are odd.")]
    with pytest.raises(ProviderError) as raised:
        decide(server)
    assert KEY[:20] not in raised.value.message
    assert "<key>" in raised.value.message
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    assert KEY not in caplog.text


def test_only_what_the_api_needs_is_sent_along(server: FakeAnthropic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Of-Mine: secret")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
    server.script = [CLICK]
    decide(server)
    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert not {name for name in headers if name.startswith("x-")}


@pytest.mark.parametrize("broken", ["{", '{"type": "message", "content": ' + "[" * 100_000])
def test_broken_json_is_no_crash(server: FakeAnthropic, broken: str) -> None:
    server.script = [Response(200, broken)]
    with pytest.raises(InvalidReply) as raised:
        decide(server)
    assert not isinstance(raised.value, InvalidCall)
