"""The labelled clips that there are: the committed ones, and the long ones that are recorded when first needed."""

from dataclasses import dataclass
from pathlib import Path

from bench.truth import Truth, read_truth

COMMITTED = Path(__file__).parents[1] / "tests" / "clips"
HELD_OUT = COMMITTED / "heldout"
"""Clips that nothing was tuned on; they are measured apart from the others."""
RECORDED = Path(__file__).parent / "out" / "clips"
SUFFIX = ".truth.json"


@dataclass(frozen=True)
class Clip:
    """A video and what is known about it."""

    path: Path
    truth: Truth

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.truth.clip


def clips(folder: Path = COMMITTED) -> list[Clip]:
    """All clips of a folder by name."""
    truths = [(path, read_truth(path)) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    return [Clip(_video(path), truth) for path, truth in truths]


def clip(name: str, folder: Path = COMMITTED) -> Clip:
    """One clip."""
    path = folder / f"{name}{SUFFIX}"
    return Clip(_video(path), read_truth(path))


def long_clips() -> list[Clip]:
    """The clips of a minute each; records them unless they were recorded before."""
    from bench.record.__main__ import record  # noqa: PLC0415 - needs a display and a browser, which reading does not
    from bench.record.sessions import LONG_SESSIONS  # noqa: PLC0415 - same

    for session in LONG_SESSIONS.values():
        if not all((RECORDED / f"{name}{SUFFIX}").exists() for name in session.clips):
            record(session, RECORDED)
    return [clip(name, RECORDED) for session in LONG_SESSIONS.values() for name in session.clips]


def _video(truth: Path) -> Path:
    name = truth.name.removesuffix(SUFFIX)
    return next(path for path in (truth.with_name(name + end) for end in (".mp4", ".webm")) if path.exists())
