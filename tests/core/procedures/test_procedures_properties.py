"""What holds of everything that is told, whatever was seen and logged."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.analysis import Event, EventKind, Findings, Sighting
from core.memory import Procedure
from core.plans.phrasing import quoted
from core.procedures.procedures import MOST_LETTERS, MOST_LINES, procedures_of
from core.procedures.sentences import LONGEST
from core.recording.input_log import Clicked, Dragged, Focused, InputEvent, InputLog, Pressed, Scrolled, Typed

BEGAN = datetime(2026, 11, 21, 9, tzinfo=UTC)
DURATION = 1_200_000
SETTLED = 400_000
"""What ended so long ago is told the same however much is read after it."""
WORDS = st.sampled_from(
    ["Save", "Title", "Saved 3 files", "New key", "保存しました", "تم الحفظ", 'a“b”«c»`d"e', "Name {x}", "•••••",
     "10:32",
     "1Password", "https://example.org/a", "Send money", "work:", "Undo", "Name", "Order 7 placed", "\u202eevil"]
)  # fmt: skip
ANY_TEXT = st.one_of(WORDS, st.text(max_size=30))
TIMES = st.integers(0, DURATION + 5000)
REGIONS = st.tuples(st.integers(-20, 1300), st.integers(-20, 740), st.integers(0, 300), st.integers(0, 60))
PLACES = st.fixed_dictionaries({"x": st.integers(-50, 2000), "y": st.integers(-50, 1200)})


@st.composite
def sightings(draw: st.DrawFn) -> Sighting:
    t_ms = draw(TIMES)
    until = draw(st.one_of(st.none(), st.integers(1, 300_000)))
    return Sighting(
        text=draw(ANY_TEXT),
        t_ms=t_ms,
        until_ms=None if until is None else t_ms + until,
        region=draw(st.one_of(st.none(), REGIONS)),
        confidence=draw(st.sampled_from([0.5, 0.9, 1.0])),
    )


@st.composite
def changes(draw: st.DrawFn) -> Event:
    t_ms = draw(TIMES)
    return Event(
        t_ms=t_ms,
        until_ms=draw(st.one_of(st.none(), st.just(t_ms + 900))),
        kind=draw(st.sampled_from(list(EventKind))),
        text=draw(st.one_of(st.none(), ANY_TEXT)),
        before=draw(st.one_of(st.none(), WORDS)),
        region=draw(st.one_of(st.none(), REGIONS)),
        confidence=draw(st.sampled_from([0.4, 0.95])),
        description=draw(st.text(max_size=20)),
    )


@st.composite
def inputs(draw: st.DrawFn) -> InputEvent:
    t_ms = draw(TIMES)
    until = t_ms + draw(st.integers(-500, 3000)) if t_ms > 500 else t_ms
    place: dict[str, Any] = draw(PLACES)
    kind = draw(st.integers(0, 5))
    button: Any = draw(st.sampled_from(["left", "middle", "right"]))
    match kind:
        case 0:
            return Clicked(t_ms=t_ms, button=button, count=draw(st.integers(1, 3)), **place)
        case 1:
            return Typed(t_ms=t_ms, until_ms=until, count=draw(st.integers(1, 20)))
        case 2:
            keys = draw(st.sampled_from([("enter",), ("ctrl", "v"), ("ctrl", "l"), ("alt", "tab"), ("", "x"), ()]))
            return Pressed(t_ms=t_ms, keys=keys)
        case 3:
            return Scrolled(t_ms=t_ms, until_ms=until, down=draw(st.integers(-3, 3)), **place)
        case 4:
            return Dragged(t_ms=t_ms, until_ms=until, to_x=5, to_y=5, button=button, **place)
        case _:
            application = draw(st.sampled_from(["Firefox", "XTerm", "KeePassXC", "", "エディタ"]))
            return Focused(t_ms=t_ms, application=application, title=draw(ANY_TEXT))


FINDINGS = st.builds(
    Findings,
    timeline=st.lists(changes(), max_size=8).map(tuple),
    sightings=st.one_of(st.none(), st.lists(sightings(), max_size=14).map(tuple)),
)
LOGS = st.one_of(
    st.none(),
    st.builds(
        InputLog,
        width=st.sampled_from([1280, 640, 1]),
        height=st.sampled_from([720, 1]),
        events=st.lists(inputs(), max_size=14).map(tuple),
    ),
)


def report(found: Findings, log: InputLog | None, duration_ms: int = DURATION) -> tuple[Procedure, ...]:
    return procedures_of(
        found,
        log,
        video="segment",
        source="recorder",
        started_at=BEGAN,
        duration_ms=duration_ms,
        complete=duration_ms == DURATION,
        size=(1280, 720),
    )


def until(found: Findings, log: InputLog | None, t_ms: int) -> tuple[Findings, InputLog | None]:
    """What had been seen and logged by then."""
    seen = [
        one.model_copy(update={"until_ms": None if one.until_ms is None or one.until_ms > t_ms else one.until_ms})
        for one in found.sightings or ()
        if one.t_ms <= t_ms
    ]
    timeline = tuple(event for event in found.timeline if max(event.t_ms, event.until_ms or 0) <= t_ms)
    events = tuple(event for event in log.events if event.t_ms <= t_ms) if log is not None else ()
    return (
        found.model_copy(update={"timeline": timeline, "sightings": None if found.sightings is None else tuple(seen)}),
        log.model_copy(update={"events": events}) if log is not None else None,
    )


@settings(max_examples=60)
@given(FINDINGS, LOGS)
def test_everything_told_lies_within_its_video_and_in_order(found: Findings, log: InputLog | None) -> None:
    procedures = report(found, log)

    assert report(found, log) == procedures
    assert len({procedure.id for procedure in procedures}) == len(procedures)
    assert [procedure.start_ms for procedure in procedures] == sorted(procedure.start_ms for procedure in procedures)
    for procedure in procedures:
        steps = procedure.steps
        assert 0 <= procedure.start_ms <= procedure.end_ms <= DURATION
        assert procedure.started_at == BEGAN + timedelta(milliseconds=procedure.start_ms)
        assert [step.t_ms for step in steps] == sorted(step.t_ms for step in steps)
        assert all(procedure.start_ms <= step.t_ms <= step.until_ms <= procedure.end_ms for step in steps)
        assert all(step.inferred == (log is None) for step in steps)
        assert 0 < len(procedure.summary) <= LONGEST
        assert len(procedure.texts) <= MOST_LINES
        assert sum(map(len, procedure.texts)) <= MOST_LETTERS


@settings(max_examples=60)
@given(FINDINGS, LOGS)
def test_every_quotation_stood_on_the_screen_or_in_a_title(found: Findings, log: InputLog | None) -> None:
    shown = [one.text for one in found.sightings or ()]
    shown += [text for event in found.timeline for text in (event.text, event.before, event.description) if text]
    shown += [event.title for event in log.events if isinstance(event, Focused)] if log is not None else []
    known = [" ".join("".join(sign if sign.isprintable() else " " for sign in text).split()) for text in shown]

    for procedure in report(found, log):
        for step in procedure.steps:
            place = f"{step.application} \u2013 {step.window}"
            said = quoted(step.text.replace(place, "").replace(step.window or "\0", ""))
            assert said is None or all(any(text.rstrip("\u2026") in each for each in known) for text in said.texts)
        assert "1Password" not in procedure.model_dump_json()
        assert "KeePass" not in procedure.model_dump_json()
        assert "•••" not in procedure.model_dump_json()


@settings(max_examples=60)
@given(FINDINGS, LOGS, st.integers(0, DURATION))
def test_what_ended_long_ago_keeps_its_id_when_more_is_read(found: Findings, log: InputLog | None, t_ms: int) -> None:
    later = {procedure.id for procedure in report(found, log)}

    settled = [each for each in report(*until(found, log, t_ms), t_ms) if each.end_ms < t_ms - SETTLED]
    assert {each.id for each in settled} <= later
