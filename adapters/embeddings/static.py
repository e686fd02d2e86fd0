"""What words mean, by the vectors that the package ``wordllama`` carries: its files are read, none of its code runs.

Formats: safetensors (a length of 8 bytes, a header in JSON, the rows), and the vocabulary of ``tokenizers``, whose
numbers are in the order in which pairs are merged.
"""

from __future__ import annotations

import functools
import itertools
import json
import threading
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from adapters.carried_data import carried_file
from core.errors import Internal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
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
    """Implements ``core.recall.words.Words``. To read it takes a tenth of a second and about 30 MB.

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
        told = np.zeros((len(texts) + 1, self._rows.shape[1]), "f4")
        with self._lock:
            self._keep(dict.fromkeys(_short(word) for each in (asked, *texts) for word in each))
            for row, words in enumerate((tuple(asked), *texts)):
                places = [place for word in words if (place := self._places.get(_short(word))) is not None]
                kept = self._kept[places].astype("f4")
                told[row] = (kept if row else kept * np.array([*asked.values()], "f4")[:, None]).sum(axis=0)
        told /= _length(told)
        return (told[1:] @ told[0]).tolist()

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
