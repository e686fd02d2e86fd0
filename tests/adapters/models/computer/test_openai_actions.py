from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.computer.call_arguments import Sight
from adapters.models.computer.openai_replies import read_actions
from core.actions import ACTION, Click, Drag, Key, Look, Move, Scroll, Type, Wait
from core.errors import InvalidCall
from core.screens import Box, Point, Space

SIGHT = Sight(Space(1280, 720, is_picture=True), (1280, 720))
P = Point(x=405, y=157)
AT = {"x": 405, "y": 157}


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "click", "button": "left", **AT}, Click(action="left_click", at=P)),
        ({"type": "click", "button": "right", **AT}, Click(action="right_click", at=P)),
        ({"type": "click", "button": "wheel", **AT}, Click(action="middle_click", at=P)),
        ({"type": "click", "button": "back", **AT}, Key(keys=("alt", "left"))),
        ({"type": "click", "button": "forward", **AT}, Key(keys=("alt", "right"))),
        (
            {"type": "click", "button": "left", **AT, "keys": ["CTRL", "SHIFT"]},
            Click(action="left_click", at=P, modifiers=("ctrl", "shift")),
        ),
        ({"type": "click", "button": "left", **AT, "keys": None}, Click(action="left_click", at=P)),
        ({"type": "double_click", **AT}, Click(action="double_click", at=P)),
        (
            {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, AT]},
            Drag(path=(Point(x=1, y=2), Point(x=3, y=4), P)),
        ),
        ({"type": "keypress", "keys": ["CTRL", "L"]}, Key(keys=("ctrl", "l"))),
        ({"type": "keypress", "keys": ["ENTER"]}, Key(keys=("enter",))),
        ({"type": "move", **AT}, Move(at=P)),
        ({"type": "screenshot"}, Look()),
        ({"type": "scroll", **AT, "scroll_x": 0, "scroll_y": 500}, Scroll(action="scroll", notches=5, at=P)),
        ({"type": "scroll", **AT, "scroll_x": 0, "scroll_y": -120}, Scroll(action="scroll", notches=-1, at=P)),
        ({"type": "scroll", **AT, "scroll_x": 30, "scroll_y": 0}, Scroll(action="hscroll", notches=1, at=P)),
        ({"type": "scroll", **AT, "scroll_x": 0, "scroll_y": 0}, Scroll(action="scroll", notches=0, at=P)),
        ({"type": "type", "text": "penguin\n"}, Type(text="penguin\n")),
        ({"type": "wait"}, Wait(seconds=2)),
    ],
)
def test_every_action_of_the_tool_is_one_of_ours(action: dict[str, Any], expected: object) -> None:
    assert read_actions(action, SIGHT) == (expected,)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ({"type": "click", "button": "left", "x": 1280, "y": 0}, "outside of the screen, which is 1280x720"),
        ({"type": "click", "button": "left", "x": 5}, "'y' is missing"),
        ({"type": "click", "button": "third", **AT}, "one of left, right, wheel, back, forward"),
        ({"type": "drag", "path": [AT]}, "2 to 1000 places, not 1"),
        ({"type": "drag", "path": [AT] * 1001}, "not 1001"),
        ({"type": "drag", "path": [AT, "there"]}, "there"),
        ({"type": "drag"}, "must be a list"),
        ({"type": "keypress", "keys": []}, "key"),
        ({"type": "keypress", "keys": ["HYPERDRIVE"]}, "HYPERDRIVE"),
        ({"type": "keypress", "keys": [1]}, "a key is a word"),
        ({"type": "scroll", **AT, "scroll_x": 0, "scroll_y": 99999}, "at most 10000 pixels"),
        ({"type": "type"}, "'text' is missing"),
        ({"type": "open_tab"}, "no action.*open_tab"),
        ({"type": ["click"]}, "no action"),
        ({}, "no action"),
    ],
)
def test_what_can_not_be_done_is_refused_and_quoted(action: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidCall, match=told):
        read_actions(action, SIGHT)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("xy"), inner, max_size=3),
    max_leaves=8,
)
KINDS = ("click", "double_click", "drag", "keypress", "move", "screenshot", "scroll", "type", "wait")
FIELDS = st.dictionaries(st.sampled_from(("x", "y", "button", "keys", "path", "text", "scroll_x", "scroll_y")), JSON)


@given(st.sampled_from(KINDS), FIELDS)
def test_whatever_a_model_says_is_an_action_on_the_screen_or_refused(kind: str, values: dict[str, Any]) -> None:
    try:
        actions = read_actions({"type": kind, **values}, SIGHT)
    except InvalidCall:
        return
    for action in actions:
        assert ACTION.validate_python(action.model_dump()) == action
        at = getattr(action, "at", None)
        assert at is None or Box(x=0, y=0, width=1280, height=720).contains(at)
