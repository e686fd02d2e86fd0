"""A key that is set for the whole test run, and the search for places where it must not be."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

CANARY = "AIza" + "CanaryThatMustNotSing" + "0123456789abcd"
"""Put together at run time, so that no source file or byte code holds it in one piece."""


def files_with(secret: str, root: Path) -> Iterator[Path]:
    """Every regular file below ``root`` whose name or bytes contain the secret."""
    needle = secret.encode()
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            if secret in name or (path.is_file() and not path.is_symlink() and needle in path.read_bytes()):
                yield path


class ProcessArguments:
    """Looks at the arguments of all running processes again and again, for the secret."""

    def __init__(self, secret: str = CANARY, every_seconds: float = 0.5) -> None:
        self._secret = secret
        self._every = every_seconds
        self._found: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="canary", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> list[str]:
        """Look one last time, and tell what was found."""
        self._stop.set()
        self._thread.join()
        self.look()
        return sorted(self._found)

    def look(self) -> set[str]:
        """Look once; what was found so far, with the key blotted out."""
        for process in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208 - Path.glob looks at what ends meanwhile
            try:
                arguments = Path("/proc", process, "cmdline").read_bytes()
            except OSError:
                continue
            if self._secret.encode() in arguments:
                text = arguments.replace(b"\0", b" ").decode(errors="replace").replace(self._secret, "<secret>")
                self._found.add(f"process arguments: {text}")
        return self._found

    def _watch(self) -> None:
        while not self._stop.wait(self._every):
            self.look()
