"""Refining what is remembered: what is asked, what is kept, what is listed, and what a failure leaves."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.errors import Cancelled, Conflict, DailyCallsSpent, InvalidReply, NotFound, RateLimited, StorageFailed
from core.memories.refining import LATER
from core.procedures.sentences import hidden_typing
from tests.fakes.models.refiners import BEGAN, SEGMENT, RefiningScene, procedure, segment, step, words

BEFORE = ('Clicked "Settings"', '"New SSH key" appeared', "Clicked in Firefox")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[RefiningScene]:
    made = RefiningScene(tmp_path)
    made.memories.replace(
        SEGMENT, [procedure("a"), procedure("b", 30_000, step('Clicked "OK"', 31_000, inferred=False))]
    )
    yield made
    made.memories.close()


def test_only_inferred_and_vague_steps_get_other_words_and_all_else_stays(scene: RefiningScene) -> None:
    scene.refiner.said = words(
        "Clicked something else", 'Opened "New SSH key"', 'Clicked "Add" top right.', summary='Added a key in "GitHub"'
    )
    assert scene.refining.refine(segment()) == 1
    assert scene.refiner.asked == [("a", (2, 3))]
    assert scene.read_reports() == ('Clicked "Settings"', 'Opened "New SSH key"', 'Clicked "Add" top right')
    better, before = scene.memories.get("a"), procedure("a")
    assert better is not None
    assert better.summary == 'Added a key in "GitHub"'
    same = {"summary": before.summary, "steps": before.steps}
    assert better.model_copy(update=same) == before
    assert [(each.t_ms, each.until_ms, each.inferred) for each in better.steps] == [
        (each.t_ms, each.until_ms, each.inferred) for each in before.steps
    ]
    assert scene.memories.get("b") is not None


def test_what_was_refined_is_not_asked_about_again_also_after_a_restart(scene: RefiningScene) -> None:
    scene.refiner.said = words(None, 'Opened "New SSH key"')
    scene.refining.refine(segment())
    assert scene.restarted().refine(segment()) == 0
    assert scene.restarted().retry() == 0
    assert len(scene.refiner.asked) == 1
    scene.memories.replace(SEGMENT, [procedure("a")])
    assert scene.restarted().refine(segment()) == 1, "it was read again, and is as it was"


def test_what_leaves_is_in_the_list_before_it_leaves(scene: RefiningScene) -> None:
    listed: list[int] = []
    scene.refiner.meanwhile = lambda: listed.append(len(scene.ledger.newest(9)))
    scene.refining.refine(segment())
    (sent,) = scene.ledger.newest(9)
    assert listed == [1]
    assert (sent.memory, sent.video, sent.host, sent.refiner, sent.model) == (
        "a",
        SEGMENT,
        "127.0.0.1",
        "vision",
        "some-model",
    )
    assert (sent.what, sent.bytes, sent.text_bytes, sent.times_ms) == ("pictures", 1000, 50, (10_000, 18_000))
    assert (sent.seen_from, sent.seen_until) == (BEGAN + timedelta(seconds=10), BEGAN + timedelta(seconds=18))


def test_nothing_leaves_when_it_cannot_be_listed(scene: RefiningScene) -> None:
    scene.ledger.path.mkdir()
    with pytest.raises(StorageFailed):
        scene.refining.refine(segment())
    assert not scene.refiner.asked
    assert scene.read_reports() == BEFORE


def test_a_failure_changes_nothing_and_is_tried_twice_more_later(scene: RefiningScene) -> None:
    scene.refiner.fails = [RateLimited("Busy."), InvalidReply("Nonsense."), RateLimited("Busy.")]
    assert scene.refining.refine(segment()) == 0
    assert scene.read_reports() == BEFORE
    for wait, tries in ((LATER[0], 2), (LATER[1], 3)):
        refining = scene.restarted()
        assert refining.next_due() == scene.now + wait
        assert refining.retry() == 0
        assert len(scene.refiner.asked) == tries - 1, "it is not due yet"
        scene.now += wait
        assert refining.retry() == 0
        assert len(scene.refiner.asked) == tries
    assert scene.refining.next_due() is None
    scene.now += timedelta(days=9)
    assert scene.restarted().refine(segment()) == 0
    assert len(scene.refiner.asked) == 3
    assert scene.read_reports() == BEFORE


def test_the_calls_of_a_day_are_bounded_and_the_rest_waits_for_tomorrow(tmp_path: Path) -> None:
    scene = RefiningScene(tmp_path, calls_a_day=2)
    scene.memories.replace(
        SEGMENT, [procedure(name, start) for name, start in (("a", 0), ("b", 10_000), ("c", 20_000))]
    )
    scene.refiner.said = words(None, 'Opened "New SSH key"')
    assert scene.refining.refine(segment()) == 2
    assert scene.restarted().refine(segment()) == 0
    assert len(scene.ledger.newest(9)) == 2
    with pytest.raises(DailyCallsSpent):
        scene.refining.refine_memory("c")
    scene.now += timedelta(days=1)
    assert scene.restarted().retry() == 1
    assert len(scene.ledger.newest(9)) == 3
    scene.memories.close()


def test_a_procedure_with_a_hidden_value_stays_here(scene: RefiningScene) -> None:
    hidden = procedure("h", 40_000, step(hidden_typing("Token"), 41_000, inferred=False), step("Clicked", 43_000))
    scene.memories.replace(SEGMENT, [hidden])
    assert scene.refining.refine(segment()) == 0
    with pytest.raises(Conflict):
        scene.refining.refine_memory("h")
    assert not scene.refiner.asked
    assert not scene.ledger.newest(9)


def test_what_is_forgotten_while_it_is_asked_about_does_not_come_back(scene: RefiningScene) -> None:
    scene.refiner.said = words(None, 'Opened "New SSH key"')

    def forget() -> None:
        scene.refining.forget(BEGAN, BEGAN + timedelta(minutes=1))
        scene.ledger.forget(BEGAN, BEGAN + timedelta(minutes=1))
        scene.memories.forget(BEGAN, BEGAN + timedelta(minutes=1))

    scene.refiner.meanwhile = forget
    scene.refining.refine(segment())
    assert scene.memories.count() == 0
    assert not scene.ledger.newest(9)
    assert SEGMENT not in (scene.folder / "notes.json").read_text()


def test_what_is_forgotten_before_it_leaves_does_not_leave_and_is_noted_nowhere(scene: RefiningScene) -> None:
    def film_of(_: object) -> Path:
        scene.refining.forget(BEGAN, BEGAN + timedelta(minutes=1))
        return scene.folder / "film.mp4"

    scene.find_film = film_of
    assert scene.refining.refine(segment()) == 0
    scene.refiner.fails = [RateLimited("Busy.")]
    scene.find_film = lambda _: scene.film
    scene.refiner.meanwhile = lambda: scene.refining.forget(BEGAN, BEGAN + timedelta(minutes=1))
    assert scene.refining.refine(segment()) == 0
    assert len(scene.refiner.asked) == 1
    assert scene.refining.next_due() is None
    assert scene.read_reports() == BEFORE


def test_one_memory_is_refined_at_a_wish_with_all_its_steps(scene: RefiningScene) -> None:
    scene.refiner.said = words('Clicked the "Settings" tab')
    assert scene.refining.refine_memory("a").steps[0].text == 'Clicked the "Settings" tab'
    assert scene.refiner.asked == [("a", (1, 2, 3))]
    with pytest.raises(NotFound):
        scene.refining.refine_memory("zzz")
    scene.film = None
    with pytest.raises(NotFound):
        scene.refining.refine_memory("a")
    scene.refiner.lacking = "Set vision_base_url."
    with pytest.raises(Conflict, match="vision_base_url"):
        scene.refining.refine_memory("a")


def test_a_refiner_that_lacks_something_is_not_asked(scene: RefiningScene) -> None:
    scene.refiner.lacking = "Set vision_base_url."
    assert scene.refining.refine(segment()) == 0
    assert not scene.refiner.asked
    assert not scene.ledger.newest(9)


def test_stopping_is_no_failure(scene: RefiningScene) -> None:
    scene.refiner.fails = [Cancelled("The daemon stops.")]
    with pytest.raises(Cancelled):
        scene.refining.refine(segment())
    assert scene.refining.next_due() is None
    assert scene.restarted().refine(segment()) == 1
