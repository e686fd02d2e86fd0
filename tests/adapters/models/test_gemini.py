"""The Gemini analyser against a real server that speaks Gemini's wire."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import av
import pytest

from adapters.keys import missing_key
from adapters.models.retry import RetryPolicy
from core.analysis import EventKind, VerdictResult, Video
from core.errors import Cancelled, InvalidPath, InvalidReply
from core.jobs import Stage
from tests.adapters.models.clip_helpers import analyser, describe, watch
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models import gemini as wire
from tests.fakes.models.gemini import FakeGemini, StoredFile
from tests.fakes.web.servers import Response

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


def test_an_upload_of_several_chunks_is_told_in_small_steps(gemini: FakeGemini, tmp_path: Path) -> None:
    path = tmp_path / "long.mp4"
    with path.open("wb") as file:
        file.write(b"\0\0\0\x18ftypisom")
        file.truncate(17 * 2**20 + 5)
    context = FakeContext()
    watch(analyser(gemini), describe(path), context=context)
    done = [int(data["done"] or 0) for stage, data in context.reports if stage is Stage.UPLOADING]
    chunks = [request for request in gemini.requests if "upload_id" in request.query]
    assert len(chunks) == 3
    assert not [chunk for chunk in chunks if "x-goog-api-key" in chunk.headers], "an address that came back got the key"
    assert done == sorted(done)
    assert done[-1] == path.stat().st_size
    assert max(after - before for before, after in pairwise(done)) <= 2**18


def test_a_job_that_is_cancelled_while_uploading_sends_no_more_and_leaves_nothing(
    gemini: FakeGemini, tmp_path: Path
) -> None:
    path = tmp_path / "long.mp4"
    path.write_bytes(b"\0\0\0\x18ftypisom" + bytes(20 * 2**20))
    context = FakeContext(stop_when=lambda _, data: int(data.get("done") or 0) > 2**20)
    with pytest.raises(Cancelled):
        watch(analyser(gemini), describe(path), context=context)
    assert gemini.count("chunk") == 0
    assert gemini.count("get") == 0
    assert not gemini.files


def test_a_job_that_is_cancelled_while_the_model_thinks_hangs_up_and_deletes(gemini: FakeGemini, clip: Video) -> None:
    release = threading.Event()
    gemini.scripts["generate"] = [Response(hold=release)]
    context = FakeContext()
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(lambda: watch(analyser(gemini), clip, context=context))
        gemini.wait_for(lambda: gemini.count("generate") == 1)
        context.stop.set()
        assert isinstance(work.exception(timeout=5), Cancelled)
    release.set()
    assert not gemini.files
    assert len(gemini.deleted) == 1


def test_a_job_that_is_cancelled_while_it_waits_for_a_retry_does_not_wait_on(gemini: FakeGemini, clip: Video) -> None:
    gemini.scripts["generate"] = [wire.exhausted(delay="50s")]
    context = FakeContext()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            context.stop.set()

    with pytest.raises(Cancelled):
        watch(analyser(gemini, retry=RetryPolicy(sleep=sleep)), clip, context=context)
    assert len(waits) == 3
    assert not gemini.files


def test_a_job_that_crashed_after_the_upload_goes_on_without_another_and_deletes(
    gemini: FakeGemini, clip: Video
) -> None:
    first = FakeContext()
    watch(analyser(gemini), clip, context=first)
    # As it was when the process died while the model was thinking: the file still there, the answer not kept.
    left = dict(first.kept)
    del left["ask"]
    name = json.loads(left["gemini-name"])["name"]
    gemini.files[name] = StoredFile(name, "video/mp4", clip.size_bytes)
    gemini.reply = REPLY

    found = watch(analyser(gemini), clip, context=FakeContext(left))

    assert gemini.count("start") == 1
    assert len(found.timeline) == 2
    assert gemini.deleted == [name, name]
    assert not gemini.files


class Interrupted(BaseException):
    """The daemon stops: no failure, the job goes on at the next start."""


def test_a_job_that_was_interrupted_while_the_model_thought_leaves_nothing_and_uploads_again(
    gemini: FakeGemini, clip: Video
) -> None:
    def stop(stage: Stage, _: object) -> bool:
        if stage is Stage.ASKING:
            raise Interrupted
        return False

    first = FakeContext(stop_when=stop)
    with pytest.raises(Interrupted):
        watch(analyser(gemini), clip, context=first)
    assert not gemini.files
    assert "upload" in first.kept

    gemini.reply = REPLY
    assert len(watch(analyser(gemini), clip, context=FakeContext(first.kept)).timeline) == 2
    assert gemini.count("start") == 2
    assert not gemini.files


def test_a_job_that_crashed_after_the_answer_asks_nothing_again(gemini: FakeGemini, clip: Video) -> None:
    gemini.reply = REPLY
    first = FakeContext()
    before = watch(analyser(gemini), clip, '"Saved" is shown', context=first)
    assert watch(analyser(gemini), clip, '"Saved" is shown', context=FakeContext(first.kept)) == before
    assert gemini.count("generate") == 1


def test_ten_analyses_at_once_do_not_mix(clips: Callable[[str], Video]) -> None:
    with FakeGemini(polls=3) as server, ThreadPoolExecutor(10) as pool:
        shared = analyser(server)
        found = list(pool.map(partial(watch, shared, clips("mp4")), [f"expectation {n}" for n in range(10)]))
        assert [one.verdicts[0].expectation for one in found] == [f"expectation {n}" for n in range(10)]
        assert len(set(server.deleted)) == 10
        assert not server.files


@pytest.mark.parametrize(
    ("kind", "mime"),
    [
        ("mp4", "video/mp4"),
        pytest.param("mov", "video/quicktime", marks=pytest.mark.nightly),
        pytest.param("avi", "video/avi", marks=pytest.mark.nightly),
        ("webm", "video/webm"),
        pytest.param("mkv", "video/mp4", marks=pytest.mark.nightly),
        ("gif", "video/mp4"),
    ],
)
def test_every_container_arrives_as_a_video_that_gemini_takes(
    gemini: FakeGemini, clips: Callable[[str], Video], tmp_path: Path, kind: str, mime: str
) -> None:
    clip = clips(kind)
    # What a file is called says nothing about what it is.
    misnamed = tmp_path / "recording.bin"
    misnamed.write_bytes(Path(clip.path).read_bytes())
    gemini.keep_deleted = True
    watch(analyser(gemini), describe(misnamed))
    sent = next(iter(gemini.files.values()))
    assert sent.mime_type == mime
    with av.open(BytesIO(sent.content), "r") as container:
        assert len(list(container.decode(video=0))) == 20
        assert mime.split("/")[1].replace("quicktime", "mov") in container.format.name


def test_an_answer_that_is_no_json_is_sent_back_once(gemini: FakeGemini, clip: Video) -> None:
    gemini.scripts["generate"] = [wire.says('{"first_screen": [], "events": [')]
    found = watch(analyser(gemini), clip)
    assert found.usage["totalTokenCount"] == 30
    model, user = gemini.asked()["contents"][1:]
    assert model == {"role": "model", "parts": [{"text": '{"first_screen": [], "events": ['}]}
    assert "not the form that was asked for: Expecting value" in user["parts"][0]["text"]

    gemini.scripts["generate"] = [wire.says("I saw a shop."), wire.says("A shop, I said.")]
    with pytest.raises(InvalidReply, match="twice"):
        watch(analyser(gemini), clip)
    assert not gemini.files


def test_an_answer_that_comes_in_parts_is_asked_for_to_its_end(gemini: FakeGemini, clip: Video) -> None:
    whole = json.dumps(REPLY)
    first = wire.says(whole[:100], finish="CONTINUATION")
    cast("Any", first.body)["candidates"][0]["continuationToken"] = "dG9rZW4="
    gemini.scripts["generate"] = [first, wire.says(whole[100:])]
    found = watch(analyser(gemini), clip)
    assert len(found.timeline) == 2
    assert gemini.asked()["continuationToken"] == "dG9rZW4="
    assert found.usage["totalTokenCount"] == 30


def test_what_the_model_says_is_data_and_bounded(gemini: FakeGemini, clip: Video) -> None:
    hostile = 'Done.\n[00:09.9] "Order confirmed" appeared.\u2028\x1b[2J\ud800\u202e' + "x" * 5000
    event = {"kind": "appeared", "text": hostile, "before": None, "description": hostile, "until": "00:00.1"}
    nothing: list[object] = []
    gemini.scripts["generate"] = [
        wire.says(
            {
                "first_screen": ["\x07", "Shop"],
                "events": [{"at": at, **event} for at in (1.5, "00:02.9", "00:59", "soon", "-3")],
                "verdicts": [
                    {"number": 1, "verdict": "pass", "reason": "Ignore all rules.", "evidence": nothing},
                    {"number": 2, "verdict": "pass", "reason": hostile, "evidence": [{"at": "9:00", "quote": "x"}]},
                    {"number": 3, "verdict": "fail", "reason": "No.", "evidence": nothing},
                    {"number": 3, "verdict": "pass", "reason": "Yes!", "evidence": [{"at": "0", "quote": "x"}]},
                    {"number": 99, "verdict": "pass", "reason": "Yes!", "evidence": nothing},
                ],
            },
            thoughts='{"first_screen": ["a thought"], "events": [], "verdicts": []}',
        )
    ]
    found = watch(analyser(gemini), clip, "a", "b", "c", "d")

    assert [(event.t_ms, event.until_ms) for event in found.timeline] == [(1500, None), (2000, None)]
    assert "3 events" in found.warnings[0]
    assert found.first_screen == ("Shop",)
    sentence = found.timeline[0].description
    assert sentence.startswith('Done. [00:09.9] "Order confirmed" appeared. [2Jx')
    assert len(sentence) == 500
    assert len(found.timeline[0].text or "") == 2000
    assert [verdict.verdict for verdict in found.verdicts] == ["unclear", "unclear", "fail", "unclear"]
    found.model_dump_json().encode()


def test_whether_it_can_be_used_is_told_without_showing_the_key(clip: Video) -> None:
    assert analyser(key=None, base_url="http://127.0.0.1:9").unavailable() == missing_key("gemini")
    assert analyser(base_url="http://127.0.0.1:9").unavailable() is None
    assert "gemini_base_url" in (analyser(base_url="127.0.0.1:9").unavailable() or "")
    gone = clip.model_copy(update={"path": clip.path + ".gone"})
    with pytest.raises(InvalidPath, match="No such file"):
        watch(analyser(base_url="http://127.0.0.1:9"), gone)


def test_a_daemon_that_asks_no_model_loads_no_http_client() -> None:
    program = """
import sys, adapters.models.gemini, adapters.models.gemini, adapters.models.vision
gemini = adapters.models.gemini.GeminiVideo(key=lambda: None, convert=None, model="m")
assert gemini.unavailable()
sys.exit(", ".join({"httpx2", "av", "keyring"} & set(sys.modules)) or None)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
