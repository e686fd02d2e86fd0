"""Procedures as the recorder makes them, without a recorder."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from core.memory import Procedure
from core.steps import Step

NOW = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)
"""A Saturday."""


def procedure(
    name: str,
    summary: str,
    *steps: str,
    ago: timedelta = timedelta(hours=1),
    application: str = "Firefox",
    title: str = "",
    texts: Sequence[str] = (),
    seconds: float = 45,
) -> Procedure:
    """One that began so long before ``NOW``."""
    return Procedure(
        id=name,
        source="recorder",
        video=f"segment-{name}",
        started_at=NOW - ago,
        start_ms=2_000,
        end_ms=2_000 + round(seconds * 1000),
        applications=(application,),
        titles=(title,) if title else (),
        summary=summary,
        steps=tuple(
            Step(t_ms=2_000 + 1_000 * place, until_ms=2_500 + 1_000 * place, text=step, application=application)
            for place, step in enumerate(steps or (summary,))
        ),
        texts=tuple(texts),
    )
