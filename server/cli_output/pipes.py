"""Exit of a command whose output is closed or cannot be written."""

import os
import sys
from typing import Final, NoReturn

PIPE_CLOSED: Final = 141
"""What a shell reports of a program that SIGPIPE ended."""


def leave_quietly() -> NoReturn:
    """End the command: not a failure, and not «not as expected» either."""
    forget_output()
    raise SystemExit(PIPE_CLOSED)


def forget_output() -> None:
    """Let what is still to be written go nowhere: the interpreter must not fail at flushing it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
