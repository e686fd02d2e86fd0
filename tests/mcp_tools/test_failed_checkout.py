"""An agent over MCP: from "the checkout test fails" to the moment and the picture, and what it asks further."""

import asyncio
import base64
import io
import shutil
from pathlib import Path

import pytest
from mcp import Client
from mcp.types import CallToolResult
from PIL import Image

from tests.fakes.daemons.commands import daemon
from tests.fakes.daemons.served import fields_of, text_of, tokens_of

pytestmark = [pytest.mark.anyio, pytest.mark.programs]
CLIP = Path(__file__).parents[2] / "samples" / "checkout.mp4"
EXPECTED = '"Payment received" is shown after "Place order"'
FURTHER = ["Order 1042 confirmed", "Green mug 11.90 euros", "Travel mug", "Error", "Payment failed"]


def cost(answered: CallToolResult) -> float:
    """What all of an answer costs a model: text, structure and pictures."""
    pictures = 0.0
    for block in answered.content:
        if block.type == "image":
            picture = Image.open(io.BytesIO(base64.b64decode(block.data)))
            pictures += picture.width * picture.height / 750
    words = answered.model_copy(update={"content": [each for each in answered.content if each.type == "text"]})
    return tokens_of(words) + pictures


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
            assert cost(watched) <= 2000
            assert cost(watched) + cost(looked) <= 4000

            async def ask(number: int) -> int:
                claim = f'"{FURTHER[number % len(FURTHER)]}" is shown before 00:{number + 10}'
                asked = {"path": str(clip), "expectations": [claim]}
                fields = fields_of(await client.call_tool("analyse_video", asked))
                assert [each["expectation"] for each in fields["verdicts"]] == [claim]
                assert fields["description"] == fields_of(watched)["description"]
                return fields["duration_ms"]

            took = await asyncio.gather(*(ask(number) for number in range(20)))
    assert max(took) * 5 < fields_of(watched)["duration_ms"], "what was seen is kept, and not watched again"
