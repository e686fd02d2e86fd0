"""Which bytes a ``Range`` header means: never others than there are."""

from hypothesis import given
from hypothesis import strategies as st

from server.http.ranges import part_of

SIZES = st.integers(1, 1 << 40)
NUMBERS = st.integers(0, 1 << 41)


@given(header=st.none() | st.text() | st.from_regex(r"\Abytes=\d*-\d*\Z"), size=SIZES)
def test_whatever_is_asked_for_lies_within_the_file_or_is_nothing_of_it(header: str | None, size: int) -> None:
    part = part_of(header, size)
    if part is not None and part[0] < part[1]:
        assert 0 <= part[0] < part[1] <= size


@given(first=NUMBERS, last=NUMBERS, size=SIZES)
def test_a_part_is_what_its_numbers_say(first: int, last: int, size: int) -> None:
    part = part_of(f"bytes={first}-{last}", size)
    if last < first:
        assert part is None
    else:
        assert part is not None
        assert [*part] == [first, min(size, last + 1)]
    assert part_of(f"bytes={first}-", size) == (first, size)
    assert part_of(f"bytes=-{last}", size) == (max(0, size - last), size)
