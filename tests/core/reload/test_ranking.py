from adapters.embeddings import StaticWords
from core.reload.options import expanded, ranked
from core.reload.ports import Nearby
from core.reload.requests import words

KEPT = [
    "Send the march report to Alice",
    "Delete the old invoice",
    "Open the calculator",
    "Enable dark mode",
    "Book a flight from Berlin to Paris",
]
NEARBY = [Nearby(f"reload-{number}", [words(text)]) for number, text in enumerate(KEPT, 1)]
MEANINGS = StaticWords()


def test_what_shares_rare_words_and_meaning_comes_first() -> None:
    for asked, first in {
        "mail Alice the report of march": "reload-1",
        "remove the old bill": "reload-2",
        "turn on the dark mode": "reload-4",
        "reserve a plane to Paris": "reload-5",
    }.items():
        found = ranked(words(asked), NEARBY, MEANINGS)
        assert found[0].entry_id == first, asked
        assert all(0 <= each.similarity <= 1.001 for each in found)


def test_without_meanings_the_words_alone_rank() -> None:
    assert ranked(words("open calculator"), NEARBY, None)[0].entry_id == "reload-3"
    assert expanded(["open"], None) == {"open": 1.0}


def test_of_several_wordings_the_nearest_counts() -> None:
    nearby = [Nearby("reload-9", [words("Run parcel-form"), words("Send a parcel")])]
    assert ranked(words("send the parcel"), nearby, MEANINGS)[0].phrasing == 1


def test_words_of_like_meaning_are_looked_up_too() -> None:
    assert 0.5 <= expanded(["buy"], MEANINGS)["purchase"] < 1
