"""Playwright in JavaScript, as a project installs it."""

import fcntl
import subprocess
from pathlib import Path

import pytest

from tests.fakes.videos.playwright_browsers import NODE

PACKAGE = "@playwright/test@1.65.1"
CACHE = Path(__file__).parents[2] / ".cache" / "playwright-test"


@pytest.fixture(scope="session")
def modules() -> Path:
    """Playwright, installed once into a folder that git does not see."""
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n")
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (CACHE / "node_modules" / "@playwright").exists():
            npm = NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            command = [NODE, npm, "install", "--no-save", "--ignore-scripts", "--no-audit", "--prefix", CACHE, PACKAGE]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
    return CACHE / "node_modules"
