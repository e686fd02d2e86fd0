"""What is kept of what was done once: on both databases, never stale, never too much."""

import threading
from typing import Any

import pytest
import sqlalchemy as sa

from core.errors import Conflict, InvalidRequest, NotFound, TooLarge
from core.reload.entry import CachedAction, Healed, Origin, Proposal
from core.reload.ports import Keys, UseOutcome
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from storage.schema import RELOAD_DOCUMENTS, RELOAD_ENTRIES
from tests.fakes.reload.entries import GATE, SetClock, draft, keys


@pytest.fixture
def entries(opened: Database, owner: str, clock: SetClock) -> SqlEntryStore:
    return SqlEntryStore(opened, owner, clock=clock)


def _keep(entries: SqlEntryStore, request: str = "open the report", **changes: Any) -> str:
    return entries.keep(draft(request, **changes), keys(request)).id


def _near(entries: SqlEntryStore, words: str, *, gate: str = GATE) -> list[str]:
    return [each.entry_id for each in entries.nearest(gate, dict.fromkeys(words.split(), 1.0), 9)]


def test_what_is_kept_is_found_by_its_id_its_key_and_its_words(entries: SqlEntryStore, opened: Database) -> None:
    kept = entries.keep(draft("open REPORT now"), keys("open REPORT now"), message_id="job-1", agent_id="local")
    again = SqlEntryStore(opened, "another installation")

    assert (kept.version, kept.metadata.use_count, kept.metadata.original_message_id) == (1, 0, "job-1")
    assert kept.metadata.agent_id == "local"
    assert entries.get(kept.id) == kept
    assert entries.exactly(GATE, "open REPORT now") == kept
    (near,) = entries.nearest(GATE, {"please": 1.0, "open": 1.0, "now": 1.0}, 9)
    assert (near.entry_id, near.phrasings) == (kept.id, [["open", "now"]])
    assert _near(entries, "the report") == [kept.id]
    assert entries.newest(9) == [kept]
    assert entries.exactly(GATE, "open report now") is None
    assert entries.exactly("app_click", "open REPORT now") is None
    assert _near(entries, "close it") == []
    assert _near(entries, "open now", gate="app_click") == []
    assert (again.newest(9), again.exactly(GATE, "open REPORT now")) == ([], None)
    with pytest.raises(NotFound):
        again.get(kept.id)


def test_a_draft_in_the_same_words_from_the_same_place_replaces_the_one_before(entries: SqlEntryStore) -> None:
    first = _keep(entries, origin=Origin(kind="workflow", name="report", revision="1"))
    entries.end_use(entries.begin_use(first, "job"), UseOutcome("failed", "gone"))
    newer = draft(summary="newer", verified=False, origin=Origin(kind="workflow", name="report", revision="2"))
    reported = entries.keep(newer, keys())
    elsewhere = _keep(entries, origin=Origin(kind="task", name="report"))

    assert (reported.id, reported.version, reported.summary, reported.quarantined) == (first, 2, "newer", "gone")
    assert (reported.metadata.use_count, reported.metadata.failure_count) == (1, 1)
    assert entries.keep(newer.model_copy(update={"verified": True}), keys()).quarantined == ""
    assert elsewhere != first
    assert len(entries.newest(9)) == 2


def test_other_actions_that_nobody_saw_succeed_have_no_successes(entries: SqlEntryStore) -> None:
    kept = _keep(entries)
    entries.end_use(entries.begin_use(kept, "job"), UseOutcome("succeeded"))
    same = entries.keep(draft(verified=False), keys())
    other = entries.keep(draft(verified=False, actions=draft().actions * 2), keys())

    assert (same.id, same.metadata.success_count) == (kept, 1)
    assert (other.id, other.metadata.use_count, other.metadata.success_count) == (kept, 1, 0)


