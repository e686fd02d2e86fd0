"""The recorder's process: ``python -m adapters.recording.continuous.worker``, started by ``process.py`` alone.

Its first line of standard input is the request, the others are commands; see ``control.py``. It ends when its standard
input does, and dies with its parent. When it ends its border goes, for the server takes away what a client made.
"""

import ctypes
import json
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

_SET_PARENT_DEATH_SIGNAL = 1
_NICENESS = 5


def main() -> None:
    """Record until the daemon says stop."""
    said = os.fdopen(os.dup(1), "wb")
    # What libraries print goes to standard error.
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.readline())
    os.umask(0o077)
    os.nice(_NICENESS)

    from adapters.recording.continuous.control import Control  # noqa: PLC0415 - after the pipes are ours

    control = Control(sys.stdin.buffer, said)

    def end(_number: int, _frame: FrameType | None) -> None:
        control.ended = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != request["parent"]:
        return
    threading.Thread(target=control.listen, name="commands", daemon=True).start()

    from adapters.recording.continuous.recorder import ContinuousRecorder  # noqa: PLC0415 - it takes a while
    from core.recording.recorder import RecorderOptions  # noqa: PLC0415 - same

    options = RecorderOptions.model_validate(request["options"])
    ContinuousRecorder(options, Path(request["folder"]), os.environ, control).run()
    said.flush()
    # The libraries' own clean-up costs time, and nothing is left to lose.
    os._exit(0)


if __name__ == "__main__":
    main()
