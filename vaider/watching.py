"""Watches the videos that pytest-playwright leaves, and says in the run's reports what they show."""

from __future__ import annotations

import base64
import html
import re
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

_WATCHED_SECONDS: Final = 120
_MOST_LINES: Final = 12
"""Of a timeline in the terminal: its end is where the test failed."""
_PROPERTY: Final = "vaider"
_WHY: Final = "why: "
_SECONDS: Final = re.compile(r"[\d.]+ m?s\b")
_BROWSER: Final = re.compile(r"\[(?:chromium|firefox|webkit)\b")
"""How the name of a test's browser stands first among its parameters."""
_EXPECTED: Final = pytest.StashKey[list[str]]()
_FOLDER: Final = pytest.StashKey[Path]()
_FAILED: Final = pytest.StashKey[bool]()


class Expecting:
    """The fixture, which is there without ``--vaider`` too: then it does nothing."""

    @pytest.fixture
    def vaider_expect(self, request: pytest.FixtureRequest) -> Callable[..., None]:
        """Say what the test's video should show, e.g. ``vaider_expect('"Saved" appears')``."""
        expected: list[str] = []
        request.node.stash[_EXPECTED] = expected

        def expect(*sentences: str) -> None:
            expected.extend(sentences)

        return expect


@dataclass
class _Seen:
    """What came of watching one video."""

    video: Path
    analysis: dict[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    is_red: bool = False

    @property
    def why(self) -> dict[str, Any] | None:
        """Why it failed, by its trace; a test that passed may have caught what failed."""
        return self.analysis.get("why") if self.is_red else None

    def verdicts(self, *wanted: str) -> list[str]:
        """A line for each verdict of these kinds."""
        found = [each for each in self.analysis.get("verdicts", ()) if each["verdict"] in wanted]
        return [f"{each['verdict']:7} {_moment(each)}{each['expectation']}: {each['reason']}" for each in found]

    def lines(self) -> list[str]:
        """What a report says: why it failed, the verdicts, the worst first, then the end of the timeline."""
        if self.error:
            return [f"{self.video}: {self.error}"]
        timeline = str(self.analysis.get("description", "")).splitlines()[1 if self.analysis.get("why") else 0 :]
        reason: list[str] = []
        if self.why:
            sources = "; ".join(each["source"] for each in self.why["clauses"])
            reason = [f"{_WHY}{self.why['text']}", f"     (said by {sources})"]
        left = len(timeline) - _MOST_LINES
        cut = [f"({left} lines before)"] if left > 0 else []
        verdicts = [line for wanted in ("fail", "unclear", "pass") for line in self.verdicts(wanted)]
        warnings = [f"warning: {each}" for each in self.analysis.get("warnings", ())]
        return [*reason, *verdicts, *cut, *timeline[-_MOST_LINES:], *warnings]

    def picture(self) -> bytes | None:
        """Of the reason, of the first verdict that is not a pass, else of the last event."""
        doubted = [each for each in self.analysis.get("verdicts", ()) if each["verdict"] != "pass"]
        proofs = [one for each in doubted for one in each["evidence"]]
        for one in [*([self.why] if self.why else []), *proofs, *reversed(self.analysis.get("timeline", ()))]:
            path = Path(self.analysis["interactions_dir"], one.get("frame") or "")
            if path.is_file():
                return path.read_bytes()
        return None


def _moment(verdict: dict[str, Any]) -> str:
    return f"[{verdict['evidence'][0]['t_ms'] / 1000:.1f} s] " if verdict["evidence"] else ""


class Watching:
    """Watches after each test that failed or that says what should be seen.

    Args:
        config: the run's.

    """

    def __init__(self, config: pytest.Config) -> None:
        self._fails = config.getoption("vaider") == "fail"
        self._seconds = 0.0
        self._watched = 0
        from vaider.watcher import Watcher  # noqa: PLC0415 - only for who watches

        self._watcher = Watcher()
        self._records = (
            getattr(config.option, "video", "off") != "off" or getattr(config.option, "tracing", "off") != "off"
        )

    @pytest.fixture(autouse=True)
    def _vaider_folder(self, request: pytest.FixtureRequest) -> None:
        """Where pytest-playwright puts the videos of this test, if it opens a page."""
        if {"page", "context", "new_context"} & set(request.fixturenames) and "output_path" in _known(request):
            self._watcher.begin()
            request.node.stash[_FOLDER] = Path(request.getfixturevalue("output_path"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Watch once the test is torn down: until then the video is being written."""
        report = yield
        if report.when == "setup":  # also of a further attempt, by a plugin that tries again
            item.stash[_FAILED] = False
        if report.when != "teardown":
            item.stash[_FAILED] = item.stash[_FAILED] or report.failed
            return report
        expected = [*_marked(item), *item.stash.get(_EXPECTED, list[str]())]
        if item.stash[_FAILED] or expected:
            was_green = not item.stash[_FAILED] and call.excinfo is None
            for video in _videos(item.stash.get(_FOLDER, None)):
                self._report(report, self._watch(video, expected, is_red=item.stash[_FAILED]), was_green=was_green)
        return report

    def pytest_unconfigure(self) -> None:
        """The run is over."""
        self._watcher.end()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """What the videos of failed tests show, and what contradicts those that passed."""
        if not self._records:
            terminalreporter.write_line("vaider: no videos were recorded; add --video=on, or --tracing=on")
        summaries = [
            (report.nodeid, str(value))
            for reports in terminalreporter.stats.values()
            for report in reports
            if getattr(report, "when", None) == "teardown"
            for name, value in report.user_properties
            if name == _PROPERTY
        ]
        if not summaries:
            return
        terminalreporter.section("vaider: what the videos show")
        for group in _by_test(summaries):
            reasons: dict[str, str] = {}
            for nodeid, text in group:
                reason = _reason(text)
                same = reasons.get(reason) if reason else None
                terminalreporter.write_line(nodeid, bold=True)
                terminalreporter.write_line(f"failed for the same reason as {same}" if same else _harmless(text))
                terminalreporter.write_line("")
                reasons.setdefault(reason, nodeid)
        if self._watched:
            terminalreporter.write_line(f"watching {self._watched} videos took {self._seconds:.1f} s")

    def _watch(self, video: Path, expected: Sequence[str], *, is_red: bool) -> _Seen:
        began = monotonic()
        answer = self._watcher.watch(video, expected, _WATCHED_SECONDS)
        self._watched += 1
        self._seconds += monotonic() - began
        return _Seen(video, error=str(answer["error"])) if "error" in answer else _Seen(video, answer, is_red=is_red)

    def _report(self, report: pytest.TestReport, seen: _Seen, *, was_green: bool) -> None:
        against = seen.verdicts("fail") if was_green else []
        head = "passed, and its video shows:" if was_green else "failed; its video shows:"
        head = "passed, but its video contradicts it:" if against else head
        text = "\n".join([head, *seen.lines()])
        report.user_properties.append((_PROPERTY, text))
        _add_extras(report, text, seen)
        if against and self._fails:
            report.outcome = "failed"
            report.longrepr = _harmless("\n".join(["The video contradicts the test, which passed:", *against]))


def _by_test(summaries: Sequence[tuple[str, str]]) -> Iterable[Sequence[tuple[str, str]]]:
    """The browsers of a test together, at the place of the first."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for nodeid, text in summaries:
        groups.setdefault(_BROWSER.sub("[", nodeid), []).append((nodeid, text))
    return groups.values()


def _reason(text: str) -> str:
    """Why it failed, without the times, which differ from browser to browser; empty where no trace says it."""
    line = next((each for each in text.splitlines() if each.startswith(_WHY)), "")
    return _SECONDS.sub("", line)


def _known(request: pytest.FixtureRequest) -> set[str]:
    plugin = request.config.pluginmanager
    return {"output_path"} if plugin.hasplugin("playwright") or plugin.hasplugin("pytest_playwright") else set()


def _marked(item: pytest.Item) -> list[str]:
    return [str(sentence) for mark in item.iter_markers("vaider") for sentence in mark.args]


def _videos(folder: Path | None) -> list[Path]:
    """The test's videos, else its trace."""
    if folder is None or not folder.is_dir():
        return []
    return sorted(folder.glob("*.webm")) or sorted(folder.glob("trace*.zip"))


def _add_extras(report: Any, text: str, seen: _Seen) -> None:
    """For pytest-html, where it is installed."""
    try:
        from pytest_html import extras  # noqa: PLC0415 - not everybody has it
    except ImportError:
        return
    found = [extras.html(f"<pre>{html.escape(text)}</pre>")]
    picture = seen.picture()
    if picture is not None:
        found.append(extras.jpg(base64.b64encode(picture).decode()))
    report.extras = [*getattr(report, "extras", []), *found]


def _harmless(text: str) -> str:
    """Without what would command a terminal: it was read from a screen."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in text)
