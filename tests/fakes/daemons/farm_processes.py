"""A farm of real processes: a PostgreSQL of its own, a server that speaks S3, API processes and workers."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx2
import psycopg
from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

TOKEN: Final = "a token of a farm in tests"
S3: Final = {"AWS_ACCESS_KEY_ID": "farm", "AWS_SECRET_ACCESS_KEY": "a secret of tests", "AWS_REGION": "us-east-1"}
_SECONDS: Final = 60.0


def free_port() -> int:
    """One that nobody listens on just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(condition: Callable[[], Any], seconds: float = _SECONDS) -> Any:
    """What the condition says once that is true of something."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(httpx2.HTTPError):
            if found := condition():
                return found
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@contextlib.contextmanager
def s3_server(folder: Path) -> Generator[dict[str, str]]:
    """nanio, which checks signatures: the variables by which a farm finds its bucket ``vaider``."""
    port = free_port()
    (folder / "vaider").mkdir(parents=True)
    own = {"NANIO_ACCESS_KEY": S3["AWS_ACCESS_KEY_ID"], "NANIO_SECRET_KEY": S3["AWS_SECRET_ACCESS_KEY"]}
    command = [sys.executable, "-m", "nanio", "serve", "--data-dir", str(folder), "--host", "127.0.0.1"]
    with subprocess.Popen(
        [*command, "--port", str(port), "--no-access-log", "--log-level", "error"], env={**os.environ, **own}
    ) as server:
        try:
            until(lambda: httpx2.get(f"http://127.0.0.1:{port}/", trust_env=False).status_code)
            yield {**S3, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "VAIDER_STORE_URL": "s3://vaider/farm"}
        finally:
            server.terminate()


class Farm:
    """Its processes, each with a data directory of its own."""

    def __init__(self, root: Path, url: str, store: dict[str, str]) -> None:
        self._root = root
        self._own = {"VAIDER_DATABASE_URL": url, "VAIDER_TOKEN": TOKEN, **store}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._clients: list[httpx2.Client] = []
        self.url = url

    def start(self, role: str, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
        """One more process."""
        number = len(self._processes)
        environment = {**os.environ, **self._own, "VAIDER_DATA_DIR": str(self._root / f"{role}{number}"), **settings}
        command = [str(Path(sys.executable).with_name("vaider")), "serve", "--role", role, *arguments]
        with (self._root / f"{role}{number}.log").open("wb") as log:
            process = subprocess.Popen(command, env=environment, stderr=log)
        self._processes.append(process)
        return process

    def api(self) -> httpx2.Client:
        """An API process that answers."""
        port = free_port()
        self.start("api", "--port", str(port))
        client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=_SECONDS)
        self._clients.append(client)
        until(lambda: client.get("/health").status_code == 200)
        return client

    def workers(self) -> list[subprocess.Popen[bytes]]:
        """Those that still run."""
        return [each for each in self._processes if "worker" in each.args and each.poll() is None]  # type: ignore[operator] - a list

    def stop(self) -> None:
        """All of them."""
        for client in self._clients:
            client.close()
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


@contextlib.contextmanager
def running_farm(root: Path, server: str, name: str, store: dict[str, str]) -> Generator[Farm]:
    """A farm without processes yet, on an empty database of that name."""
    with psycopg.connect(server.format("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    farm = Farm(root, server.format(name), store)
    try:
        yield farm
    finally:
        farm.stop()
