"""Records in a process of its own, which can be killed or be given a small disk; tells each state as a line of JSON."""

import json
import resource
import sys
import threading
from pathlib import Path

from adapters.recording.recorder import DemonstrationRecorder
from core.errors import VaiderError
from core.recording.recordings import RecordingState


def main(out: str, options: str, file_bytes: str) -> None:
    """Record to ``out`` with the recorder's ``options``, as JSON; no file may grow larger than ``file_bytes``."""

    def report(state: RecordingState) -> None:
        # Not before: pictures of the screen come through a file in memory.
        if int(file_bytes):
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(file_bytes), int(file_bytes)))
        print(json.dumps({"state": state.model_dump(mode="json")}), flush=True)  # noqa: T201 - so it is followed

    try:
        recording = DemonstrationRecorder(**json.loads(options)).record(Path(out), threading.Event(), report)
    except VaiderError as error:
        print(json.dumps({"error": error.message}), flush=True)  # noqa: T201 - same
    else:
        print(json.dumps({"recording": recording.model_dump(mode="json")}), flush=True)  # noqa: T201 - same


if __name__ == "__main__":
    main(*sys.argv[1:])
