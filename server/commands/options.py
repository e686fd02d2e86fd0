"""Options that several commands have, and the settings that come of them."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.errors import InvalidSetting, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from config.settings import Settings
    from server.client.address import Address

ReturnT = TypeVar("ReturnT")


def with_flags(command: Callable[..., ReturnT]) -> Callable[..., ReturnT]:
    """Give a command the options that set settings; it receives what was given as ``flags``."""

    @click.option("--host", metavar="NAME", help="Where the daemon listens.")
    @click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="The daemon's port.")
    @click.option("--data-dir", metavar="DIR", help="Where Vaider keeps its own things.")
    @click.option(
        "--set", "assignments", metavar="NAME=VALUE", multiple=True, help="Any other setting; may be repeated."
    )
    @functools.wraps(command)
    def wrapper(*args: Any, assignments: Sequence[str], **options: Any) -> ReturnT:
        given = {name: options.pop(name) for name in ("host", "port", "data_dir")}
        return command(*args, flags={**given, **assigned(assignments)}, **options)

    return wrapper


def with_settings(command: Callable[..., ReturnT]) -> Callable[..., ReturnT]:
    """Give a command the options that set settings; it receives them merged, as ``settings``."""

    @with_flags
    @functools.wraps(command)
    def wrapper(*args: Any, flags: dict[str, Any], **options: Any) -> ReturnT:
        return command(*args, settings=load(flags), **options)

    return wrapper


def with_server(command: Callable[..., ReturnT]) -> Callable[..., ReturnT]:
    """Give a command the option that names a team's server; it receives it as ``server``, ``None`` without one."""

    @click.option(
        "--server",
        "url",
        envvar="VAIDER_SERVER",
        metavar="URL",
        help="A team's server; its token stands in VAIDER_TOKEN, or in the file that VAIDER_TOKEN_FILE names.",
    )
    @functools.wraps(command)
    def wrapper(*args: Any, url: str | None, **options: Any) -> ReturnT:
        return command(*args, server=server_at(url), **options)

    return wrapper


def server_at(url: str | None) -> Address | None:
    """The server of that address; none without one. Raises ``InvalidRequest``."""
    if not url:
        return None
    from server.client.remote import named_server  # noqa: PLC0415 - only for who names one

    return named_server(url)


def load(flags: dict[str, Any]) -> Settings:
    """The settings with these flags on top. Raises ``InvalidSetting``."""
    return load_explained(flags)[0]


def load_explained(flags: dict[str, Any] | None = None) -> tuple[Settings, dict[str, str]]:
    """The same, and where each value comes from."""
    from config.settings import SettingsError, explain_settings  # noqa: PLC0415 - `--help` need not wait for pydantic

    try:
        return explain_settings(environment=os.environ, flags=flags)
    except SettingsError as error:
        raise InvalidSetting(str(error)) from None


def assigned(assignments: Sequence[str]) -> dict[str, Any]:
    """``NAME=VALUE`` pairs as flags. Raises ``InvalidSetting``."""
    from config.settings import LISTS, listed  # noqa: PLC0415 - see load_explained

    flags: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InvalidSetting(f"--set takes NAME=VALUE, {assignment!r} has no '='.")
        key = name.strip().replace("-", "_")
        flags[key] = listed(value) if key in LISTS else value
    return flags


def write_file(file: Path, content: bytes) -> None:
    """Write what somebody asked for as a file. Raises ``StorageFailed``."""
    try:
        file.write_bytes(content)
    except OSError as error:
        raise StorageFailed(f"{file} cannot be written: {error.strerror}. Name another file.") from None


def append_file(file: Path, content: bytes) -> None:
    """Add to a file that others write too. Raises ``StorageFailed``."""
    try:
        with file.open("ab") as there:
            there.write(content)
    except OSError as error:
        raise StorageFailed(f"{file} cannot be written: {error.strerror}. Name another file.") from None
