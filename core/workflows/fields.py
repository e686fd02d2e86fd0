"""The members of a document's objects, read one by one; what is wrong with them is collected, not raised."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, cast

from core.actions import MAX_TEXT
from core.errors import InvalidWorkflow

_NAMES_LISTED: Final = 5
_KEPT: Final = 50
_MAX_PLACE: Final = 300


class Findings:
    """What was found wrong with a document (``faults``), and what is merely ignored (``notes``)."""

    def __init__(self) -> None:
        self._faults: list[str] = []
        self._count = 0
        self._notes: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """``path: what is ignored, and why``; at most fifty."""
        return tuple(self._notes)

    def fault(self, path: str, rule: str) -> None:
        """A rule is broken there."""
        self._count += 1
        if self._count <= _KEPT:
            self._faults.append(f"{path[-_MAX_PLACE:]}: {rule}")

    def note(self, path: str, remark: str) -> None:
        """Something there has no effect."""
        if len(self._notes) < _KEPT:
            self._notes.append(f"{path[-_MAX_PLACE:]}: {remark}")

    def raise_faults(self) -> None:
        """Raise ``InvalidWorkflow`` if there are any; ``faults`` in its details holds the first fifty, a line each."""
        if not self._count:
            return
        text = "; ".join(self._faults[:_NAMES_LISTED])
        more = self._count - min(self._count, _NAMES_LISTED)
        raise InvalidWorkflow(
            f"{text}{f'; and {more} more' if more else ''}.",
            faults="\n".join(self._faults),
            fault_count=self._count,
        )


class Fields:
    """One JSON object of the document."""

    def __init__(self, findings: Findings, path: str, raw: Mapping[str, Any]) -> None:
        self.findings = findings
        self.path = path
        self.raw = raw

    def at(self, name: str) -> str:
        """Where a member is, e.g. ``plan.subtasks[0].text``."""
        return f"{self.path}.{name}" if self.path else name

    def fault(self, name: str, rule: str) -> None:
        """A rule is broken by that member."""
        self.findings.fault(self.at(name), rule)

    def text(self, name: str, *, required: bool = False, most: int = MAX_TEXT) -> str:
        """A string; where it is ``required``, not a blank one. Else absent and ``null`` are the empty string."""
        value = self.raw.get(name)
        if value is None and not required:
            return ""
        if name not in self.raw:
            self.fault(name, "is missing")
        elif not isinstance(value, str):
            self.fault(name, f"must be a string, not {kind(value)}")
        elif required and not value.strip():
            self.fault(name, "must not be empty")
        elif len(value) > most:
            self.fault(name, f"must have at most {most} characters")
        else:
            return value
        return ""

    def optional_text(self, name: str) -> str | None:
        """A string or ``null``."""
        return None if self.raw.get(name) is None else self.text(name)

    def flag(self, name: str) -> bool:
        """``true`` or ``false``; absent and ``null`` are ``false``."""
        value = self.raw.get(name)
        if value is not None and not isinstance(value, bool):
            self.fault(name, f"must be true or false, not {kind(value)}")
        return value is True

    def index(self, name: str, expected: int) -> None:
        """A number that repeats the position of the object in its list."""
        value = self.raw.get(name)
        if name not in self.raw:
            self.fault(name, f"is missing; it must be {expected}, its place in the list")
        elif isinstance(value, bool) or value != expected:
            self.fault(name, f"must be {expected}, its place in the list")

    def texts(self, name: str, *, at_least: int, at_most: int) -> tuple[str, ...]:
        """A list of strings that are not blank."""
        return tuple(
            Fields(self.findings, "", {f"{self.at(name)}[{at}]": each}).text(f"{self.at(name)}[{at}]", required=True)
            for at, each in enumerate(self.list(name, at_least=at_least, at_most=at_most))
        )

    def list(self, name: str, *, at_least: int, at_most: int) -> Sequence[Any]:
        """A list; absent and ``null`` are the empty one where that is allowed."""
        value = self.raw.get(name)
        if value is None and not at_least:
            return ()
        if name not in self.raw:
            self.fault(name, "is missing")
            return ()
        if not isinstance(value, list):
            self.fault(name, f"must be a list, not {kind(value)}")
            return ()
        items = cast("list[Any]", value)
        if len(items) < at_least:
            self.fault(name, "must not be empty")
        if len(items) > at_most:
            self.fault(name, f"must have at most {at_most} entries, not {len(items)}")
        return items[:at_most]

    def objects(self, name: str, *, at_least: int, at_most: int) -> Sequence[Fields]:
        """A list of objects."""
        return [
            self._entered(f"{name}[{at}]", each)
            for at, each in enumerate(self.list(name, at_least=at_least, at_most=at_most))
        ]

    def object(self, name: str) -> Fields:
        """An object."""
        if name not in self.raw:
            self.fault(name, "is missing")
            return Fields(Findings(), self.at(name), {})
        return self._entered(name, self.raw[name])

    def free(self, name: str) -> dict[str, Any]:
        """An object of any content; absent and ``null`` are the empty one."""
        value = self.raw.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fault(name, f"must be an object, not {kind(value)}")
            return {}
        return self._plain(name, cast("dict[str, Any]", value))

    def only(self, *known: str) -> None:
        """Note the members that nothing reads."""
        for name in self.raw:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self.findings.note(self.at(name), f"is not part of the format and is ignored{hint}")

    def _entered(self, name: str, value: Any) -> Fields:
        if isinstance(value, dict):
            return Fields(self.findings, self.at(name), cast("dict[str, Any]", value))
        self.fault(name, f"must be an object, not {kind(value)}")
        # What is missing in something that is no object is no news.
        return Fields(Findings(), self.at(name), {})

    def _plain(self, name: str, value: Any) -> Any:
        match value:
            case Decimal():
                number = float(value)
                if math.isinf(number):
                    self.fault(name, "holds a number that is too large")
                return number
            case list():
                return [self._plain(f"{name}[{at}]", each) for at, each in enumerate(cast("list[Any]", value))]
            case dict():
                return {key: self._plain(f"{name}.{key}", each) for key, each in cast("dict[str, Any]", value).items()}
            case _:
                return value


def kind(value: Any) -> str:
    """What JSON calls the value's type, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "a string"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "a number"
