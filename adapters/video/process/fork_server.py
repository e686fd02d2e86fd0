"""A process that has the text reader loaded, and makes a copy of itself for each request; Linux only.

``python -m adapters.video.process.fork_server THREADS``, spoken to by ``child.py`` alone, one request a line. A copy is
what ``worker`` is: it takes the bounds of its request upon itself, answers, and ends. The server itself reads no video,
so nothing of one reaches the next. It has one thread, for a copy has no other. It ends when its standard input does,
and as a copy ended that failed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
from functools import partial
from typing import Final, NoReturn

import numpy as np

from adapters.video.ocr.reader import TextReader
from adapters.video.process.worker import Channel, answer, bind, claim_output, look, observe, trace

_NEEDED: Final = (
    "adapters.video.decoding.decode",
    "adapters.video.decoding.survey",
    "adapters.video.observer",
    "adapters.video.decoding.placed_traces",
)
"""What the tasks import when they begin."""
_STDIN: Final = 0
_FAILED: Final = 1


def main(threads: int) -> None:
    """Load everything, and serve until standard input ends."""
    channel = Channel(claim_output())
    for name in _NEEDED:
        importlib.import_module(name)
    reader = TextReader(threads=threads, of_videos=True)
    # Loads both networks; recognising would start a thread.
    reader.detect(np.full((64, 64, 3), 255, np.uint8))
    tasks = {"look": look, "observe": partial(observe, reader=reader), "trace": trace}
    gc.collect()
    gc.freeze()
    server = os.getpid()
    while line := sys.stdin.buffer.readline():
        ended, held = os.pipe()
        copy = os.fork()
        if copy == 0:
            os.close(ended)
            request = json.loads(line)
            bind(**{**request["bounds"], "parent": server})
            answer(tasks, request, channel)
        os.close(held)
        with contextlib.suppress(OSError):
            os.setpgid(copy, copy)
        _await(copy, ended)
        os.close(ended)


def _await(copy: int, ended: int) -> None:
    """Wait for the copy's end, leave nothing of it behind, and end as it did if it failed."""
    waiting = select.poll()
    waiting.register(ended, 0)
    waiting.register(_STDIN, 0)
    is_alone = any(fd == _STDIN for fd, _ in waiting.poll())
    if not is_alone:
        # Not reaped yet, so that its number is no other group's.
        os.waitid(os.P_PID, copy, os.WEXITED | os.WNOWAIT)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(copy, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    if is_alone or code > 0:
        os._exit(code if code > 0 else _FAILED)
    if code < 0:
        _die_of(-code)


def _die_of(number: int) -> NoReturn:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(_FAILED)


if __name__ == "__main__":
    main(int(sys.argv[1]))
