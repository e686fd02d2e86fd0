"""A real daemon to measure: the installed command on a free port, with a data directory of its own."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

PATIENCE_SECONDS = 30.0
MEGABYTE = 1024 * 1024
BYTECODE = Path(tempfile.gettempdir(), "vaider-bench-bytecode")


@dataclass(frozen=True)
class Daemon:
    """A daemon that runs, and how long it took to its first answer."""

    port: int
    pid: int
    first_answer_seconds: float
    directory: Path

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def memory(self) -> tuple[float, float]:
        """Its resident memory now and at its peak, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        fields = dict(line.split(":", 1) for line in status.splitlines())
        now, peak = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
        return now, peak

    def cpu_seconds(self) -> float:
        """What it has used of the processor so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def running_daemon(
    *, session: Mapping[str, str] | None = None, program: Path | None = None, **settings: Any
) -> Generator[Daemon]:
    """Start it, and stop it afterwards.

    ``session`` is of the desktop's environment, ``program`` another command than the one installed here; other
    arguments are settings.
    """
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        given = {"data_dir": f"{folder}/data", "port": port, "provider": "local", **settings}
        environment = {
            **os.environ,
            **(session or {}),
            **{f"VAIDER_{name.upper()}": str(value) for name, value in given.items()},
        }
        # As after an installation, which compiles: whatever the shell says, only the first start reads sources.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(BYTECODE)
        command = [str(program or Path(sys.executable).with_name("vaider")), "serve"]
        began = time.monotonic()
        process = subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL)
        try:
            first = _first_answer(port, began)
            yield Daemon(port, process.pid, first, Path(folder))
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def _first_answer(port: int, began: float) -> float:
    with httpx2.Client(trust_env=False) as http:
        while True:
            with contextlib.suppress(httpx2.TransportError):
                http.get(f"http://127.0.0.1:{port}/health").raise_for_status()
                return time.monotonic() - began
            if time.monotonic() - began > PATIENCE_SECONDS:
                raise TimeoutError("The daemon did not answer.")
            time.sleep(0.005)
