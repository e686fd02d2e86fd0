"""What became of uses: each counts once, also when it is told twice, late, or by nobody."""

import subprocess
import sys
from contextlib import closing
from typing import cast

import pytest

from core.errors import Conflict, NotFound
from core.reload.entry import Entry
from core.reload.ports import UseOutcome
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from tests.fakes.reload.entries import GATE, draft, keys

SUCCEEDED = UseOutcome("succeeded", saved_ms=4000, saved_calls=7)
FAILED = UseOutcome("failed", "The button is gone.")

_WRITER = """
import sys
from core.reload.ports import UseOutcome
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from tests.fakes.reload.entries import draft, keys
database = Database(sys.argv[1])
database.open()
entries = SqlEntryStore(database, sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def entries(opened: Database, owner: str) -> SqlEntryStore:
    return SqlEntryStore(opened, owner)


@pytest.fixture
def kept(entries: SqlEntryStore) -> str:
    return entries.keep(draft(), keys()).id


def _counts(entry: Entry | None) -> tuple[int, int, int]:
    assert entry
    counted = entry.metadata
    return counted.use_count, counted.success_count, counted.failure_count


def test_a_use_counts_once_however_often_it_ends(entries: SqlEntryStore, kept: str) -> None:
    use = entries.begin_use(kept, "job")
    assert _counts(entries.get(kept)) == (1, 0, 0)
    assert _counts(entries.end_use(use, SUCCEEDED)) == (1, 1, 0)
    assert _counts(entries.end_use(use, FAILED)) == (1, 1, 0)
    reported = entries.statistics()
    assert reported["uses"] == {"succeeded": 1, "failed": 0, "interrupted": 0, "open": 0}
    assert (reported["saved_ms"], reported["saved_calls"]) == (4000, 7)


def test_nobody_saves_more_than_can_be_counted(entries: SqlEntryStore, kept: str) -> None:
    entries.end_use(entries.begin_use(kept, "job"), UseOutcome("succeeded", saved_ms=10**30, saved_calls=-1))
    reported = entries.statistics()
    assert (reported["saved_ms"], reported["saved_calls"]) == (1 << 40, 0)


def test_a_report_of_failure_replaces_the_success_and_counts_once(entries: SqlEntryStore, kept: str) -> None:
    entries.end_use(entries.begin_use(kept, "first"), SUCCEEDED)
    entries.end_use(entries.begin_use(kept, "second"), SUCCEEDED)
    for _ in range(3):
        reported = entries.report(kept, UseOutcome("failed", "It did not work."), "first")
        assert _counts(reported) == (2, 1, 1)
        assert reported
        assert reported.quarantined == "It did not work."
    assert _counts(entries.report(kept, UseOutcome("succeeded"))) == (2, 1, 1)
    statistics = entries.statistics()
    assert statistics["uses"] == {"succeeded": 1, "failed": 1, "interrupted": 0, "open": 0}
    assert (statistics["saved_ms"], statistics["saved_calls"], statistics["quarantined"]) == (4000, 7, 0)


def test_a_report_ends_a_use_that_nobody_ended(entries: SqlEntryStore, kept: str) -> None:
    use = entries.begin_use(kept, "job")
    assert _counts(entries.report(kept, FAILED)) == (1, 0, 1)
    assert _counts(entries.end_use(use, SUCCEEDED)) == (1, 0, 1)


def test_a_report_on_what_was_not_used_is_refused(entries: SqlEntryStore, kept: str) -> None:
    with pytest.raises(Conflict, match="has not been used"):
        entries.report(kept, FAILED)
    entries.begin_use(kept, "job")
    with pytest.raises(Conflict, match="by another job"):
        entries.report(kept, FAILED, "another job")
    with pytest.raises(NotFound):
        entries.report("reload-999999999", FAILED)


def test_a_failure_quarantines_and_a_success_lifts_it(entries: SqlEntryStore, kept: str) -> None:
    entries.end_use(entries.begin_use(kept, "job"), FAILED)
    assert entries.get(kept).quarantined == "The button is gone."
    entries.end_use(entries.begin_use(kept, "job"), UseOutcome("interrupted"))
    assert entries.get(kept).quarantined
    entries.end_use(entries.begin_use(kept, "job"), SUCCEEDED)
    assert entries.get(kept).quarantined == ""
    entries.quarantine(kept, "Somebody said so.")
    assert entries.get(kept).quarantined == "Somebody said so."
    entries.quarantine(kept, "")
    assert _counts(entries.get(kept)) == (3, 1, 1)


def test_an_entry_in_quarantine_does_not_hide_another_of_the_same_key(entries: SqlEntryStore, kept: str) -> None:
    other = draft().model_copy(update={"origin": draft().origin.model_copy(update={"kind": "task"})})
    entries.quarantine(entries.keep(other, keys()).id, "It failed.")
    found = entries.exactly(GATE, "open the report")
    assert found
    assert found.id == kept


def test_no_number_of_failures_removes_an_entry(entries: SqlEntryStore, kept: str) -> None:
    entries.end_use(entries.begin_use(kept, "1"), SUCCEEDED)
    for job in "2345":
        left = entries.end_use(entries.begin_use(kept, job), FAILED)
        assert left is not None
        assert left.quarantined
    assert entries.report(kept, FAILED, "1").metadata.failure_count == 5
    assert entries.get(kept).metadata.success_count == 0
    assert [each.id for each in entries.newest(10)] == [kept]
    assert entries.end_use(entries.begin_use(kept, "6"), SUCCEEDED)
    assert entries.get(kept).quarantined == ""


def test_an_entry_that_is_forgotten_while_it_is_used_stays_forgotten(entries: SqlEntryStore, kept: str) -> None:
    use = entries.begin_use(kept, "job")
    entries.forget(kept)
    assert entries.end_use(use, SUCCEEDED) is None
    assert entries.statistics()["uses"] == {"succeeded": 1, "failed": 0, "interrupted": 0, "open": 0}


def test_what_a_dead_daemon_left_open_is_closed_as_interrupted(entries: SqlEntryStore, kept: str) -> None:
    dead, alive = entries.begin_use(kept, "dead"), entries.begin_use(kept, "alive")
    assert entries.close_abandoned(lambda job_id: job_id == "alive") == 1
    assert entries.close_abandoned(lambda job_id: job_id == "alive") == 0
    entries.end_use(alive, SUCCEEDED)
    entries.end_use(dead, FAILED)
    assert _counts(entries.get(kept)) == (2, 1, 0)
    assert entries.statistics()["uses"] == {"succeeded": 1, "failed": 0, "interrupted": 1, "open": 0}


def test_reasons_are_counted_and_never_grow_without_bound(entries: SqlEntryStore) -> None:
    for number in range(230):
        entries.note({("miss", f"nothing like number {number}" + "x" * 1000): 1})
    for _ in range(3):
        entries.note({("refusal", "zero \0 and half \ud800"): 1})
    entries.note({("offer", "exact"): 1})
    reported = entries.statistics()
    misses = cast("dict[str, int]", reported["misses"])
    assert (len(misses), misses["other"]) == (201, 30)
    assert reported["refusals"] == {"zero  and half ?": 3}
    assert (reported["offers"], reported["hits"]) == ({"exact": 1}, {})


@pytest.mark.nightly
def test_no_use_of_two_daemons_is_lost(url: str, owner: str, entries: SqlEntryStore, kept: str) -> None:
    program = f"""{_WRITER}
