"""Pairs of recorded sessions, half of them with one planted change each: what ``vaider compare`` finds and names.

The sessions are recorded by ``python -m bench.comparison.record``: real pages in Chromium, each time at another pace
and with another date and id. Built with: scenes.py, sites.py, further_sites.py, later_sites.py; held
out, looked at once: held_out.py.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.comparison.further_sites import FURTHER
from bench.comparison.held_out import HELD_OUT
from bench.comparison.later_sites import LATER
from bench.comparison.record import record
from bench.comparison.scenes import OUT, SCENES, Change, Scene
from bench.comparison.sites import SITES
from bench.table import Row, Table


def run(*, held_out: bool) -> list[Table]:
    """Measure the half that is asked for."""
    scenes = HELD_OUT if held_out else SCENES | SITES | FURTHER | LATER
    record(scenes.values())
    rows: list[Row] = []
    sums = [0, 0, 0, 0]
    for name, scene in scenes.items():
        counts = _of_scene(scene)
        sums = [a + b for a, b in zip(sums, counts, strict=True)]
        rows.append((name, *_shown(counts)))
    half = "held out" if held_out else "built with"
    rows.append(("all", *_shown(sums)))
    note = "A change is found when one sentence of its kind says its words; a slower one when it says how much."
    return [Table(f"Two runs compared, {half}", ("application", "changes found", "false alarms"), rows, note)]


def _of_scene(scene: Scene) -> list[int]:
    folder = OUT / "videos" / scene.name
    found = alarms = pairs = 0
    for number, change in enumerate(scene.changes):
        good, bad = folder / f"take-{number % scene.takes}.webm", folder / f"{change.name.replace(' ', '-')}.webm"
        answer = _compared(good, bad)
        named = is_named(answer, change)
        found += named
        if not named:
            print(scene.name, change.name, "not named:", *_sentences(answer), sep="\n  ")
    for good, bad in itertools.combinations(range(scene.takes), 2):
        pairs += 1
        answer = _compared(folder / f"take-{good}.webm", folder / f"take-{bad}.webm")
        alarms += not answer["same"]
        if not answer["same"]:
            print(scene.name, good, bad, "false alarm:", *_sentences(answer), sep="\n  ")
    return [found, len(scene.changes), alarms, pairs]


def is_named(answer: dict[str, Any], change: Change) -> bool:
    """Whether one of the differences says what was planted."""
    return any(
        each["kind"] in change.kinds and _says(each["description"].casefold(), change) for each in answer["differences"]
    )


def _says(sentence: str, change: Change) -> bool:
    """Whether it has one of the words, or tells about the time that was planted."""
    if change.words:
        return any(words.casefold() in sentence for words in change.words)
    planted = float(change.options.get("late", "0.6"))
    took = re.search(r"after ([\d.]+) s instead of ([\d.]+) s", sentence)
    return took is not None and abs(float(took[1]) - float(took[2]) - planted) <= planted / 2


def _compared(good: Path, bad: Path) -> dict[str, Any]:
    command = [Path(sys.executable).parent / "vaider", "compare", good, bad, "--json"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    if "differences" not in answer:
        raise RuntimeError(answer)
    return answer


def _sentences(answer: dict[str, Any]) -> list[str]:
    return [f"{each['kind']}: {each['description']}" for each in answer["differences"]]


def _shown(counts: list[int]) -> tuple[str, str]:
    return f"{counts[0]} of {counts[1]}", f"{counts[2]} of {counts[3]}"


if __name__ == "__main__":
    for table in run(held_out="--held-out" in sys.argv):
        table.show()
