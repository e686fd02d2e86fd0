from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFound
from core.job_briefs import BriefJob, begun, ended
from core.jobs import JobState, NewJob
from storage.database import Database
from storage.job_events import SqlJobStore

ANALYSIS = {"video_path": "/videos/app crash.mp4", "provider": "auto", "expectations": ["a", "b", "c"]}
ANSWER = {
    "duration_ms": 900,
    "provider": "local",
    "video": {"path": "/videos/app crash.mp4", "duration_ms": 61_000},
    "timeline": [{"t_ms": 1, "frame": None}, {"t_ms": 2, "frame": "frames/01_2.png"}, {"t_ms": 3, "frame": "x.png"}],
    "verdicts": [{"verdict": "pass"}, {"verdict": "fail"}, {"verdict": "pass"}],
}


def keep(
    store: SqlJobStore, job_id: str, kind: str, request: Mapping[str, Any], result: Mapping[str, Any] | None = None
) -> None:
    store.create(NewJob(job_id, kind, request), {})
    if result is not None:
        store.finish(job_id, JobState.DONE, result=result)


def only(briefs: Sequence[BriefJob]) -> BriefJob:
    (brief,) = briefs
    return brief


def change(database: Database, **values: Any) -> None:
    """Write something else into the rows of all jobs, as no Vaider would."""
    sentence = ", ".join(f"{name} = :{name}" for name in values)
    with database.write() as connection:
        connection.execute(sa.text(f"UPDATE jobs SET {sentence}"), values)  # noqa: S608 - names of columns, ours


def test_a_brief_tells_what_a_list_needs_of_an_analysis(database: Database) -> None:
    store = SqlJobStore(database, "here")
    keep(store, "j", "analysis", ANALYSIS, ANSWER)
    brief, job = only(store.briefs()), store.get("j")
    assert job
    assert (brief.title, brief.provider, brief.events, brief.frame) == ("app crash.mp4", "local", 3, "frames/01_2.png")
    assert (brief.verdicts, brief.video_ms, brief.duration_ms) == ({"pass": 2, "fail": 1}, 61_000, 900)
    assert (brief.state, brief.created_at, brief.finished_at) == (job.state, job.created_at, job.finished_at)
    assert brief.progress == job.progress


@pytest.mark.parametrize(
    ("kind", "request_", "result", "told"),
    [
        ("replay", {"workflow": "/w/send-note"}, None, {"title": "send-note", "workflow": "send-note"}),
        ("replay", {"task": "t1"}, {"task": "t1", "task_name": "Send it"}, {"title": "Send it", "task": "t1"}),
        ("replay", {"task": "t1"}, {"outcome": "asked", "reason": "Which?"}, {"outcome": "asked", "reason": "Which?"}),
        ("replay", {"reload": {"cache_id": "reload-7~ab"}}, None, {"title": "reload-7~ab", "entry": "reload-7"}),
        ("reload", {"cache_id": "reload-7"}, {"label": "Dock it", "outcome": "unclear"}, {"title": "Dock it"}),
        ("learning", {"videos": ["/v/how to.mp4"]}, None, {"title": "how to.mp4"}),
        ("learning", {"memory": "m-3", "into": "t1"}, None, {"title": "t1", "task": "t1"}),
        ("analysis", {"video_path": "/"}, None, {"title": "j"}),
    ],
)
def test_a_brief_names_what_a_job_is_about(
    database: Database, kind: str, request_: dict[str, Any], result: dict[str, Any] | None, told: dict[str, str]
) -> None:
    store = SqlJobStore(database, "here")
    keep(store, "j", kind, request_, result)
    assert only(store.briefs()).model_dump(include=set(told)) == told


def test_a_failed_job_tells_its_error(database: Database) -> None:
    store = SqlJobStore(database, "here")
    keep(store, "j", "analysis", ANALYSIS)
    store.finish("j", JobState.FAILED, error={"error": "It is no video.", "code": "unreadable_video"})
    brief = only(store.briefs())
    assert (brief.state, brief.reason, brief.code) == (JobState.FAILED, "It is no video.", "unreadable_video")


def test_a_list_of_briefs_reads_neither_requests_nor_answers(database: Database) -> None:
    store = SqlJobStore(database, "here")
    keep(store, "j", "analysis", ANALYSIS, ANSWER)
    change(database, request="no JSON", result="no JSON")
    assert only(store.briefs()).events == 3


def test_a_job_of_an_older_vaider_gets_its_brief_when_it_is_listed(database: Database) -> None:
    store = SqlJobStore(database, "here")
    keep(store, "j", "analysis", ANALYSIS, ANSWER)
    whole = only(store.briefs())
    for older in ("DELETE FROM job_briefs", 'UPDATE job_briefs SET brief = \'{"name": "other"}\''):
        with database.write() as connection:
            connection.execute(sa.text(older))
        assert only(store.briefs()) == whole
    change(database, request="no JSON", result="no JSON")
    assert only(store.briefs()) == whole


def test_an_older_job_may_end_before_it_is_listed(database: Database) -> None:
    store = SqlJobStore(database, "here")
    keep(store, "j", "analysis", ANALYSIS)
    with database.write() as connection:
        connection.execute(sa.text("DELETE FROM job_briefs"))
    assert store.finish("j", JobState.DONE, result=ANSWER)
    assert only(store.briefs()).events == 3


def test_pages_of_briefs_meet_without_a_gap(database: Database) -> None:
    store = SqlJobStore(database, "here")
    for number in range(7):
        keep(store, f"j{number}", "replay" if number % 2 else "analysis", {})
    first = store.briefs(limit=3)
    second = store.briefs(limit=3, before=first[-1].id)
    assert [brief.id for brief in (*first, *second)] == [f"j{number}" for number in (6, 5, 4, 3, 2, 1)]
    assert [brief.id for brief in store.briefs(kinds=("replay",), before="j5")] == ["j3", "j1"]
    assert store.briefs(before="unknown") == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["video_path", "videos", "workflow", "task", "reload", "cache_id", "timeline", "verdicts", "video", "duration_ms"]
)


@pytest.mark.nightly
@given(request=st.dictionaries(NAMES, JSON), result=st.dictionaries(NAMES, JSON))
def test_whatever_a_job_was_asked_and_answers_its_brief_is_brief(
    request: dict[str, Any], result: dict[str, Any]
) -> None:
    brief = ended(begun("j", "analysis", request, "now"), JobState.DONE, "then", result=result)
    assert brief.title
    assert all(len(text) <= 200 for text in (brief.title, brief.task, brief.workflow, brief.entry, brief.frame))


def test_a_changed_result_changes_the_brief_and_what_is_refused_changes_nothing(database: Database) -> None:
    store = SqlJobStore(database, "here")
    keep(store, "j", "analysis", ANALYSIS, ANSWER)
    keep(store, "running", "analysis", ANALYSIS)
    verdicts = [{"verdict": "pass"}] * 3

    def refuse(result: Mapping[str, Any]) -> Mapping[str, Any]:
        raise NotFound(f"{len(result)} fields, and none fits.")

    with pytest.raises(NotFound, match="none fits"):
        store.amend("j", refuse)
    assert only([each for each in store.briefs() if each.id == "j"]).verdicts == {"pass": 2, "fail": 1}
    changed = store.amend("j", lambda result: {**result, "verdicts": verdicts})
    assert changed == store.get("j")
    assert changed.result
    assert changed.result["verdicts"] == verdicts
    assert only([each for each in store.briefs() if each.id == "j"]).verdicts == {"pass": 3}
    for job in ("running", "none"):
        with pytest.raises(NotFound):
            store.amend(job, lambda result: result)