for turn in range(8):
    entries.end_use(entries.begin_use(sys.argv[3], "job"), UseOutcome("succeeded", saved_ms=1))
    entries.keep(draft(), keys())
    print(entries.keep(draft(f"{{sys.argv[4]}} {{turn}}"), keys(f"{{sys.argv[4]}} {{turn}}")).id)
"""
    daemons = [
        subprocess.Popen(
            [sys.executable, "-c", program, url, owner, kept, name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for name in ("one", "other")
    ]  # fmt: skip
    for daemon in daemons:
        assert daemon.stdout
        assert daemon.stdout.readline() == "ready\n"
        assert daemon.stdin
    for daemon in daemons:
        assert daemon.stdin
        daemon.stdin.write("go\n")
        daemon.stdin.flush()
    ids = [line for daemon in daemons for line in daemon.communicate()[0].split()]
    assert len(set(ids)) == 16
    assert _counts(entries.get(kept)) == (16, 16, 0)
    assert entries.get(kept).version == 17
    assert len(entries.newest(99)) == 17
    assert entries.statistics()["saved_ms"] == 16


def test_a_kill_in_the_middle_of_writing_loses_nothing_that_was_told(url: str, owner: str) -> None:
    program = f"""{_WRITER}
for turn in range(10_000):
    kept = entries.keep(draft(f"request {{turn}}", summary="x" * 2000), keys(f"request {{turn}}"))
    entries.begin_use(kept.id, "job")
    print(kept.id, flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, url, owner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as daemon:
        assert daemon.stdin
        assert daemon.stdout
        daemon.stdin.write("go\n")
        daemon.stdin.flush()
        reported = [daemon.stdout.readline().strip() for _ in range(6)][1:]
        daemon.kill()
        reported += daemon.stdout.read().split()

    with closing(Database(url)) as database:
        database.open()
        entries = SqlEntryStore(database, owner)
        assert [_counts(entries.get(entry_id)) for entry_id in reported] == [(1, 0, 0)] * len(reported)
        assert all(entries.exactly(GATE, f"request {turn}") for turn in range(len(reported)))
        found = entries.newest(99_999)
        assert len(reported) <= len(found) <= len(reported) + 1
        assert entries.close_abandoned(lambda _: False) in {len(reported), len(reported) + 1}
