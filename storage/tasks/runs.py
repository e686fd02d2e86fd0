"""The runs of tasks: ``tasks/<id>/runs/<UTC>-<id>/`` as workflows' have it, and two files for each run beside it.

``run-<UTC>-<id>.md`` is for people, ``agent-run-<UTC>-<id>.json`` for programs: the run, and all rows of its journal.
"""

from __future__ import annotations

import errno
import json
import logging
import re
import shutil
import stat
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from core.errors import NotFound, VaiderError
from core.files import Folder, storage_failure
from core.headlines import confirmed_words
from core.runs.run import Check, Run, RunOutcome
from core.text import one_line
from storage.reports.report import words
from storage.runs import Place, RunDirectory, claim, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from core.screens import Picture

Screenshots = Literal["failures", "all"]

_LOG: Final = logging.getLogger("vaider.runs")
RUNS: Final = "runs"
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_NAME: Final = re.compile(r"(?:(?:agent-)?run-)?(?P<run>(?P<stamp>\d{8}T\d{6}Z)-[0-9A-Za-z]{1,16})(?:\.md|\.json)?")
_PICTURE: Final = re.compile(r"subtask_\d+_iter_\d+\.png")
_MAX_ROWS: Final = 20_000


class TaskRunFolders:
    """Implements ``core.runs.ports.Runs`` for tasks.

    Args:
        encode: makes a PNG file of a picture; called from a thread of its own.
        shrink: makes a small WebP file of a picture for the report, likewise; without it the report has no pictures.
        redact: takes the keys of providers out of a text; everything that is written goes through it.
        screenshots: whether those of runs that succeeded are kept as well; their report has small ones in any case.
        days: how long runs are kept, 0 for ever; a task's newest one always is.

    """

    def __init__(
        self,
        *,
        encode: Callable[[Picture], bytes],
        redact: Callable[[str], str],
        screenshots: Screenshots = "failures",
        days: float = 90.0,
        shrink: Callable[[Picture], bytes] | None = None,
    ) -> None:
        self._encode = encode
        self._shrink = shrink
        self._redact = redact
        self._screenshots: Screenshots = screenshots
        self._days = days

    def open(self, folder: str, job_id: str, secrets: Sequence[str]) -> TaskRunDirectory:
        """Make the folder of a run, and forget runs that are too old. Raises ``NotFound`` if there is no such task."""
        self.prune(Path(folder), datetime.now(UTC))
        try:
            place = claim(Path(folder), (RUNS,), job_id)
        except FileNotFoundError:
            raise _deleted(Path(folder)) from None
        except OSError as error:
            raise storage_failure(Path(folder, RUNS), error) from error
        keeps_all = self._screenshots == "all"
        return TaskRunDirectory(
            place,
            encode=self._encode,
            shrink=self._shrink,
            redact=self._redact,
            secrets=secrets,
            keeps_pictures=keeps_all,
        )

    def prune(self, folder: Path, now: datetime) -> int:
        """Forget the runs of a task that are older than is set; tells how many went. What cannot be removed stays."""
        if self._days <= 0:
            return 0
        runs = folder / RUNS
        stamp = (now - timedelta(days=self._days)).strftime(_STAMP)
        names = _run_names(runs)
        ended = sorted({found["run"] for _, found in names})[:-1]
        old = {run for run in ended if run.partition("-")[0] < stamp}
        for name, found in names:
            if found["run"] in old:
                _remove(runs / name)
        return len(old)


class TaskRunDirectory(RunDirectory):
    """Implements ``core.runs.ports.RunFolder`` for tasks."""

    def __init__(
        self,
        place: Place,
        *,
        encode: Callable[[Picture], bytes],
        shrink: Callable[[Picture], bytes] | None,
        redact: Callable[[str], str],
        secrets: Sequence[str],
        keeps_pictures: bool,
    ) -> None:
        super().__init__(place, encode=encode, shrink=shrink, redact=redact, secrets=secrets)
        self._keeps_pictures = keeps_pictures

    def finish(self, run: Run) -> None:
        """Write the report, and the two files beside the folder; screenshots of a success go, unless all are kept."""
        super().finish(run)
        rows = list(islice(self.rows(), _MAX_ROWS))
        document = {"version": 1, "run": self.masked(run.model_dump(mode="json")), "events": rows}
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
        self._beside(f"agent-run-{run.run_id}.json", f"{self._redact(text)}\n")
        self._beside(f"run-{run.run_id}.md", self.redacted(summary(run, rows)))
        if run.outcome is RunOutcome.SUCCEEDED and not self._keeps_pictures:
            self._drop_pictures()

    def failure(self, name: str, error: OSError) -> VaiderError:
        """That the task was deleted meanwhile, if it was."""
        task = self.directory.parent.parent
        return _deleted(task) if not task.exists() else super().failure(name, error)

    def _beside(self, name: str, text: str) -> None:
        folder = self.directory.parent
        try:
            with Folder.open(folder) as opened:
                opened.replace(name, text.encode("utf-8", "replace"))
        except OSError as error:
            raise self.failure(name, error) from error

    def _drop_pictures(self) -> None:
        with suppress(OSError), Folder.open(self.directory) as opened:
            for name in opened.names():
                if _PICTURE.fullmatch(name):
                    opened.remove(name)


