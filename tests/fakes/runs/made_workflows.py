"""Workflows that a test writes itself, on pages of its own that tell their state."""

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

from tests.fakes.runs.replaying import Case, PageServer
from tests.fakes.runs.workflow_documents import plan, step

_HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><style>
body { margin: 0; padding: 32px; font: 18px/1.5 "DejaVu Sans", sans-serif; color: #1b1f24; }
button { font: inherit; padding: 8px 22px; border: 1px solid #7a869a; border-radius: 6px; background: #eef2f6; }
</style><script>
const clicked = [];
function told(what, shown) {
  clicked.push(what);
  document.getElementById("said").textContent = shown;
  fetch("state", { method: "POST", body: JSON.stringify({ clicked }) });
}
</script></head><body><p id="said">Nothing was done yet</p>
"""
OPENED = '"Nothing was done yet" is shown.'
"""What a page shows before anything was done on it."""


def click(target: str) -> dict[str, Any]:
    """A step that clicks."""
    return step(intent="Click it", target={"primary": target, "fallback": None})


def typing(target: str, text: str) -> dict[str, Any]:
    """A step that types."""
    return step(intent="Write it", action_type="TYPE", action_value=text, target={"primary": target, "fallback": None})


def opening(url: str) -> dict[str, Any]:
    """A step that opens an address."""
    target = {"primary": "the browser", "fallback": None}
    return step(intent="Open it", action_type="OPEN_URL", action_value=url, target=target, post_action=[OPENED])


def made_case(folder: Path, *subtasks: tuple[str, list[dict[str, Any]]], criteria: str) -> Case:
    """A workflow of these subtasks: the text of each, which ends with its expected outcome, and its steps."""
    folder.mkdir(parents=True)
    numbered = [
        {"text": text, "steps": [each | {"i": number} for number, each in enumerate(steps)]} for text, steps in subtasks
    ]
    written = plan(*numbered, success_criteria=criteria)
    (folder / "schema.json").write_text(written, encoding="utf-8")
    return Case(folder, {}, lambda: None)


@contextlib.contextmanager
def made_page(folder: Path, body: str, *steps: dict[str, Any], outcome: str) -> Generator[Case]:
    """A page of that body is opened, and then the steps are done; ``outcome`` is what is seen when it went well.

    What the page's script tells with ``told(what, shown)`` is its state: ``{"clicked": [what, …]}``.
    """
    pages = folder / "pages"
    pages.mkdir(parents=True)
    (pages / "page.html").write_text(_HEAD + body, encoding="utf-8")
    with PageServer(pages) as server:
        case = made_case(
            folder / "workflow",
            (f"Open the page. Expected outcome: {OPENED}", [opening(f"{server.url}/page.html")]),
            (f"Do it. Expected outcome: {outcome}", list(steps)),
            criteria=outcome,
        )
        case.state = server.read_reports
        yield case
