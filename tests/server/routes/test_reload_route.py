"""``/reload`` over HTTP: posting, offering, listing, reporting, forgetting, exporting and importing."""

import contextlib
import http.client
import json
from collections.abc import Callable
from typing import Any

from server.security import LARGE_BODIES
from tests.fakes.daemons.memory_daemon import Daemon

TOAST = {"type": "toast.show", "id": "t-1", "message": "Reminder set for alice"}


def posted(request: str = "Reminder set for alice", **changes: Any) -> dict[str, Any]:
    return {
        "triggerType": "user_message",
        "triggerTarget": "",
        "request": request,
        "actions": [TOAST, {"type": "reminder.add", "to": "alice"}],
        "summary": "Sets a reminder",
        "succeeded": True,
        **changes,
    }


def ask(daemon: Daemon, method: str, path: str, code: int = 200, **options: Any) -> Any:
    answer = daemon.http.request(method, path, **options)
    assert answer.status_code == code, answer.text
    return answer.json()


def keep(daemon: Daemon, **changes: Any) -> str:
    return ask(daemon, "POST", "/reload", 201, json=posted(**changes))["cacheId"]


def offered(daemon: Daemon, **question: Any) -> list[dict[str, Any]]:
    return ask(daemon, "POST", "/reload/options", json=question)["options"]


def test_what_was_posted_is_offered_for_the_same_request(daemon: Daemon) -> None:
    cache_id = keep(daemon)
    (option,) = offered(daemon, triggerType="user_message", request="reminder set for alice")

    assert set(option) == {"cacheId", "match", "similarity", "label", "slots", "differs", "actions"}
    assert (option["cacheId"], option["match"], option["similarity"]) == (cache_id, "same", 1.0)
    assert option["slots"] == [{"name": "to", "value": "alice", "proposed": "alice"}]
    assert (option["label"], option["actions"], option["differs"]) == ("Sets a reminder", 2, [])


def test_another_value_is_proposed_and_given_by_the_caller(daemon: Daemon) -> None:
    keep(daemon)
    (option,) = offered(daemon, request="Set a reminder for bob")

    assert option["match"] == "offer"
    assert option["slots"] == [{"name": "to", "value": "alice", "proposed": "bob"}]
    started = ask(daemon, "POST", "/replay", 202, json={"cache_id": option["cacheId"], "values": {"to": "bob"}})
    job = ask(daemon, "GET", f"/jobs/{started['job_id']}")
    assert (job["kind"], job["request"]["values"]) == ("reload", {"to": "bob"})


def test_a_value_that_no_slot_can_have_is_refused(daemon: Daemon) -> None:
    cache_id = keep(daemon)
    for values in ({"to": " "}, {"whom": "bob"}):
        refused = ask(daemon, "POST", "/replay", 400, json={"cache_id": cache_id, "values": values})
        assert refused["code"] == "invalid_request", values


def test_who_asks_why_is_told_what_is_not_offered_and_nothing_is_counted(daemon: Daemon) -> None:
    cache_id = keep(daemon)
    failed = keep(daemon, request="Reminder set for the team")
    ask(daemon, "POST", "/reload", json=posted(request="Reminder set for the team", succeeded=False))
    before = ask(daemon, "GET", "/reload/stats")
    why = ask(daemon, "POST", "/reload/options", json={"request": "Reminder set for the team", "explain": True})

    assert [each["cacheId"] for each in why["options"]] == [cache_id]
    assert [(each["cacheId"], each["reason"]) for each in why["refused"]] == [(failed, "It failed the last time.")]
    assert ask(daemon, "GET", "/reload/stats") == before


def test_what_failed_is_not_kept_and_counts_against_what_is_the_same(daemon: Daemon) -> None:
    assert ask(daemon, "POST", "/reload", 200, json=posted(succeeded=False)) == {
        "cacheId": None,
        "reason": "What failed is not kept.",
    }
    cache_id = keep(daemon)
    said = ask(daemon, "POST", "/reload", 200, json=posted(succeeded=False))

    assert said["cacheId"] is None
    assert cache_id in said["reason"]
    assert offered(daemon, request="Reminder set for alice") == []
    assert ask(daemon, "GET", f"/reload/{cache_id}")["quarantined"]


