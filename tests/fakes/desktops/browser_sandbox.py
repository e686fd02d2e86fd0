"""Whether a browser that the product starts can make its sandbox; browsers of the tests' own start without one."""

import functools
import os
import subprocess
import tempfile

import pytest

SECONDS = 60


@functools.cache
def _is_missing() -> bool:
    if os.geteuid() == 0:
        return False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = ["chromium", "--headless", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom", "about:blank"]
        started = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS)
    return b"No usable sandbox" in started.stderr


def require_browser_sandbox() -> None:
    """Skip the test where Chromium cannot make its sandbox, which the product never drops for an ordinary user."""
    if _is_missing():
        pytest.skip("this account may make no user namespace, so Chromium has no sandbox")
