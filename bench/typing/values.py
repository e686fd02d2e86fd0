"""What is typed: names, addresses, sums, dates and codes of many countries, drawn by Faker and not chosen by eye."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from faker import Faker

LABELS: Final = ("Customer", "Street", "Town", "E-mail", "Amount", "Due date", "Article", "Reference")
_LOCALES: Final = (
    "en_GB", "en_IE", "de_DE", "fr_FR", "es_ES", "it_IT", "fi_FI", "sv_SE", "da_DK", "nl_NL", "pl_PL", "cs_CZ", "hu_HU",
    "ro_RO", "tr_TR", "pt_PT", "et_EE", "el_GR", "uk_UA", "ru_RU",
)  # fmt: skip


def rounds(count: int, *, seed: int) -> list[Sequence[str]]:
    """So many forms, each with a value for every label."""
    fakers = [Faker(locale) for locale in _LOCALES]
    for at, faker in enumerate(fakers):
        faker.seed_instance(seed + at)
    return [_form(fakers[at % len(fakers)]) for at in range(count)]


def _form(fake: Faker) -> Sequence[str]:
    values = (
        fake.name(),
        fake.street_address(),
        fake.city(),
        fake.ascii_email(),
        f"{fake.pyfloat(min_value=1, max_value=99999, right_digits=2):,.2f}",
        fake.date(pattern=fake.random_element(("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%d %b %Y"))),
        fake.bothify("??-####-?#", letters="ABCIOQSZilo10"),
        fake.password(length=12, special_chars=False),
    )
    return [" ".join(value.replace("|", " ").replace("{", "(").replace("}", ")").split()) for value in values]
