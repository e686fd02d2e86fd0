"""How providers are asked for vectors, and where their answers hold them; one row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DIMENSION: Final = 768
"""Asked of Gemini's models, which can be cut (MRL): a quarter of the room, and hardly worse."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of asking.

    Args:
        address: of the provider itself.
        model: that is used when none is set.
        path: of the request, below the address, of a model.
        headers: that carry a key.
        body: of a request for texts, which are a question or not.
        vectors: out of an answer, in the order of the texts. Raises ``KeyError``, ``TypeError``, ``ValueError``.

    """

    address: str
    model: str
    path: Callable[[str], str]
    headers: Callable[[str], dict[str, str]]
    body: Callable[[str, Sequence[str], bool], dict[str, Any]]
    vectors: Callable[[Any], list[list[float]]]


def _gemini_body(model: str, texts: Sequence[str], is_question: bool) -> dict[str, Any]:
    return {"requests": [_gemini_request(model, text, is_question=is_question) for text in texts]}


def _gemini_request(model: str, text: str, *, is_question: bool) -> dict[str, Any]:
    """``gemini-embedding-001`` takes a task type; later ones refuse it, and want the task in the text."""
    request: dict[str, Any] = {"model": f"models/{model}", "outputDimensionality": DIMENSION}
    if model.endswith("-001"):
        request["taskType"] = "RETRIEVAL_QUERY" if is_question else "RETRIEVAL_DOCUMENT"
    else:
        text = f"task: search result | query: {text}" if is_question else f"title: none | text: {text}"
    return {**request, "content": {"parts": [{"text": text}], "role": "user"}}


def _openai_body(model: str, texts: Sequence[str], _is_question: bool) -> dict[str, Any]:
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _openai_vectors(answer: Any) -> list[list[float]]:
    rows = sorted(answer["data"], key=lambda row: int(row["index"]))
    return [list(map(float, row["embedding"])) for row in rows]


DIALECTS: Final[Mapping[str, Dialect]] = {
    "gemini": Dialect(
        address="https://generativelanguage.googleapis.com",
        model="gemini-embedding-001",
        path=lambda model: f"/v1beta/models/{model}:batchEmbedContents",
        headers=lambda key: {"x-goog-api-key": key},
        body=_gemini_body,
        vectors=lambda answer: [list(map(float, row["values"])) for row in answer["embeddings"]],
    ),
    "openai": Dialect(
        address="https://api.openai.com/v1",
        model="text-embedding-3-small",
        path=lambda _: "/embeddings",
        headers=lambda key: {"authorization": f"Bearer {key}"},
        body=_openai_body,
        vectors=_openai_vectors,
    ),
}
