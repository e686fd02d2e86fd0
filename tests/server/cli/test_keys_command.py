"""``vaider keys``: kept after a yes, asked for without echo, and noticed by the daemon that runs."""

import json
import os
import pty
import select
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.canary import CANARY
from tests.fakes.daemons.commands import VAIDER, daemon, vaider

KEY = "a-key-of-nobody-0123"
PATIENCE = 30.0


def talk(*arguments: str, folder: Path, answers: list[tuple[str, str]]) -> tuple[int, str, str]:
    """Run a command on a terminal, and answer each prompt when it is there; its code, stdout and what was shown."""
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    command = [VAIDER, "keys", *arguments, "--data-dir", str(folder)]
    process = subprocess.Popen(
        command, cwd=folder, stdin=follower, stdout=subprocess.PIPE, stderr=follower, env=environment, text=True
    )
    shown, reported = "", 0
    for prompt, answer in answers:
        shown = _until(leader, shown, prompt, reported)
        reported = shown.index(prompt, reported) + len(prompt)
        os.write(leader, f"{answer}\n".encode())
    stdout, _ = process.communicate(timeout=PATIENCE)
    os.close(follower)
    shown = _until(leader, shown, None, 0)
    os.close(leader)
    return process.returncode, stdout, shown


def _until(leader: int, shown: str, prompt: str | None, start: int) -> str:
    end = time.monotonic() + PATIENCE
    while prompt is None or prompt not in shown[start:]:
        assert time.monotonic() < end, shown
        if select.select([leader], [], [], 1 if prompt else 0)[0]:
            try:
                shown += os.read(leader, 4096).decode()
            except OSError:
                return shown
        elif prompt is None:
            return shown
    return shown


def kept(folder: Path) -> dict[str, str]:
    file = folder / "keys.json"
    return json.loads(file.read_text()) if file.exists() else {}


def _json(*arguments: str, folder: Path, given: str | None = None) -> dict[str, Any]:
    done = vaider("keys", *arguments, "--json", "--data-dir", str(folder), cwd=folder, given=given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("said", "code", "is_kept"),
    [("y", 0, True), ("n", 2, False), pytest.param("", 2, False, marks=pytest.mark.nightly)],
)
def test_without_a_keyring_a_key_goes_to_a_file_only_after_a_yes(
    tmp_path: Path, said: str, code: int, *, is_kept: bool
) -> None:
    answers = [("which only you can read? [y/N]:", said), ("Key of openai:", KEY)]
    returned, _, shown = talk("set", "openai", folder=tmp_path, answers=answers[: 1 + is_kept])

    assert returned == code
    assert kept(tmp_path) == ({"openai": KEY} if is_kept else {})
    assert KEY not in shown
    assert is_kept or "set OPENAI_API_KEY in the environment" in shown


def test_a_piped_key_is_kept_told_and_removed(tmp_path: Path) -> None:
    refused = vaider("keys", "set", "openai", "--data-dir", str(tmp_path), cwd=tmp_path, given=f"{KEY}\n")
    put = _json("set", "openai", "--file", folder=tmp_path, given=f"{KEY}\n")
    listed = _json("list", folder=tmp_path)
    stored = kept(tmp_path)
    removed = _json("remove", "openai", folder=tmp_path)
    _json("set", "openai", "--file", folder=tmp_path, given=KEY)
    older = vaider("keys", "rm", "openai", "--data-dir", str(tmp_path), cwd=tmp_path)

    assert (refused.returncode, "--file" in refused.stderr) == (2, True)
    assert (put["saved"], put["source"]) == (True, "file")
    assert put in listed["keys"]
    assert stored == {"openai": KEY}
    assert removed["saved"] is False
    assert older.returncode == 0
    assert kept(tmp_path) == {}
    assert " rm " not in vaider("keys", "--help", cwd=tmp_path).stdout


def test_a_key_as_an_argument_is_refused_and_not_repeated(tmp_path: Path) -> None:
    done = vaider("keys", "set", "openai", KEY, cwd=tmp_path)
    for_a_name = vaider("keys", "set", f"Sk{KEY}", "--file", cwd=tmp_path, given="x\n")

    assert (done.returncode, for_a_name.returncode) == (2, 2)
    assert "never an argument" in done.stderr
    assert KEY not in done.stdout + done.stderr + for_a_name.stdout + for_a_name.stderr


