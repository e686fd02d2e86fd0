"""What both hands do on X11, as a window sees it."""

import random
import string
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from typing import Protocol

import pytest

from adapters.desktop.x11.hands import X11Hands
from core.actions import Action, Click, Drag, HoldKey, Key, Move, Press, Scroll, Type, Wait
from core.errors import ActionFailed, Internal, TakenOver
from core.screens import Point
from tests.fakes.desktops.pyautogui_process import Proxy, pyautogui_process
from tests.fakes.desktops.x_programs import Listening, Sent, never
from tests.fakes.desktops.x_user import x_display

pytestmark = pytest.mark.screen

SHIFT, CONTROL, ALT = 1, 4, 8
LEFT, MIDDLE, RIGHT = 1, 2, 3
HERE, THERE = Point(x=300, y=200), Point(x=500, y=350)
SIZE = (1280, 720)


class NotedHands(Protocol):
    """Hands that tell what they told their ledger."""

    def perform(self, action: Action, check: Callable[[], None]) -> None: ...
    def release(self) -> None: ...
    def pointer(self) -> Point: ...
    def close(self) -> None: ...
    def sent(self) -> list[tuple[str, int]]: ...


class Noted(X11Hands):
    """The X11 hands with a ledger to look at."""

    def __init__(self, display: str) -> None:
        self._noted = Sent()
        super().__init__(display, self._noted)

    def sent(self) -> list[tuple[str, int]]:
        return self._noted.events


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with x_display(*SIZE, manager=False) as name:
        yield name


@pytest.fixture(scope="module", params=["x11", "pyautogui"])
def making(request: pytest.FixtureRequest, display: str) -> Iterator[Callable[[], AbstractContextManager[NotedHands]]]:
    """Makes new hands: they have not clicked here a moment ago, and need not wait."""

    @contextmanager
    def closing(made: NotedHands) -> Generator[NotedHands]:
        try:
            yield made
        finally:
            made.close()

    if request.param == "x11":
        yield lambda: closing(Noted(display))
        return
    with pyautogui_process(display) as process:
        yield lambda: closing(Proxy(process))


@pytest.fixture
def hands(making: Callable[[], AbstractContextManager[NotedHands]]) -> Iterator[NotedHands]:
    with making() as made:
        yield made


@pytest.fixture
def window(display: str) -> Iterator[Listening]:
    listening = Listening(display)
    yield listening
    assert listening.keys_down() == []
    assert listening.buttons_down() == 0
    listening.close()


def buttons(window: Listening) -> list[tuple[str, int, int, int, int]]:
    return [
        (event.kind.removeprefix("button_"), event.detail, event.x, event.y, event.state & 0xFF)
        for event in window.events()
        if event.kind.startswith("button")
    ]


def keys(window: Listening) -> list[str]:
    """The keys by what they type in the US layout, a capital letter's shift included."""
    return [
        ("+" if event.kind == "key_press" else "-") + window.name(event.detail)
        for event in window.events()
        if event.kind.startswith("key")
    ]


@pytest.mark.parametrize(
    ("action", "button", "times"),
    [
        ("left_click", LEFT, 1),
        ("middle_click", MIDDLE, 1),
        ("right_click", RIGHT, 1),
        ("double_click", LEFT, 2),
        ("triple_click", LEFT, 3),
    ],
)
def test_a_click_presses_its_button_at_its_point(
    hands: NotedHands, window: Listening, action: str, button: int, times: int
) -> None:
    hands.perform(Click.model_validate({"action": action, "at": HERE}), never)
    got = [event for event in window.events() if event.kind.startswith("button")]
    assert [(event.kind, event.detail, event.x, event.y) for event in got] == [
        (kind, button, HERE.x, HERE.y) for _ in range(times) for kind in ("button_press", "button_release")
    ]
    pressed = [event.time for event in got if event.kind == "button_press"]
    assert all(15 <= later - earlier <= 250 for earlier, later in pairwise(pressed))


def test_a_click_without_a_point_is_where_the_pointer_is(hands: NotedHands, window: Listening) -> None:
    hands.perform(Move(at=THERE), never)
    hands.perform(Click(action="left_click"), never)
    assert buttons(window) == [("press", 1, THERE.x, THERE.y, 0), ("release", 1, THERE.x, THERE.y, 0)]
    assert hands.pointer() == THERE


def test_a_click_holds_its_modifiers(hands: NotedHands, window: Listening) -> None:
    hands.perform(Click(action="left_click", at=HERE, modifiers=("ctrl", "shift")), never)
    assert buttons(window)[0] == ("press", LEFT, HERE.x, HERE.y, CONTROL | SHIFT)


def test_two_clicks_in_one_place_are_no_double_click(hands: NotedHands, window: Listening) -> None:
    hands.perform(Click(action="left_click", at=HERE), never)
    hands.perform(Click(action="left_click", at=Point(x=HERE.x + 2, y=HERE.y)), never)
    first, second = [event.time for event in window.events() if event.kind == "button_press"]
    assert 500 < second - first < 900


