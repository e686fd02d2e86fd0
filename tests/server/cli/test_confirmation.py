"""What a success was confirmed by, wherever a run is shown: terminal, MCP, report, summary, lists of jobs."""

import io
import re
from typing import Any

import pytest

from core.job_briefs import begun, ended
from core.jobs import Job, JobState
from core.runs.run import Check, Run, RunOutcome
from mcp_tools.job_answers import to_tool_result
from server.cli_output.analysis import console
from server.cli_output.run import show_run
from storage.reports.report import report_page
from storage.tasks.runs import summary
from tests.fakes.jobs.run_results import run_result

READ = Check(
    expected='The file "/x.csv" has one more row: "name" is "Ada".', verdict="pass", evidence="It has the row."
)
TWICE = Check(expected=READ.expected, verdict="fail", evidence="The file has the row twice.")
CAUTION = "The screen alone confirmed this."


def shown_everywhere(result: dict[str, Any]) -> dict[str, str]:
    run = Run.model_validate(result)
    terminal = io.StringIO()
    show_run(console(terminal), run)
    job = Job(id="job-1", kind="replay", state=JobState.DONE, request={}, result=result, created_at="")
    answered = to_tool_result(job, 2000)
    return {
        "terminal": " ".join(terminal.getvalue().split()),
        "mcp": " ".join(getattr(each, "text", "") for each in answered.content),
        "report": report_page(result, [], {}, []),
        "summary": summary(run, []),
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"confirmed_by": "effect", "effects": (READ,)}, ["hecked by its effect", "It has the row."]),
        ({"confirmed_by": "screen", "caution": CAUTION}, ["een on the screen only", CAUTION]),
    ],
)
def test_a_success_says_what_confirmed_it(changes: dict[str, Any], says: list[str]) -> None:
    result = run_result(**changes)

    shown = shown_everywhere(result)
    assert f"Confirmed by: {changes['confirmed_by']}." in shown.pop("mcp")
    for place, words in shown.items():
        assert all(each in words for each in says), (place, words)
    brief = begun("job-1", "replay", {}, "")
    assert ended(brief, JobState.DONE, "", result=result).confirmed_by == changes["confirmed_by"]


def test_a_run_whose_effect_is_another_one_is_told_with_what_was_found() -> None:
    result = run_result(RunOutcome.FAILED, reason=TWICE.evidence, effects=(TWICE,))

    for place, words in shown_everywhere(result).items():
        assert "The file has the row twice." in words, place
        assert not re.search("onfirmed by|hecked by|screen only", words), place
