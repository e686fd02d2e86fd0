"""``/keys``: what is saved is told, kept and forgotten; a key never comes back."""

import json
from typing import Any

import pytest

from adapters.keys import KEY_KINDS
from tests.fakes.daemons.memory_daemon import Daemon

KEY = "AIza" + "OfNobodyAtAll_0123456789"
"""Put together at run time, as in ``tests/canary.py``."""


def names(answer: Any) -> dict[str, dict[str, Any]]:
    return {key["name"]: key for key in answer.json()["keys"]}


def test_a_key_is_kept_told_as_saved_and_forgotten(daemon: Daemon) -> None:
    before = daemon.http.get("/keys")
    put = daemon.http.put("/keys/gemini", json={"key": KEY, "store": "file"})
    after = daemon.http.get("/keys")
    used = daemon.services.keys.get("gemini")
    removed = daemon.http.delete("/keys/gemini")
    again = daemon.http.delete("/keys/gemini")

    assert (before.json()["keyring"], list(names(before))) == ("none", list(KEY_KINDS))
    assert not any(key["saved"] for key in names(before).values())
    assert (put.status_code, put.json()["saved"], put.json()["source"]) == (200, True, "file")
    assert names(after)["gemini"] == put.json()
    assert used == KEY
    assert (removed.status_code, removed.json()["saved"]) == (200, False)
    assert (again.status_code, again.json()["code"]) == (404, "not_found")
    assert daemon.services.keys.get("gemini") is None
    for answer in (before, put, after, removed, again):
        assert KEY not in answer.text


def test_without_a_keyring_nothing_is_kept_unless_a_file_is_asked_for(daemon: Daemon) -> None:
    answer = daemon.http.put("/keys/gemini", json={"key": KEY})

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert "no keyring" in answer.json()["error"]
    assert not (daemon.services.settings.data_path / "keys.json").exists()


@pytest.mark.parametrize(
    "body",
    [
        {"key": [KEY]},
        {"key": {"key": KEY}},
        {KEY: "gemini"},
        {"key": "k", KEY: 1},
        {"key": "k", "store": KEY},
        {"key": ""},
        {"key": KEY * 400},
        {"key": KEY + " with a space", "store": "file"},
        {"key": KEY + "\u00e9", "store": "file"},
        {"key": None},
        {},
        [KEY],
        KEY,
    ],
)
def test_a_body_that_is_wrong_is_refused_and_no_word_of_it_comes_back(
    daemon: Daemon, body: Any, caplog: pytest.LogCaptureFixture
) -> None:
    answer = daemon.http.put("/keys/gemini", json=body)

    assert answer.status_code == 400
    assert KEY not in answer.text
    assert KEY not in caplog.text
    assert not daemon.services.keys.status_of("gemini").saved


def test_what_is_no_json_is_refused_and_no_word_of_it_comes_back(daemon: Daemon) -> None:
    text = daemon.http.put("/keys/gemini", content=KEY, headers={"Content-Type": "application/json"})
    form = daemon.http.put("/keys/gemini", data={"key": KEY})
    large = daemon.http.put("/keys/gemini", json={"key": KEY * 100_000})

    assert [answer.status_code for answer in (text, form, large)] == [400, 415, 413]
    assert not [answer for answer in (text, form, large) if KEY in answer.text]


@pytest.mark.parametrize("name", ["germini", KEY[:20], "a" * 21])
def test_a_name_that_there_is_not_is_refused(daemon: Daemon, name: str) -> None:
    put = daemon.http.put(f"/keys/{name}", json={"key": "k", "store": "file"})
    removed = daemon.http.delete(f"/keys/{name}")

    assert {put.status_code, removed.status_code} <= {400, 404}
    assert KEY[:20] not in put.text + removed.text


def test_a_file_of_keys_that_others_can_read_is_told_with_its_mend(daemon: Daemon) -> None:
    daemon.http.put("/keys/gemini", json={"key": KEY, "store": "file"})
    file = daemon.services.settings.data_path / "keys.json"
    file.chmod(0o644)
    reported = names(daemon.http.get("/keys"))["gemini"]
    put = daemon.http.put("/keys/openai", json={"key": "k", "store": "file"})

    assert (reported["saved"], reported["source"]) == (False, None)
    assert f"chmod 600 {file}" in reported["problem"]
    assert (put.status_code, json.loads(file.read_text())) == (409, {"gemini": KEY})
