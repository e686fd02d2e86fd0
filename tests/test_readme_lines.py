"""Each console line of the README, run in its order by a shell, where a clone's samples and examples are.

The lines share a home and one daemon, which listens on a free port instead of 3456.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from adapters.keys import KEY_KINDS
from tests.clock import until
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.desktops.x_user import x_display

ROOT: Final = Path(__file__).resolve().parents[1]
PROMPT: Final = "$ "
LONGEST_SECONDS: Final = 300.0


class Ends(NamedTuple):
    """How a line ends, and what it says among other things."""

    code: int = 0
    says: str = ""


RUN: Final[Mapping[str, Ends]] = {
    "vaider analyse samples/checkout.mp4": Ends(says="Order 1042 confirmed"),
    "vaider doctor": Ends(says="ok "),
    "vaider init": Ends(says=".mcp.json"),
    "curl -N localhost:3456/events &": Ends(),
    "curl -F video=@samples/checkout.mp4": Ends(says='"verdict":"pass"'),
    "vaider record start": Ends(says="recording"),
    # The runs above are remembered by now.
    'vaider recall "how did I send that parcel?"': Ends(says="parcel-form"),
    "vaider workflows import": Ends(says="parcel-form"),
    "vaider replay parcel-form --display private": Ends(says="succeeded"),
    # Nobody has a key here: the line is right as far as the question for one.
    'vaider replay parcel-form recipient="Ada Lovelace" --provider anthropic': Ends(2, "Anthropic needs a key"),
    "curl localhost:3456/replay": Ends(says='"job_id"'),
    "vaider reload options": Ends(says="reload-1"),
    "vaider reload run reload-1": Ends(says="succeeded"),
}
"""Each line by its beginning."""

NOT_RUN: Final[Mapping[str, str]] = {
    "make test": "is what runs this",
    "make demo": "installs packages; `make fresh` runs it",
    "uv tool install .": "installs packages; `make fresh` runs it",
    "vaider mcp": "never ends; it is the daemon that the other lines reach",
    "vaider learn --record": "a person shows something",
    "vaider tasks answer TASK QUESTION_ID": "a person answers what a recording left open",
    'vaider run TASK Recipient="Bob"': "carries out what a person showed",
    "vaider tasks schedule TASK": "schedules what a person showed",
    "vaider learn --memory": "of what a person did",
}
"""Each line by its beginning, and why it cannot be run by a test."""


def _lines() -> list[str]:
    """The console lines of the README in their order, without the remarks behind them."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    reported = [line.removeprefix(PROMPT) for block in blocks for line in block.splitlines() if line.startswith(PROMPT)]
    return [re.sub(r"\s{2,}#.*|\s+# or: .*", "", line) for line in reported]


def _of(line: str, table: Mapping[str, object]) -> list[str]:
    """The beginnings that fit a line, the longest first."""
    return sorted((start for start in table if line.startswith(start)), key=len, reverse=True)


def test_each_console_line_of_the_readme_is_run_or_has_a_reason_not_to_be() -> None:
    lines = _lines()
    assert [line for line in lines if bool(_of(line, RUN)) == bool(_of(line, NOT_RUN))] == []
    assert [start for start in (*RUN, *NOT_RUN) if not any(line.startswith(start) for line in lines)] == []


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What of a clone the lines read; they write into it too."""
    for name in ("samples", "examples"):
        shutil.copytree(ROOT / name, tmp_path / "clone" / name, ignore=shutil.ignore_patterns("*.VaiderInteractions"))
    return tmp_path / "clone"


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Process]:
    """The daemon of a user without keys, who sits before a display."""
    for name in ("WAYLAND_DISPLAY", *(each for kind in KEY_KINDS.values() for each in kind.variables)):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    with x_display() as display:
        monkeypatch.setenv("DISPLAY", display)
        monkeypatch.setenv("XDG_SESSION_TYPE", "x11")
        process = Process(tmp_path / "data")
        try:
            yield process.started()
        finally:
            process.close()


@pytest.mark.screen
def test_each_console_line_of_the_readme_does_what_it_says(clone: Path, daemon: Process) -> None:
    require_browser_sandbox()
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "VAIDER_PORT": str(daemon.port),
        "VAIDER_DATA_DIR": str(daemon.data),
    }
    for line in _lines():
        if not (starts := _of(line, RUN)):
            continue
        done = subprocess.run(
            ["bash", "-c", line.replace("localhost:3456", f"localhost:{daemon.port}")],
            cwd=clone,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=not line.endswith("&"),
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        sentence = f"{done.stdout or ''}{done.stderr or ''}"
        ends = RUN[starts[0]]
        assert done.returncode == ends.code, f"{line}: {done.returncode}: {sentence}"
        assert ends.says in sentence, f"{line}: {sentence}"
        _let_it_end(daemon, line)


def _let_it_end(daemon: Process, line: str) -> None:
    """Wait for what a line began and did not wait for itself."""
    if line.startswith("vaider record start"):
        assert daemon.http.post("/recorder", json={"action": "stop"}).is_success
    until(lambda: not daemon.http.get("/jobs", params={"state": ["queued", "running"]}).json()["jobs"], seconds=300)
