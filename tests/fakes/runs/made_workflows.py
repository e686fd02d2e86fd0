"""Workflows that a test or a benchmark writes itself, also on pages of its own that tell their state."""

import contextlib
from collections.abc import Collection, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.runs.budget import Limits
from core.runs.run import Run
from tests.fakes.runs import workflow_documents
from tests.fakes.runs.replaying import Case, PageServer, Replays

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


def step(action: str, target: str, value: str | None = None, **args: Any) -> dict[str, Any]:
    """A step that expects nothing but that it is done."""
    return workflow_documents.step(
        expected_current_state="The program is open.",
        intent=f"{action.lower()} {target}",
        action_type=action,
        action_value=value,
        target={"primary": target, "fallback": None},
        post_action=["It is done."],
        additional_args=args,
    )


def opening(url: str) -> dict[str, Any]:
    """A step that opens the address of a page on which nothing was done."""
    return step("OPEN_URL", "the browser", url) | {"post_action": [OPENED]}


def made_case(
    folder: Path,
    *subtasks: tuple[str, Sequence[dict[str, Any]]],
    criteria: str = "",
    params: Mapping[str, str] | None = None,
    sensitive: Collection[str] = (),
    **members: Any,
) -> Case:
    """A workflow of these subtasks: the text of each, which ends with its expected outcome, and its steps.

    Args:
        folder: for the workflow; it is made.
        subtasks: their texts and steps.
        criteria: of success.
        params: the values of its parameters, which the workflow declares.
        sensitive: the names of those that are to be kept nowhere.
        members: others of the document, e.g. ``effects``.

    """
    values = dict(params or {})
    numbered = [{"text": text, "steps": [each | {"i": i} for i, each in enumerate(steps)]} for text, steps in subtasks]
    declared = [{"name": name, "sensitive": name in sensitive} for name in values]
    written = workflow_documents.plan(*numbered, success_criteria=criteria, task_params=declared, **members)
    folder.mkdir(parents=True)
    (folder / "schema.json").write_text(written, encoding="utf-8")
    return Case(folder, values, lambda: None)


def carried_out(folder: Path, steps: Sequence[dict[str, Any]], title: str) -> Run:
    """Carry the steps out on a private display; they succeed when the window of that title has gone."""
    case = made_case(folder / "workflow", ("Fill it in.", steps), criteria=f'"{title}" is no longer shown.')
    return Replays(folder, limits=Limits(verify_seconds=2), patience=4).run(case)


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
