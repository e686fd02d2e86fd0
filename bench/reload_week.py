"""A working week of asking for things over and over, simulated: ``python -m bench reload_week``.

Requests come from habits (``bench.reload_habits``), some far more often than others, in changing words and with
changing values. What is offered and right is taken; what is not offered is done anew and kept, if it succeeds. Some
replays fail, workflows are changed, programs are closed, and nobody works at night.
"""

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from bench.reload_desk import Desk, draft_with
from bench.reload_habits import HABITS, POOLS, Habit
from bench.table import Row, Table
from core.reload.entry import Origin
from core.reload.offers import Option, Question
from core.reload.ports import UseOutcome

MONDAY: Final = datetime(2026, 11, 23, 8, tzinfo=UTC)
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
REQUESTS: Final = 60
HOURS: Final = 9
SEEDS: Final = (1, 2, 3, 4, 5)
NIGHT: Final = 14.0
"""Hours: shorter than from one evening to the next morning."""


@dataclass
class Known:
    """What was kept, by a book of the simulation's own."""

    habit: Habit
    values: dict[str, str]
    last_used: datetime
    revision: str
    is_quarantined: bool = False


@dataclass
class Day:
    """What happened on one day."""

    name: str
    requests: int = 0
    repeats: int = 0
    """Asked for when something that could do it was kept, good, and its program was there."""
    hits: int = 0
    wrong: int = 0
    stale: int = 0
    """Offers of what was in quarantine, idle for too long, of a changed workflow, or without its program."""
    failed: int = 0
    quarantined: int = 0
    entries: int = 0
    size: int = 0

    def row(self) -> Row:
        """For a table."""
        share = f"{self.hits} of {self.repeats} ({self.hits / self.repeats:.0%})" if self.repeats else "-"
        counts = (self.wrong, self.stale, self.quarantined, self.entries)
        return (self.name, str(self.requests), share, *map(str, counts), f"{self.size / 1e6:.1f} MB")


@dataclass
class Week:
    """One simulated week.

    Args:
        desk: what is asked.
        chance: of everything that is not certain.
        max_idle: as the store has it.

    """

    desk: Desk
    chance: random.Random
    max_idle: timedelta
    kept: dict[str, Known] = field(default_factory=dict[str, Known])

    def days(self) -> list[Day]:
        """Live it."""
        habits = self.chance.sample(HABITS, len(HABITS))
        # The n-th habit comes up as often as 1 / n (Zipf).
        weights = [1 / place for place in range(1, len(habits) + 1)]
        return [self._day(number, name, habits, weights) for number, name in enumerate(DAYS)]

    def _day(self, number: int, name: str, habits: Sequence[Habit], weights: Sequence[float]) -> Day:
        day = Day(name)
        begin = MONDAY + timedelta(days=number)
        applications = sorted({habit.application for habit in HABITS})
        for minutes in sorted(self.chance.uniform(0, HOURS * 60) for _ in range(REQUESTS)):
            self.desk.now = begin + timedelta(minutes=minutes)
            self.desk.applications = [each for each in applications if self.chance.random() < 0.9]
            if self.chance.random() < 0.01:
                self.desk.revisions[self.chance.choices(habits, weights)[0].name] = str(self.desk.now)
            habit = self.chance.choices(habits, weights)[0]
            phrasing = habit.phrasings[0] if self.chance.random() < 0.6 else self.chance.choice(habit.phrasings)
            self._ask(habit, phrasing, self._values(phrasing), day)
        statistics = self.desk.entries.statistics()
        day.entries, day.size = int(str(statistics["entries"])), int(str(statistics["bytes"]))
        day.quarantined = sum(known.is_quarantined for known in self.kept.values())
        return day

    def _values(self, phrasing: str) -> dict[str, str]:
        first = self.chance.randint(1, 40)
        drawn = {
            "number": str(self.chance.randint(100, 140)),
            "amount": f"{self.chance.randint(3, 90)}.{self.chance.choice(('00', '50', '90'))}",
            "first": str(first),
            "last": str(first + self.chance.randint(1, 9)),
            **{name: self.chance.choice(pool) for name, pool in POOLS.items()},
        }
        return {name: value for name, value in drawn.items() if f"{{{name}}}" in phrasing}

    def _ask(self, habit: Habit, phrasing: str, values: dict[str, str], day: Day) -> None:
        day.requests += 1
        repeats = any(known.habit is habit and not self._is_stale(known) for known in self.kept.values())
        question = Question(trigger_type="user_message", trigger_target="", request=phrasing.format(**values))
        options = self.desk.options(question)
        same = [option for option in options if option.match == "same"]
        # The caller reads the first three, and gives the values that it knows.
        right = [option for option in options[:3] if self.kept[_entry(option)].habit is habit]
        day.repeats += repeats
        day.wrong += sum(not self._fits(option, habit, values) for option in same)
        day.stale += sum(self._is_stale(self.kept[_entry(option)]) for option in options)
        day.hits += bool(repeats and right)
        if right and self._replay(_entry(right[0])):
            return
        day.failed += bool(right)
        if self.chance.random() < 0.92:
            origin = Origin(kind="workflow", name=habit.name, revision=self.desk.revision(habit.name))
            entry = self.desk.keep(draft_with(question, values, habit.application, origin=origin))
            self.kept[entry] = Known(habit, values, self.desk.now, origin.revision)

    def _fits(self, option: Option, habit: Habit, values: dict[str, str]) -> bool:
        known = self.kept[_entry(option)]
        done = {slot.name: slot.proposed for slot in option.slots}
        return known.habit is habit and done == values

    def _is_stale(self, known: Known) -> bool:
        is_idle = self.desk.now - known.last_used > self.max_idle
        is_changed = known.revision != self.desk.revision(known.habit.name)
        is_gone = known.habit.application not in self.desk.applications
        return is_idle or is_changed or is_gone or known.is_quarantined

    def _replay(self, entry: str) -> bool:
        """Use it; tells whether that succeeded."""
        known = self.kept[entry]
        known.last_used = self.desk.now
        use = self.desk.entries.begin_use(entry, "")
        if self.chance.random() < 0.04:
            if self.desk.entries.end_use(use, UseOutcome("failed", "its target was not found")) is None:
                del self.kept[entry]
            else:
                known.is_quarantined = True
            return False
        self.desk.entries.end_use(use, UseOutcome("succeeded", "", 20_000, 6))
        return True


