"""Starts one process of a farm, or says in one sentence what it lacks."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING, Final

from core.errors import InvalidSetting, VaiderError

if TYPE_CHECKING:
    from config.settings import Settings

_FAILED: Final = 3


def serve_role(settings: Settings) -> int:
    """Run it until it is stopped; returns the exit code."""
    try:
        check_farm(settings)
        if settings.role == "worker":
            from server.farm.worker import run_worker  # noqa: PLC0415 - an API process loads no analyser

            run_worker(settings)
        else:
            from server.farm.api import serve_api  # noqa: PLC0415 - a worker loads no HTTP

            for signum in (signal.SIGTERM, signal.SIGINT):
                signal.signal(signum, _stay)
            asyncio.run(serve_api(settings))
    except VaiderError as error:
        sys.stderr.write(f"{error.message}\n")
        return _FAILED
    return 0


def _stay(_signal: int, _frame: object) -> None:
    """Live on: the way down is under way."""


def check_farm(settings: Settings) -> None:
    """Raise ``InvalidSetting`` when the settings make no farm."""
    if not settings.database_url.startswith("postgresql"):
        raise InvalidSetting(
            f"The role {settings.role!r} needs PostgreSQL, which all processes of a farm share: "
            'set database_url = "postgresql://…".'
        )
    if not settings.store_url:
        raise InvalidSetting(
            f"The role {settings.role!r} needs a place for videos and answers that all processes of a farm share: "
            "set store_url to s3://<bucket>/<prefix> or file:///<folder>."
        )
