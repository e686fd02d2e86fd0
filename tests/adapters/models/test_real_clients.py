"""The providers' own clients against the fakes: what these refuse and answer is what the clients expect."""

import io
from contextlib import closing
from typing import Any, cast

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors, types

from adapters.models.gemini import gemini_schema
from adapters.models.memory.gemini import SaidProcedure
from adapters.models.replies import VideoReply
from tests.fakes.models import anthropic_messages, openai_chat, openai_responses
from tests.fakes.models.anthropic_checks import OPUS_46
from tests.fakes.models.gemini import KEY, MODELS, FakeGemini, camel
from tests.fakes.models.gemini import error as googles

TOOL = {"type": "computer_20251124", "name": "computer", "display_width_px": 8, "display_height_px": 8}


def google(server: FakeGemini, key: str = KEY) -> genai.Client:
    return genai.Client(
        api_key=key, vertexai=False, http_options=types.HttpOptions(base_url=server.url, api_version="v1beta")
    )


def test_googles_client_uploads_asks_and_deletes() -> None:
    with FakeGemini(polls=0) as server, closing(google(server)) as client:
        file = client.files.upload(
            file=io.BytesIO(bytes(9 * 2**20)), config=types.UploadFileConfig(mime_type="video/mp4", name="files/clip")
        )
        assert file.state == types.FileState.ACTIVE
        part = types.Part(
            file_data=types.FileData(file_uri=file.uri, mime_type="video/mp4"),
            video_metadata=types.VideoMetadata(fps=5),
        )
        config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=VideoReply)
        answer = client.models.generate_content(model=MODELS[0], contents=cast("Any", [part, "What?"]), config=config)
        assert isinstance(answer.parsed, VideoReply)
        client.files.delete(name="files/clip")
        assert not server.files
        server.scripts["get"] = [googles(403, "PERMISSION_DENIED", "Not yours.")]
        with pytest.raises(errors.ClientError, match="Not yours"):
            client.files.get(name="files/clip")


@pytest.mark.parametrize("kind", [VideoReply, SaidProcedure])
def test_a_schema_is_what_googles_client_makes_of_it(kind: type[VideoReply | SaidProcedure]) -> None:
    with FakeGemini() as server, closing(google(server)) as client:
        config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=kind)
        client.models.generate_content(model=MODELS[0], contents="What?", config=config)
        assert server.asked()["generationConfig"]["responseSchema"] == camel(gemini_schema(kind))


def test_anthropics_client_is_answered_and_refused() -> None:
    said = {"role": "user", "content": [{"type": "text", "text": "Look."}]}
    asks: dict[str, Any] = {"model": OPUS_46, "max_tokens": 100, "tools": [TOOL], "messages": [said]}
    with (
        anthropic_messages.FakeAnthropic() as server,
        anthropic.Anthropic(api_key=anthropic_messages.KEY, base_url=server.url, max_retries=0) as client,
    ):
        server.script = [anthropic_messages.says(anthropic_messages.calls("computer", {"action": "screenshot"}))]
        message = cast("Any", client.beta.messages.create)(**asks, betas=["computer-use-2025-11-24"])
        assert [part.type for part in message.content] == ["tool_use"]
        with pytest.raises(anthropic.BadRequestError, match="does not match any of the expected tags"):
            client.messages.create(**asks)


def test_openais_client_is_answered_and_refused_by_both_apis() -> None:
    with (
        openai_responses.FakeResponses() as server,
        openai.OpenAI(api_key=openai_responses.KEY, base_url=server.base_url, max_retries=0) as client,
    ):
        server.script = [openai_responses.says(openai_responses.computer({"type": "wait"}))]
        said = {"role": "user", "content": [{"type": "input_text", "text": "Wait."}]}
        asks: dict[str, Any] = {"model": openai_responses.MODEL, "input": [said], "tools": [{"type": "computer"}]}
        answer = cast("Any", client.responses.create)(**asks)
        assert [item.type for item in answer.output] == ["computer_call"]
        with pytest.raises(openai.BadRequestError, match="'temperature' is not supported"):
            client.responses.create(**asks, temperature=0)
    with (
        openai_chat.FakeOpenAI() as server,
        openai.OpenAI(api_key=openai_chat.KEY, base_url=server.base_url, max_retries=0) as client,
    ):
        talk: dict[str, Any] = {"messages": [{"role": "user", "content": "Well?"}]}
        completion = cast("Any", client.chat.completions.create)(model=openai_chat.MODEL, **talk)
        assert completion.choices[0].finish_reason == "stop"
        with pytest.raises(openai.NotFoundError, match="does not exist"):
            client.chat.completions.create(model="another", **talk)
