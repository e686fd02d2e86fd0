"""What is near to a question in meaning, by the vectors of a model that the user switched on; off, nothing leaves."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from core.errors import VaiderError
from core.memories.ports import Sent, SentLedger, What

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.memory import Procedure
    from core.recall.ports import Span

_LOG = logging.getLogger("vaider.memory")
NAME: Final = "embeddings"
"""Under which the list of what was sent tells of it."""
MOST_VECTORS: Final = 100_000
"""Of so many of the newest procedures; comparing more would hold up an answer."""
_BATCH: Final = 32
_NEAREST: Final = 20
_END_SECONDS: Final = 5.0
_LONGEST: Final = 2000
"""Signs of a procedure that are sent; models read some hundred words."""


class Near(NamedTuple):
    """A procedure whose meaning is near."""

    number: int
    deviations: float
    """By how many standard deviations it is nearer than the mean of all."""


class Embeddings(Protocol):
    """A model that turns texts into vectors. Raises ``ProviderError``."""

    @property
    def model(self) -> str:
        """Its name, with whatever changes its vectors: those of two models cannot be compared."""
        ...

    @property
    def host(self) -> str:
        """Where texts go."""
        ...

    def embed(self, texts: Sequence[str], *, is_question: bool) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each text; blocks, for a bounded time."""
        ...


class VectorMemories(Protocol):
    """The vectors of procedures, which go when their procedure goes. Raises ``StorageFailed``."""

    def without_vector(self, model: str, limit: int) -> Sequence[Procedure]:
        """Of the newest ``MOST_VECTORS`` those that have none of that model, the newest first."""
        ...

    def add_vectors(self, model: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep vectors by the ids of their procedures; of those that are gone meanwhile, none."""
        ...

    def nearest(self, model: str, vector: Sequence[float], span: Span | None, limit: int) -> Sequence[Near]:
        """The nearest of that model and dimension, the nearest first."""
        ...


class Meaning:
    """Looks for what is near in meaning, and has vectors made of what has none yet.

    Args:
        memories: where vectors are kept.
        embeddings: the model.
        ledger: in which whatever leaves is written down before it does.

    """

    def __init__(self, memories: VectorMemories, embeddings: Embeddings, ledger: SentLedger) -> None:
        self._memories = memories
        self._embeddings = embeddings
        self._ledger = ledger
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def stop(self) -> None:
        """Send no more texts and questions; what is being sent is waited for, for a little while."""
        self._stopped.set()
        with self._starting:
            thread = self._thread
        if thread is not None:
            thread.join(_END_SECONDS)

    def near(self, query: str, span: Span | None) -> Sequence[Near]:
        """What is near to a question; nothing when the model does not answer. Raises ``StorageFailed``."""
        if self._stopped.is_set():
            return ()
        try:
            self._note("question", [query])
            (vector,) = self._embeddings.embed([query], is_question=True)
        except VaiderError as error:
            _LOG.warning("%s", error.message)
            return ()
        return self._memories.nearest(self._embeddings.model, vector, span, _NEAREST)

    def catch_up_aside(self) -> threading.Thread:
        """The same as ``catch_up`` on a thread of its own, which is returned; one that is at it already goes on."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self.catch_up, name="memory-vectors", daemon=True)
                self._thread.start()
            return self._thread

    def catch_up(self) -> int:
        """Make the vectors that are missing, the newest first; tells how many. At once where it is done already."""
        if not self._lock.acquire(blocking=False):
            return 0
        made = 0
        try:
            while not self._stopped.is_set():
                waiting = self._memories.without_vector(self._embeddings.model, _BATCH)
                if not waiting:
                    break
                texts = [text_of(each) for each in waiting]
                self._note("words", texts, waiting)
                vectors = self._embeddings.embed(texts, is_question=False)
                self._memories.add_vectors(
                    self._embeddings.model,
                    {each.id: vector for each, vector in zip(waiting, vectors, strict=True)},
                )
                made += len(waiting)
        except VaiderError as error:
            _LOG.warning("%s", error.message)
        finally:
            self._lock.release()
        return made

    def _note(self, what: What, texts: Sequence[str], shown: Sequence[Procedure] = ()) -> None:
        self._ledger.add(
            Sent(
                at=datetime.now(UTC),
                what=what,
                host=self._embeddings.host,
                refiner=NAME,
                model=self._embeddings.model,
                seen_from=min((each.started_at for each in shown), default=None),
                seen_until=max((each.ended_at for each in shown), default=None),
                text_bytes=sum(len(text.encode()) for text in texts),
            )
        )


def text_of(procedure: Procedure) -> str:
    """What a procedure says, for a model."""
    places = "; ".join((*procedure.applications, *procedure.titles))
    steps = ". ".join(step.text for step in procedure.steps)
    return f"{procedure.summary}\n{places}\n{steps}\n{'; '.join(procedure.texts)}"[:_LONGEST]
