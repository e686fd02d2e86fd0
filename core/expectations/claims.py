"""What an expectation says, once it is understood."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Verb(Enum):
    """What is claimed of a text. The first three differ only where a text was there before the time asked about."""

    APPEARS = "appears"
    """It comes: the moment counts at which it was not there before."""
    VISIBLE = "is visible"
    """It is there, whenever it came."""
    SHOWN = "is shown"
    """Either; where that makes a difference, nobody can tell."""
    SEES = "is seen"
    """``VISIBLE``, unless another verb follows: "the user sees it disappear"."""
    GONE = "disappears"
    """It goes: the moment counts after which it is not there."""
    AWAY = "is gone"
    """The same, but said of a time, it may have gone before that."""
    STAYS = "stays"
    TYPED = "is typed"
    CHANGES = "changes"

    @property
    def is_showing(self) -> bool:
        """Whether it claims plain presence."""
        return self in {Verb.APPEARS, Verb.VISIBLE, Verb.SHOWN, Verb.SEES}

    @property
    def is_going(self) -> bool:
        """Whether it claims that a text is there no longer."""
        return self in {Verb.GONE, Verb.AWAY}


class Join(Enum):
    """How several texts or clauses belong together."""

    AND = "and"
    OR = "or"


class Compare(Enum):
    """How a number is bounded."""

    EXACTLY = "exactly"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    MORE = "more than"
    LESS = "less than"

    def holds(self, value: int, bound: int) -> bool:
        """Whether ``value`` is within the bound."""
        return {
            Compare.EXACTLY: value == bound,
            Compare.AT_LEAST: value >= bound,
            Compare.AT_MOST: value <= bound,
            Compare.MORE: value > bound,
            Compare.LESS: value < bound,
        }[self]


class Moment(Enum):
    """Named moments of a clip."""

    START = "at the start"
    END = "at the end"
    FIRST = "first"
    LAST = "last"
    ITSELF = "since it appeared"


@dataclass(frozen=True)
class Happening:
    """A quoted event that another one is timed by: a text that appears, or one that disappears."""

    text: str
    gone: bool = False

    def __str__(self) -> str:
        return f'"{self.text}" {"disappears" if self.gone else "appears"}'


Anchor = Happening | int
"""A happening, or milliseconds from the clip's first frame."""


@dataclass(frozen=True)
class Limits:
    """When, how long and how often; ``None`` where nothing is said."""

    within_ms: int | None = None
    within_of: Moment | None = None
    after: Anchor | None = None
    before: Anchor | None = None
    at: Moment | int | None = None
    count: tuple[Compare, int] | None = None
    lasting: tuple[Compare, int] | None = None
    until: Happening | None = None
    always: bool = False

    def named(self) -> frozenset[str]:
        """The names of the limits that are set."""
        return frozenset(name for name, value in vars(self).items() if value is not None and value is not False)


@dataclass(frozen=True)
class Clause:
    """One claim about one or more texts; for ``CHANGES`` the texts are what it was, one after another."""

    texts: tuple[str, ...]
    verb: Verb
    negated: bool = False
    join: Join = Join.AND
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Claim:
    """A whole expectation."""

    clauses: tuple[Clause, ...]
    join: Join = Join.AND


class NotUnderstood(Exception):
    """The sentence says something that no rule covers; the message is the reason of the ``unclear`` verdict."""
