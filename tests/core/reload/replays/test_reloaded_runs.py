"""What a run leaves behind is offered, replayed with other values, checked action by action, and handed over."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.actions import Click, Done, ReplayEntry, Type
from core.errors import Conflict, NotFound
from core.jobs import Stage
from core.reload.entry import CachedAction, Draft, Fingerprint, Slot, SlotKind
from core.reload.entry_keys import keys_of
from core.reload.offers import Option
from core.reload.templates import Template
from core.runs.deciding import Outcome
from core.runs.run import ReplayRequest, RunOutcome
from core.screens import Point
from tests.fakes.models.scripted_decider import propose
from tests.fakes.reload.scene import SEND, TO, WRITE, CacheScene, Notes, notes, window


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[CacheScene]:
    """No run has been carried out."""
    with closing(CacheScene(tmp_path)) as made:
        yield made


@pytest.fixture
def scene(fresh: CacheScene) -> CacheScene:
    """One run has been carried out: a note was sent to Alice."""
    assert fresh.run(WRITE).outcome is RunOutcome.SUCCEEDED
    return fresh


def test_a_run_that_was_seen_to_succeed_is_kept_with_what_came_from_its_request(scene: CacheScene) -> None:
    entry = scene.only

    assert [action.action["action"] for action in entry.actions] == ["left_click", "type", "left_click"]
    assert entry.actions[1].action["text"] == {"$parts": [{"slot": "person"}]}
    assert [(slot.name, slot.value, slot.rebinds) for slot in entry.slots] == [("person", "Alice", True)]
    assert [action.anchor.words for action in entry.actions if action.anchor] == ["To:", "Send"]
    assert entry.verified


@pytest.mark.parametrize("ending", [Done(result="no", succeeded=False), Done(result="sent")])
def test_a_run_that_was_not_seen_to_succeed_is_not_kept(ending: Done, fresh: CacheScene) -> None:
    fresh.run([propose(Click(action="left_click", at=TO)), propose(ending), propose(ending)])

    assert fresh.entries.newest(10) == []


def test_another_value_of_the_same_shape_is_the_same_and_typed_in_its_place(scene: CacheScene) -> None:
    (option,) = scene.asked("Send a note to Bob")
    desktop = Notes()
    run = scene.run([], desktop, reload=ReplayRequest(cache_id=option.cache_id))

    assert option.match == "same"
    assert [(slot.name, slot.value, slot.proposed) for slot in option.slots] == [("person", "Alice", "Bob")]
    assert (run.outcome, desktop.sent) == (RunOutcome.SUCCEEDED, ["Bob"])
    assert run.reload is not None
    assert (run.reload.replayed, run.reload.stopped_at) == (3, None)


@pytest.mark.parametrize("value", ["Bob\n", "Bob\tSmith", "Bob\rSmith"])
def test_a_value_that_presses_other_keys_than_the_recorded_one_stops_it(scene: CacheScene, value: str) -> None:
    desktop = Notes()
    asked = ReplayRequest(cache_id=scene.only.id, values={"person": value})
    run = scene.run([propose(Done(result="No.", succeeded=False))], desktop, reload=asked)

    assert (run.outcome, desktop.sent) == (RunOutcome.FAILED, [])
    assert run.reload is not None
    assert "line break" in run.reload.reason


def test_the_same_request_asks_no_decider(scene: CacheScene) -> None:
    (option,) = scene.asked("send a note to Alice.")
    desktop = Notes()
    run = scene.run([], desktop, reload=ReplayRequest(cache_id=option.cache_id))

    assert (option.match, option.cache_id) == ("same", scene.only.id)
    assert desktop.sent == ["Alice"]
    assert run.spent.model_calls == 0


@pytest.mark.parametrize(
    ("request_", "difference"),
    [
        ("Do not send a note to Alice", 'asked for "Do not" as well'),
        ("Send a note to Alice and Bob", 'asked for "and Bob" as well'),
        ("Delete the note to Alice", 'asked for "Delete the", recorded: "Send a"'),
        ("Send 2 notes to Alice", 'asked for "2 notes", recorded: "a note"'),
    ],
)
def test_another_request_is_offered_with_what_differs_and_never_as_the_same(
    request_: str, difference: str, scene: CacheScene
) -> None:
    (option,) = scene.asked(request_)
    assert (option.match, option.differs) == ("offer", (difference,))


def test_an_offer_is_taken_with_the_values_that_the_caller_gives(scene: CacheScene) -> None:
    (option,) = scene.asked("let bob smith have a note")
    desktop = Notes()
    values = {"person": "bob smith"}
    run = scene.run([], desktop, reload=ReplayRequest(cache_id=option.cache_id, values=values))

    assert option.match == "offer"
    assert (run.outcome, desktop.sent) == (RunOutcome.SUCCEEDED, ["bob smith"])


def test_a_request_that_shares_nothing_with_what_is_kept_is_offered_nothing(scene: CacheScene) -> None:
    assert scene.asked("turn the volume up") == ()


def test_a_replay_is_not_recorded_and_leaves_the_entry_as_it_was(scene: CacheScene) -> None:
    before = scene.only
    scene.run([], reload=ReplayRequest(cache_id=before.id))

    after = scene.only
    assert after.actions == before.actions
    assert (after.version, after.metadata.use_count, after.metadata.success_count) == (1, 1, 1)


def test_a_button_that_is_called_otherwise_stops_the_replay_there_and_the_decider_goes_on(
    scene: CacheScene,
) -> None:
    desktop = Notes(button="Dispatch")
    rest = [propose(Click(action="left_click", at=SEND)), propose(Done(result="sent"))]
    run = scene.run(rest, desktop, reload=ReplayRequest(cache_id="reload-1"))

    assert (run.outcome, desktop.sent) == (RunOutcome.SUCCEEDED, ["Alice"])
    assert run.reload is not None
    assert (run.reload.stopped_at, run.reload.replayed) == (2, 2)
    assert 'no "Send" is seen' in run.reload.reason
    (handed,) = scene.last.decider.subtasks
    assert handed.resumed is not None
    assert handed.resumed.steps == 1
    assert "stopped at action 3 of 3" in handed.resumed.explanation
    assert scene.last.read_reports.count(Stage.RELOAD_STOPPED) == 1


def test_what_failed_once_is_not_offered_until_it_has_succeeded_again(scene: CacheScene) -> None:
    rest = [propose(Click(action="left_click", at=SEND)), propose(Done(result="sent"))]
    scene.run(rest, Notes(button="Dispatch"), reload=ReplayRequest(cache_id="reload-1"))
    assert scene.asked("Send a note to Alice") == ()
    assert scene.only.quarantined

    scene.run([], reload=ReplayRequest(cache_id="reload-1"))
    assert [each.match for each in scene.asked("Send a note to Alice")] == ["same"]


def test_an_effect_that_does_not_come_stops_the_replay(scene: CacheScene) -> None:
    desktop = Notes()
    desktop.deaf = True
    run = scene.run([propose(Done(result="no", succeeded=False))], desktop, reload=ReplayRequest(cache_id="reload-1"))

    assert run.outcome is RunOutcome.FAILED
    assert run.reload is not None
    assert run.reload.stopped_at == 1
    assert "nothing has changed" in run.reload.reason
    assert desktop.sent == []


def test_targets_that_moved_are_found_and_proposed_and_adopted_after_the_second_success(
    scene: CacheScene,
) -> None:
    def moved() -> Notes:
        desktop = Notes()
        desktop.lines = ["News", "To:", "Send"]
        return desktop

    scene.run([], first := moved(), reload=ReplayRequest(cache_id="reload-1"))
    proposal = scene.only.proposal
    assert proposal is not None
    assert first.sent == ["Alice"]
    assert (scene.only.version, proposal.successes) == (1, 1)
    assert "was at (20, 30) of its window and is at (20, 50)" in proposal.healed[-1].told

    scene.run([], moved(), reload=ReplayRequest(cache_id="reload-1"))
    assert (scene.only.version, scene.only.proposal) == (2, None)
    anchor = scene.only.actions[2].anchor
    assert anchor is not None
    assert anchor.place == Point(x=20, y=50)


@pytest.mark.parametrize(("title", "program"), [("Other notes", "notes"), ("Notes", "impostor")])
def test_a_window_with_another_title_or_of_another_program_is_none_of_the_recorded(
    title: str, program: str, fresh: CacheScene
) -> None:
    fresh.programs.names = {1: "notes"}
    fresh.run(WRITE)
    fresh.programs.names = {1: program}
    desktop = Notes(title=title)

    assert fresh.asked("Send a note to Alice", desktop) == ()
    run = fresh.run([propose(Done(result="no", succeeded=False))], desktop, reload=ReplayRequest(cache_id="reload-1"))
    assert run.reload is not None
    assert (run.reload.stopped_at, desktop.acted[-1:]) != (None, [Click(action="left_click", at=TO)])
    assert desktop.sent == []


def test_a_dialog_over_the_window_is_not_typed_into(scene: CacheScene) -> None:
    desktop = Notes()
    desktop.shown = [window(9, "Update?", application="Updater"), window(1, "Notes", focused=False)]
    run = scene.run([propose(Done(result="no", succeeded=False))], desktop, reload=ReplayRequest(cache_id="reload-1"))

    assert run.reload is not None
    assert run.reload.reason == "Its target is covered by another window."
    assert not any(isinstance(action, Click | Type) for action in desktop.acted)


def test_an_action_that_is_left_out_is_not_done_and_what_followed_it_stops(scene: CacheScene) -> None:
    desktop = Notes()
    run = scene.run(
        [propose(Done(result="no", succeeded=False))],
        desktop,
        reload=ReplayRequest(cache_id="reload-1", skip_indices=(0,)),
    )
    assert run.reload is not None
    assert (run.reload.stopped_at, desktop.typed) == (1, "")


def test_what_a_model_takes_is_replayed_and_it_hears_what_came_of_it(scene: CacheScene) -> None:
    taken: list[Option] = []

    def take(_observation: object) -> object:
        block = scene.last.decider.briefings[0].reload_options
        assert '"match": "same"' in block
        return propose(ReplayEntry(cache_id="reload-1"))

    desktop = Notes()
    run = scene.run([take, propose(Done(result="sent"))], desktop)

    assert (run.outcome, desktop.sent, taken) == (RunOutcome.SUCCEEDED, ["Alice"], [])
    (result,) = scene.last.decider.observations[1].results
    assert (result.outcome, result.evidence) == (
        Outcome.CONFIRMED,
        "Replayed 3 actions from cache 'Send a note to Alice'.",
    )
    assert scene.only.metadata.success_count == 1
    assert scene.only.version == 1


def test_a_model_that_takes_what_was_not_offered_is_told_so(scene: CacheScene) -> None:
    desktop = Notes()
    run = scene.run([propose(ReplayEntry(cache_id="reload-7")), *WRITE], desktop)

    assert (run.outcome, desktop.sent) == (RunOutcome.SUCCEEDED, ["Alice"])
    assert "not among the options" in scene.last.decider.observations[1].repair


def test_what_needs_a_secret_that_the_run_does_not_have_cannot_be_taken(fresh: CacheScene) -> None:
    fresh.workflow = notes(request="Send a note")
    draft = Draft(
        fingerprint=Fingerprint(),
        requests=(Template(parts=("Send a note",)),),
        slots=(Slot(name="password", kind=SlotKind.SECRET),),
        actions=(CachedAction(action={"action": "type", "text": {"$parts": [{"slot": "password"}]}}),),
    )
    fresh.entries.keep(draft, keys_of(draft))
    desktop = Notes()
    run = fresh.run([propose(ReplayEntry(cache_id="reload-1")), *WRITE], desktop)

    assert (run.outcome, desktop.sent) == (RunOutcome.SUCCEEDED, ["Alice"])
    assert "needs password, which this run does not have" in fresh.last.decider.observations[1].repair


def test_the_same_is_replayed_without_asking_only_when_that_is_switched_on(scene: CacheScene) -> None:
    refuse = [propose(Done(result="no", succeeded=False))]
    scene.run(refuse, off := Notes())
    scene.automatic = True
    scene.run([], same := Notes())
    scene.run([], other := Notes(), params={"person": "Bob"})
    scene.run(refuse, unlike := Notes(), params={"person": "everybody at work"})

    assert (same.sent, other.sent) == (["Alice"], ["Bob"])
    assert (off.acted, unlike.acted) == ([], [])


def test_a_sensitive_value_is_a_slot_and_nothing_else(fresh: CacheScene) -> None:
    fresh.workflow = notes(request="Send a note", sensitive=True)
    write = [propose(Click(action="left_click", at=TO), Type(text="{person}"), step=0), *WRITE[1:]]
    fresh.run(write, params={"person": "hunter-hunter"})
    entry = fresh.only

    assert entry.slots[0].kind is SlotKind.SECRET
    assert "hunter" not in entry.model_dump_json()
    desktop = Notes()
    fresh.run([], desktop, reload=ReplayRequest(cache_id=entry.id), params={"person": "swordfish-2"})
    assert desktop.sent == ["swordfish-2"]
    assert "swordfish" not in fresh.only.model_dump_json()


def test_an_entry_whose_workflow_was_changed_is_stale(scene: CacheScene) -> None:
    scene.workflow = notes(request="Send a letter to {person}")
    with pytest.raises(Conflict, match="changed since it was recorded"):
        scene.run([], reload=ReplayRequest(cache_id="reload-1"))


@pytest.mark.parametrize("cache_id", ["reload-9", "reload-1~00000000"])
def test_an_entry_or_an_offer_that_is_not_there_is_told_so(cache_id: str, scene: CacheScene) -> None:
    with pytest.raises(NotFound, match=r"Cache entry not found\. Proceed manually"):
        scene.run([], reload=ReplayRequest(cache_id=cache_id))


def test_an_index_or_a_value_that_an_entry_does_not_have_is_refused(scene: CacheScene) -> None:
    with pytest.raises(Conflict, match="numbered from 0 on"):
        scene.run([], reload=ReplayRequest(cache_id="reload-1", skip_indices=(3,)))
    with pytest.raises(Conflict, match="has no value called 'colour'"):
        scene.run([], reload=ReplayRequest(cache_id="reload-1"), params={"colour": "red"})
