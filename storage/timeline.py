"""An analysis for human eyes: ``timeline.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.analysis import Analysis, Verdict


def timeline_markdown(analysis: Analysis) -> str:
    """The newest answer as Markdown. What was read off the screen stands indented: it is data, no formatting."""
    video = analysis.video
    facts = f"{video.duration_ms / 1000:.1f} s, {video.width} x {video.height} pixels"
    lines = [
        f"# {_plain(video.path.rpartition('/')[2])}",
        "",
        f"{facts}, seen by {_plain(analysis.provider)} ({_plain(analysis.model)}), job {analysis.job_id}.",
        "",
        "## What happened",
        "",
        *(f"    {line}" for line in analysis.description.splitlines()),
    ]
    if analysis.verdicts:
        lines += ["", "## What was expected", "", "| verdict | expectation | why | when |", "|---|---|---|---|"]
        lines += [_row(verdict) for verdict in analysis.verdicts]
    if analysis.warnings:
        lines += ["", "## Warnings", "", *(f"- {_plain(warning)}" for warning in analysis.warnings)]
    return "\n".join(lines) + "\n"


def _row(verdict: Verdict) -> str:
    when = ", ".join(f"{evidence.t_ms / 1000:.1f} s" for evidence in verdict.evidence)
    cells = (verdict.verdict.value, _plain(verdict.expectation), _plain(verdict.reason), when)
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """One line in which nothing is markup."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|!" else letter for letter in " ".join(text.split()))
