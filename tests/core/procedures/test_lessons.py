"""The part of an input log that belongs to a stretch of its recording."""

from hypothesis import given
from hypothesis import strategies as st

from core.recording.input_log import Clicked, Focused, InputLog, Typed, cut_log


def log(*events: Clicked | Focused | Typed) -> InputLog:
    return InputLog(width=800, height=600, events=events)


def test_a_stretch_begins_with_the_window_that_was_in_front_and_at_zero() -> None:
    whole = log(
        Focused(t_ms=0, application="XTerm", title="work"),
        Focused(t_ms=4000, application="Firefox", title="News"),
        Clicked(t_ms=5000, x=10, y=20),
        Typed(t_ms=6000, until_ms=9000, count=8),
        Clicked(t_ms=9500, x=30, y=40),
    )

    assert cut_log(whole, 4500, 8000).events == (
        Focused(t_ms=0, application="Firefox", title="News"),
        Clicked(t_ms=500, x=10, y=20),
        Typed(t_ms=1500, until_ms=3500, count=8),
    )


def test_the_whole_stretch_is_the_log_itself() -> None:
    whole = log(Focused(t_ms=0, application="XTerm", title="work"), Clicked(t_ms=5000, x=10, y=20))

    assert cut_log(whole, 0, 6000) == whole


@given(
    times=st.lists(st.integers(0, 10_000), max_size=20),
    start=st.integers(-100, 11_000),
    length=st.integers(-100, 11_000),
)
def test_every_event_of_the_stretch_is_in_it_once_and_none_outside(times: list[int], start: int, length: int) -> None:
    cut = cut_log(log(*(Clicked(t_ms=t, x=t, y=0) for t in times)), start, start + length)

    assert [event.x for event in cut.events if isinstance(event, Clicked)] == sorted(
        t for t in times if max(start, 0) <= t < start + length
    )
    assert all(0 <= event.t_ms <= max(length, 0) for event in cut.events)
