"""A question about what was done, taken apart: what is asked for, when it was, and what must be said to the letter.

Rules of phrases, tried in order; the first that fits is the day or the stretch, with a part of the day beside it.
What may as well be the matter itself ("the Monday meeting", "yesterday's numbers", "the call at 3pm") is left in the
question.
"""

import calendar
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, time, timedelta
from typing import Final, NamedTuple

from core.recall.ports import DAY, Clock, Span
from core.recall.synonyms import longest_phrase, synonyms
from core.recall.terms import STOP_WORDS, WEAK_WORDS, folded, is_unspaced, word_terms, words_of
from core.text import MONTHS, NUMBERS, WEEKDAYS

Rule = Callable[[re.Match[str], Clock], Span | None]


def _numbered(names: Sequence[str], first: int) -> dict[str, int]:
    """The number of each name and of its first three letters, in lower case."""
    return {key.lower(): number for number, name in enumerate(names, first) for key in (name, name[:3])}


_NUMBERS: Final = NUMBERS | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "half an": 0.5, "half a": 0.5}
_FEW: Final = frozenset({"a few", "few", "some", "several"})
_MONTHS: Final = _numbered(MONTHS, 1) | {"sept": 9}
_WEEKDAYS: Final = _numbered(WEEKDAYS, 0)
_UNITS: Final = {
    "minute": timedelta(minutes=1), "min": timedelta(minutes=1), "hour": timedelta(hours=1), "day": DAY,
    "week": 7 * DAY, "month": 30 * DAY, "year": 365 * DAY, "second": timedelta(seconds=1),
}  # fmt: skip
_PARTS: Final = {
    "early morning": (time(4), time(9)), "morning": (time(4), time(12)), "noon": (time(11, 30), time(13, 30)),
    "lunchtime": (time(11, 30), time(14)), "afternoon": (time(12), time(18)), "evening": (time(17), time(23, 59)),
    "night": (time(19), time(23, 59)), "before lunch": (time(4), time(13)), "after lunch": (time(12), time(18)),
    "over lunch": (time(11, 30), time(14)), "late": (time(16), time(23, 59)), "early": (time(4), time(10)),
    "before noon": (time(4), time(12)), "after work": (time(17), time(23, 59)),
}  # fmt: skip
_FURTHEST: Final = timedelta(days=36_500)
_MONTH_LENGTH: Final = 28
_DAYS_IN_WEEK: Final = 7
_SATURDAY: Final = 5
_HOURS: Final = 24
_NOON: Final = 12
_NIGHT_ENDS: Final = time(5)


