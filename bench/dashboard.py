"""How soon a page of the dashboard is there, and what it costs to keep one open: ``python -m bench dashboard``."""

import contextlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import httpx2
from playwright.sync_api import Browser, BrowserContext

from bench.daemon import Daemon, running_daemon
from bench.table import Table
from tests.fakes.web.browsing import chromium
from tests.fakes.web.sites import site

LOADS: Final = 10
BAR_MS: Final = 300
SAMPLE: Final = Path(__file__).parent.parent / "samples" / "checkout.mp4"
_FIRST_PAINT: Final = """async () => {
  const painted = () => performance.getEntriesByName('first-contentful-paint')[0];
  while (!painted()) {
    if (performance.now() > 20000) throw new Error('nothing was painted in 20 s');
    requestAnimationFrame(() => {});  // a browser without a screen may else wait to paint
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return painted().startTime;
}"""


def run() -> list[Table]:
    """Measure it."""
    with running_daemon() as daemon, chromium() as browser:
        job = _analysed(daemon)
        pages = {
            "home": "/",
            "videos": "/ui/videos",
            "a video": f"/ui/videos/{job}",
            "memory": "/ui/memory",
            "tasks": "/ui/tasks",
            "runs": "/ui/runs",
            "reload": "/ui/reload",
            "settings": "/ui/settings",
            "welcome": "/ui/welcome",
        }
        rows = [_paints(browser, name, f"{daemon.url}{path}") for name, path in pages.items()]
        rows.append(_first_of_a_daemon(browser))
        with _bare_page() as bare, _trace_viewer(browser) as viewer:
            rows += [
                _paints(browser, "a bare page of one line", bare),
                _paints(browser, "Playwright trace viewer", viewer),
            ]
    return [
        Table(
            "The dashboard: milliseconds to the first contentful paint",
            ("page", "first visit, p50", "p95", "again, p50", "p95"),
            rows,
            f"{LOADS} loads each, Chromium on loopback; bar: {BAR_MS} ms. On a first visit nothing is kept yet.",
        )
    ]


def _analysed(daemon: Daemon) -> str:
    """The id of a finished analysis."""
    with httpx2.Client(base_url=daemon.url, trust_env=False, timeout=120) as http:
        answer = http.post("/analyse", json={"video_path": str(SAMPLE), "timeout_seconds": 100})
        return answer.raise_for_status().json()["job_id"]


def _paints(browser: Browser, name: str, address: str) -> tuple[str, ...]:
    with _context(browser) as kept:
        again = [_paint(kept, address) for _ in range(LOADS + 1)][1:]
    first: list[float] = []
    for _ in range(LOADS):
        with _context(browser) as new:
            first.append(_paint(new, address))
    return (name, *_format_values(first), *_format_values(again))


def _first_of_a_daemon(browser: Browser) -> tuple[str, ...]:
    """The first page that anybody asks of a daemon, by a browser that has never seen one."""
    found: list[float] = []
    for _ in range(LOADS):
        with running_daemon() as daemon, _context(browser) as new:
            found.append(_paint(new, daemon.url))
    return ("home, as a daemon's first answer", *_format_values(found), "-", "-")


def _paint(context: BrowserContext, address: str) -> float:
    page = context.new_page()
    try:
        page.goto(address)
        return page.evaluate(_FIRST_PAINT)
    finally:
        page.close()


@contextlib.contextmanager
def _context(browser: Browser, **options: Any) -> Generator[BrowserContext]:
    context = browser.new_context(**options)
    # A newcomer's first page leads on to the welcome; each page is measured by itself here.
    context.add_init_script("try { localStorage.setItem('vaider-welcome', 'done'); } catch {}")
    try:
        yield context
    finally:
        context.close()


@contextlib.contextmanager
def _bare_page() -> Generator[str]:
    """The bare minimum: one file with one line."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.html").write_text("<!doctype html><title>Bare</title><p>One line", encoding="utf-8")
        with site(Path(folder)) as address:
            yield address


@contextlib.contextmanager
def _trace_viewer(browser: Browser) -> Generator[str]:
    """The rival: Playwright's own viewer of what a test did, with a trace of a few clicks."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.zip")
        with _context(browser) as context:
            context.tracing.start(screenshots=True, snapshots=True)
            page = context.new_page()
            page.set_content("<button>Go</button>")
            for _ in range(5):
                page.click("button")
            context.tracing.stop(path=trace)
        command = [sys.executable, "-m", "playwright", "show-trace", "--host", "127.0.0.1", "--port", "0", str(trace)]
        # It opens a browser of its own, which is not measured.
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": "true"}, start_new_session=True
        )
        try:
            assert process.stdout is not None  # noqa: S101 - a pipe was asked for
            reported = next(line for line in process.stdout if "http://" in line)
            yield reported.strip().rpartition(" ")[2]
        finally:
            os.killpg(process.pid, signal.SIGTERM)  # Python only starts the program that serves
            process.wait(20)


def _format_values(values: list[float]) -> tuple[str, str]:
    """Median and 95th percentile."""
    highest = sorted(values)[min(len(values) - 1, round(0.95 * (len(values) - 1)))]
    return f"{statistics.median(values):.0f}", f"{highest:.0f}"
