"""Replays of actions that belong to a front end: emitted in order, reported on, counted once."""

import contextlib
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from config.settings import load_settings
from core.errors import Cancelled, InvalidRequest, NotFound
from core.jobs import Stage
from core.reload.entry import Entry
from core.reload.foreign import ForeignReplays, Reports
from core.reload.offers import Posted
from core.reload.ports import UseOutcome
from core.runs.run import ReplayRequest
from server.composition.reload import ActionCacheServices
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.reload.kept import kept_reload

LUNCH = ({"type": "window.create", "title": "lunch"}, {"type": "reminder.add", "to": "alice", "about": "lunch"})


@pytest.fixture
def reload(tmp_path: Path) -> Generator[ActionCacheServices]:
    flags = {"data_dir": str(tmp_path / "data")}
    settings = load_settings(environment={}, flags=flags, user_file=tmp_path / "none.toml")
    with contextlib.ExitStack() as closing:
        yield kept_reload(settings, closing)


def keep(
    reload: ActionCacheServices, actions: Sequence[dict[str, Any]] = LUNCH, request: str = "lunch to alice"
) -> Entry:
    posted = Posted(trigger_type="user_message", request=request, actions=tuple(actions), succeeded=True)
    cache_id = reload.reloads.post(posted).cache_id
    assert cache_id is not None
    return reload.entries.get(cache_id)


def replays(reload: ActionCacheServices, reports: Reports, seconds: float = 10) -> ForeignReplays:
    return ForeignReplays(reload.entries, reports, seconds=seconds)


def reporting(context: FakeContext, reports: Reports, entry: Entry, outcome: UseOutcome) -> list[bool]:
    """Report as soon as all is emitted; what came of each report."""
    heard: list[bool] = []
    context.on_event(Stage.RELOAD_EMITTED, lambda _: heard.append(reports.give(entry.id, context.job_id, outcome)))
    return heard


def counts(reload: ActionCacheServices, entry: Entry) -> tuple[int, int, int]:
    metadata = reload.entries.get(entry.id).metadata
    return metadata.use_count, metadata.success_count, metadata.failure_count


def test_actions_are_emitted_in_order_with_the_values_they_have_now(reload: ActionCacheServices) -> None:
    entry, context, reports = keep(reload), FakeContext(), Reports()
    reporting(context, reports, entry, UseOutcome("succeeded"))
    run = replays(reload, reports).run(ReplayRequest(cache_id=entry.id, values={"to": "bob"}), context)

    assert [stage for stage, _ in context.reported] == [
        Stage.RELOAD_STARTED,
        Stage.RELOAD_ACTION,
        Stage.RELOAD_ACTION,
        Stage.RELOAD_EMITTED,
        Stage.RELOAD_FINISHED,
    ]
    assert [data["action"] for stage, data in context.reported if stage is Stage.RELOAD_ACTION] == [
        LUNCH[0],
        {"type": "reminder.add", "to": "bob", "about": "lunch"},
    ]
    assert (run.outcome, run.reason, run.actions) == ("succeeded", "", 2)
    assert counts(reload, entry) == (1, 1, 0)


def test_indices_that_are_skipped_are_not_emitted(reload: ActionCacheServices) -> None:
    entry, context, reports = keep(reload), FakeContext(), Reports()
    reporting(context, reports, entry, UseOutcome("succeeded"))
    run = replays(reload, reports).run(ReplayRequest(cache_id=entry.id, skip_indices=(0,)), context)

    found = [(data["index"], data["done"], data["total"]) for _, data in context.reported if "action" in data]
    assert found == [(1, 1, 1)]
    assert (run.skipped, run.actions) == ((0,), 1)


def test_a_reported_failure_is_the_result_and_quarantines(reload: ActionCacheServices) -> None:
    entry, context, reports = keep(reload), FakeContext(), Reports()
    heard = reporting(context, reports, entry, UseOutcome("failed", "the window is gone"))
    run = replays(reload, reports).run(ReplayRequest(cache_id=entry.id), context)

    assert (run.outcome, run.reason) == ("failed", "the window is gone")
    assert (heard, counts(reload, entry)) == ([True], (1, 0, 1))
    assert reload.entries.get(entry.id).quarantined == "the window is gone"


