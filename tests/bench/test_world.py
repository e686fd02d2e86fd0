import json

import pytest

from bench.world.covering import Cover, Line, uncovered
from bench.world.ledger import Ledger
from bench.world.scene import Scene
from bench.world.session import all_sessions
from bench.world.statements import judge
from bench.world.told import told
from bench.world.truth import Action, Lasting, Shift, Stay, Truth, halves
from core.analysis import Action as Told
from core.analysis import ActionKind, Event, EventKind, Findings, Region

TRUTH = Truth(
    session="shop",
    application="shop",
    kind="web",
    look="1280x720 25 vp9",
    width=1280,
    height=720,
    fps=25,
    duration_ms=12_000,
    actions=(Action(t_ms=5000, until_ms=5600, kind="type", value="mug"),),
    texts=(
        Stay(text="Welcome to the shop", t_ms=0, box=(40, 20, 300, 30)),
        Stay(text="Total: 29.00 EUR", t_ms=0, until_ms=2000, box=(40, 80, 200, 20)),
        Stay(text="Total: -5.00 EUR", t_ms=2000, box=(40, 80, 200, 20)),
        Stay(text="Search", t_ms=0, box=(40, 120, 60, 20)),
        Stay(text="m", t_ms=5000, until_ms=5600, box=(110, 120, 10, 20)),
        Stay(text="mug", t_ms=5600, box=(110, 120, 30, 20)),
        Stay(text="Blue mug", t_ms=8000, box=(40, 400, 90, 20)),
        Stay(text="In stock", t_ms=8000, box=(40, 430, 90, 20)),
    ),
    bars=(Stay(text="localhost:8000/basket", t_ms=2000, box=(0, 0, 0, 0)),),
    pictures=(Stay(t_ms=0, box=(600, 100, 400, 400)),),
    moving=(Stay(t_ms=0, until_ms=1000, box=(500, 500, 40, 40)),),
    shifts=(Shift(t_ms=10_000, until_ms=10_400, by=(0, -200), box=(40, 80, 300, 600)),),
)


def said(t_ms: int, kind: EventKind, text: str | None = None, *, region: Region | None = None, **more: object) -> Event:
    fields = {"t_ms": t_ms, "kind": kind, "text": text, "region": region, "confidence": 1.0, "description": "So."}
    return Event.model_validate(fields | more)


@pytest.mark.parametrize(
    ("event", "judgement"),
    [
        (said(2100, EventKind.CHANGED, "Total: -5.00 EUR", before="Total: 29.00 EUR"), "true"),
        (said(2100, EventKind.CHANGED, "Total: 5.00 EUR", before="Total: 29.00 EUR"), "partly"),
        (said(2100, EventKind.CHANGED, "Total: -5.00 EU", before="Total: 29.00 EUR"), "partly"),
        (said(3500, EventKind.CHANGED, "Total: -5.00 EUR", before="Total: 29.00 EUR"), "partly"),
        (said(5000, EventKind.CHANGED, "Total: -5.00 EUR", before="Total: 29.00 EUR"), "false"),
        (said(2000, EventKind.VANISHED, "Welcome to the shop"), "false"),
        (said(2000, EventKind.APPEARED, "Free shipping"), "false"),
        (said(5100, EventKind.TYPED, "Search mug", until_ms=5600), "true"),
        (said(5600, EventKind.APPEARED, "mug"), "partly"),
        (said(8000, EventKind.TYPED, "Blue mug"), "false"),
        (said(8000, EventKind.APPEARED, "Blue mug · In stock"), "true"),
        (said(8000, EventKind.APPEARED, "+ Blue mug · In stock *"), "true"),
        (said(8000, EventKind.APPEARED, "Blue mu... · In stock"), "true"),
        (said(8000, EventKind.APPEARED, "+Blue mug · In stock"), "partly"),
        (said(8000, EventKind.APPEARED, "Q Blue mug · In stock"), "partly"),
        (said(5600, EventKind.NAVIGATED, "mug"), "false"),
        (said(10_100, EventKind.SCROLLED), "true"),
        (said(4000, EventKind.SCROLLED, "Blue mug"), "false"),
        (said(2000, EventKind.APPEARED, "localhost:8000/basket"), "noise"),
        (said(4000, EventKind.APPEARED, "LWNE", region=(650, 150, 80, 20)), "noise"),
        (said(4000, EventKind.CHANGED, region=(10, 10, 20, 20)), "noise"),
        (said(300, EventKind.BUSY, region=(505, 505, 30, 30), until_ms=900), "true"),
        (said(5000, EventKind.BUSY, region=(100, 110, 80, 40), until_ms=5600), "false"),
    ],
)
def test_a_statement_is_judged_by_what_stood_on_the_screen(event: Event, judgement: str) -> None:
    assert judge(Findings(timeline=(event,)), Scene(TRUTH))[0].judgement == judgement


