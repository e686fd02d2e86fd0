"""What OpenAI's errors come to, against a server that answers as it does."""

import logging
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from adapters.models.computer.deciders import openai_decider
from core.errors import (
    Cancelled,
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
from tests.fakes.models.openai_chat import error
from tests.fakes.models.openai_responses import KEY, MODEL, FakeResponses, computer, says
from tests.fakes.web.servers import Response

SCREEN = draw_form((320, 180))
CLICK = says(computer({"type": "click", "button": "left", "x": 1, "y": 2}))
CUT = Response(200, CLICK.body, {"Content-Length": "99999", "Connection": "close"})
HTML = "<html><title>502 Bad Gateway</title></html>"
SLOW_DOWN = error(429, "Rate limit reached.", kind="requests", code="rate_limit_exceeded")
QUOTA = error(429, "You exceeded your current quota.", kind="insufficient_quota", code="insufficient_quota")


@pytest.fixture
def server() -> Iterator[FakeResponses]:
    with FakeResponses() as fake:
        yield fake


def decide(server: FakeResponses, raise_if_cancelled: Any = never_cancelled, **options: Any) -> Decision:
    settings: dict[str, Any] = {"key": lambda: KEY, "prompt": "Go.", "task_prompt": "", "model": MODEL, "retry": QUICK}
    with opened(openai_decider(base_url=server.base_url, **(settings | options))) as conversation:
        return conversation.decide(Observation(SCREEN), raise_if_cancelled)


class Case(NamedTuple):
    """What the server says, what comes of it, and after how many requests."""

    response: Response
    kind: type[VaiderError]
    advice: str
    tries: int


CASES = [
    Case(error(400, "Odd input."), ProviderError, '"Odd input."', 1),
    Case(error(400, "Too long.", code="context_length_exceeded"), ProviderError, "split the subtask", 1),
    Case(error(401, "Incorrect API key.", code="invalid_api_key"), InvalidCredentials, "OPENAI_API_KEY", 1),
    Case(error(404, "No such model.", code="model_not_found"), ProviderError, "replay_model", 1),
    Case(Response(404, HTML), ProviderError, "openai_base_url", 1),
    Case(QUOTA, QuotaExhausted, "raise the plan", 1),
    Case(SLOW_DOWN, RateLimited, "a minute", 4),
    Case(Response(429, SLOW_DOWN.body, {"retry-after": "90"}), RateLimited, "90 s", 1),
    Case(error(500, "Oops.", kind="server_error"), ProviderError, "500", 4),
    Case(Response(502, HTML), ProviderError, "(502", 4),
    Case(Response(drop=True), ProviderError, "cannot be reached", 4),
    Case(CUT, ProviderError, "cannot be reached", 4),
    Case(Response(200, HTML), InvalidReply, "does not answer like OpenAI", 1),
    Case(Response(200, "null"), InvalidReply, "does not answer like OpenAI", 1),
    Case(Response(200, {"object": "response"}), InvalidReply, "does not answer like OpenAI", 1),
    Case(Response(200, {"object": "response", "output": [1]}), InvalidReply, "does not answer like OpenAI", 1),
    Case(
        says({"type": "computer_call", "actions": [{"type": "wait"}]}), InvalidReply, "does not answer like OpenAI", 1
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.response.status} {case.advice}")
def test_each_refusal_has_its_class_and_its_advice_and_is_retried_or_not(server: FakeResponses, case: Case) -> None:
    server.script = [case.response] * 9
    with pytest.raises(VaiderError) as raised:
        decide(server)
    assert type(raised.value) is case.kind
    assert case.advice in raised.value.message
    assert len(server.requests) == case.tries


def test_what_passes_is_waited_for(server: FakeResponses) -> None:
    server.script = [Response(drop=True), SLOW_DOWN, CUT, CLICK]
    assert decide(server).proposals
    assert len(server.requests) == 4


def test_a_model_that_never_answers_is_stopped_from_outside(server: FakeResponses) -> None:
    hold = threading.Event()
    server.script = [Response(200, CLICK.body, hold=hold)]
    beats: list[int] = []

    def raise_if_cancelled() -> None:
        beats.append(1)
        if len(beats) > 3:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        decide(server, raise_if_cancelled)
    assert not hold.is_set()
    hold.set()


def test_the_key_is_in_no_error_and_no_log(server: FakeResponses, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [error(400, f"Your key {KEY} is odd.")]
    with pytest.raises(ProviderError) as raised:
        decide(server)
    assert KEY not in raised.value.message
    assert "<key>" in raised.value.message
    assert raised.value.__context__ is None
    assert KEY not in caplog.text


def test_only_what_the_api_needs_is_sent_along(server: FakeResponses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-mine")
    server.script = [CLICK]
    decide(server)
    headers = server.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert not {name for name in headers if name.startswith(("x-", "openai-"))}
