"""The pages of the dashboard: a table of them, and the HTML that each is sent as."""

import hashlib
import posixpath
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from http import HTTPStatus
from importlib import resources
from importlib.resources.abc import Traversable
from string import Template
from typing import Final, NamedTuple

from starlette.responses import HTMLResponse

ROOT: Final = "/ui"
_DIRECTIVES: Final = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    # No text can become markup: the browser itself refuses it. The one policy names the address of the worker.
    "require-trusted-types-for 'script'",
    "trusted-types vaider-worker",
)
POLICY: Final = "; ".join(_DIRECTIVES)
_IMPORT: Final = re.compile(r"""^(?:import|export)\b[^;]*?["'](\.{1,2}/[a-z_/]+\.js)["']""", re.MULTILINE)
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_FOLDER: Final = resources.files("server.dashboard")


class Page(NamedTuple):
    """One page; ``name`` is that of its fragment, its module and its style sheet."""

    path: str
    name: str
    title: str
    section: str = ""
    """The entry of the navigation that it belongs to; its own name if empty."""


PAGES: Final = (
    Page("/", "home", "Home"),
    Page(f"{ROOT}/videos", "videos", "Videos"),
    Page(f"{ROOT}/videos/{{job_id}}", "video", "Video", "videos"),
    Page(f"{ROOT}/comparisons/{{job_id}}", "comparison", "Comparison", "videos"),
    Page(f"{ROOT}/memory", "memory", "Memory"),
    Page(f"{ROOT}/tasks", "tasks", "Tasks and workflows"),
    Page(f"{ROOT}/tasks/{{task_id}}", "task", "Task", "tasks"),
    Page(f"{ROOT}/workflows/{{name}}", "workflow", "Workflow", "tasks"),
    Page(f"{ROOT}/runs", "runs", "Runs"),
    Page(f"{ROOT}/runs/{{job_id}}", "run", "Run", "runs"),
    Page(f"{ROOT}/reload", "reload", "Reload"),
    Page(f"{ROOT}/reload/{{entry_id}}", "entry", "Reload entry", "reload"),
    Page(f"{ROOT}/settings", "settings", "Settings"),
    Page(f"{ROOT}/welcome", "welcome", "Welcome"),
)
DOCS: Final = Page("/docs", "docs", "The HTTP interface", "settings")
MISSING: Final = Page(f"{ROOT}/missing", "missing", "Not found")
SIGN_IN: Final = Page(f"{ROOT}/sign-in", "sign_in", "Sign in")
NAVIGATION: Final = ("home", "videos", "memory", "tasks", "runs", "reload", "settings")


class Asset(NamedTuple):
    """A file that pages load."""

    content: bytes
    media_type: str


@cache
def assets() -> dict[str, Asset]:
    """All files that pages load, by their paths below ``assets/``: a folder for each section, and ``shared/``."""
    return {
        f"{folder.name}/{file.name}": Asset(file.read_bytes(), _TYPES[_suffix(file)])
        for folder in _sorted(_FOLDER / "assets")
        if folder.is_dir()
        for file in _sorted(folder)
        if _suffix(file) in _TYPES
    }


@cache
def edition() -> str:
    """Changes with any asset: part of their addresses, so that browsers may keep them for good."""
    contents = b"\0".join(name.encode() + b"\0" + asset.content for name, asset in assets().items())
    return hashlib.sha256(contents).hexdigest()[:16]


def response(page: Page, token: str, status: int = HTTPStatus.OK, content: str | None = None) -> HTMLResponse:
    """The page as it is sent, with the policy that keeps all but our own files out of it.

    Args:
        page: which.
        token: what its writes carry.
        status: of the answer.
        content: HTML in place of the page's own, for one that is made anew each time.

    """
    html = Template(_shell(page) if content is None else _document(page, content)).substitute(token=escape(token))
    return HTMLResponse(html, status, headers={"Content-Security-Policy": POLICY})


@cache
def _shell(page: Page) -> str:
    return _document(page, _text(f"{page.name}.html"))


def _document(page: Page, content: str) -> str:
    body = Template(_text("signing_in.html" if page is SIGN_IN else "shell.html")).substitute(
        base=_base(),
        navigation="\n".join(_navigation(page.section or page.name)),
        content=content.replace("$", "$$"),
    )
    return Template(_text("document.html")).substitute(
        title=f"Vaider \u2013 {escape(page.title)}",
        base=_base(),
        head="\n".join(_head(page)),
        name=page.name,
        body=body,
        token="$token",  # noqa: S106 - a place for it
    )


def _base() -> str:
    """Where the assets of this edition stand."""
    return f"{ROOT}/assets/{edition()}"


def _head(page: Page) -> list[str]:
    base = _base()
    sheets = [path for path in ("shared/base.css", _named(f"{page.name}.css")) if path]
    names = [f"{page.name}.js"] if page is SIGN_IN else ["shell.js", f"{page.name}.js"]
    modules = [path for name in names if (path := _named(name))]
    return [
        *(f'<link rel="stylesheet" href="{base}/{path}">' for path in sheets),
        # Preloaded at once, rather than discovered one after the other by reading each module.
        *(f'<link rel="modulepreload" href="{base}/{path}">' for path in _modules(modules)),
        *(f'<script type="module" src="{base}/{path}"></script>' for path in modules),
    ]


def _named(name: str) -> str | None:
    """The path of the one file of that name, if there is one."""
    return next((path for path in assets() if path.endswith(f"/{name}")), None)


def _modules(paths: Sequence[str]) -> list[str]:
    """What modules import, and what those import."""
    found: list[str] = []
    waiting = [*paths]
    while waiting:
        module = waiting.pop()
        for each in _IMPORT.findall(assets()[module].content.decode()):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(module), each))
            if path not in found and path in assets():
                found.append(path)
                waiting.append(path)
    return found


def _navigation(current: str) -> list[str]:
    known = {page.name: page for page in PAGES}
    return [
        f'<li><a href="{known[name].path}"{" aria-current=" + chr(34) + "page" + chr(34) if name == current else ""}>'
        f"{escape(known[name].title)}</a></li>"
        for name in NAVIGATION
    ]


def _text(name: str) -> str:
    return (_FOLDER / "pages" / name).read_text(encoding="utf-8")


def _sorted(folder: Traversable) -> list[Traversable]:
    return sorted(folder.iterdir(), key=lambda each: each.name)


def _suffix(file: Traversable) -> str:
    return "." + file.name.rpartition(".")[2]
