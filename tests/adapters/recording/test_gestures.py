"""What input is, seen as a person's doing."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.recording.gestures import Gestures, Place
from core.recording.input_log import Clicked, Dragged, Focused, InputEvent, Pressed, Scrolled, Typed

A, B = Place(100, 100), Place(300, 200)


def click(gestures: Gestures, t_ms: int, place: Place = A) -> None:
    gestures.press(t_ms, "left", place)
    gestures.release(t_ms + 40, "left", place)


def rest(gestures: Gestures) -> list[InputEvent]:
    return gestures.close(interrupted=False)


def test_a_click_is_told_when_it_can_no_longer_become_a_double_click() -> None:
    gestures = Gestures()
    click(gestures, 1000)
    assert gestures.ended(1300) == []
    assert gestures.ended(1501) == [Clicked(t_ms=1000, x=100, y=100)]
    assert gestures.ended(9000) == []


def test_clicks_in_quick_succession_are_one_up_to_three() -> None:
    gestures = Gestures()
    for t_ms in (1000, 1200, 1400, 1600):
        click(gestures, t_ms)
    assert rest(gestures) == [Clicked(t_ms=1000, x=100, y=100, count=3), Clicked(t_ms=1600, x=100, y=100)]


def test_clicks_elsewhere_later_or_with_another_button_are_clicks_of_their_own() -> None:
    gestures = Gestures()
    click(gestures, 1000)
    click(gestures, 1200, B)
    gestures.press(1300, "right", B)
    gestures.release(1340, "right", B)
    gestures.press(1900, "right", B)
    gestures.release(1940, "right", B)
    found = [(event.t_ms, event.button, event.count) for event in rest(gestures) if isinstance(event, Clicked)]
    assert found == [(1000, "left", 1), (1200, "left", 1), (1300, "right", 1), (1900, "right", 1)]


def test_a_hand_slips_in_a_click_and_moves_in_a_drag() -> None:
    gestures = Gestures()
    gestures.press(0, "left", A)
    gestures.release(90, "left", Place(105, 97))
    gestures.press(1000, "left", A)
    gestures.release(1900, "left", B)
    assert rest(gestures) == [
        Clicked(t_ms=0, x=100, y=100),
        Dragged(t_ms=1000, until_ms=1900, x=100, y=100, to_x=300, to_y=200),
    ]


def test_turns_of_the_wheel_in_one_place_are_one_scroll() -> None:
    gestures = Gestures()
    gestures.wheel(0, "down", A)
    gestures.wheel(100, "down", A)
    gestures.wheel(200, "up", A)
    gestures.wheel(300, "down", A)
    gestures.wheel(350, "right", A)
    gestures.wheel(400, "down", B)
    assert gestures.ended(1200) == [
        Scrolled(t_ms=0, until_ms=350, x=100, y=100, down=2, right=1),
        Scrolled(t_ms=400, until_ms=400, x=300, y=200, down=1),
    ]


def test_typing_is_one_passage_until_it_pauses_or_something_else_is_done() -> None:
    gestures = Gestures()
    for t_ms in (0, 200, 400, 2000, 2100):
        gestures.typed(t_ms)
    gestures.key(2200, ("enter",))
    gestures.typed(2300)
    assert rest(gestures) == [
        Typed(t_ms=0, until_ms=400, count=3),
        Typed(t_ms=2000, until_ms=2100, count=2),
        Pressed(t_ms=2200, keys=("enter",)),
        Typed(t_ms=2300, until_ms=2300, count=1),
    ]


def test_a_ctrl_c_is_a_copy_unless_it_interrupts_the_recording() -> None:
    copy = Pressed(t_ms=100, keys=("ctrl", "c"))
    gestures = Gestures()
    gestures.key(100, ("ctrl", "c"))
    assert gestures.ended(1000) == []
    assert gestures.ended(1601) == [copy]
    gestures.key(100, ("ctrl", "c"))
    gestures.key(900, ("ctrl", "c"))
    assert gestures.close(interrupted=True) == [copy]
    gestures.key(100, ("ctrl", "c"))
    assert rest(gestures) == [copy]


def test_a_window_is_told_when_it_or_its_title_is_another() -> None:
    gestures = Gestures()
    for t_ms, title in ((0, "a"), (100, "a"), (200, "b"), (300, "b" * 5000)):
        gestures.window(t_ms, "App", title)
    assert gestures.ended(400) == [
        Focused(t_ms=0, application="App", title="a"),
        Focused(t_ms=200, application="App", title="b"),
        Focused(t_ms=300, application="App", title="b" * 300),
    ]


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1500),
        st.sampled_from(["press", "release", "wheel", "typed", "key", "look"]),
        st.sampled_from(["left", "right"]),
        st.sampled_from([A, B, Place(104, 101)]),
    ),
    max_size=60,
)


@given(steps=STEPS)
def test_nothing_that_was_done_is_lost_or_told_twice(steps: list[tuple[int, str, str, Place]]) -> None:
    gestures = Gestures()
    reported: list[InputEvent] = []
    now = letters = keys = notches = clicks = 0
    down: set[str] = set()
    for pause, what, button, place in steps:
        now += pause
        assert button in {"left", "right"}
        which = "left" if button == "left" else "right"
        if what == "press" and which not in down:
            down.add(which)
            gestures.press(now, which, place)
        elif what == "release":
            clicks += which in down
            down.discard(which)
            gestures.release(now, which, place)
        elif what == "wheel":
            notches += 1
            gestures.wheel(now, "down", place)
        elif what == "typed":
            letters += 1
            gestures.typed(now)
        elif what == "key":
            keys += 1
            gestures.key(now, ("enter",))
        else:
            reported += gestures.ended(now)
    reported += rest(gestures)
    assert sum(event.count for event in reported if isinstance(event, Typed)) == letters
    assert sum(event.down for event in reported if isinstance(event, Scrolled)) == notches
    assert sum(isinstance(event, Pressed) for event in reported) == keys
    done = sum(event.count if isinstance(event, Clicked) else isinstance(event, Dragged) for event in reported)
    assert done == clicks
    assert all(0 <= event.t_ms <= now for event in reported)
