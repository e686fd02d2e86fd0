"""What is proven in the image, by the user and the settings of the image: run by images.py, with the image's Python."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 180
"""For the slowest of machines."""
SHOWN_PAGE = "data:text/html,<body style='background:teal'><h1>Vaider's desktop</h1>"
LIT_SHARE = 0.2
"""Of the picture that the page's colour must fill."""


def until(holds: Callable[[], Any], what: str) -> Any:
    """Wait until something holds, and return it."""
    end = time.monotonic() + SECONDS
    while not (found := holds()):
        if time.monotonic() > end:
            sys.exit(f"not in {SECONDS} s: {what}")
        time.sleep(0.2)
    return found


def free_port() -> str:
    """A port that nothing listens on: without an engine the container shares this machine's."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def answers() -> dict[str, Any] | None:
    """What the daemon says of its health, asked with its token."""
    token = Path(os.environ["VAIDER_DATA_DIR"], "token")
    with contextlib.suppress(OSError):
        address = f"http://127.0.0.1:{os.environ['VAIDER_PORT']}/health"
        headers = {"Authorization": f"Bearer {token.read_text(encoding='ascii').strip()}"}
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
            return json.load(answer)
    return None


def analyse() -> None:
    """Have the daemon analyse the sample that Vaider brings along."""
    spec = find_spec("server")
    sample = Path(spec.submodule_search_locations[0]) / "samples" / "checkout.mp4"
    wanted = ["--expect", '"Order 1042 confirmed" is shown', "--no-cache"]
    subprocess.run(["vaider", "analyse", sample, *wanted], check=True, timeout=SECONDS * 2)
    print("fresh: the sample was analysed, and was as expected", flush=True)


def show() -> None:
    """A browser on the desktop: its page fills the picture, and the viewer's port speaks."""
    import mss  # noqa: PLC0415 - only the desktop's image is asked for it
    import mss.tools  # noqa: PLC0415 - same

    with subprocess.Popen(["chromium", SHOWN_PAGE]) as browser, mss.MSS() as screen:

        def lit() -> Any:
            picture = screen.grab(screen.monitors[0])
            teal = sum(pixel == (0, 128, 128) for row in picture.pixels[::8] for pixel in row[::8])
            return picture if teal * 64 > LIT_SHARE * picture.width * picture.height else None

        picture = until(lit, "the browser's page is on the desktop")
        mss.tools.to_png(picture.rgb, picture.size, output="/shown/desktop.png")
        with socket.create_connection(("127.0.0.1", int(os.environ["VIEWER_PORT"])), timeout=10) as viewer:
            protocol = viewer.recv(12)
        if not protocol.startswith(b"RFB "):
            sys.exit(f"the viewer's port says {protocol!r}")
        browser.terminate()
    print(f"fresh: the desktop shows a browser at {picture.width}x{picture.height}, its viewer speaks", flush=True)


def main() -> None:
    """Start the daemon as the image does, and ask it."""
    os.environ["VAIDER_PORT"] = free_port()
    with subprocess.Popen(["vaider", "serve"]) as daemon:
        health = until(answers, "the daemon answers")
        print(f"fresh: the daemon of Vaider {health['version']} answers as user {os.getuid()}", flush=True)
        analyse()
        if "desktop" in sys.argv:
            show()
        daemon.terminate()


if __name__ == "__main__":
    main()
