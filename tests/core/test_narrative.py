"""The timeline told in words, as Markdown, and within a budget of tokens."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis import Action, ActionKind, Analysis, Event, EventKind, Evidence, Findings, Verdict, VerdictResult
from core.narrative import clock, narrate, sentence_of, timeline_markdown, within_tokens
from tests.fakes.videos.clips import video

HOSTILE = (
    "x](javascript:alert(1)) <script>alert(1)</script> | a | b\n# Heading\n\n- item `code` "
    "![i](http://evil.example/p.png) www.evil.example a@b.example \u202eabc"
)


def event(
    t_ms: int,
    description: str,
    kind: EventKind = EventKind.APPEARED,
    *,
    until_ms: int | None = None,
    frame: str | None = None,
) -> Event:
    return Event(t_ms=t_ms, until_ms=until_ms, kind=kind, confidence=0.9, description=description, frame=frame)


def analysis(
    *timeline: Event, verdicts: tuple[Verdict, ...] = (), first_screen: tuple[str, ...] = ("Shop",)
) -> Analysis:
    return Analysis(
        description=narrate(Findings(timeline=timeline, first_screen=first_screen), video()),
        duration_ms=900,
        video=video(),
        first_screen=first_screen,
        timeline=timeline,
        verdicts=verdicts,
        provider="local",
        provider_reason="auto chose local.",
        model="local-1",
        cached=False,
        interactions_dir="/clips/shop.mp4.VaiderInteractions",
        job_id="j1",
        usage={},
        warnings=(),
    )


@pytest.mark.parametrize(
    ("t_ms", "said"),
    [(0, "00:00.0"), (99, "00:00.0"), (59_999, "00:59.9"), (60_000, "01:00.0"), (6_000_000, "100:00.0")],
)
def test_a_moment_is_told_in_minutes_and_tenths_and_never_too_late(t_ms: int, said: str) -> None:
    assert clock(t_ms) == said


def test_the_narrative_tells_the_first_screen_and_then_each_event_with_its_end() -> None:
    timeline = (
        event(1200, '"Saved" appeared.', until_ms=1500),
        event(2000, '"Loading" appeared for 300 ms.', until_ms=2300),
        event(3000, '"alice" was typed.', EventKind.TYPED, until_ms=3800),
        event(65_040, '"Two\nlines"\x07 changed.', EventKind.CHANGED),
    )
    assert narrate(Findings(timeline=timeline, first_screen=("Shop", "Your name")), video()).splitlines() == [
        '[00:00.0] The screen showed "Shop", "Your name".',
        '[00:01.2] "Saved" appeared, and vanished 0.3 s later.',
        '[00:02.0] "Loading" appeared for 300 ms.',
        '[00:03.0] "alice" was typed, which took 0.8 s.',
        '[01:05.0] "Two lines" changed.',
    ]


def test_what_is_quoted_does_not_count_as_telling_the_end() -> None:
    text = narrate(Findings(timeline=(event(0, '"See you later" appeared.', until_ms=400),)), video())
    assert text.endswith('"See you later" appeared, and vanished 0.4 s later.')


def test_a_clip_in_which_nothing_happens_says_so() -> None:
    assert narrate(Findings(), video()).splitlines() == [
        "[00:00.0] The screen showed no text that could be read.",
        "[00:00.0] Nothing changed on the screen in the 10 s of this clip.",
    ]


def test_a_full_first_screen_is_told_by_its_main_lines_and_their_number() -> None:
    text = narrate(Findings(first_screen=tuple(f"Line {number}" for number in range(20))), video()).splitlines()[0]
    assert text.endswith('"Line 7" and 12 more lines.')


def test_the_markdown_has_the_verdicts_and_links_its_pictures() -> None:
    seen = Verdict(
        expectation='"Saved" is shown',
        verdict=VerdictResult.PASS,
        reason="It was there.",
        evidence=(Evidence(t_ms=1200, frame="frames/01 000.png", quote="Saved"),),
    )
    text = timeline_markdown(analysis(event(1200, '"Saved" appeared.', frame="frames/01 000.png"), verdicts=(seen,)))
    assert text.startswith("# shop.mp4\n")
    assert "Watched by local (local-1): auto chose local.\n" in text
    assert '| **pass** | "Saved" is shown | It was there. | 00:01.2 ([picture](frames/01%20000.png)) |' in text
    assert '- **00:01.2** "Saved" appeared. ([picture](frames/01%20000.png))' in text


def test_nothing_on_the_screen_becomes_markup_in_the_markdown() -> None:
    judged = Verdict(expectation=HOSTILE, verdict=VerdictResult.FAIL, reason=HOSTILE)
    text = timeline_markdown(
        analysis(event(0, HOSTILE, frame="../../etc/passwd"), verdicts=(judged,), first_screen=(HOSTILE,))
    )
    assert "<" not in text.replace("&lt;", "")
    assert not re.search(r"(?<!\\)\[[^\]]*(?<!\\)\]\(", text)
    assert "://" not in text
    assert "www." not in text
    assert "\u202e" not in text
    assert "etc/passwd" not in text
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# shop.mp4",
        "## What was expected",
        "## What happened",
    ]
    row = next(line for line in text.splitlines() if line.startswith("| **fail**"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 5


def test_what_fits_is_told_whole() -> None:
    reported = analysis(event(1200, '"Saved" appeared.'))
    assert within_tokens(reported, 2000) == reported.description


def test_a_long_timeline_loses_its_dullest_middle_first_and_says_so() -> None:
    proof = Verdict(
        expectation='"Event 25" is shown',
        verdict=VerdictResult.PASS,
        reason="It was there.",
        evidence=(Evidence(t_ms=25_000),),
    )
    dull = [event(t_ms * 1000, f'"Event {t_ms}" scrolled by.', EventKind.SCROLLED) for t_ms in range(50)]
    text = within_tokens(analysis(*dull, verdicts=(proof,)), 150)
    assert len(text) <= 600
    assert text.splitlines()[0] == 'PASS: "Event 25" is shown - It was there.'
    for kept in ("Event 0", "Event 1", "Event 25", "Event 48", "Event 49"):
        assert f'"{kept}" scrolled' in text
    missing = re.search(
        r"\((\d+) events left out; the whole answer: /clips/shop.mp4.VaiderInteractions/timeline.md\)", text
    )
    assert missing
    assert int(missing[1]) == 50 - text.count("scrolled")


@given(st.integers(1, 400), st.lists(st.text(max_size=200), max_size=40), st.lists(st.text(max_size=300), max_size=5))
def test_no_budget_is_ever_exceeded(tokens: int, descriptions: list[str], expectations: list[str]) -> None:
    verdicts = tuple(Verdict(expectation=each, verdict=VerdictResult.FAIL, reason=each) for each in expectations)
    timeline = [event(index * 100, each) for index, each in enumerate(descriptions)]
    assert len(within_tokens(analysis(*timeline, verdicts=verdicts), tokens)) <= tokens * 4


def test_an_action_is_one_line_with_its_effects_and_what_has_no_cause_stands_alone() -> None:
    timeline = (
        event(1000, '"Saved" appeared.', until_ms=3000).model_copy(update={"cause": 0}),
        event(1040, 'The text "0" changed to "1".', EventKind.CHANGED).model_copy(update={"cause": 0}),
        event(5000, '"The tide turns" appeared.'),
    )
    click = Action(t_ms=980, kind=ActionKind.CLICK, target="Save", confidence=0.9, description='Clicked "Save".')
    assert narrate(Findings(timeline=timeline, actions=(click,), first_screen=("Shop",)), video()).splitlines()[1:] == [
        '[00:00.9] Clicked "Save" → "Saved" appeared; The text "0" changed to "1".',
        '[00:05.0] "The tide turns" appeared.',
    ]


def test_the_end_of_what_stood_long_is_told_when_it_goes_and_not_before() -> None:
    brief, lasting = event(1000, '"Saved" appeared.', until_ms=2900), event(1000, '"Saved" appeared.', until_ms=3000)
    assert sentence_of(brief) == '"Saved" appeared, and vanished 1.9 s later.'
    assert sentence_of(lasting) == '"Saved" appeared.'


@pytest.mark.parametrize(
    ("until_ms", "said"), [(1020, "The content scrolled."), (1300, "The content scrolled, which took 0.3 s.")]
)
def test_how_long_something_took_is_told_unless_it_was_done_at_once(until_ms: int, said: str) -> None:
    assert sentence_of(event(1000, "The content scrolled.", EventKind.SCROLLED, until_ms=until_ms)) == said


def test_the_description_of_a_busy_clip_is_short_and_counts_what_it_leaves_out() -> None:
    timeline = tuple(
        event(100 * at, f'"Line {at} of a log that runs and runs and runs" appeared.') for at in range(400)
    )
    said = narrate(Findings(timeline=timeline, first_screen=("Log",)), video())
    assert len(said) <= 600 * 4
    left_out = re.search(r"\((\d+) smaller changes left out; the timeline has all of them\)", said)
    assert left_out is not None
    assert len(said.splitlines()) - 2 + int(left_out[1]) == 400
    assert '"Line 0 of' in said
    assert '"Line 399 of' in said


def test_a_number_that_goes_on_gives_way_to_what_is_told_once() -> None:
    counted: list[Event] = []
    for at in range(60):
        before, after = f"Ln {at}, Col {at}", f"Ln {at + 1}, Col {at + 1}"
        said = f'The text "{before}" changed to "{after}" where the caret is.'
        change = event(1000 + 200 * at, said, EventKind.CHANGED)
        counted.append(change.model_copy(update={"text": after, "before": before}))
    answer = event(7100, '"HTTP/1.1 200 OK" appeared.')
    said = narrate(Findings(timeline=(*counted[:31], answer, *counted[31:])), video())

    assert "200 OK" in said
    assert "smaller changes left out" in said


def test_a_dialog_that_opens_outlasts_words_that_changed() -> None:
    words = [
        event(1000 + 100 * at, f'"{at} days" changed to "{at + 1} days ago, and a week".').model_copy(
            update={"text": f"{at + 1} days ago", "confidence": 1.0}
        )
        for at in range(80)
    ]
    lines = "Create New Sample · Identifier · Description · Template · Cooking.ipynb · Cancel · Ok"
    dialog = event(4950, f'"{lines}" appeared.').model_copy(update={"text": lines})
    said = narrate(Findings(timeline=(*words[:40], dialog, *words[40:])), video())

    assert "Create New Sample" in said
    assert "smaller changes left out" in said
