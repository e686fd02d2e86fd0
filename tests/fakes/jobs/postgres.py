"""A PostgreSQL server of the tests' own: no port, no password, gone afterwards."""

import contextlib
import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa


@contextlib.contextmanager
def postgres_server() -> Generator[str]:
    """The server's URL up to and without the database's name."""
    with durable_postgres(fsync=False) as server:
        yield server.url


@contextlib.contextmanager
def fresh_databases() -> Generator[Callable[[str], str]]:
    """One server for many tests: makes an empty database of a name, and tells its URL."""
    with postgres_server() as url:

        def fresh(name: str) -> str:
            server = sa.create_engine(
                url.format("postgres").replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT"
            )
            with server.connect() as connection:
                connection.execute(sa.text(f'CREATE DATABASE "{name}"'))
            server.dispose()
            return url.format(name)

        yield fresh


@dataclass(frozen=True)
class Postgres:
    """A server that can be restarted."""

    url: str
    """With ``{}`` in place of the database's name."""
    control: list[str | Path]
    run: dict[str, Any]

    def restart(self) -> None:
        """As after a loss of power: all connections break, and it reads its log anew."""
        subprocess.run([*self.control, "-w", "-m", "immediate", "restart"], check=True, **self.run)


@contextlib.contextmanager
def durable_postgres(*, fsync: bool = True) -> Generator[Postgres]:
    """A server that keeps what it was told, also when it is stopped at once."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="vaider-pg-") as folder:
        user, as_user = _who_may()
        if as_user:
            shutil.chown(folder, user=user)
        # PostgreSQL refuses to run as root; only then is it another user's.
        run: dict[str, Any] = {"stdout": subprocess.DEVNULL, "cwd": folder, **as_user}
        subprocess.run(
            [programs / "initdb", "-D", f"{folder}/data", "-U", "vaider", "-A", "trust", "-N"], check=True, **run
        )
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync={'on' if fsync else 'off'}"
        control: list[str | Path] = [programs / "pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log"]
        subprocess.run([*control, "-w", "-o", options, "start"], check=True, **run)
        try:
            yield Postgres(f"postgresql://vaider@/{{}}?host={folder}", control, run)
        finally:
            subprocess.run([*control, "-w", "-m", "immediate", "stop"], check=True, **run)


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(found[-1] if found else shutil.which("initdb") or "initdb").parent


def _who_may() -> tuple[str, dict[str, Any]]:
    if os.geteuid() != 0:
        return getpass.getuser(), {}
    postgres = pwd.getpwnam("postgres")
    return "postgres", {"user": postgres.pw_uid, "group": postgres.pw_gid}
