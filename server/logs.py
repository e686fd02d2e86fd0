"""The daemon's log: JSON lines on stderr and in ``<data_dir>/daemon.log``, without secrets."""

import json
import logging
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

_MAX_BYTES: Final = 5_000_000
_KEPT: Final = 2
_ORDINARY: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonLines(logging.Formatter):
    """One record, one line: ``timestamp``, ``level``, ``event`` and what the caller gave as ``extra``.

    Args:
        redact: blots out secrets; nothing is written that has not passed through it.

    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line of JSON."""
        line: dict[str, Any] = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _ORDINARY}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return self._redact(json.dumps(line, ensure_ascii=False, default=str))


def set_up_logging(directory: Path, level: str, redact: Callable[[str], str]) -> None:
    """Send every log record of this process to stderr and to the file, redacted."""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr), _PrivateFile(directory / "daemon.log")]
    for handler in handlers:
        handler.setFormatter(JsonLines(redact))
    logging.basicConfig(level=level.upper(), handlers=handlers, force=True)
    # They log every request and every event, which is noise even for debugging.
    for talkative in ("sse_starlette", "uvicorn", "mcp", "httpcore2", "httpx2", "python_multipart", "asyncio"):
        logging.getLogger(talkative).setLevel(max(logging.WARNING, logging.getLogger().level))


class _PrivateFile(RotatingFileHandler):
    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_MAX_BYTES, backupCount=_KEPT, encoding="utf-8", delay=True)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the standard library's name
        """Let a full disk pass: stderr has the line, and a stack trace there would be no JSON."""
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)

    def _open(self) -> TextIOWrapper:
        stream = super()._open()
        os.fchmod(stream.fileno(), 0o600)
        return stream
