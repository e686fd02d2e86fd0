"""What was seen in videos as JUnit's XML, which each CI reads."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from core.analysis import Analysis, Verdict, VerdictResult
from core.narrative import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.client.job_following import Outcome

WATCHED: Final = "was watched"
"""The name of the one test case of a video of which nothing was expected."""
_LAST_LINES: Final = 12
"""Of the timeline: its end is where a test failed."""
_UNFIT: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[Outcome], *, unclear_fails: bool) -> bytes:
    """A test suite for each video, a test case for each expectation.

    Args:
        outcomes: in their order.
        unclear_fails: whether what is unclear is a failure; else it is skipped.

    """
    root = ET.Element("testsuites", {"name": "vaider"})
    for outcome in outcomes:
        root.append(_suite(outcome, unclear_fails=unclear_fails))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return ET.tostring(root, "utf-8", xml_declaration=True) + b"\n"


def is_failure(verdict: Verdict, *, unclear_fails: bool) -> bool:
    """Whether an expectation that was not seen to be met fails the run."""
    return unclear_fails or verdict.verdict is VerdictResult.FAIL


def below_here(path: str | Path) -> str:
    """The path as seen from the working directory, where it lies below it."""
    return os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else str(path)


def _suite(outcome: Outcome, *, unclear_fails: bool) -> ET.Element:
    video, analysis = _text(below_here(outcome.video_path)), outcome.analysis
    seconds = analysis.duration_ms / 1000 if analysis else 0.0
    suite = ET.Element("testsuite", {"name": video, "time": f"{seconds:.3f}"})
    verdicts = analysis.verdicts if analysis else ()
    taken: dict[str, int] = {}
    for verdict in verdicts:
        case = _case(suite, video, _unlike(_text(verdict.expectation), taken), seconds / len(verdicts))
        _judge(case, verdict, unclear_fails=unclear_fails)
        ET.SubElement(case, "system-out").text = "\n".join(_evidence(analysis, verdict))
    if not verdicts:
        case = _case(suite, video, WATCHED, seconds)
        if outcome.error is not None:
            fault = ET.SubElement(case, "error", {"message": _text(outcome.error.message), "type": outcome.error.code})
            fault.text = _text(outcome.error.message)
    if analysis is not None:
        # What it shows stands once: with the suite, below its cases.
        lines = analysis.description.splitlines()
        ET.SubElement(suite, "system-out").text = _text("\n".join(lines[-_LAST_LINES:]))
    count = {name: len(suite.findall(f"testcase/{tag}")) for name, tag in _COUNTED}
    for name, number in (("tests", len(suite.findall("testcase"))), *count.items()):
        suite.set(name, str(number))
    return suite


_COUNTED: Final = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))


def _case(suite: ET.Element, video: str, name: str, seconds: float) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": video, "name": name, "time": f"{seconds:.3f}"})


def _unlike(name: str, taken: dict[str, int]) -> str:
    """A name that no other case of the video has: of two with the same, GitLab shows the first."""
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name} ({taken[name]})"


def _judge(case: ET.Element, verdict: Verdict, *, unclear_fails: bool) -> None:
    if verdict.verdict is VerdictResult.PASS:
        return
    fails = is_failure(verdict, unclear_fails=unclear_fails)
    moments = ", ".join(clock(proof.t_ms) for proof in verdict.evidence)
    said = _text(f"{verdict.verdict}{f' at {moments}' if moments else ''}: {verdict.reason}")
    attributes = {"message": said, **({"type": str(verdict.verdict)} if fails else {})}
    ET.SubElement(case, "failure" if fails else "skipped", attributes).text = said


def _evidence(analysis: Analysis | None, verdict: Verdict) -> list[str]:
    """The reason, then a line for each moment, and its picture as GitLab and Jenkins take it."""
    lines = [_text(f"{verdict.verdict}: {verdict.reason}")]
    for proof in verdict.evidence:
        lines.append(_text(f"[{clock(proof.t_ms)}] {proof.quote or ''}".rstrip()))
        picture = Path(analysis.interactions_dir, proof.frame) if analysis and proof.frame else None
        if picture is not None and picture.is_file():
            lines.append(f"[[ATTACHMENT|{below_here(picture)}]]")
    return lines


def _text(given: str) -> str:
    """The text without what XML 1.0 cannot hold: it may come from a screen or a model."""
    return _UNFIT.sub("�", given).replace("[[", "[ [")  # Else it could name a file, which a CI would attach.
