import tempfile
from pathlib import Path
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.recordings.reading_desk import Desk, saw

SEGMENTS: Final = 4
News = tuple[str, int]
news: Final = st.lists(
    st.tuples(st.sampled_from(("opened", "changed", "shown", "closed", "removed")), st.integers(0, SEGMENTS - 1)),
    max_size=40,
)


class Told:
    """Passes on what a recorder could say: nothing of a segment before it was opened, or after it is gone."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.state = dict.fromkeys(range(SEGMENTS), "new")
        self.changed: set[int] = set()
        self.shown: set[int] = set()

    def report(self, what: str, number: int) -> None:
        desk, segment, state = self.desk, self.desk.segment(number), self.state[number]
        if what == "opened" and state == "new":
            desk.reading.opened(segment)
            self.state[number] = "open"
        elif what == "changed" and state == "open":
            desk.reading.changed(segment.id)
            self.changed.add(number)
        elif what == "shown" and number in self.changed and state == "open" and number not in self.shown:
            desk.reader.show(segment.id, saw("alice"), 12_000)
            self.shown.add(number)
        elif what == "closed" and state == "open":
            desk.close(segment)
            self.state[number] = "closed"
        elif what == "removed" and state in ("open", "closed"):
            desk.reading.removed([segment.id])
            self.state[number] = "gone"


@settings(max_examples=40, deadline=None)
@given(news)
def test_whatever_a_recorder_says_all_that_is_left_is_read_and_nothing_of_what_is_gone_is_marked(
    news: list[News],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        reported = Told(desk)
        try:
            for what, number in news:
                reported.report(what, number)
            for number in range(SEGMENTS):
                reported.report("closed", number)
            desk.wait(lambda: not desk.reading.status().reading and not desk.reading.status().waiting)
            closed = {number for number, state in reported.state.items() if state == "closed"}
            desk.wait(lambda: all(desk.marks.is_read(desk.segment(number).id) for number in closed))
            remembered = {one.video for one in desk.remembered()}
            assert {desk.segment(number).id for number in closed & reported.shown} <= remembered
            assert remembered <= {desk.segment(number).id for number in reported.shown}
            gone = {number for number, state in reported.state.items() if state == "gone"}
            assert not any(desk.marks.is_read(desk.segment(number).id) for number in gone)
            assert desk.reading.status().failed == 0
        finally:
            desk.reading.stop()
            desk.memories.close()
