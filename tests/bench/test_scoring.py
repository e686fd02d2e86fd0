import pytest

from bench.scoring import score, total
from bench.truth import TrueEvent, Truth
from bench.words import contains, recall, unseen
from core.analysis import Event, EventKind

TRUTH = Truth(
    clip="shop",
    width=1280,
    height=720,
    fps=25,
    duration_ms=9000,
    events=(
        TrueEvent(t_ms=1000, until_ms=1300, kind=EventKind.APPEARED, text="Blue mug added"),
        TrueEvent(t_ms=1100, kind=EventKind.CHANGED, text="1", before="0"),
        TrueEvent(t_ms=3000, until_ms=4000, kind=EventKind.TYPED, text="Ada Byron"),
        TrueEvent(t_ms=5000, until_ms=6000, kind=EventKind.BUSY),
        TrueEvent(t_ms=7000, kind=EventKind.NAVIGATED, text="Order 1042 confirmed"),
    ),
    optional=(TrueEvent(t_ms=1300, kind=EventKind.VANISHED, text="Blue mug added"),),
    vocabulary=("Blue mug added", "0", "1", "Ada Byron", "Order 1042 confirmed"),
)


def told(t_ms: int, kind: EventKind, text: str | None = None, **more: object) -> Event:
    fields = {"t_ms": t_ms, "kind": kind, "text": text, "confidence": 1.0, "description": "It happened."}
    return Event.model_validate(fields | more)


PERFECT = (
    told(1000, EventKind.APPEARED, "Blue mug added", until_ms=1300),
    told(1100, EventKind.CHANGED, "1", before="0"),
    told(3000, EventKind.TYPED, "Ada Byron", until_ms=4000),
    told(5000, EventKind.BUSY, until_ms=6000),
    told(7000, EventKind.NAVIGATED, "Order 1042 confirmed"),
)


def test_the_truth_itself_scores_one_without_any_error() -> None:
    result = score(PERFECT, TRUTH)
    assert (result.precision, result.recall, result.f1, result.median_error_ms) == (1.0, 1.0, 1.0, 0.0)
    assert (result.missed, result.extra, result.unseen_words, result.ends_missing) == ((), (), (), 0)


def test_nothing_predicted_where_nothing_happened_scores_one_and_a_false_alarm_there_scores_nothing() -> None:
    calm = TRUTH.model_copy(update={"events": (), "optional": ()})
    assert score((), calm).f1 == 1.0
    alarm = score(PERFECT[:1], calm)
    assert (alarm.precision, alarm.f1) == (0.0, 0.0)


def test_nothing_predicted_where_something_happened_scores_nothing() -> None:
    assert (score((), TRUTH).precision, score((), TRUTH).recall, score((), TRUTH).f1) == (0.0, 0.0, 0.0)


def test_telling_an_event_twice_costs_precision_and_no_recall() -> None:
    result = score((*PERFECT, PERFECT[4]), TRUTH)
    assert result.recall == 1.0
    assert result.precision == pytest.approx(5 / 6)


@pytest.mark.parametrize(("late", "is_found"), [(300, True), (301, False), (-300, True), (-301, False)])
def test_an_event_is_found_up_to_300_ms_off_at_25_frames_a_second(late: int, is_found: bool) -> None:
    moved = PERFECT[4].model_copy(update={"t_ms": 7000 + late})
    assert score((*PERFECT[:4], moved), TRUTH).recall == pytest.approx(1.0 if is_found else 0.8)


def test_one_and_a_half_frames_are_allowed_at_two_frames_a_second() -> None:
    slow = TRUTH.model_copy(update={"fps": 2.0})
    late = tuple(event.model_copy(update={"t_ms": event.t_ms + 750}) for event in PERFECT)
    assert score(late, slow).recall == 1.0
    assert score(late, TRUTH).recall == 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        told(7000, EventKind.APPEARED, "Order 1042 confirmed"),
        told(7000, EventKind.NAVIGATED, "Order 1024 confirmed"),
        told(7000, EventKind.NAVIGATED, "Welcome"),
    ],
    ids=["another kind", "another digit", "other words"],
)
def test_an_event_of_another_kind_or_with_other_words_is_not_the_same(wrong: Event) -> None:
    result = score((*PERFECT[:4], wrong), TRUTH)
    assert (len(result.missed), len(result.extra)) == (1, 1)


