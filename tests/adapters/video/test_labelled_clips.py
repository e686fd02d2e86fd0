"""The offline analyser on real sessions with exact truth; ``bench/scoring.py`` says what counts as the same event."""

from __future__ import annotations

import pytest

from bench.clips import Clip, clips
from bench.scoring import Score, score, total
from bench.watching import watch
from core.analysis import VerdictResult
from core.expectations import judge_all

SHORT = {"idle", "shell", "toasts"}
"""Watched by day; the others by night."""
CLIPS = [clip for clip in clips() if clip.name in SHORT]
ALL = [pytest.param(clip, marks=[pytest.mark.nightly] if clip.name not in SHORT else []) for clip in clips()]
BAR = 0.95
FLOOR = 0.85
"""No single clip may be worse than this: one slip in a clip of few events costs much."""
VERDICTS_BAR = 0.94


def scored(clip: Clip) -> Score:
    return score(watch(clip.path)[1].timeline, clip.truth)


@pytest.mark.parametrize("clip", ALL, ids=lambda clip: clip.name)
def test_each_clip_is_told_truly(clip: Clip) -> None:
    result = scored(clip)
    assert result.f1 >= FLOOR, f"missed: {result.missed}, extra: {result.extra}"


def test_all_clips_together_reach_the_bar() -> None:
    result = total([scored(clip) for clip in CLIPS])
    assert result.f1 >= BAR, f"missed: {result.missed}, extra: {result.extra}"


@pytest.mark.parametrize("name", ["idle", pytest.param("still", marks=pytest.mark.nightly)])
def test_where_nothing_happens_nothing_is_told(name: str) -> None:
    clip = next(clip for clip in clips() if clip.name == name)
    assert watch(clip.path)[1].timeline == ()


@pytest.mark.parametrize("clip", ALL, ids=lambda clip: clip.name)
def test_no_word_is_quoted_that_was_never_on_screen(clip: Clip) -> None:
    assert scored(clip).unseen_words == ()


def test_a_toast_of_300_ms_is_one_event_with_its_end() -> None:
    clip = next(clip for clip in CLIPS if clip.name == "toasts")
    toasts = [event for event in watch(clip.path)[1].timeline if "Digest saved" in (event.text or "")]
    assert len(toasts) == 1
    assert toasts[0].until_ms is not None
    assert 200 <= toasts[0].until_ms - toasts[0].t_ms <= 400


def test_scripted_expectations_get_the_right_verdict_and_no_false_or_unproven_pass() -> None:
    judged = [
        (true, verdict)
        for clip in CLIPS
        for video, findings in [watch(clip.path)]
        for true, verdict in zip(
            clip.truth.expectations,
            judge_all([true.text for true in clip.truth.expectations], findings, video),
            strict=True,
        )
    ]
    right = sum(true.verdict is verdict.verdict for true, verdict in judged)
    passes = [(true, verdict) for true, verdict in judged if verdict.verdict is VerdictResult.PASS]
    assert right / len(judged) >= VERDICTS_BAR
    assert [
        true.text for true, verdict in passes if true.verdict is not VerdictResult.PASS or not verdict.evidence
    ] == []
