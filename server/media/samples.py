"""The recordings that come with Vaider, for a first try without one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Iterator

_SERVER: Final = Path(__file__).parent.parent
_PLACES: Final = (_SERVER / "samples", _SERVER.parent / "samples")
"""In an installation, in a clone."""
_EXPECTED: Final = ".expect.txt"


class Sample(BaseModel):
    """One recording."""

    name: str
    size_bytes: int
    expectations: list[str] = Field(description="What may be asked about it.")


def samples() -> Iterator[Sample]:
    """All that there are; none where they were not installed."""
    for path in _videos():
        beside = path.with_name(path.name + _EXPECTED)
        lines = beside.read_text(encoding="utf-8").splitlines() if beside.is_file() else []
        yield Sample(
            name=path.name, size_bytes=path.stat().st_size, expectations=[line for line in lines if line.strip()]
        )


def sample_file(name: str) -> Path | None:
    """The file of that name, which is compared and never joined to a path."""
    return next((path for path in _videos() if path.name == name), None)


def _videos() -> list[Path]:
    place = next((place for place in _PLACES if place.is_dir()), None)
    return sorted(place.glob("*.mp4")) if place else []
