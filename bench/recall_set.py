"""The labelled questions about what was done, in their two halves: ``bench/remembered/README.md``."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict
from zoneinfo import ZoneInfo

from core.memory import Procedure, RecallAnswer, RecallRequest
from core.recall.ports import Words
from core.recall.recall import Recall
from core.steps import Step
from storage.memories.memories import SqlMemories

FOLDER = Path(__file__).parent / "remembered"
ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 22, 30, tzinfo=ZONE).astimezone(UTC)
STEP_MS, GAP_MS = 1_500, 4_000
SHOWN = 10


class _Made(TypedDict):
    id: str
    began: str
    application: str
    window: str
    summary: str
    steps: list[str]
    texts: list[str]


@dataclass(frozen=True)
class Asked:
    """A labelled question."""

    query: str
    kind: str
    answers: tuple[str, ...]
    is_more: bool = False
    """It was written for fitting alone."""

    @property
    def is_for_fitting(self) -> bool:
        """Whether it belongs to the half that is not reported."""
        return self.is_more or hashlib.sha256((self.answers or (self.query,))[0].encode()).digest()[0] % 2 == 0


@dataclass(frozen=True)
class Outcome:
    """What was answered."""

    asked: Asked
    ids: tuple[str, ...]
    sure: tuple[float, ...]

    @property
    def reciprocal(self) -> float:
        """1 over the place of the first right answer, 0 if there is none."""
        return next((1 / place for place, each in enumerate(self.ids, 1) if each in self.asked.answers), 0.0)

    @property
    def is_first(self) -> bool:
        """Whether the first answer is right."""
        return self.ids[:1] != () and self.ids[0] in self.asked.answers


def procedures() -> list[Procedure]:
    """The labelled ones."""
    lines = (FOLDER / "procedures.jsonl").read_text(encoding="utf-8").splitlines()
    return [_procedure(json.loads(line)) for line in lines]


def questions() -> list[Asked]:
    """All of them."""
    return _questions("questions.jsonl", is_more=False)


def more_questions() -> list[Asked]:
    """Those that were written for fitting alone."""
    return _questions("fitting.jsonl", is_more=True)


def _questions(name: str, *, is_more: bool) -> list[Asked]:
    found = [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
    return [Asked(each["query"], each["kind"], tuple(each["answers"]), is_more) for each in found]


def outcomes(memories: SqlMemories, asked: Sequence[Asked], words: Words | None) -> list[Outcome]:
    """What is answered to each."""
    recall = Recall(memories, now=lambda: NOW, zone=lambda: ZONE, video_url=lambda _: None, words=words)
    return [_outcome(each, recall.recall(RecallRequest(query=each.query, limit=SHOWN))) for each in asked]


def _outcome(asked: Asked, answer: RecallAnswer) -> Outcome:
    return Outcome(asked, tuple(each.id for each in answer.results), tuple(each.confidence for each in answer.results))


def _procedure(made: _Made) -> Procedure:
    application, window = made["application"], made["window"]
    return Procedure(
        id=made["id"],
        source="recorder",
        video=f"segment-{made['id']}",
        started_at=datetime.fromisoformat(made["began"]).replace(tzinfo=ZONE).astimezone(UTC),
        start_ms=0,
        end_ms=len(made["steps"]) * GAP_MS,
        applications=(application,),
        titles=(window,),
        summary=made["summary"],
        steps=tuple(
            Step(
                t_ms=place * GAP_MS,
                until_ms=place * GAP_MS + STEP_MS,
                text=step,
                application=application,
                window=window,
            )
            for place, step in enumerate(made["steps"])
        ),
        texts=tuple(made["texts"]),
    )
