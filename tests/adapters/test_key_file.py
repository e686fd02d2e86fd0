"""The file of keys: nobody else can read it at any moment, and nothing that others could have written is used."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from adapters.key_stores import KeyFile
from core.errors import Conflict, StorageFailed

KEY = "a-key-of-nobody-0123"
ROOT = Path(__file__).parents[2]


def test_keys_are_kept_changed_and_forgotten_and_an_empty_file_goes(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "data")
    assert file.values() == {}
    file.set("gemini", KEY)
    file.set("openai", "other")
    file.set("gemini", "newer")
    assert KeyFile(tmp_path / "data").values() == {"gemini": "newer", "openai": "other"}
    assert file.remove("gemini")
    assert not file.remove("gemini")
    assert file.remove("openai")
    assert not file.path.exists()


def test_the_file_is_its_users_alone_whatever_the_umask_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        KeyFile(tmp_path / "data").set("gemini", KEY)
    finally:
        os.umask(before)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").iterdir()}
    assert modes == {"keys.json": 0o600, "keys.lock": 0o600}


def test_the_file_is_made_with_its_mode_and_never_exists_with_another(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    program = "import sys; from pathlib import Path; from adapters.key_stores import KeyFile; "
    program += "KeyFile(Path(sys.argv[1])).set('gemini', 'k')"
    calls = "trace=openat,rename,renameat,renameat2,chmod,fchmod,fchmodat"
    strace = ["strace", "-f", "-y", "-o", str(trace), "-e", calls]
    subprocess.run([*strace, sys.executable, "-c", program, str(tmp_path / "data")], check=True, cwd=ROOT)
    lines = [line for line in trace.read_text().splitlines() if f"{tmp_path}/data" in line]
    made = [line for line in lines if "O_CREAT" in line]
    assert len(made) == 2
    assert all("0600" in line for line in made)
    assert not [line for line in lines if "chmod" in line]
    assert [line for line in made if "O_EXCL" in line and ".keys-" in line]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o660])
def test_a_file_that_others_may_read_or_write_is_refused_with_the_mend(tmp_path: Path, mode: int) -> None:
    file = KeyFile(tmp_path)
    file.set("gemini", KEY)
    file.path.chmod(mode)
    for refused in (file.values, lambda: file.set("openai", "x"), lambda: file.remove("gemini")):
        with pytest.raises(Conflict, match=f"chmod 600 {file.path}") as raised:
            refused()
        assert KEY not in raised.value.message
    assert json.loads(file.path.read_text()) == {"gemini": KEY}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    file = KeyFile(tmp_path)
    file.set("gemini", KEY)
    os.chown(file.path, 12345, 12345)
    with pytest.raises(Conflict, match="belongs to another user: move it away"):
        file.values()


def test_what_is_no_file_of_keys_is_refused_without_being_told(tmp_path: Path) -> None:
    file = KeyFile(tmp_path)
    for content in (b"", b"[1]", b"\xff\x00", b"[" * 100_000, KEY.encode(), b'{"gemini": "' + b"k" * 70_000 + b'"}'):
        file.path.unlink(missing_ok=True)
        file.path.touch(mode=0o600)
        file.path.write_bytes(content)
        with pytest.raises(Conflict, match="is no file of keys: move it away") as raised:
            file.values()
        assert KEY not in raised.value.message
    file.path.unlink()
    file.path.symlink_to("/etc/hostname")
    with pytest.raises(Conflict, match="cannot be read"):
        file.values()
    file.path.unlink()
    os.mkfifo(file.path, 0o600)
    with pytest.raises(Conflict, match="is no regular file"):
        file.values()


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for number in range(40):
            pool.submit(KeyFile(tmp_path).set, f"n{number}", str(number))
    assert KeyFile(tmp_path).values() == {f"n{number}": str(number) for number in range(40)}


def test_a_writer_that_is_killed_leaves_the_file_whole_and_the_next_one_clears_its_rest_away(tmp_path: Path) -> None:
    file = KeyFile(tmp_path)
    file.set("gemini", KEY)
    program = (
        "import itertools, sys; from pathlib import Path; from adapters.key_stores import KeyFile; print(flush=True)\n"
        "for n in itertools.count(): KeyFile(Path(sys.argv[1])).set('openai', str(n))"
    )
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        while "openai" not in file.values():
            assert writer.poll() is None
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert file.values()["gemini"] == KEY
        file.remove("openai")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.json", "keys.lock"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(StorageFailed, match="set another data_dir") as raised:
        KeyFile(tmp_path / "data").set("gemini", KEY)
    assert KEY not in raised.value.message


def test_each_change_has_another_generation(tmp_path: Path) -> None:
    file = KeyFile(tmp_path)
    seen = {file.generation()}
    for _ in range(20):
        file.mark()
        seen.add(KeyFile(tmp_path).generation())
    assert len(seen) == 21
