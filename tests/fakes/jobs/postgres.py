"""A PostgreSQL server of the tests' own, when one is installed: no port, no password, gone afterwards."""

import contextlib
import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest


@contextlib.contextmanager
def postgres_server() -> Generator[str]:
    """The server's URL up to and without the database's name; skips the test when there is no server to start."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    with tempfile.TemporaryDirectory(prefix="vaider-pg-") as folder:
        user, as_user = _who_may()
        if as_user:
            shutil.chown(folder, user=user)
        # PostgreSQL refuses to run as root; only then is it another user's.
        run: dict[str, Any] = {"stdout": subprocess.DEVNULL, "cwd": folder, **as_user}
        subprocess.run(
            [programs / "initdb", "-D", f"{folder}/data", "-U", "vaider", "-A", "trust", "-N"], check=True, **run
        )
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        control = [programs / "pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log"]
        subprocess.run([*control, "-w", "-o", options, "start"], check=True, **run)
        try:
            yield f"postgresql://vaider@/{{}}?host={folder}"
        finally:
            subprocess.run([*control, "-w", "-m", "immediate", "stop"], check=True, **run)


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def _who_may() -> tuple[str, dict[str, Any]]:
    if os.geteuid() != 0:
        return getpass.getuser(), {}
    try:
        postgres = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return "postgres", {"user": postgres.pw_uid, "group": postgres.pw_gid}
