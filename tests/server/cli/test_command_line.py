"""The frame of the command line: help, versions, mistakes, and the small commands."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from adapters.keys import KEY_KINDS
from server.cli import COMMANDS, cli
from tests.canary import CANARY
from tests.clock import until
from tests.fakes.daemons.commands import VAIDER, vaider
from tests.fakes.daemons.commands import daemon as real_daemon
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon


def test_help_names_every_command_and_imports_none_of_them(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", VAIDER, "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert all(name in done.stdout for name in COMMANDS)
    assert {"click", "server"} < imported
    assert not imported & {"config", "storage", "adapters", "pydantic", "httpx2", "sqlalchemy", "fastapi", "rich"}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_each_command_has_its_own_help(command: str) -> None:
    done = CliRunner().invoke(cli, [command, "--help"], prog_name="vaider")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"Usage: vaider {command}")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("anlyse", "x.mp4"), "Did you mean 'analyse'?"),
        (("analyse", "x.mp4", "--expct", "y"), "Did you mean one of: '--expect'"),
        (("analyse", "x.mp4", "--set", "port"), "--set takes NAME=VALUE"),
        (("serve", "--set", "log_level=loud"), "Setting 'log_level' in the command line does not fit"),
        (("serve", "--port", "70000"), "70000 is not in the range"),
        (("jobs", "list"), "No daemon answers at http://127.0.0.1:1"),
        (("keys", "set", "gemini"), "no keyring"),
        (("keys", "set", "germini"), "There is no key named 'germini'"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_and_exits_with_2(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    done = vaider(*arguments, cwd=tmp_path, environment={"VAIDER_PORT": "1"}, given="a-key\n")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_version_is_told(tmp_path: Path) -> None:
    assert vaider("--version", cwd=tmp_path).stdout.startswith("vaider 0.")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_their_completion(shell: str, tmp_path: Path) -> None:
    assert "_VAIDER_COMPLETE" in vaider("completion", shell, cwd=tmp_path).stdout
    completing = {"_VAIDER_COMPLETE": "bash_complete", "COMP_WORDS": "vaider an", "COMP_CWORD": "1"}
    assert "analyse" in vaider(cwd=tmp_path, environment=completing).stdout


def test_keys_tells_where_a_key_comes_from_and_never_the_key(tmp_path: Path) -> None:
    done = vaider("keys", "list", "--json", cwd=tmp_path)
    gemini = next(key for key in json.loads(done.stdout)["keys"] if key["name"] == "gemini")
    assert (gemini["saved"], gemini["source"]) == (True, "GOOGLE_API_KEY")
    assert CANARY not in done.stdout


def test_jobs_are_listed_shown_and_cancelled_in_the_daemon(daemon: ScriptedDaemon, tmp_path: Path) -> None:
    port = ("--port", str(daemon.port))
    vaider("analyse", "fine.mp4", *port, cwd=tmp_path)
    endless = subprocess.Popen([VAIDER, "analyse", "endless.mp4", *port], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        running: list[str] = []

        def runs() -> bool:
            listed = json.loads(vaider("jobs", "list", "--state", "running", "--json", *port, cwd=tmp_path).stdout)
            running[:] = [job["id"] for job in listed["jobs"]]
            return bool(running)

        until(runs)
        job_id = running[0]
        assert "decoding 1 of 2" in vaider("jobs", "list", *port, cwd=tmp_path).stdout
        assert '"Order 1 confirmed" appeared.' in vaider("jobs", "show", "job-1", *port, cwd=tmp_path).stdout
        cancelled = json.loads(vaider("jobs", "cancel", job_id, "--json", *port, cwd=tmp_path).stdout)
        assert cancelled["state"] == "cancelled"
        assert endless.wait(20) == 130, "whoever waits for the job learns that it was cancelled"
    finally:
        endless.kill()
        endless.wait()
    unknown = vaider("jobs", "show", "job-99", *port, cwd=tmp_path)
    assert (unknown.returncode, "There is no job 'job-99'" in unknown.stderr) == (2, True)


def test_the_doctor_tells_what_works_and_its_bundle_holds_no_secret(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "daemon.log").write_text(json.dumps({"event": "x", "note": "key " + CANARY[:7]}) + "\n")
    # Both places of a URL that people put secrets in.
    url = "http://u:pass1@h/v1?api-version=2&api_key=pass12"
    secretive = {"VAIDER_DATABASE_URL": f"sqlite:///{data}/vaider.db", "VAIDER_VISION_BASE_URL": url}
    options = ("--data-dir", str(data), "--port", "1", "--bundle", "bug.zip", "--json")
    done = vaider("doctor", *options, cwd=tmp_path, environment=secretive)
    reported = json.loads(done.stdout)
    states = {check["name"]: check["state"] for check in reported["checks"]}
    assert done.returncode == 0, done.stderr
    assert states["video decoding"] == states["reading text"] == states["provider local"] == "ok"
    assert states["daemon"] == states["client cursor"] == "note"
    assert all(check["advice"] for check in reported["checks"] if check["state"] != "ok" and "key" not in check["name"])
    assert reported["settings"]["port"] == {"value": 1, "from": "the command line"}
    shown = "http://<hidden>@h/v1?api-version=2&api_key=<hidden>"
    assert reported["settings"]["vision_base_url"] == {"value": shown, "from": "the environment"}
    with zipfile.ZipFile(tmp_path / "bug.zip") as bundle:
        texts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    assert set(texts) == {"doctor.json", "settings.json", "versions.json", "daemon.log"}
    assert not [name for name, text in texts.items() if CANARY in text or "pass1" in text]
    assert (tmp_path / "bug.zip").stat().st_mode & 0o777 == 0o600
    again = vaider("doctor", *options, cwd=tmp_path)
    assert again.returncode == 2, "a bundle never overwrites a file"


def test_the_doctor_says_what_keeps_vaider_from_working(tmp_path: Path) -> None:
    (tmp_path / "VaiderRules.json").write_text("{")
    (tmp_path / "file").write_text("")
    done = vaider("doctor", "--data-dir", str(tmp_path / "file" / "data"), cwd=tmp_path)
    assert done.returncode == 1
    assert "BAD   data directory" in done.stdout
    assert "BAD   rules" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_doctor_says_it_on_one_screen_and_all_of_it_when_asked(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("DISPLAY", *(name for kind in KEY_KINDS.values() for name in kind.variables)), "")
    options = ("doctor", "--data-dir", str(tmp_path / "data"), "--port", "1")
    brief = vaider(*options, cwd=tmp_path, environment=nothing).stdout
    rows = sum(math.ceil(len(line) / 80) for line in brief.splitlines())
    assert rows <= 24, brief
    assert brief.count("Gemini needs a key") == 1
    # The bundle holds the report of the same call; another call may find other displays and less free space.
    everything = vaider(*options, "--all", "--bundle", "all.zip", cwd=tmp_path, environment=nothing).stdout
    everything = everything.replace(str(Path.home()), "~")
    assert "max_parallel_analyses" in everything
    assert "max_parallel_analyses" not in brief
    with zipfile.ZipFile(tmp_path / "all.zip") as bundle:
        checks = json.loads(bundle.read("doctor.json"))["checks"]
    # A word that several names begin with is said once.
    assert [check for check in checks if check["name"].partition(" ")[2] not in brief] == []
    signs = [line[:4].strip() for line in brief.splitlines()[1:-1] if line[:4].strip() in {"BAD", "note", "ok"}]
    assert signs == sorted(signs, key=["BAD", "note", "ok"].index)
    assert signs.count("ok") == 1
    assert [check for check in checks if check["detail"] not in everything] == []


@pytest.mark.nightly
def test_the_doctor_asks_the_daemon_that_runs(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with real_daemon(tmp_path / "data") as port:
        done = vaider("doctor", "--port", str(port), "--data-dir", str(tmp_path / "data"), "--json", cwd=tmp_path)
        second = vaider("serve", "--port", str(port), "--data-dir", str(tmp_path / "other"), cwd=tmp_path)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["daemon"]["state"] == "ok"
    assert f":{port}" in checks["daemon"]["detail"]
    assert second.returncode == 3
    assert "already running" in second.stderr


def test_an_analysis_without_a_daemon_is_done_in_the_command_itself(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("this is no video")
    options = ("--port", "1", "--data-dir", str(tmp_path / "data"), "--json")
    done = vaider("analyse", "text.mp4", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["code"] == "invalid_video"
    assert CANARY in os.environ["GOOGLE_API_KEY"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("shell", "end"),
    [
        pytest.param('exec "$@"', signal.SIGINT, id="foreground"),
        pytest.param("trap '' INT; exec \"$@\"", signal.SIGTERM, id="background"),
        pytest.param('exec "$@"', signal.SIGTERM, id="told to end"),
        pytest.param("trap '' INT; exec \"$@\"", signal.SIGINT, id="interrupted behind"),
    ],
)
def test_an_interrupted_analysis_in_the_command_itself_leaves_no_process_behind(
    shell: str, end: signal.Signals, tmp_path: Path
) -> None:
    clip = shutil.copy(Path(__file__).parents[2] / "clips" / "checkout.mp4", tmp_path)
    command = [VAIDER, "analyse", str(clip), "--port", "1", "--data-dir", str(tmp_path / "data")]
    # What a script starts with & ignores SIGINT from birth.
    process = subprocess.Popen(["sh", "-c", shell, "sh", *command], stderr=subprocess.PIPE, text=True)
    until(lambda: psutil.Process(process.pid).children())
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(end)
    # Well below the ten seconds after which the command gives up waiting for its job.
    _, said = process.communicate(timeout=9)
    assert process.returncode == 130
    assert said.strip() == "Error: Cancelled; nothing is left running."
    assert not psutil.wait_procs(children, timeout=5)[1]


@pytest.mark.nightly
def test_a_daemon_beyond_this_machine_is_reached_with_its_token(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with real_daemon(tmp_path / "data", "--host", "0.0.0.0") as port:  # noqa: S104 - that is what is tried
        where = ("--host", "0.0.0.0", "--port", str(port))  # noqa: S104 - same
        known = vaider("jobs", "list", "--json", *where, "--data-dir", str(tmp_path / "data"), cwd=tmp_path)
        stranger = vaider("jobs", "list", *where, "--data-dir", str(tmp_path / "other"), cwd=tmp_path)
    assert json.loads(known.stdout) == {"jobs": []}
    assert stranger.returncode == 2
    assert "Authorization: Bearer" in stranger.stderr
