"""An agent over MCP: from "the checkout test fails" to the moment and the picture, and what it asks further."""

import asyncio
import base64
import io
import shutil
from pathlib import Path

import numpy as np
import pytest
from mcp import Client
from PIL import Image

from adapters.video.ocr.reader import TextReader
from tests.fakes.daemons.commands import daemon
from tests.fakes.daemons.served import cost_of, fields_of, text_of

pytestmark = [pytest.mark.anyio, pytest.mark.programs]
CLIP = Path(__file__).parents[2] / "samples" / "checkout.mp4"
EXPECTED = '"Payment received" is shown after "Place order"'
TRACES = Path(__file__).parents[1] / "data" / "traces"
FURTHER = ["Order 1042 confirmed", "Green mug 11.90 euros", "Travel mug", "Error", "Payment failed"]


def read(picture: str) -> str:
    """The words on a picture."""
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"))
    return " ".join(text for _, text, _ in TextReader(of_videos=True).read(image[..., ::-1]))


@pytest.mark.nightly
async def test_two_calls_lead_from_a_red_test_to_the_moment_and_the_picture_and_more_questions_are_quick(
    tmp_path: Path,
) -> None:
    clip = shutil.copy(CLIP, tmp_path / "checkout.mp4")
    (tmp_path / "data").mkdir()
    with daemon(tmp_path / "data") as port:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            watched = await client.call_tool("analyse_video", {"path": str(clip), "expectations": [EXPECTED]})
            job_id = fields_of(watched)["job_id"]
            assert fields_of(watched)["verdicts"][0]["verdict"] == "fail", text_of(watched)
            assert '[00:14.4] Clicked "Place order"' in text_of(watched)
            looked = await client.call_tool("look", {"job_id": job_id, "event": "Order 1042 confirmed"})
            assert [block.type for block in looked.content].count("image") == 2
            assert cost_of(watched) <= 2000
            assert cost_of(watched) + cost_of(looked) <= 4000

            async def ask(number: int) -> int:
                claim = f'"{FURTHER[number % len(FURTHER)]}" is shown before 00:{number + 10}'
                asked = {"path": str(clip), "expectations": [claim]}
                fields = fields_of(await client.call_tool("analyse_video", asked))
                assert [each["expectation"] for each in fields["verdicts"]] == [claim]
                assert fields["description"] == fields_of(watched)["description"]
                return fields["duration_ms"]

            took = await asyncio.gather(*(ask(number) for number in range(20)))
    assert max(took) * 5 < fields_of(watched)["duration_ms"], "what was seen is kept, and not watched again"


@pytest.mark.nightly
async def test_three_calls_lead_from_a_red_test_with_its_trace_to_the_line_the_request_and_the_picture(
    tmp_path: Path,
) -> None:
    """What an agent has is that the checkout test is red, and the folder of the run's results."""
    results = tmp_path / "test-results"
    shutil.copytree(TRACES / "refused", results / "shop-checkout-chromium")
    shutil.copytree(TRACES / "passed-10", results / "shop-login-chromium")
    (tmp_path / "data").mkdir()
    with daemon(tmp_path / "data") as port:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            which = await client.call_tool("analyse_video", {"path": str(results)})
            assert which.is_error
            assert "shop-checkout-chromium/video.webm" in text_of(which)
            test = results / "shop-checkout-chromium"
            watched = await client.call_tool("analyse_video", {"path": str(test)})
            looked = await client.call_tool("look", {"job_id": fields_of(watched)["job_id"]})
    why = fields_of(watched)["why"]["text"]
    assert why.startswith('refused.spec.ts:31 click "Place order" → POST /api/orders 500 (0.3 s) → "Payment failed"')
    assert [block.type for block in looked.content].count("image") == 2
    before, after = (read(block.data) for block in looked.content if block.type == "image")
    assert "Payment failed" in after
    assert "Payment failed" not in before
    assert cost_of(which) + cost_of(watched) + cost_of(looked) <= 4000
