"""Expectations as they come in: from a request, or from the sidecar file beside a video."""

from __future__ import annotations

import errno
import unicodedata
from typing import TYPE_CHECKING, Any

from core.errors import InvalidPath, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_EXPECTATIONS = 100
LONGEST_EXPECTATION = 2000
SIDECAR_BYTES = 1 << 20


def check_expectations(expectations: Iterable[Any]) -> tuple[str, ...]:
    """The expectations, stripped.

    Raises:
        InvalidRequest: more than 100, an empty one, one that is no text, has control characters or more than
            2,000 characters; the message says which.

    """
    given = (expectations,) if isinstance(expectations, str) else tuple(expectations)
    if len(given) > MOST_EXPECTATIONS:
        raise InvalidRequest(
            f"At most {MOST_EXPECTATIONS} expectations can be judged at once, {len(given)} were given."
        )
    return tuple(_checked(expectation, f"Expectation {number}") for number, expectation in enumerate(given, 1))


def _checked(expectation: object, where: str) -> str:
    if not isinstance(expectation, str):
        raise InvalidRequest(f"{where} must be a text, not {type(expectation).__name__}.")
    if len(expectation) > LONGEST_EXPECTATION:
        raise InvalidRequest(f"{where} has {len(expectation):,} characters; at most {LONGEST_EXPECTATION:,} are read.")
    stripped = expectation.strip()
    if not stripped:
        raise InvalidRequest(f"{where} is empty; write what should be seen, or leave it out.")
    bad = next((sign for sign in stripped if unicodedata.category(sign) in {"Cc", "Cs"}), None)
    if bad is not None:
        raise InvalidRequest(f"{where} contains the control character U+{ord(bad):04X}; write it on one plain line.")
    return stripped


def read_sidecar(video_path: Path) -> tuple[str, ...]:
    """The expectations in ``<video>.expect.txt`` (``clip.mp4.expect.txt``), none when there is no such file.

    One a line; empty lines and lines that begin with ``#`` say nothing. UTF-8, with or without a mark.

    Raises:
        InvalidPath: the file is there but cannot be read, or it is a link that leads out of the video's folder.
        InvalidRequest: it is over 1 MiB, no UTF-8, or a line of it is no expectation; the message says which.

    """
    path = video_path.with_name(f"{video_path.name}.expect.txt")
    try:
        if not path.is_file():
            return ()
        # Else a video from elsewhere could bring along a link to any file of this user, and have it sent to a provider.
        if not path.resolve().is_relative_to(path.parent.resolve()):
            raise InvalidPath(f"{path} is a link that leads out of its folder; put the expectations themselves there.")
        with path.open("rb") as file:
            content = file.read(SIDECAR_BYTES + 1)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return ()  # the video's name leaves no room for a sidecar's, so there cannot be one
        raise InvalidPath(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > SIDECAR_BYTES:
        raise InvalidRequest(f"{path} is larger than {SIDECAR_BYTES:,} bytes; that is no list of expectations.")
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidRequest(f"{path}, line {line}: this is no UTF-8; save the file as UTF-8.") from None
    asked = [
        (number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")
    ]
    if len(asked) > MOST_EXPECTATIONS:
        raise InvalidRequest(
            f"{path} has {len(asked)} expectations; at most {MOST_EXPECTATIONS} can be judged at once."
        )
    return tuple(_checked(line, f"{path}, line {number}: the expectation") for number, line in asked)