def runs_of(task: Path, most: int = 50) -> Sequence[Run]:
    """The runs of a task that have come to their end, the newest first; those that cannot be read are left out."""
    names = sorted({found["run"] for name, found in _run_names(task / RUNS) if name == found["run"]}, reverse=True)
    read = (read_run(task / RUNS / name) for name in names)
    return list(islice((run for run in read if run is not None), most))


def summary(run: Run, rows: Iterable[Mapping[str, Any]]) -> str:
    """A run for people, as Markdown; what a screen or a model said stands in it as plain text of one line."""
    confirmed = confirmed_words(run.confirmed_by)
    lines = [
        f"# {run.status or run.outcome}: {_plain(run.task_name)}",
        "",
        *([_plain(run.reason), ""] if run.reason else []),
        f"- Task: `{run.task}`",
        *([f"- {confirmed.capitalize()}. {_plain(run.caution)}".rstrip()] if confirmed else []),
        f"- Started: {run.started_at}, took {run.duration_ms / 1000:.1f} s",
        f"- Decided by: {_plain(run.provider)} {_plain(run.model)}, on display {_plain(run.display)}",
        f"- Steps: {run.spent.steps}" + (f", model calls: {run.spent.model_calls}" if run.spent.model_calls else ""),
        f"- Report with pictures: [{run.run_id}/report.html]({run.run_id}/report.html)",
    ]
    lines += [f"- With {_plain(name)} = {_plain(value)}" for name, value in run.params.items()]
    lines += _section("What was seen", list(_seen(run)))
    lines += _section("What was done", [f"{at}. {sentence}" for at, sentence in enumerate(map(_done, rows), start=1)])
    lines += _section("Asked", [f"- {_plain(each.text)} (`{each.id}`)" for each in run.asked])
    others = [each for each in run.open_questions if each not in run.asked]
    lines += _section("Was run with open questions", [f"- {_plain(each.text)} (`{each.id}`)" for each in others])
    return "\n".join(lines) + "\n"


def _seen(run: Run) -> Iterator[str]:
    checks: list[Check | None] = [*(each.check for each in run.subtasks), run.success_check, *run.effects]
    for check in checks:
        if check is not None:
            yield f"- {check.verdict}: {_plain(check.expected)} — {_plain(check.evidence)}"
    if run.success_check is None and run.outcome is not RunOutcome.SUCCEEDED:
        yield "- It did not come to the end, where success is looked for."


def _done(row: Mapping[str, Any]) -> str:
    if row.get("type") == "exec_error":
        return f"failed — {_plain(str(row.get('error', '')))}"
    text = _plain(words(row))
    outcome = row.get("outcome")
    return f"{text} — {_plain(str(outcome))}" if outcome else text


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *lines] if lines else []


def _plain(text: str) -> str:
    """One line that Markdown takes as it stands."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", one_line(text))


def _run_names(runs: Path) -> list[tuple[str, re.Match[str]]]:
    try:
        with Folder.open(runs) as opened:
            found = [(name, _NAME.fullmatch(name)) for name in opened.names()]
    except OSError:
        return []
    return [(name, match) for name, match in found if match is not None]


def _remove(path: Path) -> None:
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        _LOG.warning("runs.not_removed", extra={"path": str(path), "error": errno.errorcode.get(error.errno or 0, "")})


def _deleted(task: Path) -> NotFound:
    return NotFound(f"Task {task.name!r} is not there any more: it was deleted.", task=task.name)