def test_a_changed_digit_must_name_what_was_there_before() -> None:
    vague = told(1100, EventKind.CHANGED, "1")
    assert len(score((PERFECT[0], vague, *PERFECT[2:]), TRUTH).missed) == 1


def test_what_appears_may_be_told_as_a_change_of_its_place_and_other_kinds_only_where_the_truth_allows() -> None:
    as_change = told(1000, EventKind.CHANGED, "Blue mug added")
    assert score((as_change, *PERFECT[1:]), TRUTH).f1 == 1.0
    navigated = TRUTH.events[4].model_copy(update={"also": (EventKind.APPEARED,)})
    tolerant = TRUTH.model_copy(update={"events": (*TRUTH.events[:4], navigated)})
    assert score((*PERFECT[:4], told(7000, EventKind.APPEARED, "Order 1042 confirmed")), tolerant).f1 == 1.0


def test_what_is_optional_is_neither_right_nor_wrong_but_excuses_only_once() -> None:
    end = told(1320, EventKind.VANISHED, "Blue mug added")
    assert score((*PERFECT, end), TRUTH).f1 == 1.0
    assert len(score((*PERFECT, end, end), TRUTH).extra) == 1


def test_a_crowd_is_paired_so_that_as_many_as_possible_are_found() -> None:
    events = tuple(TrueEvent(t_ms=t, kind=EventKind.BUSY) for t in (1000, 1250))
    crowd = TRUTH.model_copy(update={"events": events})
    # The nearest truth of both is the second one, and only the later prediction can do without it.
    assert score((told(1200, EventKind.BUSY), told(1500, EventKind.BUSY)), crowd).recall == 1.0


def test_a_missing_end_is_counted() -> None:
    endless = told(5000, EventKind.BUSY)
    assert score((*PERFECT[:3], endless, PERFECT[4]), TRUTH).ends_missing == 1


def test_words_that_were_never_on_screen_are_named() -> None:
    invented = told(7000, EventKind.NAVIGATED, "Order 1042 confirmed by Zebedee")
    assert score((*PERFECT[:4], invented), TRUTH).unseen_words == ("Zebedee",)


def test_a_method_without_words_is_judged_by_its_times_alone() -> None:
    wordless = tuple(told(event.t_ms, EventKind.CHANGED) for event in PERFECT)
    assert score(wordless, TRUTH, with_words=False).f1 == 1.0
    assert score(wordless, TRUTH).recall < 1


def test_adding_clips_up_weighs_every_event_the_same() -> None:
    both = total([score(PERFECT, TRUTH), score((), TRUTH)])
    assert (both.precision, both.recall) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Addto basket", "Add to basket", True),
        ("Order 1042 confirrned: your parcel", "Order 1042 confirmed", True),
        ("Order 1042 confirmed", "Order 1024 confirmed", False),
        ("7", "1", False),
        ("Settings saved", "Settings", True),
        ("", "Settings", False),
    ],
)
def test_reading_slips_are_forgiven_and_digits_never(text: str, words: str, expected: bool) -> None:
    assert contains(text, words) is expected


def test_words_are_unseen_only_when_no_line_holds_them_glued_or_misread() -> None:
    assert unseen(["Addto basket", "Chekout now", "Zebra"], ["Add to basket", "Checkout", "now"]) == ["Zebra"]


def test_word_recall_counts_each_reading_once() -> None:
    assert recall(["Add to basket"], ["Add", "to", "basket.", "Add"]) == (3, 4)
