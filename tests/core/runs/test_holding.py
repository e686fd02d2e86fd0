"""A run that a person holds from afar, and drives meanwhile: the whole use case on a desktop of plain memory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from core.actions import Action, Click, Done, Key, Type
from core.errors import Cancelled, Conflict, TakenOver
from core.jobs import Stage
from core.runs.budget import Limits
from core.runs.deciding import Decision, Observation, Outcome, SafetyCheck
from core.runs.input_control import Input, action_of
from core.runs.live import LiveRuns
from core.runs.run import RunOutcome
from core.screens import Point
from tests.fakes.desktops.drawn_desktop import DrawnDesktop
from tests.fakes.models.scripted_decider import ScriptedDecider, propose
from tests.fakes.runs.replay_scene import CLICK, Scene, saves
from tests.fakes.runs.replaying import Running

INPUT: TypeAdapter[Input] = TypeAdapter(Input)
PASSWORD = Type(text="open sesame")
CHECKED = SafetyCheck(id="sc-1", code="malicious_instructions", message="The page gives orders.")


class Held:
    """A run whose decider has the run held before its first action, and goes on when the test says so.

    Args:
        script: what the decider says after that.
        meanwhile: what the person does.

    """

    def __init__(self, *script: Decision, meanwhile: Callable[[Held], object], **scene: Any) -> None:
        self.scene = Scene([], **scene)
        self.scene.decider = ScriptedDecider([self._hold, *script])
        self.scene.context.on_event(Stage.TAKEN_OVER, lambda _: self._act(meanwhile))
        self.done: list[object] = []

    @property
    def hold(self) -> Any:
        return self.scene.live.hold("job-1")

    def put(self, action: Action) -> Future[None]:
        return self.hold.put(action)

    def _hold(self, _: Observation) -> Decision:
        self.hold.hold()
        return propose(CLICK, CLICK)

    def _act(self, meanwhile: Callable[[Held], object]) -> None:
        hold = self.hold
        try:
            meanwhile(self)
        finally:
            hold.resume()


def test_a_held_run_lets_go_and_looks_afresh_when_it_is_resumed() -> None:
    held = Held(
        propose(CLICK), propose(Done(result="")), meanwhile=lambda it: it.done.append(list(it.scene.desktop.acted))
    )
    run = held.scene.run()

    assert run.outcome is RunOutcome.SUCCEEDED
    assert held.done == [[]]
    assert held.scene.desktop.released == 1
    after = held.scene.decider.observations[1]
    assert "look afresh" in after.notice
    assert [result.outcome for result in after.results] == [Outcome.FAILED] * 2
    found = [data for stage, data in held.scene.context.reported if stage in {Stage.TAKEN_OVER, Stage.RESUMED}]
    assert [(each["held"], each.get("inputs")) for each in found] == [(True, None), (True, 0)]


def test_what_a_person_does_meanwhile_is_done_in_its_order_and_told_to_nobody() -> None:
    def drive(held: Held) -> None:
        for action in (CLICK, PASSWORD, Key(keys=("enter",))):
            held.put(action).result(5)

    held = Held(propose(CLICK), propose(Done(result="")), meanwhile=drive)
    run = held.scene.run()

    assert held.scene.desktop.acted[:3] == [CLICK, PASSWORD, Key(keys=("enter",))]
    assert (
        "sesame"
        not in f"{held.scene.context.reported} {held.scene.folder.text} {run} {held.scene.decider.observations}"
    )
    # The action that was stopped, and the one afterwards; what the person did is none of its.
    assert run.inputs == 3
    assert held.scene.context.reported[-1][1]["spent"]["steps"] == run.spent.steps == 2
    assert next(data["inputs"] for stage, data in held.scene.context.reported if stage is Stage.RESUMED) == 3


def test_a_held_run_can_be_cancelled() -> None:
    held = Held(meanwhile=lambda it: (it.scene.context.stop.set(), it.put(CLICK)))
    held.scene.context.on_event(Stage.TAKEN_OVER, lambda _: held.scene.context.stop.set())

    with pytest.raises(Cancelled):
        held.scene.run()
    assert held.scene.folder.run is not None
    assert held.scene.folder.run.outcome is RunOutcome.CANCELLED
    assert held.scene.desktops.open_now == 0


def test_the_minutes_in_which_it_is_held_are_not_counted() -> None:
    def wait(held: Held) -> None:
        context = held.scene.context
        # More than the run may have in all.
        while context.extended_seconds < 0.5:
            held.hold.hold(0.01)

    held = Held(propose(CLICK), propose(Done(result="")), meanwhile=wait, limits=Limits(minutes=0.4 / 60))

    assert held.scene.run().outcome is RunOutcome.SUCCEEDED


def test_a_run_that_is_held_for_too_long_ends() -> None:
    held = Held(meanwhile=lambda it: it.scene.context.stop.wait(5))
    held.scene.live = LiveRuns(held_minutes=0.05 / 60)
    held.scene.rebuild()

    with pytest.raises(TakenOver, match="as long as a run may be"):
        held.scene.run()
    held.scene.context.stop.set()


def test_a_user_who_has_taken_over_meanwhile_is_waited_for_and_not_the_end() -> None:
    def at_the_desk(held: Held) -> None:
        held.scene.desktop.taken_over = True
        held.put(CLICK).result(5)
        held.scene.desktop.taken_over = True

    held = Held(propose(CLICK), propose(Done(result="")), meanwhile=at_the_desk)

    assert held.scene.run().outcome is RunOutcome.SUCCEEDED
    assert not held.scene.desktop.taken_over


def test_a_question_of_the_gate_is_withdrawn_when_the_run_is_held_and_asked_again() -> None:
    scene = Scene([propose(CLICK, safety=(CHECKED,)), propose(CLICK, safety=(CHECKED,)), propose(Done(result=""))])
    asked: list[str] = []

    def on_question(data: dict[str, Any]) -> None:
        asked.append(data["approval_id"])
        open_now = scene.approvals.open_of("job-1")
        assert open_now is not None
        assert (open_now.approval_id, open_now.question) == (data["approval_id"], data["question"])
        assert 0 < open_now.seconds_left <= data["seconds"]
        if len(asked) == 1:
            scene.live.hold("job-1").hold()
        else:
            scene.approvals.answer("job-1", asked[1], agree=True)

    scene.context.on_event(Stage.APPROVAL_ASKED, on_question)
    scene.context.on_event(Stage.TAKEN_OVER, lambda _: scene.live.hold("job-1").resume())
    run = scene.run()

    assert run.outcome is RunOutcome.SUCCEEDED
    answers = [data["answer"] for stage, data in scene.context.reported if stage is Stage.APPROVAL_GIVEN]
    assert answers == ["withdrawn", "yes"]
    assert scene.approvals.open_of("job-1") is None


def test_a_run_is_held_also_while_its_success_is_looked_for() -> None:
    def hold_at_last(desktop: DrawnDesktop, action: Action) -> None:
        saves(desktop, action)
        desktop.lines = ["Saving"]

    scene = Scene(
        [propose(CLICK), propose(Done(result=""))],
        desktop=DrawnDesktop(["Save"], hold_at_last),
        limits=Limits(verify_seconds=5, quiet_seconds=0),
    )
    scene.workflow = scene.workflow.model_copy(
        update={"plan": scene.workflow.plan.model_copy(update={"subtasks": (_unchecked(scene),)})}
    )
    scene.rebuild()
    scene.context.on_event(Stage.SUBTASK_DONE, lambda _: scene.live.hold("job-1").hold())

    def save_and_resume(_: object) -> None:
        scene.desktop.lines = ["Saved"]
        scene.live.hold("job-1").resume()

    scene.context.on_event(Stage.TAKEN_OVER, save_and_resume)

    assert scene.run().outcome is RunOutcome.SUCCEEDED


def _unchecked(scene: Scene) -> Any:
    return scene.workflow.plan.subtasks[0].model_copy(update={"text": "Save it."})


def test_only_a_run_that_is_held_takes_input_and_what_waits_when_it_goes_on_is_refused() -> None:
    late: list[Future[None]] = []

    def slowly(desktop: DrawnDesktop, action: Action) -> None:
        if action == PASSWORD:
            late.append(held.put(CLICK))
            held.hold.resume()
        saves(desktop, action)

    held = Held(
        propose(CLICK),
        propose(Done(result="")),
        meanwhile=lambda it: it.put(PASSWORD).result(5),
        desktop=DrawnDesktop(["Save"], slowly),
    )
    held.scene.run()

    with pytest.raises(Conflict, match="went on"):
        late[0].result(5)
    with pytest.raises(Conflict, match="no run"):
        held.put(CLICK)


def test_what_nobody_waits_for_any_more_is_not_done() -> None:
    def change_mind(held: Held) -> None:
        gone = held.put(PASSWORD)
        if gone.cancel():
            with pytest.raises(CancelledError):
                gone.result(0)
            held.done.append(PASSWORD)
        held.put(CLICK).result(5)

    held = Held(propose(CLICK), propose(Done(result="")), meanwhile=change_mind)
    held.scene.run()

    assert (PASSWORD in held.scene.desktop.acted) is not (PASSWORD in held.done)


def test_a_run_that_goes_on_tells_how_it_stands() -> None:
    states: list[Any] = []
    held = Held(
        propose(CLICK),
        propose(Done(result="")),
        meanwhile=lambda it: (it.hold.hold(5), states.append(it.scene.live.state("job-1"))),
    )
    held.scene.run()

    assert (states[0].held, states[0].size, states[0].spent.steps) == ("held", (800, 600), 1)
    assert held.scene.live.state("job-1") is None


@pytest.mark.parametrize(
    "given",
    [
        {"action": "open_app", "name": "xterm"},
        {"action": "open_url", "url": "file:///etc/passwd"},
        {"action": "left_mouse_down"},
        {"action": "hold_key", "keys": ["a"], "seconds": 300},
        {"action": "type", "text": "secret" * 1000},
        {"action": "key", "keys": ["a"], "repeat": 100},
        {"action": "left_click", "at": {"x": "here", "y": 1}},
        {"action": "type", "text": "secret", "where": 1},
        [],
    ],
)
def test_what_is_no_input_is_refused_without_a_word_of_what_was_typed(given: object) -> None:
    with pytest.raises(ValidationError) as refused:
        INPUT.validate_python(given)

    assert not [fault for fault in refused.value.errors() if "secret" in fault["msg"]]


def test_an_input_is_an_action_of_the_one_vocabulary() -> None:
    given = {"action": "double_click", "at": {"x": 3, "y": 4}}

    assert action_of(INPUT.validate_python(given)) == Click(action="double_click", at=Point(x=3, y=4))
    assert type(action_of(INPUT.validate_python({"action": "type", "text": "a"}))) is Type


def test_a_run_that_holds_nothing_is_not_stopped_by_a_hold_that_is_taken_back() -> None:
    scene = Scene([propose(CLICK), propose(Done(result=""))])
    scene.context.on_event(Stage.REPLAY_STARTED, lambda _: scene.live.hold("job-1").resume())
    running = Running(scene.run)
    running.start().join(10)

    assert running.run is not None
    assert running.run.outcome is RunOutcome.SUCCEEDED
