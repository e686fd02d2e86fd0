"""Eyes that are lent: the next borrower gets the same pair, and two borrowers never have the same pair at once."""

import threading

from adapters.desktop.warm_eyes import WarmEyes
from core.screens import Picture


class Eyes:
    """Knows whether it was closed."""

    def __init__(self, *, is_alive: bool = True) -> None:
        self.is_alive = is_alive
        self.closed = threading.Event()

    def read(self, picture: Picture) -> tuple[()]:
        raise AssertionError(picture)

    def png(self, picture: Picture) -> bytes:
        raise AssertionError(picture)

    thumbnail = png

    def rest(self) -> None:
        """It holds nothing."""

    def close(self) -> None:
        self.closed.set()


def test_who_borrows_later_gets_the_same_pair_and_who_borrows_beside_another_gets_one_of_its_own() -> None:
    warm = WarmEyes(Eyes)
    with warm.borrow() as first, warm.borrow() as second:
        assert first is not second
        with warm.share() as shared:
            assert shared in (first, second)
    with warm.borrow() as again:
        assert again in (first, second)
    warm.close()


def test_a_pair_that_nobody_wants_is_freed_after_its_time() -> None:
    warm = WarmEyes(Eyes, seconds=0.01)
    with warm.borrow() as eyes:
        assert not eyes.closed.is_set()
    assert eyes.closed.wait(10)


def test_a_pair_that_has_died_is_not_lent_again() -> None:
    warm = WarmEyes(Eyes)
    with warm.borrow() as dead:
        dead.is_alive = False
    with warm.borrow() as eyes:
        assert eyes is not dead
    assert dead.closed.is_set()
    warm.close()