def test_an_entry_is_told_whole_and_its_secrets_are_nowhere(daemon: Daemon) -> None:
    actions = [{"type": "login", "user": "bob", "password": "hunter-22"}]
    cache_id = keep(daemon, request="Log in with hunter-22 as bob", actions=actions, summary="hunter-22 <b>\nlogs in")
    reported = ask(daemon, "GET", f"/reload/{cache_id}")
    (line,) = ask(daemon, "GET", "/reload")["entries"]

    assert reported["label"] == "{password} (b) logs in"
    assert reported["sequence"][0]["words"] == 'login: user "bob", password "{password}"'
    assert {slot["name"]: slot["kind"] for slot in reported["slots"]} == {"password": "secret", "user": "value"}
    assert line == {name: reported[name] for name in line}
    everything = json.dumps(reported) + daemon.http.get("/reload/export").text
    assert "hunter" not in everything


def test_entries_are_listed_by_pages_and_forgotten(daemon: Daemon) -> None:
    ids = [keep(daemon, request=f"Open the garden shed of {name}") for name in ("Ann", "Bea", "Cy")]
    page = ask(daemon, "GET", "/reload", params={"limit": 2, "offset": 1})

    assert ([each["cacheId"] for each in page["entries"]], page["count"]) == ([ids[1], ids[0]], 3)
    assert ask(daemon, "DELETE", f"/reload/{ids[1]}") == {"forgotten": 1}
    assert ask(daemon, "DELETE", f"/reload/{ids[1]}", 404)["code"] == "not_found"
    assert ask(daemon, "DELETE", "/reload") == {"forgotten": 2}
    assert ask(daemon, "GET", "/reload")["entries"] == []


def test_a_report_counts_once_and_needs_a_use(daemon: Daemon) -> None:
    cache_id = keep(daemon)
    assert ask(daemon, "POST", f"/reload/{cache_id}/report", 409, json={"succeeded": True})["code"] == "conflict"
    daemon.services.reload.entries.begin_use(cache_id, "job-9")
    for _ in range(2):
        reported = ask(
            daemon, "POST", f"/reload/{cache_id}/report", json={"succeeded": False, "reason": "no", "job_id": "job-9"}
        )
        assert (reported["entry"]["useCount"], reported["entry"]["failureCount"]) == (1, 1)
        assert reported["entry"]["quarantined"] == "no"


def test_an_export_is_imported_again(daemon: Daemon) -> None:
    keep(daemon)
    file = daemon.http.get("/reload/export")
    assert file.headers["content-type"] == "application/json"
    ask(daemon, "DELETE", "/reload")
    headers = {"Content-Type": "application/json"}
    answer = ask(daemon, "POST", "/reload/import", content=file.content, headers=headers)

    assert (len(answer["cacheIds"]), answer["refused"]) == (1, [])
    assert [each["match"] for each in offered(daemon, request="Reminder set for alice")] == ["same"]
    assert ask(daemon, "GET", "/reload/stats")["entries"] == 1


def test_statistics_tell_offers_misses_and_the_hit_rate(daemon: Daemon) -> None:
    keep(daemon)
    offered(daemon, request="Reminder set for alice")
    offered(daemon, request="Knit a jumper")
    reported = ask(daemon, "GET", "/reload/stats")

    assert (reported["entries"], reported["offers"], reported["hit_rate"]) == (1, {"same": 1}, 0.0)
    assert reported["success_rate"] is None
    assert sum(reported["misses"].values()) == 1


