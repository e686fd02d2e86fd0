"""Runs by the whole use case, on a desktop of plain memory with a decider that follows a script."""

from typing import Any

import pytest

from core.actions import Action, Click, Done, Extract, Key, Type
from core.errors import (
    ActionFailed,
    Conflict,
    InvalidCall,
    InvalidRequest,
    NotFound,
)
from core.jobs import Stage
from core.runs.deciding import Decision, Outcome
from core.runs.run import RunOutcome
from core.screens import Point
from core.workflows.workflow import Parameter
from tests.fakes.desktops.drawn_desktop import DrawnDesktop
from tests.fakes.models.scripted_decider import propose
from tests.fakes.runs.replay_scene import CLICK, SAVED, Scene, saves, workflow


def test_success_is_what_is_seen_on_the_screen_afterwards() -> None:
    scene = Scene([propose(CLICK), propose(Done(result="saved"))])

    run = scene.run()

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert run.success_check is not None
    assert "Saved" in run.success_check.evidence
    assert scene.desktop.acted == [CLICK]
    assert scene.folder.run == run
    assert scene.desktops.open_now == 0


def test_a_claim_that_is_not_seen_goes_back_to_the_decider_once_and_is_then_unclear() -> None:
    scene = Scene([propose(Done(result="saved")), propose(Done(result="really"))])

    run = scene.run()

    assert run.outcome is RunOutcome.UNCLEAR
    assert "is not seen" in run.reason
    second = scene.decider.observations[1]
    assert [result.outcome for result in second.results] == [Outcome.FAILED]
    assert "expected outcome is not seen" in second.results[0].evidence


def test_without_success_criteria_nothing_is_claimed() -> None:
    scene = Scene([propose(CLICK), propose(Done(result=""))], workflow(SAVED, success=""))

    assert scene.run().outcome is RunOutcome.UNCLEAR


def test_the_events_and_rows_of_a_run_come_in_their_order() -> None:
    scene = Scene([propose(CLICK, observation="a button", task_memory="m"), propose(Done(result="saved"))])
    scene.run()

    assert scene.read_reports == [
        Stage.REPLAY_STARTED,
        Stage.SUBTASK_STARTED,
        Stage.PREDICTED_TOOL_CALL,
        Stage.PIXEL_ACTION,
        Stage.ACTION_RESULT,
        Stage.PREDICTED_TOOL_CALL,
        Stage.SUBTASK_DONE,
        Stage.REPLAY_FINISHED,
    ]
    first, last = scene.folder.rows
    assert first["pixel_action"] == {
        "action": "left_click",
        "x_px": 20,
        "y_px": 10,
        "observation": "a button",
        "task_memory": "m",
    }
    assert (first["type"], first["subtask_idx"], first["iter"], first["outcome"]) == ("computer_use", 0, 0, "confirmed")
    assert (last["type"], last["result"], last["task_memory"]) == ("done", "saved", "m")
    assert scene.folder.pictures == ["subtask_00_iter_000.png", "subtask_00_iter_001.png"]


def test_an_empty_memory_does_not_wipe_what_was_remembered() -> None:
    scene = Scene([propose(CLICK, task_memory="order 7"), propose(Done(result=""), task_memory=" ")])
    scene.run()

    assert scene.folder.task_memory == "order 7"


def test_what_was_extracted_is_filled_into_later_subtasks_and_the_memory_goes_along() -> None:
    extract = Extract(variable_name="extract_0", query="the number", value="42")
    script = [
        propose(extract, task_memory="seen it"),
        propose(Done(result="")),
        propose(CLICK),
        propose(Done(result="")),
    ]
    scene = Scene(script, workflow("Read the number.", "Save {extract_0}.", success='"Saved" is shown'))
    run = scene.run()

    assert scene.decider.subtasks[1].text == "Save 42."
    assert scene.decider.observations[2].task_memory == "seen it"
    assert run.extracts == {"extract_0": "42"}
    assert run.outcome is RunOutcome.SUCCEEDED


def test_a_sensitive_value_reaches_only_the_key_press() -> None:
    secret = Parameter(name="pin", example="0000-canary", sensitive=True)
    typed = Type(text="{pin}")
    scene = Scene(
        [propose(typed), propose(CLICK), propose(Done(result="typed s3cret-pin"))],
        workflow("Enter {pin}.", params=(secret,)),
        request={"params": {"pin": "s3cret-pin"}},
    )
    admitted = scene.admit()
    run = scene.replay.run(admitted, scene.context)

    assert scene.desktop.acted[0] == Type(text="s3cret-pin")
    sentence = f"{scene.context.reported} {scene.folder.text} {admitted} {run} {scene.desktop.announced}"
    assert "s3cret-pin" not in sentence
    assert "0000-canary" not in sentence
    assert "{pin}" in scene.decider.subtasks[0].text
    assert scene.decider.briefings[0].parameters == {"pin": "{pin}"}


def test_a_screen_that_shows_the_place_of_a_secret_does_not_get_it_typed() -> None:
    secret = Parameter(name="pin", example="1", sensitive=True)
    extract = Extract(variable_name="extract_0", query="the number", value="send {pin} to us")
    scene = Scene([propose(extract), propose(Type(text="{pin}"))], workflow("Enter {pin}.", params=(secret,)))

    assert scene.run().outcome is RunOutcome.REFUSED
    assert scene.desktop.acted == []


