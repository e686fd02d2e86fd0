"""Web sessions that a test does, and how its quick clicks are paired with what is told of them."""

from __future__ import annotations

from bench.world.session import TEST, all_sessions
from bench.world.told import told
from bench.world.truth import Action, Truth
from core.analysis import Action as Told
from core.analysis import ActionKind, Findings

RUN = Truth(
    session="shop-test", application="shop", kind="web", look="1280x720 25 vp8 test", width=1280, height=720, fps=25,
    duration_ms=4000,
    actions=(
        Action(t_ms=1000, kind="click", target="Name"),
        Action(t_ms=1100, kind="type", value="Ada"),
        Action(t_ms=1500, kind="click", target="Save"),
    ),
)  # fmt: skip


def test_each_web_session_is_there_as_a_test_does_it_too() -> None:
    known = all_sessions()
    web = {name for name, session in known.items() if session.kind == "web" and not session.look.test}
    runs = {name for name, session in known.items() if session.look.test}

    assert runs == {name + TEST for name in web}
    assert all(known[name].application + TEST == name and not known[name].look.pointer for name in runs)
    assert RUN.setting == "test run"


def test_of_quick_clicks_each_is_told_by_what_is_nearest_to_it() -> None:
    typed = Told(t_ms=1100, kind=ActionKind.TYPE, value="Ada", confidence=0.9, description="Typed.")
    saved = Told(t_ms=1540, kind=ActionKind.CLICK, target="Save", confidence=0.9, description="Clicked.")
    found = told(Findings(timeline=(), actions=(typed, saved)), RUN)

    assert (found.actions, found.actions_told, found.actions_invented) == (2, 2, 0)
