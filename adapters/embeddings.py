"""What words mean: by the vectors that ``wordllama`` carries, or from a provider that the user switched on.

Formats: safetensors (a length of 8 bytes, a header in JSON, the rows), and the vocabulary of ``tokenizers``, whose
numbers are in the order in which pairs are merged.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

import numpy as np

from adapters.carried_data import carried_file
from adapters.models.failures import Provider
from adapters.models.retry import ONCE, Patience
from core.errors import Internal, InvalidCredentials, InvalidReply, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


_PACKAGE: Final = "wordllama"
_WEIGHTS, _PIECES = "l2_supercat_256.safetensors", "l2_supercat_tokenizer_config.json"
_BEGIN: Final = "▁"
_SHORTEST: Final = 3
_MOST_NEAR: Final = 16
_KEPT: Final = 16_384
"""Words that are kept at hand, 8 MB; a memory repeats its words."""
_LONGEST: Final = 64
_NO_PIECE: Final = 2**31


class StaticWords:
    """Implements ``core.recall.ports.Words``. To read it takes a tenth of a second and about 30 MB.

    Args:
        package: that carries the vectors.

    Raises ``Internal`` when the package is damaged or missing.
    """

    def __init__(self, package: str = _PACKAGE) -> None:
        try:
            weights, pieces = (carried_file(package, name) for name in (_WEIGHTS, _PIECES))
            self._pieces: dict[str, int] = json.loads(pieces.read_bytes())["model"]["vocab"]
            self._rows = _rows(weights)
        except (OSError, ValueError, KeyError) as error:
            raise Internal(f"What words mean cannot be read: install Vaider again ({error}).") from error
        self._whole = [
            word for piece in self._pieces if (word := piece.removeprefix(_BEGIN)) != piece and _is_word(word)
        ]
        rows = self._rows[[self._pieces[_BEGIN + word] for word in self._whole]].astype("f4")
        self._directions = rows / _length(rows)
        self._known = {word: place for place, word in enumerate(self._whole)}
        self._near = functools.lru_cache(_KEPT)(self._compared)
        self._lock = threading.Lock()
        self._places: dict[str, int] = {}
        self._kept = np.empty((_KEPT, self._rows.shape[1]), "f2")

    def near(self, word: str) -> Sequence[tuple[str, float]]:
        """As the port says."""
        return self._near(word.casefold())

    def alike(self, asked: Mapping[str, float], texts: Sequence[Sequence[str]]) -> Sequence[float]:
        """As the port says."""
        reported = np.zeros((len(texts) + 1, self._rows.shape[1]), "f4")
        with self._lock:
            self._keep(dict.fromkeys(_short(word) for each in (asked, *texts) for word in each))
            for row, words in enumerate((tuple(asked), *texts)):
                places = [place for word in words if (place := self._places.get(_short(word))) is not None]
                kept = self._kept[places].astype("f4")
                reported[row] = (kept if row else kept * np.array([*asked.values()], "f4")[:, None]).sum(axis=0)
        reported /= _length(reported)
        return (reported[1:] @ reported[0]).tolist()

    def _compared(self, word: str) -> tuple[tuple[str, float], ...]:
        if word not in self._known:
            return ()
        likeness = self._directions @ self._directions[self._known[word]]
        best: list[int] = np.argpartition(-likeness, _MOST_NEAR)[: _MOST_NEAR + 1].tolist()
        found = [(self._whole[place], round(float(likeness[place]), 3)) for place in best if self._whole[place] != word]
        return tuple(sorted(found, key=lambda each: -each[1]))

    def _keep(self, words: Collection[str]) -> None:
        """Have the direction of each word at hand: that of the mean of its pieces, and all of one length."""
        new = [word for word in words if word not in self._places]
        if len(self._places) + len(new) > _KEPT:
            # What is asked stands first, so it is never among what is left out.
            self._places, new = {}, list(words)[:_KEPT]
        if new:
            pieces = [self.pieces(word) for word in new]
            begins = np.cumsum([0, *map(len, pieces[:-1])])
            sums = np.add.reduceat(
                self._rows[[each for found in pieces for each in found]].astype("f4"), begins, axis=0
            )
            first = len(self._places)
            self._kept[first : first + len(new)] = sums / _length(sums)
            self._places.update(zip(new, range(first, first + len(new)), strict=True))

    def pieces(self, word: str) -> tuple[int, ...]:
        """The pieces of a word by byte pair encoding; signs that are no piece by their bytes."""
        if (whole := self._pieces.get(_BEGIN + word)) is not None:
            return (whole,)
        parts = list(_BEGIN + word)
        known = self._pieces.get
        merged = [known(one + other, _NO_PIECE) for one, other in itertools.pairwise(parts)]
        while merged and (best := min(merged)) != _NO_PIECE:
            place = merged.index(best)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
            del merged[place]
            for beside in (place - 1, place):
                if 0 <= beside < len(merged):
                    merged[beside] = known(parts[beside] + parts[beside + 1], _NO_PIECE)
        pieces: list[int] = []
        for part in parts:
            if part in self._pieces:
                pieces.append(self._pieces[part])
            else:
                pieces += (self._pieces[f"<0x{byte:02X}>"] for byte in part.encode("utf-8", "replace"))
        return tuple(pieces)


def _rows(path: Path) -> NDArray[np.float16]:
    """Mapped: only what is looked up is read."""
    with path.open("rb") as stream:
        begin = 8 + (length := int.from_bytes(stream.read(8), "little"))
        (tensor,) = (value for name, value in json.loads(stream.read(length)).items() if name != "__metadata__")
    if tensor["dtype"] != "F16":
        raise ValueError(tensor["dtype"])
    return np.memmap(path, dtype="<f2", mode="r", offset=begin, shape=tuple(tensor["shape"]))


def _short(word: str) -> str:
    return word.casefold()[:_LONGEST]


def _length(rows: Any) -> Any:
    return np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


def _is_word(text: str) -> bool:
    return len(text) >= _SHORTEST and text.isascii() and text.isalpha() and text.islower()


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


QUESTION_SECONDS: Final = 3.0
"""A question waits no longer for it; the words alone answer then."""
TEXTS_SECONDS: Final = 30.0
_MOST_BYTES: Final = 64 * 1024 * 1024


class RemoteEmbeddings:
    """Implements ``core.recall.meaning.Embeddings``.

    Args:
        dialect: a name in ``DIALECTS``.
        address: of a server that speaks it; empty for the provider's own.
        model: empty for the dialect's.
        key: asked for when it is needed, kept no longer than a request; ``None`` of a server that needs none.
        missing: what to say when the provider's own server is to be asked without a key.

    """

    def __init__(self, dialect: str, *, address: str, model: str, key: Callable[[], str | None], missing: str) -> None:
        self._dialect = DIALECTS[dialect]
        self._is_own = not address
        self._model = model or self._dialect.model
        self._key = key
        self._missing = missing
        self._provider = Provider(
            title="The embeddings provider",
            api="an embeddings server",
            address=(address or self._dialect.address).rstrip("/"),
            key_place="its key",
            model=self._model,
            model_setting="embeddings_model",
            url_setting="embeddings_base_url",
            lighter="ask with fewer words",
        )

    @property
    def model(self) -> str:
        """See the port."""
        return self._model

    @property
    def host(self) -> str:
        """See the port."""
        return urlsplit(self._provider.address).netloc.rpartition("@")[2]

    def embed(self, texts: Sequence[str], *, is_question: bool) -> Sequence[Sequence[float]]:
        """See the port. Raises ``ProviderError``."""
        key = self._key()
        if key is None and self._is_own:
            raise InvalidCredentials(self._missing)
        fault = self._provider.address_fault()
        if fault is not None:
            raise ProviderError(fault)
        return self._read(self._asked(texts, key, is_question=is_question), len(texts))

    def _asked(self, texts: Sequence[str], key: str | None, *, is_question: bool) -> dict[str, Any]:
        from adapters.models.http_client import ModelClient  # noqa: PLC0415 - only where it is switched on

        client = ModelClient(
            self._provider,
            key=key,
            headers=self._dialect.headers(key) if key else {},
            seconds=QUESTION_SECONDS if is_question else TEXTS_SECONDS,
            too_long=self._no_vectors(),
            max_answer=_MOST_BYTES,
        )
        body = self._dialect.body(self._model, texts, is_question)
        with contextlib.closing(client):
            return client.post(self._dialect.path(quote(self._model, safe="-._")), body, Patience(ONCE, lambda: None))

    def _read(self, answer: dict[str, Any], count: int) -> list[list[float]]:
        try:
            vectors = self._dialect.vectors(answer)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._no_vectors() from error
        lengths = [math.sqrt(math.fsum(value * value for value in vector)) for vector in vectors]
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != count or len(sizes) != 1 or not all(math.isfinite(length) and length for length in lengths):
            raise self._no_vectors()
        # A vector that was cut to a lower dimension is not of length 1 any more.
        return [[value / length for value in vector] for vector, length in zip(vectors, lengths, strict=True)]

    def _no_vectors(self) -> InvalidReply:
        return InvalidReply(
            f"{self._provider.shown_address} did not answer with one vector for each text: check embeddings_model."
        )