def test_what_a_program_repeats_of_typing_that_is_told_is_told_rightly_as_a_change() -> None:
    typed = Told(t_ms=5000, until_ms=5600, kind=ActionKind.TYPE, value="mug", confidence=1.0, description="So.")
    came = said(5600, EventKind.APPEARED, "mug", cause=0)

    (judged,) = judge(Findings(timeline=(came,), actions=(typed,)), Scene(TRUTH))
    assert judged.judgement == "true"


def test_the_same_statement_once_more_is_noise() -> None:
    event = said(8000, EventKind.APPEARED, "Blue mug")
    assert [each.judgement for each in judge(Findings(timeline=(event, event)), Scene(TRUTH))] == ["true", "noise"]


def test_lines_that_came_are_looked_for_at_their_time() -> None:
    early, right = said(6900, EventKind.APPEARED, "Blue mug"), said(8300, EventKind.APPEARED, "In stock")
    found = told(Findings(timeline=(early, right)), TRUTH)
    assert (found.lines_told, found.lines) == (1, 4)
    assert (found.moments_told, found.moments) == (1, 3)


def test_a_line_is_followed_while_the_page_scrolls_and_ends_where_it_leaves() -> None:
    ledger = Ledger()
    for t, gone, up in ((1000, 0, 0), (3000, 1, 90)):
        rows = [[text, 10, 100 + 30 * row - up, 60, 20, 0] for row, text in enumerate(("one", "two", "three", "four"))]
        ledger.take(t, json.dumps({"texts": rows[gone:]}))
    stays, shifts = ledger.stays("texts", 1000, 9000, 1.0)
    assert {stay.text: stay.until_ms for stay in stays} == {"one": 2000, "two": None, "three": None, "four": None}
    assert [(shift.t_ms, shift.by) for shift in shifts] == [(2000, (0, -90))]


def screen(*texts: str, covered: tuple[str, ...] = ()) -> dict[str, object]:
    def lines(texts: tuple[str, ...]) -> list[object]:
        return [[text, 10, 30 * len(text), 90, 20, 0, [text]] for text in texts]

    return {"texts": lines(texts), "covered": lines(covered), "apart": True}


def watched(ledger: Ledger) -> Truth:
    stays, _ = ledger.stays("texts", 1000, 9000, 1.0)
    return TRUTH.model_copy(update={"texts": tuple(stays)})


def test_a_change_is_as_late_as_its_program_tells_or_the_sweeps_leave_open() -> None:
    ledger = Ledger()
    ledger.look(500, 900, screen())
    ledger.look(2000, 4000, screen("Renamed", "Three letters"))
    ledger.hear(3100, "Renamed")
    truth = watched(ledger)
    assert {(stay.text, stay.since_ms, stay.t_ms) for stay in truth.texts} == {
        ("Renamed", None, 2100),
        ("Three letters", 1000, 3000),
    }
    appeared = [said(t, EventKind.APPEARED, text) for text in ("Renamed", "Three letters") for t in (1300, 2100)]
    judged = [judge(Findings(timeline=(event,)), Scene(truth))[0].judgement for event in appeared]
    assert judged == ["partly", "true", "true", "true"]
    assert told(Findings(timeline=(appeared[2],)), truth).lines_told == 1


def test_what_a_menu_covers_went_and_came_back_and_need_not_be_told() -> None:
    ledger = Ledger()
    for t, sample in (
        (1000, screen("A file", "Its folder")),
        (3000, screen("Rename", "Its folder", covered=("A file",))),
        (6000, screen("A file", "Its folder")),
    ):
        ledger.look(t, t, sample)
    truth = watched(ledger)
    assert [stay.covered for stay in truth.texts if stay.text == "A file"] == [(Lasting(t_ms=2000, until_ms=5000),)]
    events = [
        said(2100, EventKind.VANISHED, "A file"),
        said(5100, EventKind.APPEARED, "A file"),
        said(2100, EventKind.VANISHED, "Its folder"),
        said(7900, EventKind.VANISHED, "A file"),
    ]
    judged = [judge(Findings(timeline=(event,)), Scene(truth))[0].judgement for event in events]
    assert judged == ["true", "true", "false", "false"]
    assert told(Findings(timeline=()), truth).lines == 1


def test_of_a_line_that_is_covered_the_words_beside_the_cover_are_seen() -> None:
    file, menu = Line("apples and pears", (0, 0, 160, 20), 0, ("file",)), Cover((60, 0, 400, 300), 1, ("menu",))
    item = Line("Cut", (60, 0, 200, 20), 1, ("cut",))
    seen, covered = uncovered([file, item], [menu])
    assert seen == [("apples", 0, 0, 60, 20, 1, ("menu", "file")), ("Cut", 60, 0, 200, 20, 0, ("cut",))]
    assert covered == [("apples and pears", 0, 0, 160, 20, 0, ("menu", "file"))]


def test_every_session_belongs_to_one_half_and_both_have_every_kind() -> None:
    known, sessions = halves(), all_sessions()
    assert {session.application for session in sessions.values()} == set(known)
    for half in ("build", "held_out"):
        assert {each.kind for each in sessions.values() if known[each.application] == half} == {
            "web",
            "desktop",
            "terminal",
        }
