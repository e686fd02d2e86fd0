import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.models.replies import MalformedReply, VideoReply, clean, parse_clock, parse_reply, to_findings
from core.analysis import VerdictResult, Video

VIDEO = Video(path="/v.mp4", duration_ms=61_500, width=8, height=8, fps=10, codec="h264", size_bytes=1, sha256="0")
NOTHING: dict[str, object] = {"first_screen": [], "events": [], "verdicts": []}


@pytest.mark.parametrize(
    ("text", "t_ms"),
    [
        ("00:01", 1000),
        ("00:01.25", 1250),
        ("01:01,5", 61_500),
        ("1:02:03", 3_723_000),
        ("90:00", 5_400_000),
        ("61.5", 61_500),
        ("61.5s", 61_500),
        (" 7 ", 7000),
        ("", None),
        ("-1", None),
        ("1:2:3:4", None),
        ("half past two", None),
        ("1e3", None),
        ("\u0661", None),
    ],
)
def test_a_moment_is_read_as_models_write_it(text: str, t_ms: int | None) -> None:
    assert parse_clock(text) == t_ms


@settings(deadline=None)
@given(st.text())
def test_text_of_any_kind_is_one_clean_bounded_line(text: str) -> None:
    line = clean(text, 50)
    assert len(line) <= 50
    assert line == " ".join(line.split())
    line.encode()
    assert clean(line, 50) == line


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*NOTHING, "at", "number"]) | st.text(), inner),
)


@settings(deadline=None)
@given(before=st.text(), said=JSON.map(json.dumps) | st.just(json.dumps(NOTHING)), after=st.text())
def test_whatever_a_model_says_is_an_answer_or_malformed_and_never_a_crash(before: str, said: str, after: str) -> None:
    try:
        reply = parse_reply(before + said + after, VideoReply)
    except MalformedReply:
        return
    findings = to_findings(reply, VIDEO, ("a", "b"))
    assert all(0 <= event.t_ms <= VIDEO.duration_ms for event in findings.timeline)
    assert [verdict.expectation for verdict in findings.verdicts] == ["a", "b"]
    assert all(verdict.evidence or verdict.verdict is not VerdictResult.PASS for verdict in findings.verdicts)
    findings.model_dump_json().encode()


@pytest.mark.parametrize("text", ["{" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "{}", "{}" * 100_000])
def test_a_flood_of_brackets_is_malformed(text: str) -> None:
    with pytest.raises(MalformedReply):
        parse_reply(text, VideoReply)


def test_the_answer_is_found_behind_thoughts_and_in_fences() -> None:
    answer = json.dumps(NOTHING | {"first_screen": ["{Shop}"]})
    for around in (f"<think>if {{x}} then</think>{answer}", f"```json\n{answer}\n```", f'{{"note": 1}} {answer} bye'):
        assert parse_reply(around, VideoReply).first_screen == ["{Shop}"]


def test_the_first_fault_is_named_where_it_is() -> None:
    said = '{"first_screen": [], "events": [], "verdicts": [{"number": 1, "verdict": "maybe", "reason": ""}]}'
    with pytest.raises(MalformedReply, match=r"verdicts\.0\.verdict: Input should be 'pass', 'fail' or 'unclear'"):
        parse_reply(said, VideoReply)


@pytest.mark.parametrize(
    ("at", "verdict", "t_ms"),
    [
        ("01:01.5", VerdictResult.PASS, 61_500),
        ("01:01.6", VerdictResult.PASS, 61_500),
        ("01:02.5", VerdictResult.PASS, 61_500),
        ("01:02.501", VerdictResult.UNCLEAR, None),
    ],
)
def test_evidence_up_to_a_second_past_the_end_is_at_the_end_and_later_proves_nothing(
    at: str, verdict: VerdictResult, t_ms: int | None
) -> None:
    judgement = {"number": 1, "verdict": "pass", "reason": "Seen.", "evidence": [{"at": at, "quote": "Saved"}]}
    reply = VideoReply.model_validate(NOTHING | {"verdicts": [judgement]})
    (judged,) = to_findings(reply, VIDEO, ("it was saved",)).verdicts
    assert judged.verdict is verdict
    assert [proof.t_ms for proof in judged.evidence] == ([] if t_ms is None else [t_ms])
