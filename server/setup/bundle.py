"""The zip that ``vaider doctor --bundle`` writes for a bug report: what is needed to understand, and no secret."""

from __future__ import annotations

import errno
import io
import json
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.errors import InvalidPath, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TAIL_BYTES: Final = 200_000


def check_target(target: Path) -> None:
    """Refuse what ``write_bundle`` would refuse, before all is looked at. Raises ``InvalidPath``."""
    if target.exists():
        raise _refusal(target, os.strerror(errno.EEXIST))
    if not target.parent.is_dir():
        raise _refusal(target, os.strerror(errno.ENOENT))


def write_bundle(target: Path, told: Mapping[str, Any], data_dir: Path, redact: Callable[[str], str]) -> None:
    """Write the zip, readable by this user alone.

    Args:
        target: must not exist.
        told: the doctor's report.
        data_dir: whose ``daemon.log`` goes in, its end.
        redact: blots out keys; everything goes through it, and the home folder's name is left out too.

    Raises:
        InvalidPath: the target exists, or its folder does not.
        StorageFailed: it cannot be written.

    """

    def clean(text: str) -> str:
        return redact(text).replace(str(Path.home()), "~")

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("doctor.json", clean(_json(told)))
        bundle.writestr("settings.json", clean(_json(told["settings"])))
        bundle.writestr("versions.json", clean(_json(told["versions"])))
        bundle.writestr("daemon.log", clean(_tail(data_dir / "daemon.log")))
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        raise _refusal(target, error.strerror) from None
    except OSError as error:
        raise StorageFailed(f"{target} cannot be made: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(packed.getvalue())
    except OSError as error:
        target.unlink(missing_ok=True)
        raise StorageFailed(f"{target} cannot be written: {error.strerror}.") from None


def _refusal(target: Path, why: str | None) -> InvalidPath:
    return InvalidPath(f"{target} cannot be made: {why}. Name a new file.")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
