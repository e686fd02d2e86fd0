"""Records sessions of applications that nobody here wrote: ``python -m bench.world.record [session …]``.

``make world`` installs the applications and records all. Clips and their truth go to ``bench/out/world/clips``;
``--keep`` puts them where the committed ones are.
"""

import argparse
import contextlib
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from bench.record.encode import encode
from bench.record.recorder import GRABS_PER_SECOND, Footage, Recorder
from bench.record.screen import Screen, virtual_screen
from bench.truth import write_truth
from bench.world.desktop import desktop
from bench.world.drawn import Drawn
from bench.world.hands import Hands
from bench.world.ledger import Ledger
from bench.world.runner import Runner
from bench.world.session import Session, all_sessions
from bench.world.taps import tapped
from bench.world.terminal import terminal
from bench.world.truth import CLIPS, OUT, SUFFIX, Truth
from bench.world.web import browsing

LOOSE_MS = 150
STAGES = {"web": browsing, "desktop": desktop, "terminal": terminal}


def main() -> None:
    """Record what is asked for, all without names."""
    known = all_sessions()
    parser = argparse.ArgumentParser(prog="python -m bench.world.record", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="session", help=", ".join(known))
    parser.add_argument("--keep", action="store_true", help=f"put them into {CLIPS.name}, to be committed")
    arguments = parser.parse_args()
    for name in arguments.names or known:
        record(known[name], CLIPS if arguments.keep else OUT / "clips")


def record(session: Session, folder: Path) -> None:
    """Play one session, and write its clip and its truth."""
    folder.mkdir(parents=True, exist_ok=True)
    ledger, look = Ledger(), session.look
    with virtual_screen(*look.size) as screen:
        screen.glide(screen.width * 3 // 4, screen.height // 2, steps=2)
        with _stage(session)(session, screen, ledger) as hands, _pictured(session, screen):
            hands.do(session.before)
            ledger.actions.clear()
            # Twice a frame is enough; what is more is taken from the program and from who watches its tree.
            with Recorder(screen, pointer=look.pointer, rate=min(2 * look.fps, GRABS_PER_SECOND)) as footage:
                # The first picture must be one of what the samples before it tell.
                time.sleep(0.1)
                hands.do(session.steps)
            hands.finish()
    if session.kind == "desktop":
        ledger.drawn = Drawn(footage)
    path = folder / f"{session.name}{look.profile.suffix}"
    seen = tapped(footage, ledger.actions) if look.taps else footage
    frames = encode(seen, look.profile, path)
    truth = truth_of(session, ledger, footage, frames)
    write_truth(truth, folder / f"{session.name}{SUFFIX}")
    rate = len(footage.grabs) / (footage.ended - footage.started)
    print(
        f"{path.name}: {frames} frames, {path.stat().st_size / 1000:.0f} kB, "
        f"{rate:.0f} looks a second, worst gap {footage.worst_gap:.2f} s, "
        f"{len(truth.texts)} texts, {len(truth.actions)} actions; {_looseness(truth)}"
    )


def _stage(session: Session) -> Callable[[Session, Screen, Ledger], AbstractContextManager[Hands]]:
    return partial(browsing, kind=Runner) if session.look.test else STAGES[session.kind]


def _looseness(truth: Truth) -> str:
    """How exactly it is known when texts came and went."""
    times = [ends for stay in truth.texts for ends in (stay.begins, stay.ends) if ends is not None and ends[1] > 0]
    spans = [until - since for since, until in times]
    return f"{sum(span > LOOSE_MS for span in spans)} of {len(spans)} times within {max(spans, default=0)} ms only"


@contextlib.contextmanager
def _pictured(session: Session, screen: Screen) -> Generator[None]:
    """When a step fails, what stood on the screen then is kept as a picture."""
    try:
        yield
    except Exception:
        grab = ["ffmpeg", "-loglevel", "error", "-y", "-f", "x11grab", "-i", screen.display, "-frames:v", "1"]
        subprocess.run([*grab, str(OUT / f"{session.name}.failed.png")], check=False)
        raise


def truth_of(session: Session, ledger: Ledger, footage: Footage, frames: int) -> Truth:
    """What the samples tell of the frames that were kept."""
    look, start = session.look, footage.started * 1000
    end = start + (frames - 1) * 1000 / look.fps
    size = look.profile.size or look.size
    scale = size[0] / look.size[0]
    kinds: dict[str, Any] = {}
    for kind in ("texts", "bars", "pictures", "moving"):
        stays, shifts = ledger.stays(kind, start, end, scale)
        kinds[kind] = tuple(stays)
        if kind == "texts":
            kinds["shifts"] = tuple(shifts)
    actions = [
        action.model_copy(
            update={
                "t_ms": round(action.t_ms - start),
                "until_ms": round((action.until_ms or action.t_ms) - start),
                "point": action.point and (round(action.point[0] * scale), round(action.point[1] * scale)),
            }
        )
        for action in ledger.actions
    ]
    return Truth(
        session=session.name,
        application=session.application,
        kind=session.kind,
        look=look.words,
        width=size[0],
        height=size[1],
        fps=look.fps,
        duration_ms=round(frames * 1000 / look.fps),
        actions=tuple(actions),
        **kinds,
    )


if __name__ == "__main__":
    main()
