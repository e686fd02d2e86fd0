"""A farm of real processes: a PostgreSQL of its own, a server that speaks S3, API processes and workers."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx2
import psycopg
import pytest
from psycopg import sql

from core.farm import FARM
from core.tokens import Scope
from storage.database import Database
from storage.objects import Objects
from storage.tokens import Tokens
from tests import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from datetime import datetime

TOKEN: Final = "a token of a farm in tests"
S3: Final = {"AWS_ACCESS_KEY_ID": "farm", "AWS_SECRET_ACCESS_KEY": "a secret of tests", "AWS_REGION": "us-east-1"}
_SECONDS: Final = 600.0


def free_port() -> int:
    """One that nobody listens on just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(condition: Callable[[], Any], seconds: float = _SECONDS) -> Any:
    """What the condition says once that is true of something."""

    def said() -> Any:
        with contextlib.suppress(httpx2.HTTPError):
            return condition()

    return clock.until(said, seconds, pause=0.05)


class S3Server:
    """nanio, which checks signatures, with a bucket ``vaider``; it can be away for a while."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "vaider").mkdir(parents=True)

    @property
    def variables(self) -> dict[str, str]:
        """By which a farm finds it."""
        return {**S3, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}", "VAIDER_STORE_URL": "s3://vaider/farm"}

    def start(self) -> None:
        """Answer."""
        for left in self._folder.rglob("*.tmp"):
            # Of a kill: nanio refuses an object whose description was being written then, for ever.
            left.unlink()
        own = {"NANIO_ACCESS_KEY": S3["AWS_ACCESS_KEY_ID"], "NANIO_SECRET_KEY": S3["AWS_SECRET_ACCESS_KEY"]}
        command = [sys.executable, "-m", "nanio", "serve", "--data-dir", str(self._folder), "--host", "127.0.0.1"]
        quiet = ["--no-access-log", "--log-level", "error"]
        self._process = subprocess.Popen([*command, "--port", str(self._port), *quiet], env={**os.environ, **own})
        until(lambda: httpx2.get(f"http://127.0.0.1:{self._port}/", trust_env=False).status_code)

    def stop(self) -> None:
        """Be away; what it has stays."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextlib.contextmanager
def s3_server(folder: Path) -> Generator[S3Server]:
    """One that answers."""
    server = S3Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class Farm:
    """Its processes, each with a data directory of its own."""

    def __init__(self, root: Path, url: str, store: dict[str, str]) -> None:
        self.root = root
        self._own = {"VAIDER_DATABASE_URL": url, "VAIDER_TOKEN": TOKEN, **store}
        self.root.mkdir(parents=True, exist_ok=True)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._clients: list[httpx2.Client] = []
        self.url = url

    def start(self, role: str, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
        """One more process."""
        return self.run(
            role, str(Path(sys.executable).with_name("vaider")), "serve", "--role", role, *arguments, **settings
        )

    def run(self, name: str, *command: str, **settings: str) -> subprocess.Popen[bytes]:
        """One more process, of any command, with a farm's variables."""
        number = len(self._processes)
        environment = {**os.environ, **self._own, "VAIDER_DATA_DIR": str(self.root / f"{name}{number}"), **settings}
        with (self.root / f"{name}{number}.log").open("wb") as log:
            process = subprocess.Popen(command, env=environment, stderr=log)
        self._processes.append(process)
        return process

    def api(self) -> httpx2.Client:
        """An API process that answers."""
        port = free_port()
        self.start("api", "--port", str(port))
        client = self.client(port)
        until(lambda: client.get("/health").status_code == 200)
        return client

    def client(self, port: int, **headers: str) -> httpx2.Client:
        """Of whoever listens there."""
        base = f"http://127.0.0.1:{port}"
        client = httpx2.Client(base_url=base, trust_env=False, timeout=_SECONDS, headers=headers)
        self._clients.append(client)
        return client

    def token(self, name: str, scope: Scope = Scope.SUBMIT, until: datetime | None = None) -> dict[str, str]:
        """The header of a new one."""
        with self.tokens() as tokens:
            return {"Authorization": f"Bearer {tokens.add(name, scope, until)}"}

    @contextlib.contextmanager
    def tokens(self) -> Generator[Tokens]:
        """All of them."""
        with contextlib.closing(Database(self.url)) as database:
            database.open()
            yield Tokens(database, FARM)

    def objects(self) -> Objects:
        """The store, as its processes see it."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self._own.items():
                patch.setenv(name, value)
            return Objects(self._own["VAIDER_STORE_URL"])

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