def run() -> list[Table]:
    """A week, day by day, and the same when a night is already too long."""
    with tempfile.TemporaryDirectory() as folder:
        weeks = [_week(Path(folder), seed, 720.0) for seed in SEEDS]
        short = [_week(Path(folder), seed, NIGHT) for seed in SEEDS]
    rows = [day.row() for day in weeks[0]]
    rows += [
        _sum(f"{len(SEEDS)} such weeks, all days", weeks).row(),
        _sum(f"… when {NIGHT:g} hours unused are too long", short).row(),
    ]
    return [
        Table(
            "Reload: a week of simulated use",
            ("", "requests", "repeats that were offered", "wrong", "stale", "in quarantine", "entries", "size"),
            rows,
            f"{len(HABITS)} habits in 9 programs, each of which is closed for a tenth of the requests; 4 % of replays "
            "fail, and before one request in a hundred somebody changes a workflow. Offered: among the first three. "
            "Wrong: a `same` that would do another thing. Stale: an offer of what failed last time, was not used for "
            "too long, is of a workflow that was changed, or needs a program that is not there. In quarantine, entries "
            "and size are at the end.",
        )
    ]


def _week(folder: Path, seed: int, max_idle_hours: float) -> list[Day]:
    with Desk.opened(folder / f"{seed}-{max_idle_hours:g}", max_idle_hours=max_idle_hours) as desk:
        return Week(desk, random.Random(seed), timedelta(hours=max_idle_hours)).days()


def _sum(name: str, weeks: Sequence[Sequence[Day]]) -> Day:
    days = [day for week in weeks for day in week]
    total = Day(name)
    for each in ("requests", "repeats", "hits", "wrong", "stale", "failed"):
        setattr(total, each, sum(getattr(day, each) for day in days))
    for each in ("quarantined", "entries", "size"):
        setattr(total, each, round(sum(getattr(week[-1], each) for week in weeks) / len(weeks)))
    return total


def _entry(option: Option) -> str:
    return option.cache_id.partition("~")[0]
