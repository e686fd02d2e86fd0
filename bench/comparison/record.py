"""Records the sessions that are not there yet: ``python -m bench.comparison.record [NAME …]``, after ``install``."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import playwright
from playwright.sync_api import ViewportSize, sync_playwright

from bench.comparison.further_sites import FURTHER
from bench.comparison.held_out import HELD_OUT
from bench.comparison.later_sites import LATER
from bench.comparison.scenes import NPM, OUT, SCENES, Scene
from bench.comparison.sites import SITES
from bench.playwright.record import recorders

_SIZE: Final[ViewportSize] = {"width": 1024, "height": 640}
_DRAWN_SECONDS: Final = 0.25
_REPAINT: Final = """() => { const dot = document.createElement("div")
dot.style = "position:fixed;right:0;bottom:0;width:1px;height:1px;background:#888;opacity:.02;z-index:9999"
document.documentElement.append(dot); setTimeout(() => dot.remove(), 100) }"""
"""A page that rests may be drawn a last time after its last picture, which the recording then lacks."""
_PATHS: Final = ("/pets", "/orders", "/clinics", "/visits")
_VERBS: Final = ("get", "post", "put", "delete")


def record(scenes: Iterable[Scene]) -> None:
    """Of each application some takes of the same, and one with each change."""
    prepare()
    for scene in scenes:
        for take in range(scene.takes):
            film(scene, f"take-{take}", {}, seed=take)
        for number, change in enumerate(scene.changes):
            film(scene, change.name.replace(" ", "-"), change.options, seed=100 + number)


def prepare() -> None:
    """Pages that are made of what npm brought, and a recorder for Playwright, which looks for one of its own."""
    if not NPM.exists():
        raise SystemExit("The applications are not installed: run bench/comparison/install.")
    listing = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(recorders(listing, OUT / "browsers"))
    dist = NPM / "swagger-ui-dist"
    paths = ",".join(
        f"'{path}':{{{verb}:{{summary:'{verb} {path[1:]}',responses:{{200:{{description:'Done'}}}}}}}}"
        for path, verb in zip(_PATHS, _VERBS, strict=True)
    )
    (OUT / "swagger.html").write_text(
        f"<meta charset=utf-8><link rel=stylesheet href='{dist.as_uri()}/swagger-ui.css'><div id=ui></div>"
        f"<script src='{dist.as_uri()}/swagger-ui-bundle.js'></script><script>SwaggerUIBundle({{dom_id:'#ui',"
        f"spec:{{openapi:'3.0.0',info:{{title:'Pet clinic',version:'1.0'}},paths:{{{paths}}}}}}})</script>"
    )
    if not (OUT / "wiki" / "index.html").exists():
        edition = NPM / "tiddlywiki" / "editions" / "empty"
        node = shutil.which("node")
        if node is None:
            raise SystemExit("This records pages of npm packages: install Node 22 or newer first.")
        command = [node, str(NPM / "tiddlywiki" / "tiddlywiki.js"), str(edition), "--output", str(OUT / "wiki")]
        subprocess.run([*command, "--render", "$:/core/save/all", "index.html", "text/plain"], check=True)


def film(scene: Scene, name: str, options: Mapping[str, str], *, seed: int) -> None:
    """One session, at a pace and with values of its own."""
    target = OUT / "videos" / scene.name / f"{name}.webm"
    if target.exists():
        return
    chance = random.Random(f"{scene.name} {name} {seed}")
    day, hour = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}", chance.randint(8, 18)
    date = f"{day} {hour:02}:{chance.randint(0, 59):02}"
    own = {"date": date, "id": str(chance.randint(1000, 9999)), "after": str(round(1500 * chance.uniform(0.9, 1.1)))}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium"),
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        context = browser.new_context(
            viewport=_SIZE, record_video_dir=folder, record_video_size={"width": 1024, "height": 640}
        )
        page = context.new_page()

        def wait(seconds: float) -> None:
            page.wait_for_timeout(1000 * min(seconds, _DRAWN_SECONDS))
            page.evaluate(_REPAINT)
            page.wait_for_timeout(1000 * max(seconds * chance.uniform(0.9, 1.1) - _DRAWN_SECONDS, 0))

        scene.play(page, wait, {**own, **options})
        video = page.video
        context.close()
        browser.close()
        assert video is not None  # noqa: S101 - the context records
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(video.path(), target)
    print(scene.name, name, flush=True)


if __name__ == "__main__":
    every = SCENES | SITES | FURTHER | LATER | HELD_OUT
    record([every[name] for name in sys.argv[1:] or every])
