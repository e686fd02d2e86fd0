"""What a laptop's daemon costs since there are farms, and before: ``python -m bench.farm.laptop``.

Both take turns in one run, on the same machine at the same load. The code of before is taken from the repository's
history and installed with the packages that it pins, in ``bench/out/laptop``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.clips import clip
from bench.daemon import running_daemon
from bench.farm.starts import code_of
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BEFORE: Final = "b2e02bbe"
"""The last commit before the work on servers for teams."""
OUT: Final = Path(__file__).parents[1] / "out" / "laptop"
_ROUNDS: Final = 7


def run(*, rounds: int = _ROUNDS) -> list[Table]:
    """The table."""
    programs = {"before": _installed(), "now": Path(sys.executable).with_name("vaider")}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    OUT.mkdir(parents=True, exist_ok=True)
    still = OUT / "still.mp4"
    white = ["-f", "lavfi", "-i", "color=white:size=1280x720:duration=1"]
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", *white, still], check=True)
    videos = (clip("checkout").path, still)
    took: dict[str, list[tuple[float, ...]]] = {name: [] for name in programs}
    for turn in range(rounds + 1):
        for name, program in sorted(programs.items(), reverse=turn % 2 == 1):
            measured = _measured(program, videos)
            if turn:  # the first one writes the bytecode
                took[name].append(measured)
    rows = [
        _row(label, unit, {name: [each[number] for each in values] for name, values in took.items()})
        for number, (label, unit) in enumerate(_MEASURES)
    ]
    columns = ("", "before", "now", "now / before")
    note = f"Before: {BEFORE}. Medians of {rounds} rounds in which both took turns; the ratio is the median of theirs."
    return [Table("A laptop's daemon before there were farms, and now", columns, rows, note)]


_MEASURES: Final = (
    ("start of the daemon, to the first answer", "s"),
    ("memory of the daemon that has done nothing", "MB"),
    ("processor time until then", "s"),
    ("vaider analyse of the clip checkout, without a daemon", "s"),
    ("the same of a white second: the way there and back, and no reading", "s"),
)


def _row(label: str, unit: str, values: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    ratios = [now / before for now, before in zip(values["now"], values["before"], strict=True)]
    medians = [f"{statistics.median(values[name]):.2f} {unit}" for name in ("before", "now")]
    return (label, *medians, f"{statistics.median(ratios):.2f}")


def _measured(program: Path, videos: Sequence[Path]) -> tuple[float, ...]:
    with running_daemon(program=program) as daemon:
        started = daemon.first_answer_seconds, daemon.memory()[0], daemon.cpu_seconds()
    return *started, *(_analysed(program, video) for video in videos)


def _analysed(program: Path, video: Path) -> float:
    """Seconds for one."""
    with tempfile.TemporaryDirectory(prefix="vaider-bench-") as folder:
        own = {"VAIDER_DATA_DIR": folder, "VAIDER_PORT": "1", "VAIDER_PROVIDER": "local"}
        command = [program, "analyse", "--no-cache", "--json", video]
        began = time.monotonic()
        subprocess.run(command, env=os.environ | own, check=True, capture_output=True, cwd=folder)
        return time.monotonic() - began


def _installed() -> Path:
    """The command of before; made once."""
    program = OUT / "venv" / "bin" / "vaider"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", OUT / "venv"], check=True)
        with code_of(BEFORE) as code:
            pip = [OUT / "venv" / "bin" / "pip", "install", "--quiet", "-c", code / "constraints.txt", code]
            subprocess.run(pip, check=True)
    return program


if __name__ == "__main__":
    for table in run():
        table.show()
