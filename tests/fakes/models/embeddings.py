"""A server on loopback that turns texts into vectors in both dialects, and refuses what the real ones refuse."""

import re
from typing import Any

from tests.fakes.web.servers import FakeServer, Request, Response

KEY = "test-key-of-nobody"
CONCEPTS = (
    ("bigger", "text", "font", "size", "letters"),
    ("remove", "delete", "erase"),
    ("print", "paper", "toner"),
    ("mail", "letter", "signature"),
)
"""Words that mean the same here; each other word means something of its own."""


def vector_of(text: str, dimension: int) -> list[float]:
    """Where a text lies: its concepts in the first places, the other words by chance in the rest."""
    vector = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()):
        concept = next((place for place, words in enumerate(CONCEPTS) if word in words), None)
        vector[len(CONCEPTS) + sum(word.encode()) % (dimension - len(CONCEPTS)) if concept is None else concept] += (
            0.1 if concept is None else 3.0
        )
    return vector


class FakeEmbeddings(FakeServer):
    """The server. ``script`` holds answers to be given instead of the own ones."""

    def __init__(self, *, key: str | None = KEY, dimension: int = 32) -> None:
        super().__init__()
        self.script: list[Response] = []
        self.texts: list[str] = []
        self._key = key
        self._dimension = dimension

    def answer(self, request: Request) -> Response:
        if self.script:
            return self.script.pop(0)
        said = request.headers.get("x-goog-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key is not None and said != self._key:
            return Response(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
        if request.path.endswith(":batchEmbedContents"):
            return self._gemini(request.json)
        if request.path.endswith("/embeddings"):
            return self._openai(request.json)
        return Response(404, {"error": {"message": "not found", "code": 404, "status": "NOT_FOUND"}})

    def _gemini(self, body: dict[str, Any]) -> Response:
        requests = body["requests"]
        if any("taskType" in each and not each["model"].endswith("-001") for each in requests):
            return Response(400, {"error": {"code": 400, "message": "taskType", "status": "INVALID_ARGUMENT"}})
        texts = [part["text"] for each in requests for part in each["content"]["parts"]]
        self.texts += texts
        return Response(200, {"embeddings": [{"values": vector_of(text, self._dimension)} for text in texts]})

    def _openai(self, body: dict[str, Any]) -> Response:
        self.texts += body["input"]
        rows = [
            {"object": "embedding", "index": place, "embedding": vector_of(text, self._dimension)}
            for place, text in enumerate(body["input"])
        ]
        # The order is told by the index alone.
        return Response(200, {"object": "list", "model": body["model"], "data": rows[::-1], "usage": {}})
