"""Eyes that are lent: whoever comes next has what the last one read, and nobody has the same pair at once."""

import threading

from adapters.desktop.eyes import ScreenEyes
from adapters.desktop.warm_eyes import WarmEyes


def test_who_borrows_after_another_gets_the_same_pair_and_who_borrows_beside_another_gets_one_of_its_own() -> None:
    warm = WarmEyes(ScreenEyes)
    with warm.borrow() as first, warm.borrow() as second:
        assert first is not second
    with warm.borrow() as again:
        assert again in (first, second)
    warm.close()


def test_a_pair_that_nobody_wants_is_freed_after_its_time() -> None:
    closed = threading.Event()

    class Watched(ScreenEyes):
        def close(self) -> None:
            super().close()
            closed.set()

    warm = WarmEyes(Watched, seconds=0.01)
    with warm.borrow():
        assert not closed.is_set()
    assert closed.wait(10)
