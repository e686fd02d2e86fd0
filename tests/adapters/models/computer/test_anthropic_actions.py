from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.computer.anthropic_replies import read_action
from adapters.models.computer.call_arguments import Sight
from core.actions import (
    ACTION,
    MAX_TEXT,
    Click,
    Drag,
    HoldKey,
    Key,
    Look,
    Move,
    Press,
    Scroll,
    Type,
    Wait,
    Zoom,
)
from core.errors import InvalidCall
from core.screens import Box, Point, Space

SIGHT = Sight(Space(1280, 720, is_picture=True), (1280, 720))
HALF = Sight(Space(1280, 720, is_picture=True), (2560, 1440))
P = Point(x=512, y=384)
XY = [512, 384]
NAMES = [
    "screenshot",
    "cursor_position",
    "zoom",
    "left_click",
    "right_click",
    "middle_click",
    "double_click",
    "triple_click",
    "left_click_drag",
    "left_mouse_down",
    "left_mouse_up",
    "mouse_move",
    "scroll",
    "key",
    "hold_key",
    "type",
    "wait",
]


@pytest.mark.parametrize(
    ("name", "values", "action"),
    [
        ("screenshot", {}, Look()),
        ("cursor_position", {}, Look()),
        ("zoom", {"region": [0, 0, 1280, 720]}, Zoom(region=Box(x=0, y=0, width=1280, height=720))),
        ("left_click", {"coordinate": XY}, Click(action="left_click", at=P)),
        ("left_click", {}, Click(action="left_click")),
        ("right_click", {"coordinate": XY}, Click(action="right_click", at=P)),
        ("middle_click", {"coordinate": XY}, Click(action="middle_click", at=P)),
        ("double_click", {"coordinate": XY}, Click(action="double_click", at=P)),
        (
            "triple_click",
            {"coordinate": XY, "text": "ctrl+shift"},
            Click(action="triple_click", at=P, modifiers=("ctrl", "shift")),
        ),
        ("left_click", {"coordinate": XY, "key": "shift"}, Click(action="left_click", at=P, modifiers=("shift",))),
        ("left_click_drag", {"start_coordinate": [1, 2], "coordinate": XY}, Drag(path=(Point(x=1, y=2), P))),
        ("left_mouse_down", {}, Press(action="left_mouse_down")),
        ("left_mouse_up", {}, Press(action="left_mouse_up")),
        ("mouse_move", {"coordinate": XY}, Move(at=P)),
        (
            "scroll",
            {"coordinate": XY, "scroll_direction": "up", "scroll_amount": 3},
            Scroll(action="scroll", notches=-3, at=P),
        ),
        ("scroll", {"scroll_direction": "right", "scroll_amount": 2}, Scroll(action="hscroll", notches=2)),
        ("key", {"text": "ctrl+s"}, Key(keys=("ctrl", "s"))),
        ("key", {"text": "Page_Down", "repeat": 4}, Key(keys=("page_down",), repeat=4)),
        ("key", {"text": "Return"}, Key(keys=("enter",))),
        ("hold_key", {"text": "shift", "duration": 2}, HoldKey(keys=("shift",), seconds=2)),
        ("type", {"text": " a\nß "}, Type(text=" a\nß ")),
        ("type", {"text": ""}, Type(text="")),
        ("wait", {"duration": 1.5}, Wait(seconds=1.5)),
    ],
)
def test_every_action_of_the_tool_is_one_of_ours(name: str, values: dict[str, Any], action: object) -> None:
    assert read_action(name, values, SIGHT) == action


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("left_click", {"coordinate": [1280, 0]}, r"\[1280, 0\] lies outside of the screen, which is 1280x720"),
        ("left_click", {"coordinate": [-1, 0]}, "outside"),
        ("left_click", {"coordinate": [5]}, r"'coordinate' must be \[x, y\] in pixels.*\[5\]"),
        ("left_click", {"coordinate": "512, 384"}, "must be"),
        ("left_click", {"coordinate": [True, 2]}, "must be"),
        ("left_click", {"coordinate": [float("nan"), 2]}, "must be"),
        ("left_click", {"coordinate": [10**4000, 2]}, "must be"),
        ("left_click", {"coordinate": XY, "text": "hyperdrive"}, "hyperdrive"),
        ("mouse_move", {}, "'coordinate' must be"),
        ("zoom", {"region": [9, 9, 9, 9]}, "empty"),
        ("zoom", {"region": [0, 0, 1281, 10]}, "outside"),
        ("left_click_drag", {"coordinate": XY}, "start_coordinate"),
        ("scroll", {"scroll_direction": "sideways", "scroll_amount": 1}, "one of up, down, left, right"),
        ("scroll", {"scroll_direction": "up", "scroll_amount": 101}, "from 0 to 100, not 101"),
        ("scroll", {"scroll_direction": "up", "scroll_amount": 1.5}, "whole number"),
        ("key", {"text": "ctrl+hyperdrive"}, "hyperdrive"),
        ("key", {"text": ""}, "must not be"),
        ("key", {"text": "a", "repeat": 101}, "from 1 to 100"),
        ("hold_key", {"text": "a", "duration": 301}, "0 to 300 seconds, not 301"),
        ("wait", {"duration": -1}, "0 to 300"),
        ("wait", {}, "'duration' is missing"),
        ("type", {}, "'text' is missing"),
        ("type", {"text": "x" * (MAX_TEXT + 1)}, "in parts"),
        ("fly", {}, 'no action "fly"; there are: .*left_click'),
    ],
)
def test_what_can_not_be_done_is_refused_and_quoted(name: str, values: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidCall, match=told) as refused:
        read_action(name, values, SIGHT)
    assert len(refused.value.message) < 700


def test_places_are_pixels_of_the_picture_and_become_pixels_of_the_desktop() -> None:
    assert read_action("mouse_move", {"coordinate": [0, 719]}, HALF) == Move(at=Point(x=0, y=1438))
    whole = read_action("zoom", {"region": [0, 0, 1280, 720]}, HALF)
    assert isinstance(whole, Zoom)
    assert (whole.region.width, whole.region.height) == pytest.approx((2560, 1440), abs=2)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.dictionaries(
    st.sampled_from(
        [
            "coordinate",
            "start_coordinate",
            "region",
            "text",
            "key",
            "repeat",
            "duration",
            "scroll_direction",
            "scroll_amount",
        ]
    ),
    JSON,
)


@given(st.sampled_from(NAMES), FIELDS)
def test_whatever_a_model_says_is_an_action_on_the_screen_or_refused(name: str, values: dict[str, Any]) -> None:
    try:
        action = read_action(name, values, HALF)
    except InvalidCall:
        return
    assert ACTION.validate_python(action.model_dump()) == action
    at = getattr(action, "at", None)
    assert at is None or Box(x=0, y=0, width=2560, height=1440).contains(at)
