"""The gate's rules, case by case."""

import pytest

from core.actions import Action, Click, Drag, Key, OpenApp, OpenUrl, Scroll, Type, Wait
from core.runs.deciding import Proposal, SafetyCheck
from core.runs.gate import Gate, GatePolicy
from core.screens import Box, Point, TextLine, Window


def window(application: str, *, x: int = 0, focused: bool = False) -> Window:
    box = Box(x=x, y=0, width=400, height=400)
    return Window(id=x + 1, title="t", application=application, pid=1, box=box, focused=focused)


def line(text: str, y: int) -> TextLine:
    return TextLine(text=text, box=Box(x=10, y=y, width=80, height=16), score=1.0)


WINDOWS = [window("XTerm"), window("Chromium", x=400, focused=True)]
LINES = [line("Send", 0), line("Cancel", 100), line("Resend invitation", 200), line("sender name", 300)]


def at(x: int, y: int) -> Click:
    return Click(action="left_click", at=Point(x=x, y=y))


def ruling(action: Action, policy: GatePolicy, *, safety: tuple[SafetyCheck, ...] = ()) -> str:
    proposal = Proposal(move=action, tool_call={}, safety=safety)
    return Gate(policy).rule(proposal, action, WINDOWS, LINES).ruling


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (at(20, 5), "ask"),
        (at(20, 105), "allow"),
        (at(20, 205), "allow"),
        (at(20, 305), "allow"),
        (at(600, 5), "allow"),
        (Drag(path=(Point(x=600, y=5), Point(x=20, y=5))), "ask"),
        (Key(keys=("enter",)), "ask"),
        (Key(keys=("ctrl", "enter")), "ask"),
        (Key(keys=("tab",)), "allow"),
        (Type(text="rm -rf"), "allow"),
        (OpenApp(name="xterm"), "ask"),
        (OpenUrl(url="https://example.org"), "allow"),
        (Scroll(action="scroll", notches=3, at=Point(x=20, y=5)), "allow"),
        (Wait(seconds=1), "allow"),
    ],
)
def test_what_is_risky_is_asked_about(action: Action, expected: str) -> None:
    assert ruling(action, GatePolicy(mode="confirm_risky")) == expected


def test_typing_into_a_terminal_is_asked_about() -> None:
    proposal = Proposal(move=Type(text="ls"), tool_call={})
    rule = Gate(GatePolicy(mode="confirm_risky")).rule

    assert rule(proposal, Type(text="ls"), [window("XTerm", focused=True)], ()).ruling == "ask"


@pytest.mark.parametrize(
    ("action", "policy", "expected"),
    [
        (at(20, 5), GatePolicy(block_apps=("xterm",)), "refuse"),
        (at(500, 5), GatePolicy(block_apps=("xterm",)), "allow"),
        (Type(text="x"), GatePolicy(block_apps=("chrom*",)), "refuse"),
        (Type(text="x"), GatePolicy(allow_apps=("chrom*",)), "allow"),
        (at(20, 5), GatePolicy(allow_apps=("chrom*",)), "refuse"),
        (at(900, 5), GatePolicy(allow_apps=("chrom*",)), "refuse"),
        (OpenApp(name="/usr/bin/xterm"), GatePolicy(block_apps=("xterm",)), "refuse"),
        (Wait(seconds=1), GatePolicy(allow_apps=("nothing",)), "allow"),
    ],
)
def test_applications_are_blocked_or_allowed_by_what_the_input_would_reach(
    action: Action, policy: GatePolicy, expected: str
) -> None:
    assert ruling(action, policy) == expected


def test_a_blocked_application_is_refused_before_anybody_is_asked() -> None:
    check = SafetyCheck(id="1", code="c", message="m")

    assert ruling(at(20, 5), GatePolicy(block_apps=("xterm",)), safety=(check,)) == "refuse"
