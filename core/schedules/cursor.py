"""A place among the tokens of a clause, from which rules take what they understand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from core.errors import InvalidRequest
from core.schedules.tokens import Kind, Token

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = '"every weekday at 9:00" or "every 2 hours between 9:00 and 17:00"'
T = TypeVar("T")
_LAST_HOUR = 23
_NOON = 12
_LATER = frozenset({"afternoon", "evening"})


@dataclass
class Cursor:
    """Where reading stands. A rule that does not match puts it back where it was."""

    tokens: list[Token]
    place: int = 0

    @property
    def is_done(self) -> bool:
        """Whether all was taken."""
        return self.place >= len(self.tokens)

    def take(self, *kinds: Kind) -> Token | None:
        """The next token if it is of one of the kinds."""
        if not self.is_done and self.tokens[self.place].kind in kinds:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def word(self, *words: str) -> str | None:
        """The next word if it is one of these."""
        if not self.is_done and self.tokens[self.place].kind is Kind.WORD and self.tokens[self.place].text in words:
            self.place += 1
            return self.tokens[self.place - 1].text
        return None

    def named(self, names: dict[str, T]) -> T | None:
        """What the next word stands for, if it is one of the names."""
        found = self.word(*names)
        return None if found is None else names[found]

    def attempt(self, rule: Callable[[], T | None]) -> T | None:
        """What the rule finds; without, reading stands where it stood."""
        place = self.place
        found = rule()
        if not found:
            self.place = place
        return found

    def listed(self, item: Callable[[], T | None]) -> list[T]:
        """As many as there are, joined by commas and "and"."""
        found: list[T] = []
        place = self.place
        while (one := item()) is not None:
            found.append(one)
            place = self.place
            while self.take(Kind.AND):
                pass
        self.place = place
        return found

    def time(self, notes: list[str]) -> int | None:
        """A time of the day in seconds after midnight: ``9:00``, ``5pm``, ``noon`` or a bare hour, which is noted.

        Raises:
            InvalidRequest: a bare number over 23.

        """
        if said := self.take(Kind.CLOCK):
            return said.value
        number = self.take(Kind.NUMBER)
        if number is None:
            return None
        hour = number.value
        if hour > _LAST_HOUR:
            raise InvalidRequest(f'No clock shows "{number.text}"; write a time such as 9:00, 17:30 or 5pm.')
        half = self.attempt(lambda: self.word("in") and self.word("morning", *_LATER))
        if half in _LATER and hour < _NOON:
            hour += _NOON
        if half is None and 1 <= hour <= _NOON:
            other = f"; write {hour + _NOON}:00 if you mean the afternoon" if hour < _NOON else ""
            notes.append(f'"{number.text}" is read on the 24-hour clock as {hour:02}:00{other}.')
        return hour * 3600

    def text(self, start: int) -> str:
        """What was written from the token ``start`` to here."""
        return " ".join(token.text for token in self.tokens[start : self.place])
