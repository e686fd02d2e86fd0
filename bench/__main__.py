"""All benchmarks, or those that are named: ``python -m bench [--quick] [name …]``; ``make bench`` runs them all.

Each prints its tables; a full run, or one with ``--write``, puts them into ``docs/benchmarks.md`` between its markers.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmarks.md"
HEADING = "### "
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True)
class Entry:
    """One benchmark: the module whose ``run`` measures, and what its rows are when it returns no tables itself."""

    module: str
    title: str = ""
    has_quick: bool = False

    def measure(self, *, quick: bool) -> list[Table]:
        """Run it."""
        run: Callable[..., list[Any]] = importlib.import_module(self.module).run
        found = run(quick=quick) if self.has_quick else run()
        return [Table(self.title, ("", "measured", "bar or rival"), found)] if self.title else found


ENTRIES: dict[str, Entry] = {
    "events": Entry("bench.events"),
    "speed": Entry("bench.speed", has_quick=True),
    "words": Entry("bench.reading"),
    "verdicts": Entry("bench.verdicts"),
    "further": Entry("bench.further", "A further question about a video that was watched"),
    "eyes": Entry("bench.eyes", has_quick=True),
    "viewers": Entry("bench.viewers", "A thousand viewers of the event stream"),
    "peers": Entry("bench.peers", "Whose connection it is"),
    "dashboard": Entry("bench.dashboard"),
    "upload": Entry("bench.upload", "An upload of one gigabyte"),
    "replay": Entry("bench.replay", has_quick=True),
    "typed": Entry("bench.typed", has_quick=True),
    "drift": Entry("bench.drift"),
    "reload_drift": Entry("bench.reload_drift"),
    "coordinates": Entry("bench.coordinates"),
    "recall": Entry("bench.recall", has_quick=True),
    "schedules": Entry("bench.schedules"),
    "learning": Entry("bench.learning"),
    "procedures": Entry("bench.procedures"),
    "once": Entry("bench.once"),
    "heartbeats": Entry("bench.heartbeats"),
    "takeover": Entry("bench.takeover", "The user takes over"),
    "recorder": Entry("bench.recorder", has_quick=True),
    "hours": Entry("bench.hours"),
    "leaks": Entry("bench.leaks"),
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
        "--write", action="store_true", help=f"put the tables into {DOCUMENT.name}, in place of older ones"
    )
    arguments = parser.parse_args()
    names: list[str] = arguments.names or list(QUICK if arguments.quick else ENTRIES)
    tables: list[Table] = []
    for name in names:
        for table in ENTRIES[name].measure(quick=arguments.quick):
            table.show()
            tables.append(table)
    if names == list(ENTRIES) or arguments.write:
        write(tables, DOCUMENT)


def write(tables: list[Table], document: Path) -> None:
    """Put the tables between the markers of the document, each in place of an older one of its title or at the end."""
    text = document.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    body, tail = rest.split(END)
    sections = {section.partition("\n")[0]: section.strip() for section in body.split(HEADING)[1:]}
    for table in tables:
        sections[table.title] = f"{table.markdown().removeprefix(HEADING)}\n\n{machine()}"
    measured = "\n\n".join(HEADING + section for section in sections.values())
    document.write_text(f"{head}{BEGIN}\n\n{measured}\n\n{END}{tail}", encoding="utf-8")


def machine() -> str:
    """When and on what was measured, without any name of it."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    today = dt.datetime.now(tz=dt.UTC).date()
    return (
        f"*{today}: {os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GB of memory, "
        f"{platform.system()} {platform.release().split('-')[0]}, Python {platform.python_version()}*"
    )


if __name__ == "__main__":
    main()