def test_silence_is_unclear_and_counts_neither_way(reload: ActionCacheServices) -> None:
    entry, context = keep(reload), FakeContext()
    run = replays(reload, Reports(), seconds=0.05).run(ReplayRequest(cache_id=entry.id), context)

    assert (run.outcome, "No front end reported within 0.05 s" in run.reason) == ("unclear", True)
    assert counts(reload, entry) == (1, 0, 0)
    assert not reload.entries.get(entry.id).quarantined


def test_a_late_report_replaces_the_silence_once(reload: ActionCacheServices) -> None:
    entry, context = keep(reload), FakeContext()
    replays(reload, Reports(), seconds=0).run(ReplayRequest(cache_id=entry.id), context)
    for _ in range(2):
        reload.reloads.report(entry.id, succeeded=True, job_id=context.job_id)

    assert counts(reload, entry) == (1, 1, 0)


def test_of_two_reports_that_race_the_first_counts(reload: ActionCacheServices) -> None:
    entry, context, reports = keep(reload), FakeContext(), Reports()

    def both(_: dict[str, Any]) -> None:
        reports.give(entry.id, context.job_id, UseOutcome("failed", "first"))
        reports.give(entry.id, context.job_id, UseOutcome("succeeded"))

    context.on_event(Stage.RELOAD_EMITTED, both)
    run = replays(reload, reports).run(ReplayRequest(cache_id=entry.id), context)
    assert (run.outcome, run.reason) == ("failed", "first")


def test_one_that_is_stopped_emits_no_more_and_is_no_failure_of_the_entry(reload: ActionCacheServices) -> None:
    entry, context = keep(reload), FakeContext()
    context.on_event(Stage.RELOAD_EMITTED, lambda _: context.stop.set())
    with pytest.raises(Cancelled):
        replays(reload, Reports()).run(ReplayRequest(cache_id=entry.id), context)

    assert counts(reload, entry) == (1, 0, 0)
    with pytest.raises(Cancelled):
        replays(reload, Reports()).run(ReplayRequest(cache_id=entry.id), context)
    assert len([stage for stage, _ in context.reported if stage is Stage.RELOAD_ACTION]) == 2


def test_a_secret_is_named_and_never_told(reload: ActionCacheServices) -> None:
    actions = ({"type": "login", "user": "bob", "password": "open sesame"},)
    entry, context = keep(reload, actions, "log in as bob with open sesame"), FakeContext()
    request = ReplayRequest(cache_id=entry.id, values={"password": "guessed"})
    replays(reload, Reports(), seconds=0).run(request, context)

    result = dict(context.reported)
    assert result[Stage.RELOAD_STARTED]["secrets"] == ["password"]
    assert result[Stage.RELOAD_ACTION]["action"]["password"] == "{password}"
    assert not [word for word in ("sesame", "guessed") if word in str(context.reported)]


def test_a_replay_changes_nothing_of_its_entry_and_is_not_recorded_again(reload: ActionCacheServices) -> None:
    entry, reports = keep(reload), Reports()
    for number in range(3):
        context = FakeContext(job_id=f"job-{number}")
        reporting(context, reports, entry, UseOutcome("succeeded"))
        replays(reload, reports).run(ReplayRequest(cache_id=entry.id), context)

    now = reload.entries.get(entry.id)
    assert now.model_copy(update={"metadata": entry.metadata}) == entry
    assert reload.reloads.count() == 1


def test_what_is_plainly_wrong_is_refused_before_anything_is_told(reload: ActionCacheServices) -> None:
    entry, context = keep(reload), FakeContext()
    with pytest.raises(InvalidRequest, match="no action 2"):
        replays(reload, Reports()).run(ReplayRequest(cache_id=entry.id, skip_indices=(2,)), context)
    with pytest.raises(NotFound):
        replays(reload, Reports()).run(ReplayRequest(cache_id="reload-9"), context)

    assert (context.reported, counts(reload, entry)) == ([], (0, 0, 0))


def test_a_report_on_a_job_that_nobody_waits_for_is_not_taken() -> None:
    reports = Reports()
    assert not reports.give("reload-1", "job-1", UseOutcome("succeeded"))
    with reports.expected("reload-1", "job-1"):
        waiting = threading.Thread(target=reports.give, args=("reload-1", "job-1", UseOutcome("failed", "no")))
        waiting.start()
        heard = reports.wait("reload-1", "job-1", 10)
        waiting.join()
    assert heard == UseOutcome("failed", "no")
    assert not reports.give("reload-1", "job-1", UseOutcome("succeeded"))
