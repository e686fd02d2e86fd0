"""The command ``vaider`` as its own process."""

import contextlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from server.cli import COMMANDS, main
from tests.clock import until

VAIDER = str(Path(sys.executable).parent / "vaider")
PATIENCE = 60.0
# A command imports for longer than it works: it is forked from a process that has imported all of them.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["dbos", "server.vaider", "server.app", __name__, *(f"server.commands.{name}" for name in COMMANDS)]
)


def vaider(
    *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, as a process of its own."""
    complete = {**os.environ, **(environment or {})}
    if any(name.startswith("PYTHON") for name in environment or {}):
        # What changes the interpreter itself is seen only by one that starts.
        return subprocess.run(
            [VAIDER, *arguments],
            cwd=cwd,
            env=complete,
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    with tempfile.TemporaryDirectory(prefix="vaider-command-") as folder:
        stdin, stdout, stderr = streams = tuple(Path(folder, name) for name in ("stdin", "stdout", "stderr"))
        stdin.write_text(given or "", encoding="utf-8")
        process = _FORKS.Process(target=_become, args=(arguments, str(cwd), complete, streams))
        process.start()
        process.join(PATIENCE)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(arguments, PATIENCE, stdout.read_bytes(), stderr.read_bytes())
        code = process.exitcode
        process.close()
        return subprocess.CompletedProcess(arguments, code, stdout.read_text("utf-8"), stderr.read_text("utf-8"))


def _become(
    arguments: Sequence[str], cwd: str, environment: Mapping[str, str], streams: tuple[Path, Path, Path]
) -> None:
    """Be the command, in the process that was forked for it."""
    for number, stream in enumerate(streams):
        opened = os.open(stream, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv = [VAIDER, *arguments]
    main()


@contextlib.contextmanager
def daemon(data_dir: Path, *arguments: str) -> Generator[int]:
    """A real daemon on a free port; yields the port when it listens."""
    command = [VAIDER, "serve", "--port", "0", "--data-dir", str(data_dir), *arguments]
    said = data_dir / "stderr.txt"
    with said.open("w") as stderr:
        process = subprocess.Popen(command, stderr=stderr)
    try:
        yield _port(said, process)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _port(said: Path, process: subprocess.Popen[bytes]) -> int:
    def ports() -> list[int]:
        found: list[int] = []
        for line in said.read_text().splitlines():
            with contextlib.suppress(ValueError):
                reported: dict[str, Any] = json.loads(line)
                found += [reported["port"]] if reported.get("event") == "daemon.listening" else []
        return found

    until(lambda: ports() or process.poll() is not None, PATIENCE)
    assert ports(), f"the daemon does not listen: {said.read_text()}"
    return ports()[0]
