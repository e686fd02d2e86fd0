"""The Gemini analyser against a real server that speaks Gemini's wire, through Google's own SDK."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from adapters.models.gemini import GeminiAnalyser
from adapters.models.retry import RetryPolicy
from core.analysis import EventKind, VerdictResult
from core.jobs import Stage
from tests.fakes.contexts import FakeContext
from tests.fakes.gemini import KEY, FakeGemini

if TYPE_CHECKING:
    from core.analysis import Findings, Video

REPLY: dict[str, object] = {
    "first_screen": ["Shop", "Basket (1)"],
    "events": [
        {
            "at": "00:01.2",
            "until": "00:01.5",
            "kind": "appeared",
            "text": "Saved",
            "before": None,
            "description": 'A message "Saved" appeared.',
        },
        {"at": "0.4", "until": None, "kind": "typed", "text": "ada", "before": None, "description": '"ada" was typed.'},
    ],
    "verdicts": [
        {"number": 2, "verdict": "fail", "reason": "It never left.", "evidence": []},
        {
            "number": 1,
            "verdict": "pass",
            "reason": "It was shown.",
            "evidence": [{"at": "00:01.2", "quote": "Saved"}],
        },
    ],
}


async def no_sleep(_: float) -> None:
    """Time does not pass in these tests."""


QUICK = RetryPolicy(attempts=3, max_seconds=60, sleep=no_sleep)


def analyser(
    server: FakeGemini,
    *,
    key: str | None = KEY,
    model: str = "gemini-3.8-flash",
    base_url: str | None = None,
    retry: RetryPolicy = QUICK,
    **options: Any,
) -> GeminiAnalyser:
    return GeminiAnalyser(
        key=lambda: key,
        model=model,
        base_url=server.url if base_url is None else base_url,
        prompt="Watch.",
        prompt_version="1",
        retry=retry,
        **options,
    )


def watch(gemini: GeminiAnalyser, video: Video, *expectations: str, context: FakeContext | None = None) -> Findings:
    return gemini.analyse(video, expectations, None, context or FakeContext())  # pyright: ignore[reportArgumentType] - Gemini makes no pictures


def test_an_analysis_uploads_polls_asks_and_deletes(gemini: FakeGemini, clip: Video) -> None:
    gemini.reply = REPLY
    context = FakeContext()
    found = watch(analyser(gemini), clip, '"Saved" is shown', '"Shop" disappears', '"x" is shown', context=context)

    assert [(event.t_ms, event.until_ms, event.kind, event.text) for event in found.timeline] == [
        (400, None, EventKind.TYPED, "ada"),
        (1200, 1500, EventKind.APPEARED, "Saved"),
    ]
    assert found.first_screen == ("Shop", "Basket (1)")
    assert found.sightings is None
    assert [(one.expectation, one.verdict) for one in found.verdicts] == [
        ('"Saved" is shown', VerdictResult.PASS),
        ('"Shop" disappears', VerdictResult.FAIL),
        ('"x" is shown', VerdictResult.UNCLEAR),
    ]
    assert found.verdicts[0].evidence[0].t_ms == 1200
    assert "did not answer" in found.verdicts[2].reason
    assert found.usage == {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    assert context.stages == [Stage.UPLOADING, Stage.ASKING]
    assert {"done": clip.size_bytes, "total": clip.size_bytes} in [data for _, data in context.reports]
    assert not gemini.files
    assert len(gemini.deleted) == 1


def test_the_video_comes_before_the_text_with_the_settings_on_it(gemini: FakeGemini, clip: Video) -> None:
    watch(analyser(gemini, fps=2.5, media_resolution="low"), clip, "it works")
    asked = gemini.asked()
    video, text = asked["contents"][0]["parts"]
    assert video["fileData"]["mimeType"] == "video/mp4"
    assert video["videoMetadata"] == {"fps": 2.5}
    assert json.loads(text["text"].split("\n", 1)[1]) == [{"number": 1, "expectation": "it works"}]
    assert asked["systemInstruction"]["parts"][0]["text"] == "Watch."
    assert asked["generationConfig"]["mediaResolution"] == "MEDIA_RESOLUTION_LOW"
    assert asked["generationConfig"]["responseMimeType"] == "application/json"
    assert set(asked["generationConfig"]["responseSchema"]["properties"]) == {"first_screen", "events", "verdicts"}
    assert all(request.path.startswith(("/v1beta/", "/upload/v1beta/")) for request in gemini.requests)
