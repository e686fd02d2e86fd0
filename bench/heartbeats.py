"""Ten thousand documents, made and mutated: what is lost of them: ``python -m bench heartbeats``.

Each document is put together of headings, questions in all their states, answers, fences, comments, lists, blank lines
and letters at random, with any line ends; half of them are cut and joined anew. Then up to six random edits are made in
each: answers, questions, reopenings. Beside it is the way that the format came from: it reads a document as lines,
knows a question by the number of its line, and writes lines.
"""

import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import Final

from bench.table import Table
from core.errors import VaiderError
from core.tasks.heartbeat import Heartbeat
from core.tasks.questions import QuestionState

DOCUMENTS: Final = 10_000
_SEED: Final = 20261121
_PIECES: Final = (
    "# Task", "## Questions", "## Questions ##", "## Schedule", "### More", "", "", "  ", "\t", "words", "- q", "- Q?",
    "* [ ] other", "- [x] done", "- [required] must", "- [stale] old", "- [ ]", "- None.", "  Answer: a", "Answer: b",
    "    more", "  Earlier answer: c", "\tdeep", "```", "~~~", "  ```", "    ```", "<!--", "-->", "<!-- x -->", "<pre>",
    "</pre>", "---", "> quote", "1. one", " - near", "   - far", "- ```", "\ufeff", "\u2028", "\x0c", "é🚀",
    "Status: x",
)  # fmt: skip
_ANSWERS: Final = ("yes", "Ann.", "## Heading", "```\nfence", "- [x] no\n  Answer: no", "a\n\nb", "- None.", "<!-- c")
_ENDS: Final = ("\n", "\n", "\r\n", "\r")
_LETTERS: Final = "ab [x]-*#`~<>:\t é\u2028"


@dataclass
class Lost:
    """What went wrong."""

    identity: int = 0
    answers: int = 0
    ids: int = 0
    edits: int = 0


def run() -> list[Table]:
    """Measure."""
    chance = random.Random(_SEED)
    documents = [_document(chance) for _ in range(DOCUMENTS)]
    begun = time.perf_counter()
    ours = _tried(documents, random.Random(_SEED + 1))
    seconds = time.perf_counter() - begun
    rows = [
        ("read and written: bytes differ", str(ours.identity), str(sum(map(_rewrites, documents)))),
        ("an answer lost or changed by another edit", f"{ours.answers} in {ours.edits} edits", "not tried"),
        ("two questions of one id", str(ours.ids), "not tried"),
        (
            "a question known by another id after a line is put on top",
            str(sum(map(_moves, documents))),
            str(sum(bool(Heartbeat(text).questions) for text in documents)),
        ),
        ("milliseconds for a document and its edits", f"{seconds * 1000 / DOCUMENTS:.2f}", ""),
    ]
    title = "Ten thousand generated and mutated HEARTBEAT.md"
    return [Table(title, ("", "Vaider", "by lines and line numbers"), rows, "The bar: nothing is lost.")]


def _document(chance: random.Random) -> str:
    lines = [
        chance.choice(_PIECES) if chance.random() < 0.85 else "".join(chance.choices(_LETTERS, k=chance.randint(0, 12)))
        for _ in range(chance.randint(0, 30))
    ]
    text = "".join(line + chance.choice(_ENDS) for line in lines)
    if chance.random() < 0.5:
        at, to = sorted(chance.choices(range(len(text) + 1), k=2))
        text = text[to:] + text[:at] + chance.choice(_PIECES)
    start = chance.choice(["", "\ufeff", "# Task\nTitle: t\n## Questions\n", "# Task\r\nt\r\n## Questions\r\n"])
    return start + text


def _tried(documents: list[str], chance: random.Random) -> Lost:
    lost = Lost()
    for text in documents:
        document = Heartbeat.read(text.encode())
        lost.identity += document.to_bytes() != text.encode()
        lost.ids += len({each.id for each in document.questions}) != len(document.questions)
        for _ in range(chance.randint(0, 6)):
            changed, meant = _edited(document, chance)
            if changed is None:
                continue
            lost.edits += 1
            now = {each.id: (each.answer, each.earlier_answer) for each in changed.questions}
            kept = {each.id: (each.answer, each.earlier_answer) for each in document.questions if each.id != meant}
            lost.answers += any(now.get(name) != answers for name, answers in kept.items())
            document = changed
    return lost


def _edited(document: Heartbeat, chance: random.Random) -> tuple[Heartbeat | None, str]:
    """The document after some edit, and the question that it means; ``None`` where the edit was refused."""
    try:
        if not document.questions or chance.random() < 0.3:
            asked = chance.choice(["Which?", "Q?", "other", "- [x] really", "## no\nheading"])
            changed = document.with_questions([asked])
            before = {each.id: each.state for each in document.questions}
            stale = [each.id for each in changed.questions if before.get(each.id) is QuestionState.STALE]
            return changed, next((each for each in stale if changed.question(each).state is QuestionState.OPEN), "")
        question = chance.choice(document.questions)
        if chance.random() < 0.2:
            return document.reopened(question.id), question.id
        return document.with_answer(question.id, chance.choice(_ANSWERS)), question.id
    except VaiderError:
        return None, ""


def _rewrites(text: str) -> bool:
    """Whether the bytes change when lines are read and written again."""
    return "\n".join(text.splitlines()) + "\n" != text


def _moves(text: str) -> bool:
    """Whether a line above changes how a question is known. One that is code then, or no question, does not count."""
    before = Counter(each.id for each in Heartbeat(text).questions)
    after = Counter(each.id for each in Heartbeat("a line\n\n" + text.removeprefix("\ufeff")).questions)
    return bool(before - after)