def test_an_id_is_never_given_twice(entries: SqlEntryStore) -> None:
    first = _keep(entries)
    entries.forget(first)
    second = _keep(entries)
    assert entries.forget_all() == 1
    third = _keep(entries)
    assert len({first, second, third}) == 3
    assert entries.forget_all() == 1


@pytest.mark.parametrize("unknown", ["reload-999999999", "reload-0", "reload-1~k3f9", "7", "", "reload-9" + "9" * 40])
def test_an_unknown_id_is_not_found(entries: SqlEntryStore, unknown: str) -> None:
    with pytest.raises(NotFound, match="no entry"):
        entries.get(unknown)
    with pytest.raises(NotFound, match="no entry"):
        entries.forget(unknown)
    with pytest.raises(NotFound, match="no entry"):
        entries.begin_use(unknown, "job")
    with pytest.raises(NotFound, match="no use"):
        entries.end_use(999_999_999, UseOutcome("failed"))


def test_an_entry_of_several_wordings_is_found_by_each_and_told_once(entries: SqlEntryStore) -> None:
    two = Keys(GATE, frozenset({"a", "b"}), (("open", "mail"), ("show", "letters")))
    kept = entries.keep(draft(), two)
    assert _near(entries, "show letters") == [kept.id]
    assert _near(entries, "show letters open mail") == [kept.id]
    assert entries.exactly(GATE, "a") == entries.exactly(GATE, "b") == kept


def test_an_expired_entry_is_not_offered(entries: SqlEntryStore, clock: SetClock) -> None:
    kept = _keep(entries)
    clock.move(hours=719)
    assert entries.exactly(GATE, "open the report")
    clock.move(hours=2)
    assert entries.exactly(GATE, "open the report") is None
    assert _near(entries, "open the report") == []
    assert entries.newest(9) == []
    assert entries.get(kept)
    clock.move(hours=1)
    assert entries.newest(9) == []
    with pytest.raises(NotFound):
        entries.get(kept)


def test_a_use_keeps_an_entry_from_expiring(entries: SqlEntryStore, clock: SetClock) -> None:
    kept = _keep(entries)
    clock.move(hours=700)
    entries.begin_use(kept, "job")
    clock.move(hours=700)
    assert _near(entries, "open the report") == [kept]


def test_a_clock_that_was_wrong_once_removes_nothing(entries: SqlEntryStore, clock: SetClock) -> None:
    kept = _keep(entries)
    right = clock.now
    clock.move(days=9000)
    _keep(entries, "written while the clock was wrong")
    assert kept not in [entry.id for entry in entries.newest(9)]
    clock.now = right
    assert kept in [entry.id for entry in entries.newest(9)]
    clock.move(days=-9000)
    new = _keep(entries, "written long ago, says the clock")
    assert {kept, new} <= {entry.id for entry in entries.newest(9)}


def test_of_too_many_those_used_longest_ago_leave(opened: Database, owner: str, clock: SetClock) -> None:
    entries = SqlEntryStore(opened, owner, max_entries=3, clock=clock)
    first, second, third = (_keep(entries, f"request {number}") for number in "123")
    clock.move(minutes=1)
    entries.begin_use(first, "job")
    clock.move(days=-1)
    fourth = _keep(entries, "request 4")

    assert {entry.id for entry in entries.newest(9)} == {first, third, fourth}
    assert entries.exactly(GATE, "request 2") is None
    with pytest.raises(NotFound):
        entries.get(second)


def test_of_too_many_bytes_those_used_longest_ago_leave(opened: Database, owner: str) -> None:
    entries = SqlEntryStore(opened, owner, max_bytes=5000)
    kept = [_keep(entries, f"{number} {'x' * 500}") for number in range(9)]
    reported = entries.statistics()
    assert isinstance(reported["bytes"], int)
    assert 0 < reported["bytes"] <= 5000
    assert kept[-1] in [entry.id for entry in entries.newest(9)]


