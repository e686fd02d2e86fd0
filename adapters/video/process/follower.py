"""The process that follows a film while it is recorded; see ``worker``. It tells what it found again and again."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Final

from adapters.video.process.worker import ended, main, warm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.video.process.worker import Channel
    from core.analysis import Findings

_NICER: Final = 5
"""Nobody waits for it, but for whoever works on the screen it reads."""


def _follow(request: Mapping[str, Any], channel: Channel) -> dict[str, Any]:
    from pathlib import Path  # noqa: PLC0415 - as ``worker`` says

    from adapters.video.decoding.decode import grow  # noqa: PLC0415 - same
    from adapters.video.decoding.files import Limits  # noqa: PLC0415 - same
    from adapters.video.following import Follower  # noqa: PLC0415 - same
    from adapters.video.ocr.reader import TextReader  # noqa: PLC0415 - same

    os.nice(_NICER)
    reader = TextReader(threads=request["ocr_threads"], of_videos=True)
    threading.Thread(target=warm, args=(reader,), name="warm", daemon=True).start()
    warnings: list[str] = []

    def report(findings: Findings, until_ms: int) -> None:
        channel.send(found=_to_message(findings, until_ms))

    findings, until_ms = Follower(reader=reader, report=report).follow(
        grow(Path(request["path"]), limits=Limits(**request["limits"]), is_ended=ended.is_set, warn=warnings.append)
    )
    return _to_message(findings.model_copy(update={"warnings": tuple(warnings)}), until_ms)


def _to_message(findings: Findings, until_ms: int) -> dict[str, Any]:
    return {"findings": findings.model_dump(mode="json"), "until_ms": until_ms}


if __name__ == "__main__":
    main({"follow": _follow})
