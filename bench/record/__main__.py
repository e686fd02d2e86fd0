"""Records labelled clips: ``python -m bench.record [session …] [--out folder]``, all sessions by default."""

import argparse
from pathlib import Path

from bench.record.encode import PROFILES, encode
from bench.record.heldout import HELD_OUT
from bench.record.ledger import Ledger
from bench.record.recorder import Footage, Recorder
from bench.record.screen import virtual_screen
from bench.record.second import SECOND
from bench.record.session import Session
from bench.record.sessions import LONG_SESSIONS, SESSIONS
from bench.truth import TrueVerdict, write_truth
from core.analysis import VerdictResult

OUT = Path(__file__).parents[1] / "out" / "clips"
EXPECTATIONS = Path(__file__).parent / "expectations"


def main() -> None:
    """Record what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.record", description=__doc__)
    parser.add_argument("sessions", nargs="*", metavar="session", help=", ".join([*SESSIONS, *SECOND, *HELD_OUT]))
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    for name in arguments.sessions or [*SESSIONS, *SECOND]:
        record({**SESSIONS, **SECOND, **LONG_SESSIONS, **HELD_OUT}[name], arguments.out)


def record(session: Session, out: Path) -> None:
    """Play one session and write its clips, each with its truth beside it."""
    out.mkdir(parents=True, exist_ok=True)
    footage, ledger = play(session)
    for clip, name in session.clips.items():
        profile = PROFILES[name]
        path = out / f"{clip}{profile.suffix}"
        frames = encode(footage, profile, path)
        write_truth(ledger.truth(clip, footage, profile, frames, expectations(clip)), out / f"{clip}.truth.json")
        print(f"{path.name}: {frames} frames, {path.stat().st_size / 1000:.0f} kB, worst gap {footage.worst_gap:.3f} s")


def play(session: Session) -> tuple[Footage, Ledger]:
    """Record one session."""
    ledger = Ledger()
    with virtual_screen(*session.size) as screen:
        screen.glide(screen.width * 3 // 4, screen.height // 2, steps=2)
        with session.stage(screen, ledger) as stage:
            ledger.entries.clear()
            with Recorder(screen, pointer=session.pointer) as footage:
                session.play(stage)
    return footage, ledger


def expectations(clip: str) -> tuple[TrueVerdict, ...]:
    """The clip's scripted expectations, ``verdict: text`` a line; those of its session unless it has its own."""
    names = (clip, clip.split("_", 1)[0])
    path = next((path for name in names if (path := EXPECTATIONS / f"{name}.txt").exists()), None)
    lines = path.read_text(encoding="utf-8").splitlines() if path else []
    split = (line.split(": ", 1) for line in lines if line.strip())
    return tuple(TrueVerdict(text=text, verdict=VerdictResult(verdict)) for verdict, text in split)


if __name__ == "__main__":
    main()
