"""The command ``vaider`` as its own process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

VAIDER = str(Path(sys.executable).parent / "vaider")
PATIENCE = 60.0


def vaider(
    *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [VAIDER, *arguments],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


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
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        for line in said.read_text().splitlines():
            with contextlib.suppress(ValueError):
                told: dict[str, Any] = json.loads(line)
                if told.get("event") == "daemon.listening":
                    return told["port"]
        time.sleep(0.02)
    raise AssertionError(f"the daemon does not listen: {said.read_text()}")