def _any(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_NUMBER: Final = rf"(?P<number>\d{{1,4}}|{_any(_NUMBERS)}|{_any(_FEW)})"
_UNIT: Final = rf"(?P<unit>{_any(_UNITS)})s?"
_MONTH: Final = rf"(?P<month>{_any(_MONTHS)})\.?"
_LONG_MONTH: Final = rf"(?P<month>{'|'.join(MONTHS).lower()})"
_WEEKDAY: Final = rf"(?P<weekday>{_any(_WEEKDAYS)})"
_DATE: Final = r"(?P<date>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>(?:19|20|21)\d\d)"
_PART: Final = (
    r"(?:\s+|,\s*)(?:(?:in|during|at)\s+(?:the\s+)?)?"
    # "About two" is also said of two things.
    rf"(?P<part>{_any(_PARTS)}|(?:before|after|around|about|at)\s+(?P<hour>\d{{1,2}}|(?<!about\s)(?:{_any(NUMBERS)}))"
    r"(?::(?P<minute>[0-5]\d))?\s*(?P<half>am|pm)?(?:\s+o'?clock)?)(?!\w)"
)


def find_span(text: str, clock: Clock) -> tuple[Span | None, str]:
    """The stretch of time that a question names, and the question without those words.

    Args:
        text: the question, without what it quotes.
        clock: the moment of the question, in the zone of the person who asks.

    """
    for pattern, rule in _RULES:
        for found in pattern.finditer(text):
            span = _safely(rule, found, clock)
            if span is not None:
                return span, f"{text[: found.start()]} {text[found.end() :]}"
    return None, text


def _safely(rule: Rule, found: re.Match[str], clock: Clock) -> Span | None:
    """What a rule says; nothing where the calendar has no such day."""
    try:
        return rule(found, clock)
    except (ValueError, OverflowError):
        return None


def _on_day(found: re.Match[str], clock: Clock, day: date) -> Span:
    """The day, or the part of it that is named."""
    part = found.groupdict().get("part")
    if part is None:
        return clock.days(day)
    part = " ".join(part.lower().split())
    if part in _PARTS:
        since, until = _PARTS[part]
        if part == "night":
            return clock.between(day, since, day + DAY, _NIGHT_ENDS)
        return (
            clock.between(day, since, day, until) if until < time(23) else clock.between(day, since, day + DAY, time())
        )
    return _at_hour(found, clock, day, part)


def _at_hour(found: re.Match[str], clock: Clock, day: date, part: str) -> Span:
    said, half = found["hour"].lower(), (found["half"] or "").lower()
    hour = NUMBERS.get(said) or int(said)
    if half:
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    elif hour < 7:  # noqa: PLR2004 - "after 3" is said of the afternoon
        hour += _NOON
    at = time(hour % _HOURS, int(found["minute"] or 0))
    if part.startswith("before"):
        return clock.between(day, time(), day, at)
    if part.startswith("after"):
        return clock.between(day, at, day + DAY, time())
    middle = clock.between(day, at, day, at).since
    return Span(middle - timedelta(minutes=45), middle + timedelta(minutes=75))


def _relative_day(days: int) -> Rule:
    return lambda found, clock: _on_day(found, clock, clock.today - days * DAY)


def _last_night(_found: re.Match[str], clock: Clock) -> Span:
    return clock.between(clock.today - DAY, time(18), clock.today, _NIGHT_ENDS)


def _weekday(found: re.Match[str], clock: Clock) -> Span:
    back = (clock.today.weekday() - _WEEKDAYS[found["weekday"].lower()]) % _DAYS_IN_WEEK
    if back == 0 and (found.groupdict().get("last") or "").lower() in {"last", "past", "previous"}:
        back = _DAYS_IN_WEEK
    return _on_day(found, clock, clock.today - back * DAY)


def _iso(found: re.Match[str], clock: Clock) -> Span:
    return _on_day(found, clock, date(int(found["year"]), int(found["month"]), int(found["date"])))


def _date_of_month(found: re.Match[str], clock: Clock) -> Span:
    month, number = _MONTHS[found["month"].lower()], int(found["date"])
    if found["year"]:
        return _on_day(found, clock, date(int(found["year"]), month, number))
    year = clock.today.year
    while date(year, month, min(number, _MONTH_LENGTH)) > clock.today:
        year -= 1
    return _on_day(found, clock, date(year, month, number))


def _month(found: re.Match[str], clock: Clock) -> Span:
    month = _MONTHS[found["month"].lower()]
    year = int(found["year"]) if found["year"] else clock.today.year - (month > clock.today.month)
    return _whole_month(clock, year, month)


def _whole_month(clock: Clock, year: int, month: int) -> Span:
    return clock.days(date(year, month, 1), calendar.monthrange(year, month)[1])


def _year(found: re.Match[str], clock: Clock) -> Span:
    year = int(found["year"])
    return clock.between(date(year, 1, 1), time(), date(year + 1, 1, 1), time())


def _this_or_last(found: re.Match[str], clock: Clock) -> Span:
    back = 0 if found["which"].lower() in {"this", "earlier this"} else 1
    today, unit = clock.today, found["unit"].lower()
    if unit == "week":
        return clock.days(today - (today.weekday() + 7 * back) * DAY, 7)
    if unit == "weekend":
        saturday = today - ((today.weekday() - _SATURDAY) % _DAYS_IN_WEEK) * DAY
        is_now = today.weekday() >= _SATURDAY
        return clock.days(saturday - (7 * DAY if back and is_now else timedelta()), 2)
    if unit == "month":
        first = today.replace(day=1) - DAY if back else today
        return _whole_month(clock, first.year, first.month)
    if unit == "year":
        return clock.between(date(today.year - back, 1, 1), time(), date(today.year - back + 1, 1, 1), time())
    return clock.ago(_UNITS[unit])


def _last_so_many(found: re.Match[str], clock: Clock) -> Span | None:
    number = _number(found["number"])
    return clock.ago(min(_FURTHEST, _UNITS[found["unit"].lower()] * (5 if number is None else number)))


def _ago(found: re.Match[str], clock: Clock) -> Span:
    """The span around a moment so long ago, because minutes and hours of such words are imprecise."""
    number, unit = _number(found["number"]), found["unit"].lower()
    each = _UNITS[unit]
    if number is None:
        return clock.ago(8 * each, each)
    if each == DAY and number >= 1:
        return clock.days(clock.today - min(int(number), 36_500) * DAY)
    length = min(_FURTHEST, each * number)
    slack = max(timedelta(minutes=10), length * 0.35) if each < DAY else max(DAY, each * 0.6)
    return clock.ago(length + slack, max(timedelta(), length - slack))


def _since(found: re.Match[str], clock: Clock) -> Span | None:
    inner, _ = find_span(found["what"], clock)
    now = clock.ago(timedelta(minutes=1)).until
    return None if inner is None or inner.since >= now else Span(inner.since, now)


def _just_now(_found: re.Match[str], clock: Clock) -> Span:
    return clock.ago(timedelta(minutes=20))


def _part_of_today(found: re.Match[str], clock: Clock) -> Span:
    return _on_day(found, clock, clock.today)


def _number(text: str) -> float | None:
    text = " ".join(text.lower().split())
    if text in _FEW:
        return None
    return _NUMBERS[text] if text in _NUMBERS else int(text)


def _rule(pattern: str, rule: Rule) -> tuple[re.Pattern[str], Rule]:
    return re.compile(rf"(?<![\w'-]){pattern}(?![\w'\u2019])", re.IGNORECASE), rule


_PREFIX: Final = r"(?:(?:on|from|of|late|early)\s+)?"
_RULES: Final[tuple[tuple[re.Pattern[str], Rule], ...]] = (
    _rule(
        rf"since\s+(?P<what>yesterday|today|this\s+\w+|last\s+\w+|\d{{4}}-\d\d-\d\d|{_WEEKDAY}|{_LONG_MONTH})",
        lambda found, clock: _since(_since_phrase(found), clock),
    ),
    _rule(rf"(?:on\s+)?{_YEAR}-(?P<month>\d\d)-(?P<date>\d\d)(?:{_PART})?", _iso),
    _rule(rf"(?:on\s+)?(?P<date>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}(?:{_PART})?", _iso),
    _rule(rf"(?:on\s+)?(?:the\s+)?{_DATE}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?(?:{_PART})?", _date_of_month),
    _rule(rf"(?:on\s+)?{_MONTH}\s+{_DATE}(?:,?\s+{_YEAR})?(?:{_PART})?", _date_of_month),
    _rule(rf"{_PREFIX}(?:the\s+)?day\s+before\s+yesterday(?:{_PART})?", _relative_day(2)),
    _rule(r"(?:yesterday\s+night|last\s+night)", _last_night),
    _rule(rf"{_PREFIX}yesterday(?:{_PART})?", _relative_day(1)),
    _rule(rf"(?:earlier\s+|later\s+)?today(?:{_PART})?", _relative_day(0)),
    _rule(r"(?:earlier\s+)?this\s+(?P<part>early morning|morning|noon|afternoon|evening)", _part_of_today),
    _rule(r"tonight", lambda _found, clock: clock.between(clock.today, time(17), clock.today + DAY, _NIGHT_ENDS)),
    _rule(rf"{_NUMBER}\s+{_UNIT}\s+(?:ago|back|earlier)", _ago),
    _rule(rf"(?:in|within|during|over)?\s*(?:the\s+)?(?:last|past|previous)\s+{_NUMBER}\s+{_UNIT}", _last_so_many),
    _rule(
        r"(?:in|during|over|on|at)?\s*(?:the\s+)?(?P<which>earlier\s+this|this|last|past|previous)\s+"
        r"(?P<unit>weekend|week|month|year|hour|day)",
        _this_or_last,
    ),
    _rule(rf"(?:on\s+)?(?P<last>last|past|previous|this)\s+{_WEEKDAY}(?:{_PART})?", _weekday),
    _rule(rf"on\s+(?:the\s+)?{_WEEKDAY}(?:{_PART})?", _weekday),
    _rule(rf"{_WEEKDAY}{_PART}", _weekday),
    _rule(rf"(?:back\s+)?in\s+{_LONG_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?", _month),
    _rule(rf"{_LONG_MONTH}\s+{_YEAR}", _month),
    _rule(rf"(?:back\s+)?in\s+{_YEAR}", _year),
    _rule(r"(?P<part>before lunch|after lunch|over lunch)", _part_of_today),
    _rule(r"(?:just\s+now|a\s+moment\s+ago|a\s+minute\s+ago|a\s+while\s+ago\s+today)", _just_now),
)


def _since_phrase(found: re.Match[str]) -> re.Match[str]:
    """The phrase after "since", as it would stand alone: a weekday or a month needs its preposition."""
    what = found["what"]
    lead = "on " if what.lower() in _WEEKDAYS else "in " if what.lower() in _MONTHS else ""
    again = re.fullmatch(r"(?P<what>.+)", lead + what, re.DOTALL)
    return again or found


_QUOTED: Final = re.compile(
    '"([^"]{1,200})"|“([^”]{1,200})[”"]|„([^“”"]{1,200})[“”"]|«([^»]{1,200})»|「([^」]{1,200})」|『([^』]{1,200})』'
    "|`([^`]{1,200})`|(?<!\\w)'([^']{2,200})'(?!\\w)"
)
_MOST_WORDS: Final = 24
_MOST_QUOTES: Final = 5
_SHORTENED: Final = re.compile("(?<=\\w)['\N{RIGHT SINGLE QUOTATION MARK}](?:s|d|m|t|re|ve|ll)\\b", re.IGNORECASE)


class QueryTerm(NamedTuple):
    """A word of the question."""

    terms: tuple[str, ...]
    """More than one for phrases that have synonyms."""
    said: tuple[str, ...] = ()
    """In lower case, as it was written."""
    written: str = ""
    """In lower case, where it may be misspelt: not for phrases, and not for scripts without spaces."""
    is_weak: bool = False
    """It is said of nearly everything."""


class Question(NamedTuple):
    """What was asked."""

    words: tuple[QueryTerm, ...]
    quotes: tuple[str, ...]
    """As ``folded``; each must stand in an answer."""
    span: Span | None

    @property
    def is_about_time_alone(self) -> bool:
        """Whether nothing is asked for but what was done."""
        return not self.words and not self.quotes


def understood(query: str, clock: Clock) -> Question:
    """The question that a text asks; any text asks one."""
    quotes: list[str] = []

    def quoted(found: re.Match[str]) -> str:
        text = next(group for group in found.groups() if group is not None)
        if folded(text) and len(quotes) < _MOST_QUOTES:
            quotes.append(folded(text))
        return f" {text} " if not folded(text) else " \n "

    rest = _QUOTED.sub(quoted, query)
    span, rest = find_span(rest, clock)
    words = list(_words(_SHORTENED.sub("", rest)))
    words += [asked for quote in quotes for asked in _words(quote, is_quoted=True)]
    return Question(tuple(dict.fromkeys(words))[:_MOST_WORDS], tuple(quotes), span)


def _words(text: str, *, is_quoted: bool = False) -> Iterator[QueryTerm]:
    """The words that say something; phrases that have synonyms as one."""
    known = synonyms()
    written = list(words_of(text))
    place = 0
    while place < len(written):
        for length in range(min(longest_phrase(), len(written) - place), 1, -1):
            terms = tuple(term for word in written[place : place + length] for term in word_terms(word))
            if not is_quoted and terms in known:
                yield QueryTerm(terms, tuple(map(str.casefold, written[place : place + length])))
                place += length
                break
        else:
            yield from _word(written[place], is_quoted=is_quoted)
            place += 1


def _word(word: str, *, is_quoted: bool) -> Iterator[QueryTerm]:
    lower = word.casefold()
    if lower in STOP_WORDS and not is_quoted:
        return
    if is_unspaced(word):
        terms = tuple(term for term in word_terms(word) if len(term) > 1) or word_terms(word)
        for term in terms:
            yield QueryTerm((term,), (term,))
        return
    terms = word_terms(word)
    yield QueryTerm(terms[:1], (lower,), lower, is_weak=lower in WEAK_WORDS)