WRONG: list[tuple[str, Any, int, str]] = [
    ("/reload/options", {"triggerType": "shout"}, 400, "invalid_request"),
    ("/reload/options", {"request": 7}, 400, "invalid_request"),
    ("/reload/options", {"query": "x"}, 400, "invalid_request"),
    ("/reload/options", {"request": "x" * 10_001}, 400, "invalid_request"),
    ("/reload", {}, 400, "invalid_request"),
    ("/reload", posted(succeeded="yes"), 400, "invalid_request"),
    ("/reload", posted(actions=[]), 400, "invalid_request"),
    ("/reload", posted(actions=[{"action": "rm -rf /"}]), 400, "invalid_request"),
    ("/reload", posted(actions=[{"what": "no type"}]), 400, "invalid_request"),
    ("/reload", posted(actions=[TOAST, {"action": "wait", "seconds": 1}]), 400, "invalid_request"),
    ("/reload", posted(actions=[{"type": "x", "to": {"$parts": [{"slot": "to"}]}}]), 400, "invalid_request"),
    ("/reload", posted(actions=[{"type": "x", "data": "y" * 100_000}]), 400, "invalid_request"),
    ("/reload", posted(actions=[{"type": "x", "data": "y" * 10_000_000}]), 413, "too_large"),
    ("/reload/import", [], 400, "invalid_request"),
    ("/reload/import", {"entries": 7}, 400, "invalid_request"),
    ("/reload/../../etc/passwd/report", {"succeeded": True}, 404, "not_found"),
    ("/reload/reload-99/report", {"succeeded": True}, 404, "not_found"),
    ("/replay", {"cache_id": "reload-99"}, 404, "not_found"),
    ("/replay", {"cache_id": "reload-1~cafe0000"}, 404, "not_found"),
    ("/replay", {"cache_id": "reload-1", "workflow": "note"}, 400, "invalid_request"),
    ("/replay", {"workflow": "note", "skip_indices": [0]}, 400, "invalid_request"),
    ("/replay", {"cache_id": "reload-1", "skip_indices": [0, 0]}, 400, "invalid_request"),
    ("/replay", {"cache_id": "reload-1", "skip_indices": [-1]}, 400, "invalid_request"),
    ("/replay", {"cache_id": "reload-1", "skip_indices": [2]}, 400, "invalid_request"),
    ("/replay", {"cache_id": "reload-1", "skip_indices": [0, 1]}, 400, "invalid_request"),
    ("/replay", {"cache_id": "reload-1", "skip_indices": "0"}, 400, "invalid_request"),
    ("/replay", {"cache_id": "reload-1", "params": {"from": "x"}}, 400, "invalid_request"),
]


def test_what_is_wrong_is_refused_in_the_one_error_shape(daemon: Daemon) -> None:
    keep(daemon)
    for path, body, status, code in WRONG:
        answer = daemon.http.post(path, json=body)

        assert (answer.status_code, answer.json()["code"]) == (status, code), (path, str(body)[:200], answer.text)
        assert answer.json()["error"].endswith(".")
    assert not daemon.http.get("/jobs").json()["jobs"]
    assert ask(daemon, "GET", "/reload")["count"] == 1


def test_a_file_that_is_too_large_is_not_read(daemon: Daemon) -> None:
    with contextlib.closing(http.client.HTTPConnection(*daemon.address, timeout=10)) as connection:
        connection.putrequest("POST", "/reload/import")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(LARGE_BODIES["/reload/import"] + 1))
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["code"]) == (413, "too_large")


def test_an_unknown_entry_says_what_to_do(daemon: Daemon) -> None:
    reported = ask(daemon, "GET", "/reload/reload-7", 404)["error"]
    assert reported.startswith("Cache entry not found. Proceed manually")


def test_switched_off_nothing_is_kept_offered_or_replayed(start: Callable[..., Daemon], daemon: Daemon) -> None:
    keep(daemon)
    off = start(reload=False)

    assert ask(off, "POST", "/reload", 200, json=posted())["cacheId"] is None
    assert offered(off, request="Reminder set for alice") == []
    assert "switched off" in ask(off, "POST", "/replay", 409, json={"cache_id": "reload-1"})["error"]
    assert ask(off, "DELETE", "/reload") == {"forgotten": 1}
