"""A signal that comes while its event is being waited for ends the waiting."""

import subprocess
import sys
from pathlib import Path

INTERRUPTED_IN_WAIT = """
import signal, threading
from server.signals import set_in_handler

event = threading.Event()
signal.signal(signal.SIGTERM, lambda _number, _frame: set_in_handler(event))
with event._cond:  # which `wait` holds for a moment in each round
    signal.raise_signal(signal.SIGTERM)
event.wait()
"""


def test_a_signal_in_the_middle_of_a_wait_ends_it() -> None:
    program = [sys.executable, "-c", INTERRUPTED_IN_WAIT]
    subprocess.run(program, cwd=Path(__file__).parents[2], timeout=30, check=True)