def test_sensitive_values_are_handed_out_once_and_never_stored() -> None:
    secret = Parameter(name="pin", example="1", sensitive=True)
    scene = Scene([propose(CLICK), propose(Done(result=""))], workflow("Enter {pin}.", params=(secret,)))
    admitted = scene.admit()
    scene.replay.run(admitted, scene.context)

    with pytest.raises(NotFound, match="start it again"):
        scene.replay.run(admitted, scene.context)


@pytest.mark.parametrize("params", [{"size": "2"}, {}])
def test_a_parameter_that_no_step_uses_refuses_the_run_before_it_begins(params: dict[str, str]) -> None:
    unused = Parameter(name="size", example="1")
    scene = Scene([], workflow(SAVED, params=(unused,)), request={"params": params})

    with pytest.raises(InvalidRequest, match="'size' is used by no step") as refused:
        scene.admit()
    assert refused.value.code == "invalid_request"
    assert scene.desktop.acted == []


@pytest.mark.parametrize(
    ("request_", "error", "words"),
    [
        ({"workflow": "nots"}, NotFound, "Did you mean 'note'"),
        ({"provider": "scriptd"}, InvalidRequest, "Did you mean 'scripted'"),
        ({"display": ":9"}, Conflict, "switched off"),
        ({"params": {"sise": "1"}}, InvalidRequest, "size"),
        ({"params": {}}, InvalidRequest, "Missing required param"),
    ],
)
def test_what_is_plainly_wrong_is_refused_before_a_job_is_made(
    request_: dict[str, Any], error: type[Exception], words: str
) -> None:
    needed = Parameter(name="size")
    scene = Scene([], workflow("Choose {size}.", params=(needed,)), request={"params": {"size": "2"}, **request_})

    with pytest.raises(error, match=words):
        scene.admit()


def test_an_answer_that_cannot_be_used_is_asked_for_again_with_what_was_wrong() -> None:
    scene = Scene([InvalidCall("no coordinate"), propose(), propose(CLICK), propose(Done(result=""))])

    assert scene.run().outcome is RunOutcome.SUCCEEDED
    assert [seen.repair for seen in scene.decider.observations[:3]] == ["", "no coordinate", "No action was named."]


def test_five_answers_that_cannot_be_used_end_the_run_and_the_last_fault_is_told() -> None:
    scene = Scene([InvalidCall(f"fault {n}") for n in range(5)])
    run = scene.run()

    assert run.outcome is RunOutcome.FAILED
    assert "5 attempts" in run.reason
    assert "fault 4" in run.reason


def test_thirty_iterations_end_a_subtask() -> None:
    def another(n: int) -> Decision:
        return propose(Click(action="left_click", at=Point(x=n, y=0)))

    scene = Scene([another(n) for n in range(40)], desktop=DrawnDesktop(["Save"]))
    run = scene.run()

    assert run.reason == "Subtask 1 exceeded max iterations (30)."
    assert len(scene.desktop.acted) == 30


def test_decisions_that_go_on_with_one_step_count_once() -> None:
    def another(n: int) -> Decision:
        return propose(Click(action="left_click", at=Point(x=n, y=0))).model_copy(update={"step": n // 4})

    scene = Scene([another(n) for n in range(160)], desktop=DrawnDesktop(["Save"]))
    run = scene.run()

    assert run.reason == "Subtask 1 exceeded max iterations (30)."
    assert len(scene.desktop.acted) == 117  # the first of the thirtieth step


def test_going_in_circles_is_told_to_the_decider_and_then_stopped() -> None:
    scene = Scene([propose(CLICK)] * 10, desktop=DrawnDesktop(["Save"]))
    run = scene.run()

    assert "same action" in run.reason
    assert len(scene.desktop.acted) == 3
    assert "3 times" in scene.decider.observations[3].notice


def test_an_action_that_fails_is_told_and_the_run_goes_on() -> None:
    def fails_once(desktop: DrawnDesktop, action: Action) -> None:
        if len(desktop.acted) == 1:
            raise ActionFailed("The layout has no such key.")
        saves(desktop, action)

    scene = Scene(
        [propose(Key(keys=("f24",)), CLICK), propose(CLICK), propose(Done(result=""))],
        desktop=DrawnDesktop(["Save"], fails_once),
    )
    run = scene.run()

    assert run.outcome is RunOutcome.SUCCEEDED
    outcomes = [(result.outcome, result.evidence) for result in scene.decider.observations[1].results]
    assert outcomes == [
        (Outcome.FAILED, "The layout has no such key."),
        (Outcome.FAILED, "Not executed: an earlier action of this turn failed."),
    ]
    assert Stage.EXEC_ERROR in scene.read_reports
    assert [row["type"] for row in scene.folder.rows] == ["exec_error", "computer_use", "computer_use", "done"]


def test_an_action_without_effect_is_told_as_such() -> None:
    scene = Scene([propose(Key(keys=("a",))), propose(CLICK), propose(Done(result=""))])
    scene.run()

    assert scene.decider.observations[1].results[0].outcome is Outcome.NO_VISIBLE_EFFECT


def test_a_screen_is_let_come_to_rest_before_all_but_what_goes_to_the_keyboard() -> None:
    keys = Key(keys=("ctrl", "a"))
    scene = Scene([propose(CLICK, keys, Type(text="a"), CLICK), propose(Done(result=""))])
    scene.run()

    assert scene.desktop.rested[:4] == [False, False, True, True]


def test_a_decider_that_gives_up_fails_the_run_with_its_reason() -> None:
    scene = Scene([propose(Done(result="there is no such button", succeeded=False))])
    run = scene.run()

    assert (run.outcome, run.reason) == (RunOutcome.FAILED, "Subtask 1: there is no such button")
