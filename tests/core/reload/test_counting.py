"""Each use counts once, whatever is said of it and however often."""

from hypothesis import given
from hypothesis import strategies as st

from core.reload.entry import Counts, Outcome

OUTCOMES: st.SearchStrategy[Outcome] = st.sampled_from(["succeeded", "failed", "interrupted"])


@given(st.lists(st.lists(OUTCOMES, min_size=1)))
def test_only_what_was_said_last_of_each_use_counts(uses: list[list[Outcome]]) -> None:
    counts = Counts()
    for reported in uses:
        before: Outcome | None = None
        for outcome in reported:
            counts, before = counts.replaced(before, outcome), outcome
    last = [found[-1] for found in uses]
    assert counts == Counts(last.count("succeeded"), last.count("failed"))
