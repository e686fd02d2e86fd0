"""What a run's effects make of its end, on a desktop of plain memory."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from core.actions import Action, Done
from core.effects.effect import Effect
from core.effects.rows import Reading, Row
from core.errors import EffectUnreadable
from core.runs.budget import Limits
from core.runs.run import Run, RunOutcome
from core.workflows.workflow import Parameter
from tests.fakes.desktops.drawn_desktop import DrawnDesktop
from tests.fakes.models.scripted_decider import propose
from tests.fakes.runs.replay_scene import CLICK, SAVED, Scene, workflow

ADDED = Effect(kind="json", at="http://localhost/rows?of={name}", expect={"name": "{name}"})
ADA: Row = {"name": "Ada"}
GRACE: Row = {"name": "Grace & Co"}


class Store:
    """A program's store, and an ``EffectReader`` of it."""

    def __init__(self, *rows: Row) -> None:
        self.rows: Sequence[Row] = rows
        self.addresses: list[str] = []
        self.fault = ""

    def read(self, effect: Effect, raise_if_cancelled: Callable[[], None]) -> Reading:
        raise_if_cancelled()
        self.addresses.append(effect.at)
        if self.fault:
            raise EffectUnreadable(self.fault)
        return Reading(self.rows, "the list")


def run(
    store: Store, *saved: Row, effect: Effect | None = ADDED, success: str = '"Saved" is shown', fault: str = ""
) -> Run:
    def saves(desktop: DrawnDesktop, _action: Action) -> None:
        desktop.lines = ["Saved"]
        store.rows, store.fault = [*store.rows, *saved], fault

    planned = workflow(f"{{name}}: {SAVED}", success=success, params=(Parameter(name="name", example="Grace & Co"),))
    planned = planned.model_copy(update={"effects": (effect,) if effect is not None else ()})
    script: list[Any] = [propose(CLICK), propose(Done(result="saved"))]
    desktop = DrawnDesktop(["Save"], saves)
    return Scene(script, planned, desktop=desktop, limits=Limits(verify_seconds=0), effects=store).run()


def test_a_success_says_that_an_effect_confirmed_it() -> None:
    store = Store(ADA)
    done = run(store, GRACE)

    assert (done.outcome, done.confirmed_by, done.caution) == (RunOutcome.SUCCEEDED, "effect", "")
    assert [each.verdict for each in done.effects] == ["pass"]
    assert set(store.addresses) == {"http://localhost/rows?of=Grace%20%26%20Co"}


def test_a_success_that_the_screen_alone_confirmed_says_so_and_what_that_leaves_open() -> None:
    done = run(Store(), effect=None)

    assert (done.outcome, done.confirmed_by) == (RunOutcome.SUCCEEDED, "screen")
    assert "whether “save” left anything behind was not checked" in done.caution


@pytest.mark.parametrize(
    ("saved", "says"),
    [((), "has no new row"), ((GRACE, GRACE), "the row twice"), (({"name": "Grace"},), "“Grace” instead of")],
)
def test_a_screen_that_says_saved_does_not_outweigh_an_effect_that_is_another_one(
    saved: tuple[Row, ...], says: str
) -> None:
    done = run(Store(ADA), *saved)

    assert (done.outcome, done.confirmed_by) == (RunOutcome.FAILED, "")
    assert says in done.reason


def test_an_effect_that_cannot_be_read_afterwards_leaves_the_run_unclear() -> None:
    done = run(Store(ADA), GRACE, fault="The list gives no answer.")

    assert (done.outcome, done.confirmed_by) == (RunOutcome.UNCLEAR, "")
    assert "The list gives no answer." in done.reason


def test_nothing_is_done_where_nobody_could_tell_afterwards_what_was_done() -> None:
    store = Store(ADA)
    store.fault = "The list gives no answer."
    done = run(store, GRACE)

    assert (done.outcome, done.spent.steps) == (RunOutcome.FAILED, 0)
    assert done.reason.startswith("Nothing was done")


def test_a_row_that_may_be_there_just_once_is_not_added_again() -> None:
    once = ADDED.model_copy(update={"exactly_once": True})
    done = run(Store(ADA, GRACE), GRACE, effect=once)

    assert (done.outcome, done.spent.steps) == (RunOutcome.FAILED, 0)
    assert "has this row already" in done.reason
    assert run(Store(ADA), GRACE, effect=once).outcome is RunOutcome.SUCCEEDED


def test_an_effect_confirms_a_run_that_names_no_text_to_look_for() -> None:
    assert run(Store(ADA), GRACE, success="").confirmed_by == "effect"


def test_an_effect_does_not_make_up_for_a_text_that_is_named_and_not_seen() -> None:
    done = run(Store(ADA), GRACE, success='"Thank you" is shown')

    assert (done.outcome, done.confirmed_by) == (RunOutcome.UNCLEAR, "")
    assert "The effect is there" in done.reason
