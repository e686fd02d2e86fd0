"""The rival of the recall: SQLite's FTS5 alone, with its porter stemmer and bm25."""

import re
import sqlite3
from collections.abc import Sequence

from bench.recall_set import SHOWN, Asked, Outcome
from core.memory import Procedure
from core.recall.terms import STOP_WORDS


class Rival:
    """The same texts in one table of four columns; a question is its words, joined by OR.

    Args:
        procedures: what is remembered.
        drops_stop_words: whether it leaves out the words that ours leaves out.

    """

    def __init__(self, procedures: Sequence[Procedure], *, drops_stop_words: bool) -> None:
        self._ids = [each.id for each in procedures]
        self._drops = STOP_WORDS if drops_stop_words else frozenset[str]()
        self._table = sqlite3.connect(":memory:")
        self._table.execute(
            "CREATE VIRTUAL TABLE words USING fts5(summary, steps, places, texts, "
            "tokenize='porter unicode61 remove_diacritics 2')"
        )
        self._table.execute("INSERT INTO words (words, rank) VALUES ('rank', 'bm25(3.0, 2.0, 1.5, 1.0)')")
        self._table.executemany(
            "INSERT INTO words (rowid, summary, steps, places, texts) VALUES (?, ?, ?, ?, ?)",
            (
                (
                    number,
                    each.summary,
                    "\n".join(step.text for step in each.steps),
                    "\n".join((*each.applications, *each.titles)),
                    "\n".join(each.texts),
                )
                for number, each in enumerate(procedures)
            ),
        )

    def outcomes(self, asked: Sequence[Asked]) -> list[Outcome]:
        """What it answers to each."""
        return [Outcome(each, self._answer(each.query), ()) for each in asked]

    def close(self) -> None:
        """Let go of the table."""
        self._table.close()

    def _answer(self, query: str) -> tuple[str, ...]:
        words = [word for word in re.findall(r"\w+", query.casefold()) if word not in self._drops]
        if not words:
            return ()
        expression = " OR ".join(f'"{word}"' for word in words)
        rows = self._table.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (expression, SHOWN)
        )
        numbers: list[int] = [number for (number,) in rows]
        return tuple(self._ids[number] for number in numbers)
