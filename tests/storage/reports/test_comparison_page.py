"""A comparison as a page of its own begins with the same line as everywhere else."""

import pytest

from core.comparison.values import Comparison
from storage.reports.comparison_page import comparison_page
from tests.fakes.jobs.analyses import VIDEO


@pytest.mark.parametrize(
    ("path", "sign", "words"), [("/other.mp4", "✓", "The same: "), (VIDEO.path, "?", "Both are the same file")]
)
def test_a_run_that_was_compared_with_itself_is_no_success(path: str, sign: str, words: str) -> None:
    videos = VIDEO, VIDEO.model_copy(update={"path": path})
    page = comparison_page(
        Comparison(good="a", bad="b", same=True, differences=(), varying=(), unclear=(), videos=videos), {}
    )
    assert f"{sign}</span> {words}" in page
