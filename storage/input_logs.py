"""Input logs beside recordings: read with the same doubt as any file."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from core.errors import InvalidRequest
from core.recording.input_log_lines import MAX_LOG_BYTES, log_beside, parse_input_log

if TYPE_CHECKING:
    from pathlib import Path

    from core.recording.input_log import InputLog


class InputLogFiles:
    """Implements ``core.tasks.learning_ports.InputLogs``."""

    def of(self, video: Path) -> InputLog | None:
        """The log of a recording, ``None`` if it has none. Raises ``InvalidRequest`` for a broken one."""
        return read_input_log(video)


def read_input_log(video: Path) -> InputLog | None:
    """The log that stands beside a video, ``None`` if there is none; a half last line is left out.

    Raises:
        InvalidRequest: it cannot be read, is larger than 32 MB, or a line of it is no event: the message tells which.

    """
    log = log_beside(video)
    data = read_log_bytes(log)
    return None if data is None else parse_input_log(data, str(log))


def read_log_bytes(log: Path) -> bytes | None:
    """All of a log, ``None`` if it is not there. Raises ``InvalidRequest``."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(log, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidRequest(f"{log} is no file: move it away, or record again.")
            data = file.read(MAX_LOG_BYTES + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no path"
        raise InvalidRequest(f"The input log {log} cannot be read: {why}.") from None
    if len(data) > MAX_LOG_BYTES:
        raise InvalidRequest(
            f"{log} is larger than {MAX_LOG_BYTES // 1024**2} MB, which no input log is: delete it to do without."
        )
    return data
