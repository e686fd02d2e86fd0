import time

from tests.clock import within
from tests.fakes.daemons.memory_daemon import Daemon


def test_no_answer_waits_for_the_receipt_of_its_own_beginning(daemon: Daemon) -> None:
    """A kernel acknowledges after 40 ms what it expects more of: an answer in two pieces must not wait for that."""
    took: list[float] = []
    for _ in range(20):
        began = time.monotonic()
        daemon.http.get("/health")
        took.append(time.monotonic() - began)
    within(0.035, min(took[5:]))
