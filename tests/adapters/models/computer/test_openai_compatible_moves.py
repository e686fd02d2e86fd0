"""What the calls of the tagged format mean on a desktop."""

from typing import Any

import pytest

from adapters.models.computer.call_arguments import HeldKeys
from adapters.models.computer.openai_compatible_moves import Call, Moves, ParsedCall
from core.actions import ACTION, Ask, Done, Extract
from core.errors import InvalidCall
from core.screens import Point

HD = (1920, 1080)


def understand(
    name: str, *, pointer: Point | None = None, held: HeldKeys | None = None, **arguments: Any
) -> ParsedCall:
    reported = {"observation": "A form.", "task_memory": "", **arguments}
    given = {key: value for key, value in reported.items() if value is not ...}
    return Moves(HD, lambda: pointer, held or HeldKeys()).understand(Call(name, given))


def at(x: int, y: int) -> dict[str, int]:
    return {"x": x, "y": y}


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ({"action": "left_click", "coordinate": [500, 300]}, {"action": "left_click", "at": at(960, 324)}),
        ({"action": "left_click", "coordinate": "[500, 300]"}, {"action": "left_click", "at": at(960, 324)}),
        ({"action": "right_click", "coordinate": "(500,300)"}, {"action": "right_click", "at": at(960, 324)}),
        ({"action": "middle_click", "coordinate": "500, 300"}, {"action": "middle_click", "at": at(960, 324)}),
        ({"action": "double_click", "coordinate": ["500", "300.0"]}, {"action": "double_click", "at": at(960, 324)}),
        ({"action": "triple_click", "coordinate": [0, 0]}, {"action": "triple_click", "at": at(0, 0)}),
        ({"action": "left_click", "coordinate": [1000, 1000]}, {"action": "left_click", "at": at(1919, 1079)}),
        ({"action": "left_click"}, {"action": "left_click", "at": None}),
        (
            {"action": "left_click", "coordinate": [0, 0], "keys": ["ctrl", "shift"]},
            {"action": "left_click", "at": at(0, 0), "modifiers": ["ctrl", "shift"]},
        ),
        ({"action": "mouse_move", "coordinate": [100, 100]}, {"action": "mouse_move", "at": at(192, 108)}),
        ({"action": "type", "text": ""}, {"action": "type", "text": ""}),
        ({"action": "type", "text": " two\nlines {password}"}, {"action": "type", "text": " two\nlines {password}"}),
        ({"action": "key", "keys": ["ctrl", "s"]}, {"action": "key", "keys": ["ctrl", "s"]}),
        ({"action": "key", "keys": '["ctrl", "s"]'}, {"action": "key", "keys": ["ctrl", "s"]}),
        ({"action": "key", "keys": "CTRL+S"}, {"action": "key", "keys": ["ctrl", "S"]}),
        ({"action": "scroll", "pixels": 300}, {"action": "scroll", "notches": 3}),
        ({"action": "scroll", "pixels": "-300"}, {"action": "scroll", "notches": -3}),
        ({"action": "scroll", "pixels": 20}, {"action": "scroll", "notches": 1}),
        ({"action": "scroll", "pixels": -1e6}, {"action": "scroll", "notches": -20}),
        (
            {"action": "hscroll", "pixels": 9999, "coordinate": [0, 0]},
            {"action": "hscroll", "notches": 20, "at": at(0, 0)},
        ),
        ({"action": "wait", "time": "1.5"}, {"action": "wait", "seconds": 1.5}),
        ({"action": "open_app", "text": "xterm"}, {"action": "open_app", "name": "xterm"}),
        ({"action": "open_url", "text": "http://127.0.0.1/"}, {"action": "open_url", "url": "http://127.0.0.1/"}),
        (
            {"action": "left_click_drag", "start_coordinate": [0, 0], "coordinate": [100, 100]},
            {"action": "left_click_drag", "path": [at(0, 0), at(192, 108)]},
        ),
        (
            {"action": "left_click_drag", "coordinate": [0, 0], "coordinate2": [100, 100]},
            {"action": "left_click_drag", "path": [at(0, 0), at(192, 108)]},
        ),
        (
            {"action": "left_click_drag", "coordinate": [0, 0], "end_coordinate": [100, 100]},
            {"action": "left_click_drag", "path": [at(0, 0), at(192, 108)]},
        ),
    ],
)
def test_each_action_becomes_the_one_that_was_meant(arguments: dict[str, Any], meant: dict[str, Any]) -> None:
    assert understand("computer_use", **arguments).move == ACTION.validate_python(meant)


def test_a_drag_that_names_its_end_alone_begins_where_the_pointer_is() -> None:
    move = understand("computer_use", pointer=Point(x=5, y=6), action="left_click_drag", coordinate=[100, 100]).move
    assert move == ACTION.validate_python({"action": "left_click_drag", "path": [at(5, 6), at(192, 108)]})
    with pytest.raises(InvalidCall, match="start_coordinate"):
        understand("computer_use", action="left_click_drag", coordinate=[100, 100])