def test_clicks_in_two_places_do_not_wait(hands: NotedHands, window: Listening) -> None:
    hands.perform(Click(action="left_click", at=HERE), never)
    hands.perform(Click(action="left_click", at=THERE), never)
    hands.perform(Click(action="right_click", at=THERE), never)
    times = [event.time for event in window.events() if event.kind == "button_press"]
    assert times[-1] - times[0] < 300


def test_a_button_stays_down_between_press_and_release(hands: NotedHands, window: Listening) -> None:
    hands.perform(Press(action="left_mouse_down", at=HERE), never)
    hands.perform(Move(at=THERE), never)
    assert window.buttons_down()
    hands.perform(Press(action="left_mouse_up"), never)
    assert [event[:4] for event in buttons(window)] == [
        ("press", LEFT, HERE.x, HERE.y),
        ("release", LEFT, THERE.x, THERE.y),
    ]


def test_a_drag_moves_in_steps_with_the_button_and_its_modifiers_held(hands: NotedHands, window: Listening) -> None:
    end = Point(x=600, y=300)
    hands.perform(Drag(path=(HERE, THERE, end), modifiers=("shift",)), never)
    got = [event for event in window.events() if not event.kind.startswith("key")]
    while got[0].kind == "motion":
        del got[0]
    assert [event.kind for event in (got[0], got[-1])] == ["button_press", "button_release"]
    motions = got[1:-1]
    assert {event.kind for event in motions} == {"motion"}
    assert len({(event.x, event.y) for event in motions}) == 16
    assert all(event.state & 0x1FF == 0x100 | SHIFT for event in motions)
    assert (THERE.x, THERE.y) in {(event.x, event.y) for event in motions}
    assert (got[-1].x, got[-1].y) == (end.x, end.y)
    assert got[-1].time - got[0].time < 800


@pytest.mark.nightly
def test_a_drag_of_a_thousand_points_passes_each_of_them_in_time(hands: NotedHands, window: Listening) -> None:
    path = tuple(Point(x=100 + step, y=100 + step % 7) for step in range(1000))
    hands.perform(Drag(path=path), never)
    got = window.events()
    passed = dict.fromkeys((event.x, event.y) for event in got if event.kind == "motion")
    assert list(passed) == [(point.x, point.y) for point in path]
    assert got[-1].time - got[0].time < 4000


@pytest.mark.parametrize(
    ("action", "notches", "button"), [("scroll", 3, 5), ("scroll", -2, 4), ("hscroll", 3, 7), ("hscroll", -2, 6)]
)
def test_a_notch_is_one_click_of_the_wheel(
    hands: NotedHands, window: Listening, action: str, notches: int, button: int
) -> None:
    asked = {"action": action, "notches": notches, "at": HERE, "modifiers": ("ctrl",)}
    hands.perform(Scroll.model_validate(asked), never)
    turned = [event for event in buttons(window) if event[0] == "press"]
    assert turned == [("press", button, HERE.x, HERE.y, CONTROL)] * abs(notches)


def test_no_notches_turn_nothing(hands: NotedHands, window: Listening) -> None:
    hands.perform(Scroll(action="scroll", notches=0), never)
    assert buttons(window) == []


def test_keys_go_down_in_order_and_up_in_reverse(hands: NotedHands, window: Listening) -> None:
    hands.perform(Key(keys=("ctrl", "alt", "delete")), never)
    assert keys(window) == ["+Control_L", "+Alt_L", "+Delete", "-Delete", "-Alt_L", "-Control_L"]


def test_keys_are_repeated(hands: NotedHands, window: Listening) -> None:
    hands.perform(Key(keys=("page_down",), repeat=3), never)
    assert keys(window) == ["+Page_Down", "-Page_Down"] * 3


def test_a_capital_letter_beside_a_modifier_is_its_key(hands: NotedHands, window: Listening) -> None:
    hands.perform(Key(keys=("ctrl", "A")), never)
    assert keys(window) == ["+Control_L", "+a", "-a", "-Control_L"]


def test_a_key_is_held_as_long_as_asked(hands: NotedHands, window: Listening) -> None:
    hands.perform(HoldKey(keys=("shift", "f5"), seconds=0.2), never)
    got = [event for event in window.events() if event.kind.startswith("key")]
    assert 180 <= got[-1].time - got[0].time <= 2000, "a busy machine took 421 ms"
    assert (got[0].kind, got[-1].kind) == ("key_press", "key_release")


def test_all_of_ascii_is_typed(hands: NotedHands, window: Listening) -> None:
    text = "".join(map(chr, range(32, 127)))
    hands.perform(Type(text=text), never)
    assert window.typed() == text


def test_line_ends_and_tabs_are_keys(hands: NotedHands, window: Listening) -> None:
    hands.perform(Type(text="a\nb\tc\r\nd"), never)
    assert keys(window)[::2] == ["+a", "+Return", "+b", "+Tab", "+c", "+Return", "+d"]


def test_an_empty_text_types_nothing(hands: NotedHands, window: Listening) -> None:
    hands.perform(Type(text=""), never)
    assert window.events() == []


