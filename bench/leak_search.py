"""Search everything that a daemon has kept, and everything that it answers, for words."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bench.rivals import read
from core.recording.input_log import LOG_SUFFIX
from tests.fakes.recordings.films import frames

BACKGROUND: Final = 0x00E060
"""Of the windows that are excluded; nothing else has it."""
_NEAR: Final = 30
_RUN: Final = 6
_FILMS: Final = {".mp4", ".mkv"}
_PICTURES: Final = {".png", ".jpg", ".jpeg", ".webp"}
_NEVER_ENDING: Final = "/events"


@dataclass(frozen=True)
class Words:
    """What may not be found, and what must be."""

    hidden: list[str]
    shown: list[str]

    def found(self, texts: Iterable[str], *, between: str = r"[^a-z\n]") -> tuple[int, int]:
        """How many of each are in the texts, by any six letters of theirs in a row, whatever is ``between``."""
        whole = "\n".join(re.sub(between, "", text.lower()) for text in texts)
        hidden, shown = (
            sum(any(word[at : at + _RUN] in whole for at in range(len(word) - _RUN + 1)) for word in each)
            for each in (self.hidden, self.shown)
        )
        return hidden, shown


@dataclass(frozen=True)
class Row:
    """What was found in one place."""

    where: str
    amount: str
    hidden: str
    shown: str

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """As a table has it."""
        return self.where, self.amount, self.hidden, self.shown


def everywhere(data: Path, http: httpx2.Client, words: Words) -> list[Row]:
    """Search the files below ``data``, the films and pictures among them, and all that the daemon answers."""
    files = [path for path in data.rglob("*") if path.is_file()]
    raw = words.found((text for path in files for text in _letters(path.read_bytes())), between="\0")
    rows = [Row("files, their bytes", f"{len(files)} files", str(raw[0]), str(raw[1]))]
    logs = [path.read_text(encoding="utf-8") for path in files if path.name.endswith(LOG_SUFFIX)]
    rows.append(Row("input logs", f"{len(logs)} logs", *map(str, words.found(logs))))
    pictures = [each for path in files for each in _pictures(path)]
    rows += _seen("films and pictures on disk", pictures, words)
    texts, clips = _answers(http, words)
    said = words.found(texts)
    rows.append(Row("answers of the API", f"{len(texts)} answers", str(said[0]), str(said[1])))
    (data.parent / "clips").mkdir(exist_ok=True)
    shown: list[NDArray[np.uint8]] = []
    for number, clip in enumerate(clips):
        path = data.parent / "clips" / f"{number}.mp4"
        path.write_bytes(clip)
        shown += _pictures(path)
    return rows + _seen("clips that it answers", shown, words)


def _seen(where: str, pictures: list[NDArray[np.uint8]], words: Words) -> list[Row]:
    """Read the pictures by OCR, and count those with green in them."""
    hidden, shown = words.found(line for picture in pictures for line in read(picture))
    green = sum(_is_green(picture) for picture in pictures)
    amount = f"{len(pictures)} pictures"
    return [Row(f"{where}, by OCR", amount, str(hidden), str(shown)), Row(f"{where}, green", amount, str(green), "")]


def _is_green(picture: NDArray[np.uint8]) -> bool:
    wanted = np.array([BACKGROUND & 255, BACKGROUND >> 8 & 255, BACKGROUND >> 16])
    return bool((np.abs(picture.astype(np.int16) - wanted).max(axis=2) < _NEAR).any())


def _letters(raw: bytes) -> Iterator[str]:
    """Bytes as text, of one byte a letter, and of two."""
    yield raw.decode("latin-1")
    yield raw.decode("utf-16-le", errors="ignore")


def _pictures(path: Path) -> list[NDArray[np.uint8]]:
    """All of a film that differ, or the one of a picture (rows, columns, blue-green-red)."""
    if path.suffix in _PICTURES:
        with Image.open(path) as image:
            return [np.ascontiguousarray(np.asarray(image.convert("RGB"), np.uint8)[:, :, ::-1])]
    if path.suffix not in _FILMS:
        return []
    found: list[NDArray[np.uint8]] = []
    for _, rgb in frames(path):
        picture = np.ascontiguousarray(rgb[:, :, ::-1])
        if not found or not np.array_equal(picture, found[-1]):
            found.append(picture)
    return found


def _answers(http: httpx2.Client, words: Words) -> tuple[list[str], list[bytes]]:
    """What every route that can be asked without knowing a name says, each memory, and each one's clip."""
    routes: dict[str, Any] = http.get("/openapi.json").raise_for_status().json()["paths"]
    plain = [path for path, ways in routes.items() if "get" in ways and "{" not in path and path != _NEVER_ENDING]
    texts = [http.get(path).text for path in plain]
    asked = [http.get("/memory", params={"q": word, "limit": 20}).json() for word in words.hidden + words.shown]
    texts += [json.dumps(answer["results"], ensure_ascii=False) for answer in asked]
    known = [each["id"] for each in http.get("/memory/procedures", params={"limit": 500}).json()["memories"]]
    texts += [http.get(f"/memory/{each}").text for each in known]
    clips = [http.get(f"/memory/{each}/clip.mp4") for each in known]
    return texts, [clip.content for clip in clips if clip.is_success]
