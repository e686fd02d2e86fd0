"""All benchmarks, or those that are named: ``python -m bench [--quick] [name …]``; ``make bench`` runs them all.

Each prints its tables; a full run, or one with ``--write``, puts them into ``docs/benchmarks.json``.
"""

import argparse
import dataclasses
import datetime as dt
import importlib
import json
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.table import Table

ARTEFACT = Path(__file__).parents[1] / "docs" / "benchmarks.json"
"""A list of tables: title, columns, rows, note, and when (a date in UTC) and on what they were measured."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One benchmark: the module whose ``run`` measures, and what its rows are when it returns no tables itself."""

    module: str
    title: str = ""
    has_quick: bool = False
    has_halves: bool = False

    def measure(self, *, quick: bool, held_out: bool) -> list[Table]:
        """Run it."""
        run: Callable[..., list[Any]] = importlib.import_module(self.module).run
        options = ({"quick": quick} if self.has_quick else {}) | ({"held_out": held_out} if self.has_halves else {})
        found = run(**options)
        return [Table(self.title, ("", "measured", "bar or rival"), found)] if self.title else found


ENTRIES: dict[str, Entry] = {
    "events": Entry("bench.events"),
    "speed": Entry("bench.speed", has_quick=True),
    "warm": Entry("bench.warm", has_quick=True),
    "words": Entry("bench.reading"),
    "verdicts": Entry("bench.verdicts"),
    "real": Entry("bench.real"),
    "world": Entry("bench.world.run", has_quick=True, has_halves=True),
    "comparison": Entry("bench.comparison.run", has_halves=True),
    "further": Entry("bench.further", "A further question about a video that was watched"),
    "agent_walk": Entry("bench.agent_walk", "From a red test to its line, request and picture, over MCP"),
    "eyes": Entry("bench.eyes", has_quick=True),
    "lines": Entry("bench.lines", has_quick=True),
    "viewers": Entry("bench.viewers", "A thousand viewers of the event stream"),
    "peers": Entry("bench.peers", "Whose connection it is"),
    "dashboard": Entry("bench.dashboard"),
    "upload": Entry("bench.upload", "An upload of one gigabyte"),
    "replay": Entry("bench.replay", has_quick=True),
    "typed": Entry("bench.typed", has_quick=True),
    "effects": Entry("bench.effects", has_quick=True),
    "programs": Entry("bench.programs", has_halves=True),
    "drift": Entry("bench.drift"),
    "reload_drift": Entry("bench.reload_drift"),
    "coordinates": Entry("bench.coordinates"),
    "recall": Entry("bench.recall", has_quick=True),
    "schedules": Entry("bench.schedules"),
    "learning": Entry("bench.learning"),
    "films": Entry("bench.films", has_quick=True, has_halves=True),
    "filmed_programs": Entry("bench.filmed_programs"),
    "procedures": Entry("bench.procedures"),
    "once": Entry("bench.once"),
    "answers": Entry("bench.answers"),
    "heartbeats": Entry("bench.heartbeats"),
    "takeover": Entry("bench.takeover", "The user takes over"),
    "recorder": Entry("bench.recorder", has_quick=True),
    "hours": Entry("bench.hours"),
    "leaks": Entry("bench.leaks"),
    "farm": Entry("bench.farm.run", has_quick=True),
    "freshness": Entry("bench.freshness", has_quick=True),
    "reload_matching": Entry("bench.reload_matching"),
    "reload_mutations": Entry("bench.reload_mutations"),
    "reload_lookup": Entry("bench.reload_lookup", has_quick=True),
    "reload_week": Entry("bench.reload_week"),
    "reload_replay": Entry("bench.reload_replay"),
}
QUICK = ("events", "speed", "words", "verdicts")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(ENTRIES))
    parser.add_argument("--quick", action="store_true", help="only what the committed clips can show")
    parser.add_argument(
        "--held-out", action="store_true", help="of world, comparison, films and programs: what nothing is built with"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"put the tables into {ARTEFACT.name}, in place of older ones"
    )
    arguments = parser.parse_args()
    names: list[str] = arguments.names or list(QUICK if arguments.quick else ENTRIES)
    tables: list[Table] = []
    for name in names:
        for table in ENTRIES[name].measure(quick=arguments.quick, held_out=arguments.held_out):
            table.show()
            tables.append(table)
    if names == list(ENTRIES) or arguments.write:
        write(tables, ARTEFACT)


def write(tables: list[Table], artefact: Path) -> None:
    """Put the tables into the artefact: each replaces an older one of its title, or comes at the end."""
    measured = {"when": dt.datetime.now(tz=dt.UTC).date().isoformat(), "on": machine()}
    kept: dict[str, dict[str, Any]] = {table["title"]: table for table in json.loads(artefact.read_text("utf-8"))}
    kept |= {table.title: dataclasses.asdict(table) | {"measured": measured} for table in tables}
    artefact.write_text("[\n" + ",\n".join(map(_encoded, kept.values())) + "\n]\n", encoding="utf-8")


def _encoded(table: dict[str, Any]) -> str:
    """A table as JSON with each row on a line of its own, so that a new measurement is a short difference."""
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in table["rows"])
    members = [f'"{name}": {json.dumps(table[name], ensure_ascii=False)}' for name in ("title", "columns")]
    members += [f'"rows": [\n  {rows}\n ]']
    members += [f'"{name}": {json.dumps(table[name], ensure_ascii=False)}' for name in ("note", "measured")]
    return "{" + ",\n ".join(members) + "}"


def machine() -> str:
    """On what was measured, without any name of it."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GB of memory, "
        f"{platform.system()} {platform.release().split('-')[0]}, Python {platform.python_version()}"
    )


if __name__ == "__main__":
    main()
