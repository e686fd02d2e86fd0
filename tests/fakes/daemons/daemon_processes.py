"""The real daemon as a process of its own, started by the installed command."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from tests.clock import until
from tests.fakes.daemons.memory_daemon import PATIENCE

START_SECONDS = 120.0
"""Much longer than it takes: the machine may have other work."""


class Process:
    """A daemon's process, its address and its data directory."""

    def __init__(self, data: Path, *, environment: Mapping[str, str] | None = None, **settings: Any) -> None:
        self.port = settings.pop("port", None) or free_port()
        self.data = data
        given = {"data_dir": data, "port": self.port, **settings}
        reported = {f"VAIDER_{name.upper()}": str(value) for name, value in given.items()}
        command = [str(Path(sys.executable).with_name("vaider")), "serve"]
        self.process = subprocess.Popen(
            command, env={**os.environ, **(environment or {}), **reported}, stderr=subprocess.PIPE, text=True
        )
        # Let go of a connection before the daemon does, lest a request goes out on one that is just being closed.
        limits = httpx2.Limits(keepalive_expiry=1)
        self.http = httpx2.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60, trust_env=False, limits=limits)

    def started(self) -> Process:
        until(self._answers, seconds=START_SECONDS)
        return self

    def ended(self, seconds: float = START_SECONDS) -> tuple[int, str]:
        """Exit code and what was said on stderr."""
        _, said = self.process.communicate(timeout=seconds)
        return self.process.returncode, said

    def close(self) -> None:
        self.http.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=PATIENCE)

    def _answers(self) -> bool:
        assert self.process.poll() is None, "the daemon ended before its first answer"
        try:
            return self.http.get("/health").is_success
        except httpx2.TransportError:
            return False


def free_port() -> int:
    """A port that nothing listened on a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]