def test_an_entry_that_is_too_large_or_of_half_characters_is_refused(entries: SqlEntryStore) -> None:
    large = draft(actions=(CachedAction(action={"type": "toast.show", "message": "x" * (4 << 20)}),))
    with pytest.raises(TooLarge, match="4194304"):
        entries.keep(large, keys())
    with pytest.raises(InvalidRequest, match="whole characters"):
        entries.keep(draft(summary="\ud800"), keys())
    assert entries.newest(9) == []


def test_a_healed_version_takes_the_place_of_the_one_before_it(entries: SqlEntryStore) -> None:
    kept = entries.keep(draft(), keys())
    proposal = Proposal(healed=(Healed(index=0, action=kept.actions[0], told="It is further down."),))
    healed = kept.model_copy(update={"version": 2, "proposal": proposal})
    entries.change(healed, keys("show the report"))

    assert entries.get(kept.id) == healed
    assert entries.exactly(GATE, "open the report") is None
    assert _near(entries, "show") == [healed.id]
    assert _near(entries, "open") == []
    with pytest.raises(Conflict, match="meanwhile"):
        entries.change(healed, keys())


def test_a_proposal_stands_beside_its_version(entries: SqlEntryStore) -> None:
    kept = entries.keep(draft(), keys())
    assert entries.exactly(GATE, "open the report") == kept
    proposal = Proposal(healed=(Healed(index=0, action=kept.actions[0], told="It is further down."),))
    entries.propose(kept.id, 1, proposal)

    assert entries.get(kept.id) == kept.model_copy(update={"proposal": proposal})
    with pytest.raises(Conflict, match="meanwhile"):
        entries.propose(kept.id, 2, None)
    assert entries.keep(draft(), keys()).proposal is None


@pytest.mark.parametrize("document", ["{", "null", '{"from": "a newer Vaider"}', '{"actions": 7}', "[" * 5000])
def test_a_row_that_cannot_be_read_is_set_aside_and_stays(
    opened: Database, owner: str, clock: SetClock, document: str, caplog: pytest.LogCaptureFixture
) -> None:
    older = _keep(SqlEntryStore(opened, owner, clock=clock), "another request")
    kept = _keep(SqlEntryStore(opened, owner, clock=clock))
    number = int(kept.removeprefix("reload-"))
    column = RELOAD_DOCUMENTS.c.document
    with opened.write() as connection:
        good = connection.execute(sa.select(column).where(RELOAD_DOCUMENTS.c.entry == number)).scalar_one()
        connection.execute(
            sa.update(RELOAD_DOCUMENTS).where(RELOAD_DOCUMENTS.c.entry == number).values(document=document)
        )

    entries = SqlEntryStore(opened, owner, max_entries=1, clock=clock)
    assert [entry.id for entry in entries.newest(1)] == [older]
    assert entries.exactly(GATE, "open the report") is None
    assert _near(entries, "open the report") == []
    with pytest.raises(NotFound):
        entries.get(kept)
    another = _keep(entries)
    assert another != kept
    clock.move(days=99)
    assert entries.newest(9) == []
    clock.move(hours=2)
    assert entries.newest(9) == []
    assert entries.statistics()["set_aside"] == 1
    assert len([record for record in caplog.records if kept in record.message]) == 1

    with opened.write() as connection:
        connection.execute(sa.update(RELOAD_DOCUMENTS).values(document=good))
    clock.move(days=-99)
    assert SqlEntryStore(opened, owner, clock=clock).exactly(GATE, "open the report") is not None
    entries.forget(kept)
    with opened.read() as connection:
        assert not connection.execute(sa.select(RELOAD_ENTRIES).where(RELOAD_ENTRIES.c.number == number)).all()


def test_many_threads_keep_the_same_once(entries: SqlEntryStore) -> None:
    threads = [threading.Thread(target=_keep, args=(entries,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (kept,) = entries.newest(9)
    assert kept.version == 8
