"""Words for how much and when: numbers, units, months, days."""

from __future__ import annotations

from typing import Final

from core.reload.matching.vocabulary import classes, words


def _counted(table: str) -> dict[str, str]:
    """Word to its number, from 0 on."""
    return {word: str(number) for number, word in enumerate(table.split())}


TIMELY: Final = frozenset({"date", "time", "month", "weekday", "day", "number", "ordinal"})
"""Kinds of words that can tell when."""
NUMBERS: Final = _counted("""
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
""")
ORDINALS: Final = _counted("""
zeroth first second third fourth fifth sixth seventh eighth ninth tenth
""")
MONTHS: Final = {
    word: number
    for number, line in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for word in line.split()
}
WEEKDAYS: Final = {
    word: line.split()[0]
    for line in (
        "monday mon",
        "tuesday tue tues",
        "wednesday wed",
        "thursday thu thur thurs",
        "friday fri",
        "saturday sat",
        "sunday sun",
    )
    for word in line.split()
}
DAYS: Final = words("""
today tomorrow yesterday tonight noon midnight morning afternoon evening
""")
UNITS: Final = classes("""
usd $ dollar dollars bucks
eur € euro euros
gbp £ quid
jpy ¥ yen
% percent
° degree degrees
kg kilogram kilograms kilo kilos
g gram grams
lb lbs pound pounds
oz ounce ounces
km kilometer kilometers kilometre kilometres
m meter meters metre metres
cm centimeter centimeters centimetre centimetres
mm millimeter millimeters millimetre millimetres
mi mile miles
ft foot feet
px pixel pixels
pt
ms millisecond milliseconds
sec seconds secs
min minute minutes mins
h hour hours hrs hr
kb kilobyte kilobytes
mb megabyte megabytes
gb gigabyte gigabytes
tb terabyte terabytes
""")
