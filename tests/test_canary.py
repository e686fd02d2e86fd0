import subprocess
import sys
from pathlib import Path

from tests.canary import CANARY, ProcessArguments, files_with
from tests.clock import until


def test_a_leak_into_a_file_below_a_folder_is_found(tmp_path: Path) -> None:
    leak = tmp_path / "deep" / "server.log"
    leak.parent.mkdir()
    leak.write_text(f"x{CANARY}y")
    (tmp_path / "clean.log").write_text("nothing to see")

    found = list(files_with(CANARY, tmp_path))
    leak.unlink()  # or the whole run would fail

    assert found == [leak]


def test_a_leak_into_process_arguments_is_found_and_told_without_the_secret() -> None:
    watch = ProcessArguments(secret="a-secret-of-this-test")
    reader = [sys.executable, "-c", "import sys; sys.stdin.read()", "--key=a-secret-of-this-test"]
    with subprocess.Popen(reader, stdin=subprocess.PIPE) as process:
        # A process that has just been started may not have its arguments yet.
        until(watch.look)
        process.communicate()

    (found,) = watch.look()
    assert "a-secret-of-this-test" not in found
