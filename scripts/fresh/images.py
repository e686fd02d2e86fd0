"""The Dockerfile's two images, built by buildah without a Docker engine; the root stands in for their base image."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from inside import free_port
from root import LOGS, REPOSITORY, package_folders

if TYPE_CHECKING:
    from root import Fresh

INSIDE = Path(__file__).with_name("inside.py")


def daemon_image(fresh: Fresh) -> None:
    """Build it; in it the daemon answers and analyses the sample. Raises ``Failed``."""
    _build(fresh, "daemon")
    _run(fresh, "daemon", "python", "/inside.py")


def desktop_image(fresh: Fresh) -> None:
    """Build it; in it the daemon does the same on a desktop that is shown. Raises ``Failed``."""
    _build(fresh, "desktop")
    # Without an engine the container shares this machine's ports.
    viewer = f"VIEWER_PORT={free_port()}"
    _run(fresh, "desktop", "env", viewer, "vaider-desktop", "python", "/inside.py", "desktop")
    shown = fresh.folder / "shown" / "desktop.png"
    shutil.copyfile(shown, LOGS / "desktop.png")


def _buildah(fresh: Fresh, name: str, *arguments: str | Path) -> None:
    store = ["--root", str(fresh.folder / "images"), "--runroot", str(fresh.folder / "run"), "--storage-driver", "vfs"]
    os.environ["BUILDAH_ISOLATION"] = "chroot"
    fresh.log(name, ["buildah", *store, *map(str, arguments)])


def _build(fresh: Fresh, target: str) -> None:
    dockerfile = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
    for number, base in enumerate(sorted(set(re.findall(r"^FROM (\S+:\S+)", dockerfile, flags=re.MULTILINE)))):
        container = f"{target}-base-{number}"
        _buildah(fresh, target, "from", "--name", container, "scratch")
        _buildah(fresh, target, "add", "--quiet", container, fresh.folder / "root.tar", "/")
        _buildah(fresh, target, "config", "--env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
        _buildah(fresh, target, "commit", "--quiet", container, f"docker.io/library/{base}")
        _buildah(fresh, target, "rm", container)
    clone = fresh.root / "home/newcomer" / f"for-{target}"
    fresh.run(target, f"git clone --quiet /clone.bundle {clone.relative_to(fresh.root).as_posix()!r}", user="root")
    folders = [option for path in package_folders() for option in ("--volume", f"{path}:{path}:ro")]
    options = ["--quiet", "--pull-never", "--target", target, "--tag", f"vaider-{target}", *folders]
    _buildah(fresh, target, "bud", *options, clone)


def _run(fresh: Fresh, target: str, *command: str) -> None:
    shown = fresh.folder / "shown"
    shown.mkdir(exist_ok=True)
    shown.chmod(0o777)
    _buildah(fresh, target, "from", "--pull-never", "--name", target, f"localhost/vaider-{target}")
    volumes = ["--volume", f"{INSIDE}:/inside.py:ro", "--volume", f"{shown}:/shown"]
    _buildah(fresh, target, "run", *volumes, target, "--", *command)
    _buildah(fresh, target, "rm", target)
