import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.desktop.display_names import occupied
from core.errors import DesktopUnavailable, StorageFailed

HOLDER = """
import pathlib, sys
from adapters.desktop.display_names import occupied
with occupied(pathlib.Path(sys.argv[1]), ":7", "invoices, run a1"):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdin=pipe, stdout=pipe)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_the_second_run_is_told_which_run_has_the_display(tmp_path: Path) -> None:
    with (
        occupied(tmp_path, ":7", "invoices, run a1"),
        pytest.raises(DesktopUnavailable, match="invoices, run a1") as no,
        occupied(tmp_path, ":7", "another"),
    ):
        pass

    assert no.value.details == {"run": "invoices, run a1"}
    assert ":7" in no.value.message


def test_another_display_is_free_and_so_is_the_same_one_afterwards(tmp_path: Path) -> None:
    with occupied(tmp_path, ":7", "one"), occupied(tmp_path, ":8", "two"):
        pass
    with occupied(tmp_path, ":7", "three"):
        pass


def test_another_process_is_told_as_well(tmp_path: Path) -> None:
    process = holder(tmp_path)
    try:
        with pytest.raises(DesktopUnavailable, match="invoices, run a1"), occupied(tmp_path, ":7", "me"):
            pass
    finally:
        process.communicate()


def test_what_a_killed_run_leaves_behind_does_not_block(tmp_path: Path) -> None:
    process = holder(tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()

    with occupied(tmp_path, ":7", "me"):
        pass


def test_a_process_that_shares_the_display_keeps_it_until_it_ends(tmp_path: Path) -> None:
    with occupied(tmp_path, ":7", "dead daemon") as file:
        process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[file])
    try:
        # The name is gone with who had it; the display is not free before its hands are.
        with pytest.raises(DesktopUnavailable, match="another run"), occupied(tmp_path, ":7", "me"):
            pass
    finally:
        process.communicate()
    with occupied(tmp_path, ":7", "me"):
        pass


def test_a_folder_that_cannot_be_made_is_told_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StorageFailed, match="set another data_dir"), occupied(tmp_path / "file" / "locks", ":7", "me"):
        pass


def test_nobody_else_may_read_who_has_a_display(tmp_path: Path) -> None:
    with occupied(tmp_path / "locks", ":7", "me"):
        assert {path.stat().st_mode & 0o077 for path in (tmp_path / "locks", *(tmp_path / "locks").iterdir())} == {0}
