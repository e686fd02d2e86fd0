"""A program that nothing was built with: sqlite-web, whose inserted row a trigger of its database changes behind it."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from bench.saving.faults import SEEDED

_WORLD: Final = Path(__file__).parents[1] / "out" / "world" / "venv" / "bin"
"""Where ``bench/world/install`` puts it."""
_SECONDS: Final = 20.0
_COPY: Final = "INSERT INTO records (name, weight, code) VALUES (NEW.name, NEW.weight, NEW.code)"
_NEW: Final = "UPDATE records SET {} WHERE id = NEW.id"
_TAKEN: Final = "UPDATE records SET name = NEW.name, weight = NEW.weight, code = NEW.code WHERE id = {}"
_GONE: Final = "DELETE FROM records WHERE id = NEW.id"
TRIGGERS: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "partly": [[_NEW.format("weight = NULL")], [_NEW.format("code = ''")], [_NEW.format("name = NULL, code = NULL")]],
    "twice": [[_COPY], [_COPY, _COPY], [_COPY, "UPDATE records SET weight = 1 WHERE id = NEW.id + 1"]],
    "wrong record": [
        [_TAKEN.format(1), _GONE],
        [_TAKEN.format(3), _GONE],
        ["UPDATE records SET name = NEW.name WHERE id = 2", _GONE],
    ],
    "wrong type": [
        [_NEW.format("code = CAST(NEW.code AS INTEGER)")],
        [_NEW.format("weight = NEW.weight || ' kg'")],
        [_NEW.format("code = NEW.code || '.0'")],
    ],
    "truncated": [
        [_NEW.format("name = substr(NEW.name, 1, length(NEW.name) - 3)")],
        [_NEW.format("code = substr(NEW.code, 1, 2)")],
        [_NEW.format("name = substr(NEW.name, 1, 4)")],
    ],
    "stale": [
        [_NEW.format("name = 'Ada Lovelace', weight = 3.5, code = '0042'")],
        [_NEW.format("weight = 0.25")],
        [_NEW.format("name = 'Ada Lovelace'")],
    ],
    "not at all": [
        [_GONE],
        ["UPDATE records SET name = name WHERE id = 1", _GONE],
        [_COPY, "DELETE FROM records WHERE id >= NEW.id"],
    ],
    "collateral": [
        ["DELETE FROM records WHERE id = 2"],
        ["UPDATE records SET weight = 99.5 WHERE id = 3"],
        ["INSERT INTO records (name, weight, code) VALUES ('Audit', 0.5, '9999')"],
    ],
}
"""What is done behind an insertion, three ways of each kind."""


def program() -> str | None:
    """Its path, ``None`` where it is not installed."""
    return shutil.which("sqlite_web", path=f"{_WORLD}{os.pathsep}{os.environ.get('PATH', '')}")


@contextmanager
def served(fault: str, folder: Path) -> Generator[str]:
    """Its address, with a table of records whose trigger makes the fault."""
    database = folder / "records.db"
    with closing(sqlite3.connect(database)) as opened, opened:
        opened.execute(
            "CREATE TABLE records (id INTEGER PRIMARY KEY, name VARCHAR(100), weight REAL, code VARCHAR(10))"
        )
        opened.executemany("INSERT INTO records (name, weight, code) VALUES (:name, :weight, :code)", SEEDED)
        if fault:
            kind, _, variant = fault.rpartition(" ")
            body = "; ".join(TRIGGERS[kind][int(variant)])
            opened.execute(f"CREATE TRIGGER fault AFTER INSERT ON records BEGIN {body}; END")
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program() or "sqlite_web", "--no-browser", "--quiet", "--port", str(port), str(database)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            await_server(f"http://127.0.0.1:{port}/")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def await_server(address: str) -> None:
    """Wait until it answers. Raises ``OSError`` when it does not."""
    ends = time.monotonic() + _SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=_SECONDS):  # noqa: S310 - an address of ours
                return
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.05)