def test_keys_that_are_held_come_with_the_next_actions_until_they_are_let_go() -> None:
    held = HeldKeys()
    understand("computer_use", held=held, action="key_down", keys=["ctrl"])
    click = understand("computer_use", held=held, action="left_click", coordinate=[0, 0]).move
    assert click == ACTION.validate_python({"action": "left_click", "at": at(0, 0), "modifiers": ["ctrl"]})
    key = understand("computer_use", held=held, action="key", keys=["a"]).move
    assert key == ACTION.validate_python({"action": "key", "keys": ["ctrl", "a"]})
    with pytest.raises(InvalidCall, match="ctrl is still held down"):
        understand("computer_use", held=held, action="type", text="x")
    understand("computer_use", held=held, action="key_up", keys=["ctrl"])
    click = understand("computer_use", held=held, action="left_click", coordinate=[0, 0]).move
    assert click == ACTION.validate_python({"action": "left_click", "at": at(0, 0)})


@pytest.mark.parametrize(
    ("name", "arguments", "move"),
    [
        ("computer_use", {"action": "terminate", "status": "success"}, Done(result="A form.", succeeded=True)),
        ("computer_use", {"action": "terminate", "status": "failure"}, Done(result="A form.", succeeded=False)),
        ("computer_use", {"action": "answer", "text": "42"}, Done(result="42")),
        ("computer_use", {"action": "interact", "text": "Which one?"}, Ask(question="Which one?")),
        ("done", {"result": "Saved.", "observation": ...}, Done(result="Saved.")),
        ("done", {"result": "No.", "succeeded": "false"}, Done(result="No.", succeeded=False)),
        ("ask", {"question": "Which one?"}, Ask(question="Which one?")),
        (
            "extract",
            {"variable_name": "extract_0", "query": "the total", "value": "4"},
            Extract(variable_name="extract_0", query="the total", value="4"),
        ),
    ],
)
def test_words_to_the_loop(name: str, arguments: dict[str, Any], move: object) -> None:
    assert understand(name, **arguments).move == move


def test_an_extract_without_its_value_says_so() -> None:
    assert understand("extract", variable_name="extract_0", query="the total").value_is_missing


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("computer_use", {"action": "left_click", "coordinate": [1000.1, 5]}, r"1000\.1.*outside"),
        ("computer_use", {"action": "left_click", "coordinate": [-1, 5]}, "outside"),
        ("computer_use", {"action": "left_click", "coordinate": [1, 2, 3, 4]}, r"\[x, y\].*\[1, 2, 3, 4\]"),
        ("computer_use", {"action": "left_click", "coordinate": [True, 1]}, r"\[x, y\]"),
        ("computer_use", {"action": "left_click", "coordinate": "NaN, 1"}, r"\[x, y\]"),
        ("computer_use", {"action": "left_click", "coordinate": [float("inf"), 1]}, r"\[x, y\]"),
        ("computer_use", {"action": "left_click", "coordinate": [10**400, 1]}, r"\[x, y\]"),
        ("computer_use", {"action": "mouse_move"}, "'coordinate' is missing"),
        ("computer_use", {"action": "smash"}, "one of left_click, .*smash"),
        ("computer_use", {"coordinate": [1, 1]}, "'action' is missing"),
        ("computer_use", {"action": "type"}, "'text' is missing"),
        ("computer_use", {"action": "type", "text": 42}, "must be a text, not 42"),
        ("computer_use", {"action": "type", "text": "x" * 100_001}, "in parts"),
        ("computer_use", {"action": "key", "keys": []}, "list of keys"),
        ("computer_use", {"action": "key", "keys": ["Hyperspace9"]}, "Hyperspace9"),
        ("computer_use", {"action": "key", "keys": list("abcdefghi")}, "9"),
        ("computer_use", {"action": "scroll", "pixels": 0}, "positive pixels scroll down"),
        ("computer_use", {"action": "scroll"}, "'pixels' is missing"),
        ("computer_use", {"action": "wait", "time": 1e9}, "from 0 to 300"),
        ("computer_use", {"action": "wait", "time": -1}, "from 0 to 300"),
        ("computer_use", {"action": "wait"}, "'time' is missing"),
        ("computer_use", {"action": "open_app", "text": "x" * 501}, "longer than 500"),
        ("computer_use", {"action": "terminate", "status": "maybe"}, "success, failure"),
        ("computer_use", {"action": "wait", "time": 1, "observation": "  "}, "'observation' is empty"),
        ("computer_use", {"action": "wait", "time": 1, "observation": ...}, "'observation' is missing"),
        ("computer_use", {"action": "wait", "time": 1, "task_memory": ...}, "'task_memory' is missing"),
        ("computer_use", {"action": "wait", "time": 1, "task_memory": {"a": 1}}, "'task_memory' must be a text"),
        ("done", {"result": " "}, "'result' is empty"),
        ("done", {"result": "x", "succeeded": "perhaps"}, "true or false"),
        ("ask", {"question": ""}, "'question' is empty"),
        ("extract", {"query": "x"}, "'variable_name' is missing"),
    ],
)
def test_what_cannot_be_done_is_refused_with_words_that_quote_it(
    name: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidCall, match=words) as caught:
        understand(name, **arguments)
    assert len(caught.value.message) < 500
