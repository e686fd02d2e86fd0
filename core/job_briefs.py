"""Summaries of jobs for lists: their subject and outcome, without request and result.

An analysis of an hour's video answers with megabytes; a page that shows fifty of them needs a few lines of each.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final, cast

from pydantic import Field

from core.headlines import Headline, headline
from core.jobs import Job, JobEvent, JobState, outcome_of
from core.values import Value

_LONGEST: Final = 200
"""Characters of a title, a name or a reason."""


class BriefJob(Value):
    """A job as a list shows it."""

    id: str
    kind: str
    state: JobState
    title: str
    """A file's name, a task's or a workflow's title, the label of what is done again: data, never an instruction."""
    task: str = ""
    """The id of the task that it runs or learns."""
    workflow: str = ""
    """The name of the workflow that it runs."""
    entry: str = ""
    """The id of the entry of reload that it does again."""
    provider: str = ""
    """As it was asked for, and once it is done who it was."""
    outcome: str = ""
    """How it ended, in the words of runs, e.g. ``succeeded``; empty until then."""
    headline: Headline | None = None
    """The same in one line for people; ``None`` until then."""
    confirmed_by: str = ""
    """Of a run that succeeded: ``effect`` or ``screen``."""
    reason: str = ""
    """Why it ended so, or the sentence of its error."""
    code: str = ""
    """Of its error."""
    verdicts: dict[str, int] = Field(default_factory=dict)
    """Of an analysis: how many expectations have which verdict, e.g. ``{"pass": 3, "fail": 1}``."""
    events: int | None = None
    """Of an analysis: how many its timeline has."""
    frame: str = ""
    """Of an analysis: the first picture of its timeline, empty for none."""
    steps: int | None = None
    """Of a run: how many actions it took; from the first one on its screen was kept."""
    video_ms: int | None = None
    """Of an analysis: how long the video is."""
    duration_ms: int | None = None
    """What it took."""
    place: int | None = None
    """Its place in line (1 = next) while it is queued."""
    progress: JobEvent | None = None
    """The newest progress event."""
    created_at: str
    finished_at: str | None = None
    submitter: str = ""
    """The token that asked for it first; it and the label are known where jobs are listed over HTTP."""
    label: str = ""
    """Under which it was submitted."""


def begun(job_id: str, kind: str, request: Mapping[str, Any], created_at: str) -> BriefJob:
    """The summary of a new job."""
    workflow, task = _text(request, "workflow"), _text(request, "task") or _text(request, "into")
    entry = _text(_part(request, "reload"), "cache_id") or _text(request, "cache_id")
    videos = _list(request, "videos")
    path = _text(request, "video_path") or (str(videos[0]) if videos else "")
    runs = [_name(_text(_part(request, side), "video_path")) for side in ("good", "bad")]
    return BriefJob(
        id=job_id,
        kind=kind,
        state=JobState.QUEUED,
        title=_short(
            _name(path)
            or (" → ".join(runs) if all(runs) else "")
            or _name(workflow)
            or task
            or entry
            or _text(request, "memory")
            or job_id
        ),
        task=_short(task),
        workflow=_short(_name(workflow)),
        entry=_short(entry.partition("~")[0]),
        provider=_short(_text(request, "provider")),
        created_at=created_at,
    )


def ended(
    brief: BriefJob,
    state: JobState,
    finished_at: str,
    *,
    result: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
) -> BriefJob:
    """Of the same job once it is final."""
    found, problem = result or {}, error or {}
    frames = (frame for each in _list(found, "timeline") if (frame := _text(each, "frame")))
    counted = Counter(verdict for each in _list(found, "verdicts") if (verdict := _text(each, "verdict")))
    texts = {
        "title": _text(found, "task_name") or _text(found, "title") or _text(found, "label") or brief.title,
        "task": _text(found, "task") or brief.task,
        "provider": _text(found, "provider") or brief.provider,
        "outcome": outcome_of(state, found, problem),
        "confirmed_by": _text(found, "confirmed_by"),
        "reason": _text(found, "reason") or _text(problem, "error"),
        "code": _text(problem, "code"),
        "frame": next(frames, ""),
    }
    return brief.model_copy(
        update={
            **{name: _short(text) for name, text in texts.items()},
            "state": state,
            "headline": headline(brief.kind, texts["outcome"], result, error),
            "verdicts": dict(counted),
            "events": len(_list(found, "timeline")) if "timeline" in found else None,
            "steps": _number(_part(found, "spent"), "steps") if brief.kind == "replay" else None,
            "video_ms": _number(_part(found, "video"), "duration_ms"),
            "duration_ms": _number(found, "duration_ms"),
            "finished_at": finished_at,
        }
    )


def brief_of(job: Job) -> BriefJob:
    """Of a job that is read whole."""
    brief = begun(job.id, job.kind, job.request, job.created_at)
    if job.state.is_final:
        brief = ended(brief, job.state, job.finished_at or "", result=job.result, error=job.error)
    return brief.model_copy(update={"state": job.state, "place": job.place, "progress": job.progress})


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _name(path: str) -> str:
    return PurePath(path).name


def _text(data: object, name: str) -> str:
    value = cast("Mapping[str, object]", data).get(name) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""


def _number(data: Mapping[str, Any], name: str) -> int | None:
    value = data.get(name)
    return value if isinstance(value, int) else None


def _part(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    value = data.get(name)
    return cast("list[Any]", value) if isinstance(value, list | tuple) else []