@pytest.mark.parametrize(
    "action",
    [
        Click(action="left_click", at=Point(x=SIZE[0], y=10)),
        Click(action="left_click", at=Point(x=10, y=-1)),
        Press(action="left_mouse_down", at=Point(x=0, y=SIZE[1])),
        Drag(path=(HERE, Point(x=99_999, y=0))),
        Scroll(action="scroll", notches=1, at=Point(x=-5, y=-5)),
        Key(keys=("hyper", "f24", "cancel")),
        HoldKey(keys=("media_stop", "redo", "find", "back_tab", "execute", "select", "clear", "sleep"), seconds=0.1),
        Type(text="before\x00after"),
        Type(text="before\x1bafter"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_and_nothing_is_sent(
    hands: NotedHands, window: Listening, action: Action
) -> None:
    with pytest.raises(ActionFailed, match=r"[.;] |\.$"):
        hands.perform(action, never)
    assert [event for event in window.events() if event.kind.endswith("press")] == []


def test_the_corners_of_the_screen_are_places_like_others(hands: NotedHands, window: Listening) -> None:
    for x in (0, SIZE[0] - 1):
        for y in (0, SIZE[1] - 1):
            hands.perform(Click(action="left_click", at=Point(x=x, y=y)), never)
    assert len(buttons(window)) == 8


def test_what_is_no_input_is_a_fault(hands: NotedHands) -> None:
    with pytest.raises(Internal):
        hands.perform(Wait(seconds=1), never)


def test_each_event_is_in_the_ledger_before_it_is_sent(hands: NotedHands, window: Listening) -> None:
    hands.perform(Move(at=HERE), never)
    start = len(hands.sent())
    window.events()
    for action in (Drag(path=(HERE, THERE)), Key(keys=("ctrl", "s")), Scroll(action="scroll", notches=2)):
        hands.perform(action, never)
    got = [(event.kind, 0 if event.kind == "motion" else event.detail) for event in window.events()]
    noted = [event for event in hands.sent()[start:] if event[0] != "motion"]
    assert noted == [event for event in got if event[0] != "motion"]
    assert sum(event[0] == "motion" for event in hands.sent()[start:]) >= 8


ACTIONS: list[Action] = [
    Click(action="left_click", at=HERE, modifiers=("ctrl", "shift")),
    Click(action="triple_click", at=THERE),
    Press(action="left_mouse_down", at=HERE),
    Drag(path=(HERE, THERE, HERE), modifiers=("alt",)),
    Move(at=THERE, modifiers=("shift",)),
    Scroll(action="scroll", notches=4, at=HERE, modifiers=("ctrl",)),
    Scroll(action="hscroll", notches=-3),
    Type(text="Hello, World! {~}\n\t"),
    Key(keys=("ctrl", "shift", "a"), repeat=3),
    HoldKey(keys=("shift", "x"), seconds=0.05),
]


class Stopping:
    """A check that raises at its n-th call."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self) -> None:
        if self.left == 0:
            raise TakenOver("The user moved the mouse.")
        self.left -= 1


class Counting:
    """A check that counts."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.action)
def test_nothing_stays_down_wherever_an_action_is_stopped(
    making: Callable[[], AbstractContextManager[NotedHands]], window: Listening, action: Action
) -> None:
    counting = Counting()
    with making() as hands:
        hands.perform(action, counting)
    stops = range(counting.calls)
    stops = stops if len(stops) <= 16 else random.Random(7).sample(stops, 16)
    stopped = 0
    for stop in stops:
        with making() as hands:
            # While it waits it checks as often as it comes to: the last stops may not be reached.
            try:
                hands.perform(action, Stopping(stop))
            except TakenOver:
                stopped += 1
            assert window.keys_down() == []
            assert window.buttons_down() == 0
    assert stopped > len(stops) // 2


def test_a_stop_lets_go_of_what_an_earlier_action_held(hands: NotedHands, window: Listening) -> None:
    hands.perform(Press(action="left_mouse_down", at=HERE), never)
    with pytest.raises(TakenOver):
        hands.perform(Move(at=THERE), Stopping(0))
    assert window.buttons_down() == 0


def test_a_refusal_keeps_what_an_earlier_action_held(hands: NotedHands, window: Listening) -> None:
    hands.perform(Press(action="left_mouse_down", at=HERE), never)
    with pytest.raises(ActionFailed):
        hands.perform(Move(at=Point(x=-1, y=0)), never)
    assert window.buttons_down()
    hands.release()
    assert window.buttons_down() == 0
    hands.release()


def test_any_exception_lets_go(hands: NotedHands, window: Listening) -> None:
    class Unforeseen(BaseException):
        pass

    def check() -> None:
        if window.keys_down():
            raise Unforeseen

    with pytest.raises(Unforeseen):
        hands.perform(HoldKey(keys=("a",), seconds=5), check)
    assert window.keys_down() == []


def test_random_printable_text_is_typed_exactly(hands: NotedHands, window: Listening) -> None:
    text = "".join(random.Random(3).choices(string.printable[:95], k=200))
    hands.perform(Type(text=text), never)
    assert window.typed() == text
