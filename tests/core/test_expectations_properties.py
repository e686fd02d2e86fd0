"""What holds for every expectation and every clip."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from core.analysis import Findings, Sighting, VerdictResult
from core.expectations import judge
from tests.fakes.videos.clips import line, shop, typed, video

PASS, FAIL, UNCLEAR = VerdictResult.PASS, VerdictResult.FAIL, VerdictResult.UNCLEAR
FLIPPED = {PASS: FAIL, FAIL: PASS, UNCLEAR: UNCLEAR}

TEXTS = (
    "Saved",
    "Order 1042 confirmed",
    "Order 1024 confirmed",
    "Error",
    "0",
    "Items: 1",
    "Shop",
    "Order 1042 confirmd",
)
texts = st.sampled_from(TEXTS)
WORDS = """is not shown appears disappears before after within 3 s exactly 2 times once twice at the end start first
last then and or , no never stays for 2 seconds typed changes from to until always in red the a user sees gone hidden
of least most more than neither nor it on screen"""
words = st.sampled_from(WORDS.split())
quoted = texts.map(lambda text: f'"{text}"')
sentences = st.lists(st.one_of(words, quoted), max_size=14).map(" ".join)


@st.composite
def sightings(draw: st.DrawFn) -> Sighting:
    t_ms = draw(st.integers(0, 9000))
    lasts = draw(st.none() | st.integers(1, 5000))
    confidence = draw(st.sampled_from([0.3, 0.9, 1.0]))
    until = None if lasts is None else t_ms + lasts
    return line(draw(texts), t_ms, until, row=draw(st.integers(0, 5)), confidence=confidence)


clips = st.lists(sightings(), max_size=6).map(
    lambda seen: Findings(sightings=tuple(seen), timeline=(typed("Saved", 1000, 1500),))
)


@given(sentences, clips)
@example('"Error" is not shown', Findings(sightings=()))
@example('"Error" appears at most 2 times', Findings(sightings=()))
def test_no_pass_is_without_evidence_within_the_clip(sentence: str, clip: Findings) -> None:
    verdict = judge(sentence, clip, video(15_000))
    assert verdict.reason
    if verdict.verdict is PASS:
        assert verdict.evidence
    assert all(0 <= each.t_ms <= 15_000 for each in verdict.evidence)


@given(st.text(max_size=2000))
def test_any_text_at_all_gets_an_answer(sentence: str) -> None:
    verdict = judge(sentence, shop(), video())
    assert verdict.verdict is not PASS or '"' in sentence or any(sign in sentence for sign in "'`“”„«»‘‹「")  # noqa: RUF001 - every opening mark


@given(st.text(min_size=1, max_size=60), clips)
def test_any_text_can_be_quoted(text: str, clip: Findings) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    assert judge(f'"{escaped}" is shown', clip, video()).verdict in FLIPPED


@given(texts, clips.filter(lambda clip: bool(clip.sightings)))
def test_not_turns_pass_and_fail_around_and_leaves_unclear(text: str, clip: Findings) -> None:
    shown = judge(f'"{text}" is shown', clip, video()).verdict
    assert judge(f'"{text}" is not shown', clip, video()).verdict is FLIPPED[shown]
    assert judge(f'no "{text}"', clip, video()).verdict is FLIPPED[shown]


@given(
    texts,
    st.sampled_from(["within 3 s", "at the end", "at the start", "after 2 s"]),
    clips.filter(lambda clip: bool(clip.sightings)),
)
def test_not_turns_limited_claims_around_too(text: str, limit: str, clip: Findings) -> None:
    shown = judge(f'"{text}" is visible {limit}', clip, video()).verdict
    assert judge(f'"{text}" is not visible {limit}', clip, video()).verdict is FLIPPED[shown]


@given(texts, texts, clips)
def test_and_is_as_weak_as_its_weakest_part(one: str, other: str, clip: Findings) -> None:
    parts = [judge(f'"{text}" is shown', clip, video()).verdict for text in (one, other)]
    both = judge(f'"{one}" and "{other}" are shown', clip, video()).verdict
    assert both is FAIL if FAIL in parts else both in {UNCLEAR, PASS}
    if parts == [PASS, PASS]:
        assert both is PASS


@given(texts, texts, clips)
def test_an_order_never_passes_both_ways(one: str, other: str, clip: Findings) -> None:
    there = judge(f'"{one}" appears before "{other}"', clip, video()).verdict
    back = judge(f'"{other}" appears before "{one}"', clip, video()).verdict
    assert not (there is PASS and back is PASS)


@given(
    st.sampled_from(
        ["in red", "in the sidebar", "unless it rains", "only if asked", "quickly", "in bold", "above the list"]
    ),
    clips,
)
def test_a_qualifier_without_a_rule_is_never_judged(qualifier: str, clip: Findings) -> None:
    assert judge(f'"Saved" is shown {qualifier}', clip, video()).verdict is UNCLEAR
    assert judge(f'"Saved" is not shown {qualifier}', clip, video()).verdict is UNCLEAR


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_digit_is_ever_forgiven(seen: int, wanted: int) -> None:
    clip = Findings(sightings=(line(f"Order {seen} confirmed"),))
    verdict = judge(f'"Order {wanted} confirmed" is shown', clip, video()).verdict
    assert verdict is (PASS if seen == wanted else FAIL)
