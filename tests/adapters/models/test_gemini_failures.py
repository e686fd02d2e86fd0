"""Every row of the table of failures, against a server that answers as Google does."""

import socket
import threading
from typing import Any, NamedTuple

import pytest

from adapters.models.failures import TABLE
from adapters.models.retry import RetryPolicy
from core.analysis import Video
from core.errors import (
    BillingRequired,
    InvalidCredentials,
    InvalidReply,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    VaiderError,
)
from tests.adapters.models.clip_helpers import QUICK, analyser, watch
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models import gemini as wire
from tests.fakes.models.gemini import FakeGemini
from tests.fakes.web.servers import Response

HTML = "<html><title>502 Bad Gateway</title></html>"
FREE_TIER_NONE = wire.error(
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your quota, … billing details.\n* Quota exceeded, limit: 0, model: x",
)
LEAKED = wire.error(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key.")
UNAUTHENTICATED = wire.error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
DISABLED = wire.error(
    403,
    "PERMISSION_DENIED",
    "Generative Language API has not been used in project 1 before or it is disabled.",
    {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED"},
)
BILLING = wire.error(400, "FAILED_PRECONDITION", "Please enable billing on your project in Google AI Studio.")
PAYMENT = wire.error(402, "PAYMENT_REQUIRED", "Payment required.")
LOCATION = wire.error(400, "FAILED_PRECONDITION", "User location is not supported for the API use.")
TOO_LONG = wire.error(
    400, "INVALID_ARGUMENT", "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."
)
NO_SUCH_PATH = Response(404, HTML)
DEADLINE = wire.error(504, "DEADLINE_EXCEEDED", "The request timed out. Please try again.")
INTERNAL = wire.error(500, "INTERNAL", "An internal error has occurred.")
ODD = wire.error(400, "INVALID_ARGUMENT", "Request contains an invalid argument.")
DAILY = wire.exhausted(quota="GenerateRequestsPerDayPerProjectPerModel-FreeTier", delay="3s")


class Case(NamedTuple):
    """A row of the table, what the server says, and what comes of it."""

    row: str
    response: Response
    kind: type[ProviderError]
    advice: str
    tries: int


CASES = [
    Case("key leaked", LEAKED, InvalidCredentials, "make a new one", 1),
    Case("no key", wire.no_key(), InvalidCredentials, "GOOGLE_API_KEY", 1),
    Case("key may not use this API", DISABLED, InvalidCredentials, "enable the API", 1),
    Case("key refused", wire.bad_key(), InvalidCredentials, "refuses the key", 1),
    Case(
        "key refused", wire.error(401, "UNAUTHENTICATED", "Bad credentials."), InvalidCredentials, "refuses the key", 1
    ),
    Case("billing", BILLING, BillingRequired, "billing", 1),
    Case("billing", PAYMENT, BillingRequired, "billing", 1),
    Case("billing", FREE_TIER_NONE, BillingRequired, "gemini_model", 1),
    Case("quota of the day", DAILY, QuotaExhausted, "next day", 1),
    Case("rate", wire.exhausted(delay="0.5s"), RateLimited, "try again in", 4),
    Case("rate", wire.exhausted(delay=None), RateLimited, "try again in a minute", 4),
    Case("location", LOCATION, ProviderError, "not offered where this machine is", 1),
    Case("address unknown", NO_SUCH_PATH, ProviderError, "gemini_base_url", 1),
    Case("too long", TOO_LONG, ProviderError, "analyse a shorter clip", 1),
    Case("slow", DEADLINE, ProviderError, "in time", 4),
    Case("slow", wire.error(408, "CANCELLED", "Request timeout"), ProviderError, "in time", 4),
    Case("server fault", wire.overloaded(), ProviderError, "overloaded", 4),
    Case("server fault", INTERNAL, ProviderError, "500", 4),
    Case("server fault", Response(502, HTML), ProviderError, "(502", 4),
    Case("anything else", ODD, ProviderError, '"Request contains an invalid argument."', 1),
]


def failure(server: FakeGemini, clip: Video, **options: Any) -> VaiderError:
    with pytest.raises(VaiderError) as raised:
        watch(analyser(server, **options), clip)
    return raised.value


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.response.status} {case.row}")
def test_each_refusal_has_its_class_and_its_advice_and_is_retried_or_not(
    gemini: FakeGemini, clip: Video, case: Case
) -> None:
    gemini.scripts["generate"] = [case.response] * 9
    error = failure(gemini, clip)

    assert type(error) is case.kind
    assert case.advice in error.message
    assert error.details["upstream_status"] == case.response.status
    assert gemini.count("generate") == case.tries
    assert not gemini.files, "the upload was left behind"


@pytest.mark.parametrize("route", ["start", "chunk", "get"])
def test_a_refusal_on_the_way_means_what_it_means_at_the_end(gemini: FakeGemini, clip: Video, route: str) -> None:
    gemini.scripts[route] = [wire.bad_key()]
    assert failure(gemini, clip).code == "invalid_credentials"
    assert gemini.count(route) == 1
    gemini.scripts[route] = [Response(502, HTML)] * 9
    assert failure(gemini, clip).details == {"upstream_status": 502}
    assert gemini.count(route) == 1 + 4
    assert not gemini.files


def test_every_row_of_the_table_has_a_case() -> None:
    elsewhere = {"model unknown", "unreachable"}
    assert {one.name for one in TABLE} == {case.row for case in CASES} | elsewhere


def test_an_unknown_model_is_answered_with_the_setting_that_names_it(gemini: FakeGemini, clip: Video) -> None:
    error = failure(gemini, clip, model="gemini-9")
    assert error.message == "Gemini has no model 'gemini-9': set gemini_model to one that it has."


def test_a_wrong_key_and_a_missing_one_are_told_apart_from_the_rest(gemini: FakeGemini, clip: Video) -> None:
    assert failure(gemini, clip, key="AIzaSomebodyElses").code == "invalid_credentials"
    assert failure(gemini, clip, key=None).code == "invalid_credentials"
    assert gemini.count("start") == 1


def test_a_refused_connection_is_retried_and_says_the_address(clip: Video) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        policy = RetryPolicy(attempts=2, first_seconds=0.5, sleep=sleep, jitter=lambda: 1.0)
        with pytest.raises(ProviderError, match=address):
            watch(analyser(base_url=address, retry=policy), clip)
    assert sum(waits) == 0.5 + 1.0


def test_a_silent_server_is_given_up_after_the_request_timeout(gemini: FakeGemini, clip: Video) -> None:
    release = threading.Event()
    gemini.scripts["generate"] = [Response(hold=release)] * 2
    policy = RetryPolicy(attempts=1, sleep=QUICK.sleep)
    error = failure(gemini, clip, request_seconds=0.2, retry=policy)
    release.set()
    assert "did not answer in time" in error.message
    assert gemini.count("generate") == 2
    assert not gemini.files


@pytest.mark.parametrize("route", ["start", "chunk", "get", "generate"])
def test_a_passing_fault_anywhere_is_got_over(gemini: FakeGemini, clip: Video, route: str) -> None:
    gemini.scripts[route] = [wire.overloaded()]
    watch(analyser(gemini), clip)
    assert gemini.count(route) == 2
    assert not gemini.files


def test_an_upload_whose_answer_was_lost_is_found_again(gemini: FakeGemini, clip: Video) -> None:
    gemini.lose_final_answer = True
    watch(analyser(gemini), clip)
    assert len(gemini.deleted) == 1
    assert not gemini.files


@pytest.mark.parametrize(
    ("answer", "advice"),
    [
        (wire.blocked(), "PROHIBITED_CONTENT"),
        (wire.says("", finish="SAFETY"), "withheld its answer (SAFETY)"),
        (wire.says('{"first_screen": [', finish="MAX_TOKENS"), "cut off"),
        (wire.says(""), "answered with nothing"),
        (Response(200, {"candidates": [{"finishReason": "STOP"}]}), "answered with nothing"),
        (Response(200, {}), "refused to look"),
        (Response(200, "<html>Welcome to the hotel's wireless network</html>"), "does not answer like Gemini"),
    ],
)
def test_an_answer_that_is_none_says_what_to_do(gemini: FakeGemini, clip: Video, answer: Response, advice: str) -> None:
    gemini.scripts["generate"] = [answer]
    error = failure(gemini, clip)
    assert type(error) is InvalidReply
    assert advice in error.message
    assert gemini.count("generate") == 1
    assert not gemini.files


def test_an_upload_that_cannot_be_read_and_one_that_is_never_ready_say_so(clip: Video) -> None:
    with wire.FakeGemini(processing_fails=True) as server:
        assert "cannot read this video" in failure(server, clip).message
        assert not server.files
    with wire.FakeGemini(polls=9) as server:
        assert "not ready" in failure(server, clip, poll_tries=3).message
        assert server.count("get") == 3
        assert not server.files


def test_a_key_in_what_the_provider_says_is_not_passed_on(
    gemini: FakeGemini, clip: Video, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    gemini.scripts["generate"] = [wire.error(400, "INVALID_ARGUMENT", f"Strange key {wire.KEY} in ?key={wire.KEY}.")]
    gemini.scripts["delete"] = [wire.overloaded()] * 2
    error = failure(gemini, clip)
    shown = f"{error!r} {error.to_json()} {error.__cause__!r} {error.__context__!r} {caplog.text}"
    assert wire.KEY not in shown
    assert "<key>" in error.message
    assert "could not be deleted" in caplog.text
    assert wire.KEY not in repr(vars(analyser(gemini)))


def test_a_failed_deletion_is_a_warning_of_the_answer(gemini: FakeGemini, clip: Video) -> None:
    gemini.scripts["delete"] = [wire.overloaded()] * 2
    context = FakeContext()
    found = watch(analyser(gemini), clip, context=context)
    assert "after 48 hours" in found.warnings[0]
