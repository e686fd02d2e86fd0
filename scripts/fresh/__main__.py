"""Prove what the README promises on a machine that has nothing: ``make fresh``, or ``make fresh STEPS=demo``.

In a root of Debian a user without anything clones what is committed here and runs what the README says. Each step
prints what it had to install and, where it failed, what was missing. The logs are kept in tests/out/fresh.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from images import daemon_image, desktop_image
from root import LOGS, Failed, Fresh

TOOLS = ("mmdebstrap", "buildah", "git", "unshare")
SAMPLE = "samples/checkout.mp4"
CLONE = "git clone --quiet /clone.bundle"
STEPS = {
    "demo": f"{CLONE} vaider && cd vaider && make demo",
    "test": f"[ -d vaider ] || {CLONE} vaider; cd vaider && make test",
    "uv": f"{CLONE} for-uv && cd for-uv && python3 -m venv ~/uv && ~/uv/bin/pip install --quiet uv"
    f" && ~/uv/bin/uv tool install --quiet . && ~/.local/bin/vaider analyse {SAMPLE}"
    " && ~/uv/bin/uv tool uninstall --quiet vaider",
    "pipx": f"{CLONE} for-pipx && cd for-pipx && sudo apt-get -qq update"
    " && sudo apt-get -qq install --no-install-recommends pipx > /dev/null"
    f" && pipx install . && ~/.local/bin/vaider analyse {SAMPLE}",
}
"""What the user runs, by the step's name."""
IMAGES = {"daemon": daemon_image, "desktop": desktop_image}
OLDEST, NEWEST = 11, 13
"""Of the Pythons 3.x that are promised."""


def pythons() -> dict[str, Path]:
    """The interpreters that this machine has beside Debian's own, by their version: the newest of each."""
    folders = os.environ.get("PATH", "").split(":")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += [str(path / "bin") for path in sorted((pyenv / "versions").glob("3.*"), reverse=True)]
    found: dict[str, Path] = {}
    ask = "import sys; print(sys.base_prefix)"
    for version in (f"3.{minor}" for minor in range(OLDEST, NEWEST + 1)):
        for path in (Path(folder) / f"python{version}" for folder in folders):
            if not path.exists():
                continue
            # A shim of pyenv may say that no such version is chosen.
            sentence = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False).stdout.strip()
            if sentence not in {"", "/usr"}:
                found.setdefault(version, Path(sentence))
    return found


def prove(fresh: Fresh, steps: list[str]) -> None:
    """Take the steps, one after the other."""
    for name in steps:
        if name in STEPS:
            fresh.step(name, STEPS[name])
        elif name in IMAGES:
            begun = time.monotonic()
            try:
                IMAGES[name](fresh)
            except Failed:
                fresh.failed.append(name)
            fresh.report(name, begun)
        elif name == "pythons":
            for version, prefix in pythons().items():
                fresh.show(prefix)
                made = f"make demo test-fast PYTHON={prefix}/bin/python{version}"
                fresh.step(f"python-{version}", f"{CLONE} on-{version} && cd on-{version} && {made}")


def main() -> int:
    """Make the root in a folder of its own, take the steps, leave nothing but the logs."""
    every = [*STEPS, "pythons", *IMAGES]
    parser = argparse.ArgumentParser(prog="make fresh", description=__doc__)
    parser.add_argument("steps", nargs="*", default=every, metavar="STEP", help=f"one of {', '.join(every)}")
    parser.add_argument("--where-possible", action="store_true", help="where it is not, say why and call it no failure")
    parser.add_argument("--root", type=Path, metavar="TAR", help="take this root, made by mmdebstrap before")
    asked = parser.parse_args()
    steps: list[str] = asked.steps
    if unknown := set(steps) - set(every):
        parser.error(f"no such step: {', '.join(sorted(unknown))}")
    if obstacle := unfit():
        print(f"Nothing was proven: {obstacle}", file=sys.stderr)
        return 0 if asked.where_possible else 2
    if os.getpid() != 1:
        # Its mounts and its processes end with it, however it ends.
        own = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
        os.execvp("unshare", [*own, sys.executable, *sys.argv])  # noqa: S606 - no shell is wanted
    if child := os.fork():
        return init(child)
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="vaider-fresh-", dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        fresh, begun = Fresh(Path(folder)), time.monotonic()
        try:
            fresh.make(asked.root)
            fresh.report("root", begun)
            prove(fresh, steps)
        except Failed:
            fresh.failed.append("root")
            fresh.report("root", begun)
        finally:
            fresh.unmount()
    print("all as the README says" if not fresh.failed else f"FAILED: {', '.join(fresh.failed)}")
    return 1 if fresh.failed else 0


def init(child: int) -> int:
    """As a machine's first process does, wait for every orphan; return the child's exit code once it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def unfit() -> str:
    """Why nothing can be proven here; empty where it can."""
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"on Debian, please run: apt-get install {' '.join(missing)}"
    if os.geteuid() != 0:
        return "a root is made and entered by root alone; please run: sudo make fresh"
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0:
        return "this machine allows no mounts of one's own"
    return ""


if __name__ == "__main__":
    sys.exit(main())