def test_it_is_told_that_the_environment_wins(tmp_path: Path) -> None:
    put = vaider("keys", "set", "gemini", "--file", "--data-dir", str(tmp_path), cwd=tmp_path, given=f"{KEY}\n")
    removed = vaider("keys", "remove", "gemini", "--data-dir", str(tmp_path), cwd=tmp_path)

    assert "GOOGLE_API_KEY of the environment still wins over it" in put.stderr
    assert "GOOGLE_API_KEY of the environment still holds one" in removed.stderr
    assert CANARY not in put.stderr + removed.stderr


def test_setup_asks_once_for_what_is_missing_and_an_empty_answer_skips(tmp_path: Path) -> None:
    vaider("keys", "set", "openai", "--file", "--data-dir", str(tmp_path), cwd=tmp_path, given=f"{KEY}\n")
    answers = [
        ("which only you can read? [y/N]:", "y"),
        ("Key of gemini (Enter = skip):", "two words"),
        ("Key of gemini (Enter = skip):", f"{KEY}-g"),
        ("Key of anthropic (Enter = skip):", ""),
        ("Key of dashscope (Enter = skip):", f"{KEY}-d"),
    ]
    returned, stdout, shown = talk("setup", "--json", folder=tmp_path, answers=answers)

    assert returned == 0
    assert kept(tmp_path) == {"openai": KEY, "gemini": f"{KEY}-g", "dashscope": f"{KEY}-d"}
    assert json.loads(stdout)["saved"] == ["gemini", "dashscope"]
    assert KEY not in shown + stdout
    assert "two words" not in shown
    for part in ("the provider local needs none", "aistudio.google.com", "Claude decides in runs", "a space"):
        assert part in shown
    assert "Without a key: anthropic." in shown
    assert "Key of openai" not in shown


def test_setup_in_a_pipe_says_what_to_do_and_asks_nothing(tmp_path: Path) -> None:
    done = vaider("keys", "setup", "--data-dir", str(tmp_path), cwd=tmp_path, given=f"{KEY}\n")

    assert done.returncode == 2
    assert "run it in one, or pipe a key into `vaider keys set NAME`" in done.stderr
    assert kept(tmp_path) == {}


def test_the_doctor_tells_where_keys_can_be_kept_and_what_is_wrong_with_them(tmp_path: Path) -> None:
    _json("set", "openai", "--file", folder=tmp_path, given=f"{KEY}\n")
    (tmp_path / "keys.json").chmod(0o640)
    text = vaider("doctor", "--json", "--data-dir", str(tmp_path), cwd=tmp_path).stdout
    checks = {check["name"]: check for check in json.loads(text)["checks"]}

    assert (checks["keyring"]["state"], checks["keyring"]["detail"]) == ("note", "there is none that keeps secrets")
    assert "--file" in checks["keyring"]["advice"]
    assert checks["key gemini"]["detail"] == "from GOOGLE_API_KEY"
    assert f"chmod 600 {tmp_path / 'keys.json'}" in checks["key openai"]["advice"]
    assert KEY not in text


@pytest.mark.nightly
def test_a_daemon_that_runs_notices_what_the_command_changes(tmp_path: Path) -> None:
    def sources(port: int) -> dict[str, str | None]:
        reported = httpx2.get(f"http://127.0.0.1:{port}/keys", trust_env=False).json()
        return {key["name"]: key["source"] for key in reported["keys"]}

    def lack(port: int) -> str | None:
        result = httpx2.get(f"http://127.0.0.1:{port}/health", trust_env=False).json()
        return result["deciders"]["openai"]["reason"]

    with daemon(tmp_path) as port:
        before, lacked = sources(port), lack(port)
        _json("set", "openai", "--file", folder=tmp_path, given=f"{KEY}\n")
        after, lacks = sources(port), lack(port)

    assert (before["openai"], after["openai"]) == (None, "file")
    assert lacked is not None
    assert "make one at https://platform.openai.com/api-keys" in lacked
    assert not (lacks or "").startswith("OpenAI needs a key")
    # The key is in its file and nowhere else.
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == [
        "keys.json"
    ]
