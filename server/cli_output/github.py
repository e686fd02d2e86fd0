"""What was seen in videos as GitHub Actions shows it: annotations, and the summary of a step."""

from __future__ import annotations

import contextlib
import html
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from core.analysis import VerdictResult
from core.headlines import of_analysis
from core.narrative import clock
from core.text import one_line
from server.cli_output.junit import below_here, is_failure
from server.commands.options import append_file

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from core.analysis import Verdict
    from server.client.job_following import Outcome

SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_MOST_BYTES: Final = 900_000
"""GitHub drops a summary of more than 1 MiB."""
_MOST_LINES: Final = 40
_SIGNS: Final = {VerdictResult.FAIL: "❌", VerdictResult.UNCLEAR: "❔", VerdictResult.PASS: "✅"}


@contextlib.contextmanager
def no_commands() -> Generator[None]:
    """What is printed meanwhile commands nothing: text from a screen could begin with ``::``."""
    word = secrets.token_hex(16)
    click.echo(f"::stop-commands::{word}")
    try:
        yield
    finally:
        click.echo(f"::{word}::")


def messages(outcomes: Sequence[Outcome], *, unclear_fails: bool) -> list[str]:
    """A workflow command for each video that could not be watched and each expectation that was not seen to be met."""
    lines: list[str] = []
    for outcome in outcomes:
        name = below_here(outcome.video_path)
        if outcome.error is not None:
            lines.append(_command("error", name, outcome.error.message))
        for verdict in outcome.analysis.verdicts if outcome.analysis else ():
            if verdict.verdict is not VerdictResult.PASS:
                fails = is_failure(verdict, unclear_fails=unclear_fails)
                title = f"{name} {moment}" if (moment := _moment(verdict)) else name
                said = f"{verdict.verdict}: {verdict.expectation}: {verdict.reason}"
                lines.append(_command("error" if fails else "warning", title, said))
    return lines


def _command(kind: str, title: str, message: str) -> str:
    return f"::{kind} title={_data(title).replace(':', '%3A').replace(',', '%2C')}::{_data(message)}"


def _data(text: str) -> str:
    """As GitHub's own toolkit escapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def write_summary(outcomes: Sequence[Outcome], pages: Mapping[str, Path]) -> None:
    """Add the summary to the step's, where GitHub wants it. Raises ``StorageFailed``."""
    file = os.environ.get(SUMMARY)
    if file:
        append_file(Path(file), summary(outcomes, pages).encode("utf-8", "replace"))


def summary(outcomes: Sequence[Outcome], pages: Mapping[str, Path]) -> str:
    """Markdown: a table of the moments of each video.

    It has no pictures: GitHub shows those alone that have an address on the web, neither files nor ``data:``.

    Args:
        outcomes: in their order.
        pages: the file with the pictures of each video, by its path, where one was written.

    """
    text = "## Vaider: what the videos show\n\n"
    for place, outcome in enumerate(outcomes):
        part = _video(outcome, pages.get(outcome.video_path))
        if len((text + part).encode("utf-8", "replace")) > _MOST_BYTES:
            return f"{text}and {len(outcomes) - place} more videos; there is no room for them here.\n\n"
        text += part
    return text


def _video(outcome: Outcome, page: Path | None) -> str:
    """The table of one video, as HTML without an empty line: nothing in it is read as Markdown."""
    name, analysis = below_here(outcome.video_path), outcome.analysis
    if analysis is None:
        return f"<h3>❌ {_cell(name)}</h3><p>{_cell(outcome.error.message if outcome.error else '')}</p>\n\n"
    line = of_analysis(analysis.model_dump(mode="json", include={"verdicts", "timeline", "video"}))
    parts = [f"<h3>{_cell(name)}</h3><p>{_cell(line.text)}</p>"]
    if analysis.verdicts:
        rows = [_row(each) for each in sorted(analysis.verdicts, key=lambda each: list(_SIGNS).index(each.verdict))]
        heads = "<tr><th></th><th>expected</th><th>at</th><th>seen</th></tr>"
        parts.append(f"<table>{heads}{''.join(rows)}</table>")
    lines = analysis.description.splitlines()
    if lines:
        shown = "<br>".join(_cell(each) for each in lines[-_MOST_LINES:])
        left = f"({len(lines) - _MOST_LINES} lines before)<br>" if len(lines) > _MOST_LINES else ""
        parts.append(f"<details><summary>timeline</summary>{left}{shown}</details>")
    if page is not None:
        parts.append(f"<p>Its pictures: <code>{_cell(below_here(page.absolute()))}</code>, among the artifacts.</p>")
    return "\n".join(parts) + "\n\n"


def _row(verdict: Verdict) -> str:
    cells = (verdict.expectation, _moment(verdict), verdict.reason)
    return f"<tr><td>{_SIGNS[verdict.verdict]}</td>{''.join(f'<td>{_cell(each)}</td>' for each in cells)}</tr>"


def _moment(verdict: Verdict) -> str:
    return clock(verdict.evidence[0].t_ms) if verdict.evidence else ""


def _cell(text: str) -> str:
    return html.escape(one_line(text))
