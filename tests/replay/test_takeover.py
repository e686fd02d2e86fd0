"""A user who moves the mouse has it at once, whatever the run is doing; and gets a paused run back whole."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from core.actions import Drag, HoldKey
from core.errors import TakenOver
from core.jobs import Stage
from core.runs.budget import Limits
from core.runs.run import Run, RunOutcome
from core.screens import Point
from tests.clock import until, within
from tests.fakes.desktops.x_user import User, connected, x_display
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.model_families import model_families
from tests.fakes.models.scripted_decider import ScriptedDecider, propose
from tests.fakes.runs.made_workflows import made_case, made_page, step
from tests.fakes.runs.replaying import Case, Replays, Running, form_case

T = TypeVar("T")
Told = Callable[[dict[str, Any]], T]

pytestmark = pytest.mark.screen
AT_ONCE = 0.2
TOLD = WRITTEN = 1.0
"""Seconds, on a machine that has much to do, in which a run that lets go has told so, or is over and written down."""
DRAG = Drag(path=tuple(Point(x=100 + step % 500, y=100 + step % 300) for step in range(1000)), modifiers=("shift",))
HOLD = HoldKey(keys=("ctrl", "shift"), seconds=60)


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    # On a display of the user's a run has the user's own browser, which must not be that of whoever tests.
    for name, folder in (("HOME", "home"), ("XDG_CONFIG_HOME", "home/config"), ("XDG_CACHE_HOME", "home/cache")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    with x_display() as name:
        yield name


def held(display: str) -> bool:
    """Whether any button or key is down."""
    with connected(display) as x:
        buttons = x.core.QueryPointer(x.setup.roots[0].root).reply().mask & 0x1F00
        return bool(buttons) or any(x.core.QueryKeymap().reply().keys)


def pointer(display: str) -> tuple[int, int]:
    with connected(display) as x:
        reply = x.core.QueryPointer(x.setup.roots[0].root).reply()
        return reply.root_x, reply.root_y


def kept(case: Case) -> Run:
    """The run as its folder tells it."""
    folder = case.run_folder
    assert (folder / "report.html").stat().st_size > 0
    return Run.model_validate_json((folder / "run.json").read_bytes())


@pytest.mark.parametrize("action", [pytest.param(DRAG, marks=pytest.mark.nightly), HOLD], ids=["a drag", "held keys"])
def test_a_hand_on_the_mouse_ends_the_run_at_once_and_nothing_stays_down(
    display: str, tmp_path: Path, action: Drag | HoldKey
) -> None:
    case = made_case(tmp_path / "w", ("Do it.", []), criteria='"Done" is shown.')
    replays = Replays(tmp_path, {"scripted": lambda _: ScriptedDecider([propose(action)])})
    running = Running(lambda: replays.run(case, display=display, provider="scripted"))
    thread = running.start()
    until(lambda: held(display))
    with closing(User(display)) as user:
        began = time.monotonic()
        user.move(7, 5)
        until(lambda: not held(display))
        released = time.monotonic() - began
        left_at = pointer(display)
        thread.join(10)

        within(AT_ONCE, released)
        assert isinstance(running.error, TakenOver)
        assert (held(display), pointer(display)) == (False, left_at)
        assert kept(case).outcome is RunOutcome.TAKEN_OVER
        assert "moved the mouse" in kept(case).reason


@pytest.mark.nightly
def test_a_hand_on_the_mouse_stops_the_form_in_its_middle(display: str, tmp_path: Path) -> None:
    began: list[float] = []

    def move() -> None:
        began.append(time.monotonic())
        user.move(9, 4)

    with form_case(tmp_path / "workflows") as case, closing(User(display)) as user:
        context = FakeContext()
        context.on_event(Stage.PIXEL_ACTION, once(move, is_typing))
        running = Running(lambda: Replays(tmp_path).run(case, context, display=display))
        running.start().join(60)
        took = time.monotonic() - began[0]

        assert isinstance(running.error, TakenOver)
        within(WRITTEN, took)
        assert not held(display)
        assert kept(case).outcome is RunOutcome.TAKEN_OVER
        assert case.state() is None


@pytest.mark.nightly
def test_a_paused_run_looks_afresh_and_fills_in_the_form_as_told(display: str, tmp_path: Path) -> None:
    with form_case(tmp_path / "workflows") as case, closing(User(display)) as user:
        context = FakeContext()
        context.on_event(Stage.PIXEL_ACTION, once(lambda: user.move(9, 4), is_typing))
        replays = Replays(tmp_path, limits=Limits(quiet_seconds=0.3))
        run = replays.run(case, context, display=display, on_takeover="pause")
        order = case.await_state()

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert was_paused(context)
    assert order == {
        "recipient": "Ada Lovelace",
        "street": "Kaivokatu 12 {C}",
        "city": "Helsinki",
        "country": "Finland",
        "weight": "3.5",
        "date": "2026-12-01",
        "service": "Express",
        "code": "4711",
        "note": "Ring twice",
        "fragile": True,
    }


# The tagged family keeps no conversation that could be broken.
@pytest.mark.nightly
@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini"])
def test_a_takeover_while_a_model_thinks_pauses_and_it_is_asked_afresh(
    display: str, tmp_path: Path, provider: str
) -> None:
    button = """<button onclick="told('sail', 'The sail is up')">Hoist the sail</button>"""
    outcome = '"The sail is up" is shown.'
    times: list[float] = []

    def take_over() -> None:
        # The browser takes a moment to open: the hanging request is the one that tells what came of that.
        families.hang(provider)
        families.await_asked(provider)
        times.append(time.monotonic())
        user.move(9, 4)

    with (
        model_families() as families,
        made_page(tmp_path / "w", button, step("CLICK", 'the "Hoist the sail" button'), outcome=outcome) as case,
        closing(User(display)) as user,
    ):
        context = FakeContext()
        context.on_event(Stage.PREDICTED_TOOL_CALL, once(take_over))
        context.on_event(Stage.TAKEN_OVER, lambda _: times.append(time.monotonic()))
        replays = Replays(tmp_path, families.makers, limits=Limits(quiet_seconds=0.3))
        run = replays.run(case, context, display=display, provider=provider, on_takeover="pause")
        state = case.await_state()

    assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
    assert was_paused(context)
    assert state == {"clicked": ["sail"]}
    within(TOLD, times[1] - times[0])


def was_paused(context: FakeContext) -> bool:
    """Whether it paused and went on, once."""
    stages = [stage for stage, _ in context.reported if stage in {Stage.TAKEN_OVER, Stage.RESUMED}]
    return stages == [Stage.TAKEN_OVER, Stage.RESUMED]


def is_typing(data: dict[str, Any]) -> bool:
    return data["pixel_action"]["action"] == "type"


def always(_: dict[str, Any]) -> bool:
    return True


def once(
    act: Callable[[], object], wanted: Callable[[dict[str, Any]], bool] = always
) -> Callable[[dict[str, Any]], None]:
    left = [act]

    def listen(data: dict[str, Any]) -> None:
        if wanted(data) and left:
            left.pop()()

    return listen
