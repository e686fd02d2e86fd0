"""A run that a person holds has let go at once, whatever it is doing, and does on its display what the person does."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from core.actions import Action, Drag, HoldKey, Key, OpenApp, Type
from core.errors import Cancelled, Conflict
from core.jobs import Stage
from core.runs.input_control import Hold
from core.screens import Point
from tests.clock import until, within
from tests.fakes.desktops.x_user import connected, x_display
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.model_families import model_families
from tests.fakes.models.scripted_decider import ScriptedDecider, propose
from tests.fakes.runs.made_workflows import made_case
from tests.fakes.runs.replaying import Replays, Running

pytestmark = pytest.mark.screen
AT_ONCE = 0.2
DRAG = Drag(path=tuple(Point(x=100 + step % 500, y=100 + step % 300) for step in range(1000)), modifiers=("shift",))
HOLD = HoldKey(keys=("ctrl", "shift"), seconds=60)


@pytest.fixture
def display() -> Iterator[str]:
    with x_display() as name:
        yield name


def down(display: str) -> bool:
    """Whether any button or key is down."""
    with connected(display) as x:
        buttons = x.core.QueryPointer(x.setup.roots[0].root).reply().mask & 0x1F00
        return bool(buttons) or any(x.core.QueryKeymap().reply().keys)


def held(replays: Replays) -> Hold:
    """The hold on the run, which it is asked for here."""
    hold = replays.live.hold("job-1")
    hold.hold()
    return hold


@pytest.mark.parametrize("action", [pytest.param(DRAG, marks=pytest.mark.nightly), HOLD], ids=["a drag", "held keys"])
def test_a_held_run_has_let_go_at_once_and_does_what_a_person_does(
    display: str, tmp_path: Path, action: Action
) -> None:
    case = made_case(tmp_path / "w", ("Do it.", []), criteria='"Done" is shown.')
    replays = Replays(tmp_path, {"scripted": lambda _: ScriptedDecider([propose(action), propose(action)])})
    context = FakeContext()
    running = Running(lambda: replays.run(case, context, display=display, provider="scripted"))
    thread = running.start()
    until(lambda: down(display))
    began = time.monotonic()
    hold = held(replays)
    until(lambda: not down(display))
    released = time.monotonic() - began
    until(lambda: hold.has_let_go)

    hold.put(OpenApp(name="xterm", arguments=("-e", "sh"))).result(10)
    hold.put(Type(text=f"echo mine > {tmp_path}/typed")).result(10)
    hold.put(Key(keys=("enter",))).result(10)
    until(lambda: (tmp_path / "typed").exists() and (tmp_path / "typed").read_text() == "mine\n")
    hold.resume()
    until(lambda: down(display))
    context.stop.set()
    thread.join(10)

    within(AT_ONCE, released)
    assert isinstance(running.error, Cancelled)
    assert not down(display)
    assert "mine" not in f"{context.reported}"


@pytest.mark.nightly
@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini"])
def test_a_run_is_held_while_a_model_thinks(display: str, tmp_path: Path, provider: str) -> None:
    case = made_case(tmp_path / "w", ("Do it.", []), criteria='"Done" is shown.')
    with model_families() as families:
        families.hang(provider)
        replays = Replays(tmp_path, families.makers)
        context = FakeContext()
        running = Running(lambda: replays.run(case, context, display=display, provider=provider))
        thread = running.start()
        # The first request of a process waits for its provider's library.
        server = families.servers[provider]
        server.wait_for(lambda: not server.script, 60)
        began = time.monotonic()
        hold = held(replays)
        until(lambda: hold.has_let_go)
        took = time.monotonic() - began
        context.stop.set()
        thread.join(10)
        with suppress(Conflict):
            hold.resume()

    within(AT_ONCE, took)
    assert [stage for stage, _ in context.reported if stage is Stage.TAKEN_OVER]
