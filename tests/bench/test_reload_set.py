"""The labelled pairs that reload is measured on, and how an offer is judged by them."""

from itertools import combinations

import pytest

from bench.reload_rival import Rival
from bench.reload_set import Half, Judge, Offer, Pair, pairs, recordings
from core.reload.offers import Question

HALVES: tuple[Half, ...] = ("development", "held_out", "fresh")
EVERY = {pair.id: pair for half in HALVES for pair in pairs(half)}


def _pair(asked: str) -> Pair:
    return next(pair for pair in EVERY.values() if pair.asked.request == asked)


def test_no_family_is_in_two_of_the_sets() -> None:
    families = [{each.family for each in recordings(pairs(half))} for half in HALVES]
    assert all(families)
    assert all(not one & other for one, other in combinations(families, 2))


def test_there_are_enough_pairs_of_either_label_and_each_has_its_own_id() -> None:
    assert len(EVERY) == sum(len(pairs(half)) for half in HALVES) >= 420
    assert 0.35 < sum(pair.same for pair in EVERY.values()) / len(EVERY) < 0.5


def test_each_value_stands_in_its_request() -> None:
    for pair in EVERY.values():
        assert all(value in pair.recording.question.request for value in pair.recording.values.values()), pair.id
        assert all(value in pair.asked.request for value in pair.values.values()), pair.id
        assert pair.values.keys() <= pair.recording.values.keys() - pair.recording.picked, pair.id
        assert pair.same or not pair.values, pair.id


def test_an_offer_fits_with_just_the_values_that_were_asked_for() -> None:
    judge = Judge(EVERY.values())
    pair = _pair("Send the march report to bob@example.com")
    right = {"recipient": "bob@example.com"}
    assert judge.fits(pair, Offer("march-report", "same", right))
    assert not judge.fits(pair, Offer("march-report", "same", {}))
    assert not judge.fits(pair, Offer("march-report", "same", {"recipient": "bob"}))
    assert not judge.fits(pair, Offer("german-mail", "same", right))


def test_no_offer_fits_what_is_another_thing() -> None:
    judge = Judge(EVERY.values())
    assert not judge.fits(_pair("Turn off wifi"), Offer("wifi", "same", {}))


def test_the_rival_scores_as_it_was_written_down() -> None:
    # Of five 2- and 3-grams each, they have three in common: 0.5 + 0.3 * 3 / 7 + 0.2.
    rival = Rival([("march", Question(trigger_type="user_message", request="open report for march"))])
    ((similarity, name),) = rival.offers(Question(trigger_type="user_message", request="open report for april"))
    assert name == "march"
    assert similarity == pytest.approx(0.7 + 0.3 * 3 / 7)
