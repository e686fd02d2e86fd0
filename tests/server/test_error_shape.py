import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.errors import VaiderError
from server.http.errors import status_of
from tests.clock import until
from tests.fakes.daemons.memory_daemon import Daemon, form

FAILURES: list[tuple[str, str, int, str]] = [
    ("GET", "/nothing", 404, "not_found"),
    ("GET", "/jobs/", 404, "not_found"),
    ("PUT", "/jobs", 405, "method_not_allowed"),
    ("POST", "/replay", 415, "unsupported_media_type"),
    ("GET", "/analyse", 405, "method_not_allowed"),
    ("DELETE", "/health", 405, "method_not_allowed"),
    ("OPTIONS", "/events", 405, "method_not_allowed"),
    ("GET", "/jobs/nobody", 404, "not_found"),
    ("GET", "/jobs/nobody/frames/a.png", 404, "not_found"),
    ("GET", "/jobs/nobody/frames/..%2fa.png", 404, "not_found"),
    ("DELETE", "/jobs/nobody", 404, "not_found"),
    ("GET", "/jobs?limit=many", 400, "invalid_request"),
    ("GET", "/jobs?state=unheard-of", 400, "invalid_request"),
    ("GET", "/events?after=-1", 400, "invalid_request"),
    ("GET", "/jobs/" + "x" * 200, 400, "invalid_request"),
    ("POST", "/analyse", 415, "unsupported_media_type"),
]


@pytest.mark.parametrize(("method", "path", "status", "code"), FAILURES)
def test_every_failure_has_the_one_shape(daemon: Daemon, method: str, path: str, status: int, code: str) -> None:
    answer = daemon.http.request(method, path)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["error"].endswith(".")


def test_a_wrong_parameter_is_named(daemon: Daemon) -> None:
    assert daemon.http.get("/jobs?limit=many").json()["field"] == "limit"


def test_a_fault_of_ours_tells_nothing_but_that(daemon: Daemon, caplog: pytest.LogCaptureFixture) -> None:
    daemon.jobs.broken = RuntimeError("secret of /home/somebody")

    answer = daemon.http.get("/jobs")

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    until(lambda: "secret of /home/somebody" in caplog.text)


def test_what_a_stop_breaks_off_is_told_that_the_daemon_stops(daemon: Daemon) -> None:
    # As if another examination took long.
    asyncio.run(daemon.services.examining.acquire())
    with ThreadPoolExecutor() as aside:
        asked = aside.submit(daemon.http.get, "/doctor")
        until(lambda: len(daemon.server.server_state.tasks) == 1)
        daemon.server.stop()
        answer = asked.result()

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.json()["error"] == "The daemon stops now; ask it again when it is back."


def test_a_fault_in_the_middle_of_a_call_that_waits_has_the_shape_too(daemon: Daemon) -> None:
    daemon.jobs.broken = OSError("secret")

    answer = daemon.http.post("/analyse", **form())

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")


STATUSES = {
    400: {"CallerError", "InvalidRequest", "InvalidPath", "InvalidVideo", "InvalidSetting", "InvalidWorkflow"}
    | {"NoTask"},
    403: {"Forbidden"},
    404: {"NotFound", "ForgottenMeanwhile"},
    408: {"TimedOut"},
    409: {"Conflict", "Cancelled", "DailyCallsSpent", "DesktopUnavailable", "TakenOver"},
    413: {"TooLarge"},
    429: {"Throttled"},
    500: {"VaiderError", "Internal", "ProviderError", "InvalidCredentials", "RateLimited", "QuotaExhausted"}
    | {"BillingRequired", "InvalidReply", "InvalidCall", "ActionFailed", "DesktopLost", "Interrupted"}
    | {"EffectUnreadable"},
    507: {"StorageFailed"},
}


def _kinds(root: type[VaiderError] = VaiderError) -> list[type[VaiderError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in _kinds(child))]


def test_every_kind_of_error_has_its_status() -> None:
    found = {status: {kind.__name__ for kind in _kinds() if status_of(kind.code) == status} for status in STATUSES}

    assert found == STATUSES
    assert set().union(*STATUSES.values()) == {kind.__name__ for kind in _kinds()}


def test_every_route_documents_itself_and_its_failures(daemon: Daemon) -> None:
    schema = daemon.http.get("/openapi.json").json()

    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            assert {"400", "401", "403", "421", "500"} <= operation["responses"].keys()
            assert "422" not in operation["responses"]
            for status, answer in operation["responses"].items():
                assert answer["description"]
                if status >= "400":
                    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorBody")
