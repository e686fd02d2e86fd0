"""What the calls of Gemini's computer tool mean, in both generations and in all spellings."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.models.computer.call_arguments import HeldKeys
from adapters.models.computer.gemini_replies import GeminiActions
from core.actions import ACTION
from core.errors import InvalidCall

HD = (1920, 1080)
SELECT_ALL = {"action": "key", "keys": ["ctrl", "a"]}
BACKSPACE = {"action": "key", "keys": ["backspace"]}
ENTER = {"action": "key", "keys": ["enter"]}
CLICK = {"action": "left_click", "at": {"x": 960, "y": 324}}
HI = {"action": "type", "text": "hi"}


def read(name: str, **args: Any) -> list[dict[str, Any]]:
    moves = GeminiActions(HD, HeldKeys()).read(name, {"intent": "x", **args})
    return [move.model_dump(mode="json") for move in moves]


def meant(*moves: dict[str, Any]) -> list[dict[str, Any]]:
    return [ACTION.validate_python(move).model_dump(mode="json") for move in moves]


PLACE = {"x": 500, "y": 300}
AT = {"x": 960, "y": 324}


@pytest.mark.parametrize(
    ("name", "args", "moves"),
    [
        ("click", PLACE, [CLICK]),
        ("click_at", PLACE, [CLICK]),
        ("click", {"x": 999, "y": 0}, [{"action": "left_click", "at": {"x": 1918, "y": 0}}]),
        ("double_click", PLACE, [{"action": "double_click", "at": AT}]),
        ("triple_click", PLACE, [{"action": "triple_click", "at": AT}]),
        ("middle_click", PLACE, [{"action": "middle_click", "at": AT}]),
        ("right_click", PLACE, [{"action": "right_click", "at": AT}]),
        ("mouse_down", PLACE, [{"action": "left_mouse_down", "at": AT}]),
        ("mouse_up", {}, [{"action": "left_mouse_up"}]),
        ("move", PLACE, [{"action": "mouse_move", "at": AT}]),
        ("hover_at", PLACE, [{"action": "mouse_move", "at": AT}]),
        ("type", {"text": "hi"}, [HI]),
        ("type", {"text": "", "press_enter": False}, [{"action": "type", "text": ""}]),
        ("type", {"text": "hi", "press_enter": True}, [HI, ENTER]),
        ("type_text_at", {**PLACE, "text": "hi"}, [CLICK, SELECT_ALL, BACKSPACE, HI, ENTER]),
        (
            "type_text_at",
            {**PLACE, "text": "hi", "press_enter": False, "clear_before_typing": False},
            [CLICK, HI],
        ),
        (
            "drag_and_drop",
            {"start_x": 500, "start_y": 300, "end_x": 0, "end_y": 0},
            [{"action": "left_click_drag", "path": [AT, {"x": 0, "y": 0}]}],
        ),
        (
            "drag_and_drop",
            {**PLACE, "destination_x": 0, "destination_y": 0},
            [{"action": "left_click_drag", "path": [AT, {"x": 0, "y": 0}]}],
        ),
        ("scroll", {**PLACE, "direction": "down"}, [{"action": "scroll", "at": AT, "notches": 3}]),
        (
            "scroll",
            {**PLACE, "direction": "up", "magnitude_in_pixels": 500},
            [{"action": "scroll", "at": AT, "notches": -5}],
        ),
        (
            "scroll",
            {**PLACE, "direction": "right", "magnitude": 500},
            [{"action": "hscroll", "at": AT, "notches": 10}],
        ),
        (
            "scroll",
            {**PLACE, "direction": "left", "magnitude_in_wheel_clicks": 2},
            [{"action": "hscroll", "at": AT, "notches": -2}],
        ),
        ("scroll_at", {**PLACE, "direction": "down"}, [{"action": "scroll", "at": AT, "notches": 9}]),
        ("scroll_document", {"direction": "up"}, [{"action": "scroll", "notches": -9}]),
        ("scroll", {"direction": "down", "magnitude": 1}, [{"action": "scroll", "notches": 1}]),
        ("press_key", {"key": "Enter"}, [ENTER]),
        ("press_key", {"key": "ctrl+a"}, [SELECT_ALL]),
        ("hotkey", {"keys": ["Control", "a"]}, [SELECT_ALL]),
        ("key_combination", {"keys": "Control+a"}, [SELECT_ALL]),
        ("wait", {}, [{"action": "wait", "seconds": 1}]),
        ("wait", {"seconds": 4}, [{"action": "wait", "seconds": 4}]),
        ("wait_5_seconds", {}, [{"action": "wait", "seconds": 5}]),
        ("take_screenshot", {}, [{"action": "screenshot"}]),
        ("navigate", {"url": "http://127.0.0.1/"}, [{"action": "open_url", "url": "http://127.0.0.1/"}]),
        ("open_web_browser", {}, [{"action": "open_url", "url": "about:blank"}]),
        ("go_back", {}, [{"action": "key", "keys": ["alt", "left"]}]),
        ("go_forward", {}, [{"action": "key", "keys": ["alt", "right"]}]),
    ],
)
def test_each_call_becomes_the_actions_that_were_meant(
    name: str, args: dict[str, Any], moves: list[dict[str, Any]]
) -> None:
    assert read(name, **args) == meant(*moves)


def test_keys_that_are_held_come_with_the_next_actions_until_they_are_let_go() -> None:
    actions = GeminiActions(HD, HeldKeys())
    actions.read("key_down", {"key": "shift"})
    [click] = actions.read("click", PLACE)
    actions.read("key_up", {"key": "shift"})
    [later] = actions.read("click", PLACE)
    assert [click.model_dump()["modifiers"], later.model_dump()["modifiers"]] == [("shift",), ()]


@pytest.mark.parametrize(
    ("name", "args", "words"),
    [
        ("click", {"x": 1001, "y": 5}, "outside"),
        ("click", {"x": -1, "y": 5}, "outside"),
        ("click", {"x": 5}, "'y' is missing"),
        ("click", {"x": "left", "y": 5}, "'x' must be a number"),
        ("drag_and_drop", {"x": 1, "y": 1}, "'destination_x' is missing"),
        ("scroll", {**PLACE, "direction": "forth"}, "up, down, left, right"),
        ("scroll", {"direction": "down", "magnitude": -5}, "must be positive"),
        ("type", {}, "'text' is missing"),
        ("type", {"text": "x", "press_enter": "perhaps"}, "true or false"),
        ("press_key", {"key": "Hyperspace9"}, "Hyperspace9"),
        ("press_key", {}, "'key' is missing"),
        ("wait", {"seconds": 1e9}, "from 0 to 300"),
        ("navigate", {"url": "x" * 8001}, "longer than"),
        ("search", {}, "no action 'search'"),
        ("long_press", PLACE, "no action 'long_press'"),
    ],
)
def test_what_cannot_be_done_is_refused_with_words_that_quote_it(name: str, args: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidCall, match=words):
        read(name, **args)


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.text(max_size=4))
NAMES = ("x", "y", "start_x", "start_y", "end_x", "end_y", "text", "key", "keys", "direction", "magnitude", "seconds")
CALLS = ("click", "type", "type_text_at", "drag_and_drop", "scroll", "scroll_at", "hotkey", "press_key", "wait", "move")


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(CALLS), st.dictionaries(st.sampled_from(NAMES), VALUES | st.integers(-5, 1005)))
def test_no_arguments_crash_the_reader_or_leave_the_screen(name: str, args: dict[str, Any]) -> None:
    with contextlib.suppress(InvalidCall):
        for move in GeminiActions((800, 600), HeldKeys()).read(name, args):
            for at in (getattr(move, "at", None), *getattr(move, "path", ())):
                assert at is None or (0 <= at.x < 800 and 0 <= at.y < 600)
