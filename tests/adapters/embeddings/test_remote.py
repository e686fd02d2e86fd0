import math

import pytest

from adapters.embeddings import RemoteEmbeddings
from core.errors import InvalidCredentials, InvalidReply, ProviderError
from tests.fakes.models.embeddings import KEY, FakeEmbeddings, vector_of
from tests.fakes.web.servers import Response


def asked(server: FakeEmbeddings, dialect: str, model: str = "", key: str | None = KEY) -> RemoteEmbeddings:
    return RemoteEmbeddings(dialect, address=server.url, model=model, key=lambda: key, missing="Set a key.")


@pytest.mark.parametrize("dialect", ["gemini", "openai"])
def test_each_text_has_its_vector_of_length_one(dialect: str) -> None:
    with FakeEmbeddings() as server:
        vectors = asked(server, dialect).embed(["delete it", "print on paper"], is_question=False)
    assert [math.hypot(*vector) for vector in vectors] == [pytest.approx(1), pytest.approx(1)]
    for vector, text in zip(vectors, server.texts, strict=True):
        plain = vector_of(text, 32)
        assert vector == pytest.approx([value / math.hypot(*plain) for value in plain])


def test_geminis_models_are_told_the_task_each_in_its_way() -> None:
    with FakeEmbeddings() as server:
        asked(server, "gemini").embed(["who"], is_question=True)
        asked(server, "gemini", "gemini-embedding-2").embed(["who"], is_question=True)
        asked(server, "gemini", "gemini-embedding-2").embed(["that"], is_question=False)
        first, *_ = [request.json["requests"][0] for request in server.requests]
    assert first == {
        "model": "models/gemini-embedding-001",
        "outputDimensionality": 768,
        "taskType": "RETRIEVAL_QUERY",
        "content": {"parts": [{"text": "who"}], "role": "user"},
    }
    assert server.texts == ["who", "task: search result | query: who", "title: none | text: that"]


def test_a_server_without_keys_is_sent_none() -> None:
    with FakeEmbeddings(key=None) as server:
        asked(server, "openai", key=None).embed(["x"], is_question=True)
    assert "authorization" not in server.requests[0].headers


def test_the_providers_own_server_is_not_asked_without_a_key() -> None:
    embeddings = RemoteEmbeddings("openai", address="", model="", key=lambda: None, missing="Set a key.")
    assert (embeddings.host, embeddings.model) == ("api.openai.com", "text-embedding-3-small")
    with pytest.raises(InvalidCredentials, match="Set a key"):
        embeddings.embed(["x"], is_question=True)


@pytest.mark.parametrize(
    "answer",
    [
        Response(200, "<html>"),
        Response(200, {}),
        Response(200, {"data": []}),
        Response(200, {"data": [{"index": 0, "embedding": list[float]()}]}),
        Response(200, {"data": [{"index": 0, "embedding": [0.0, 0.0]}]}),
        Response(200, {"data": [{"index": 0, "embedding": ["x"]}]}),
        Response(200, {"data": [{"index": 0, "embedding": [1e400]}]}),
        Response(200, [1]),
    ],
)
def test_what_is_no_vector_for_each_text_is_refused(answer: Response) -> None:
    with FakeEmbeddings() as server:
        server.script = [answer]
        with pytest.raises(InvalidReply, match=r"embeddings_(model|base_url)"):
            asked(server, "openai").embed(["x"], is_question=True)


def test_a_refusal_is_told_without_the_key() -> None:
    with FakeEmbeddings() as server:
        server.script = [Response(401, {"error": {"message": f"Incorrect API key: {KEY}", "code": "invalid_api_key"}})]
        with pytest.raises(ProviderError) as failure:
            asked(server, "openai").embed(["x"], is_question=True)
    assert KEY not in failure.value.message


def test_a_server_that_is_not_there_is_a_provider_error() -> None:
    embeddings = RemoteEmbeddings("openai", address="http://127.0.0.1:9/v1", model="", key=lambda: None, missing="")
    with pytest.raises(ProviderError):
        embeddings.embed(["x"], is_question=True)
    nowhere = RemoteEmbeddings("openai", address="not an address", model="", key=lambda: None, missing="")
    with pytest.raises(ProviderError, match="embeddings_base_url"):
        nowhere.embed(["x"], is_question=True)
