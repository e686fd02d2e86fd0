"""The tables of the memories, and how a file of an older Vaider gets here.

SQLite's own ``user_version`` counts the scripts that a file has had: the tables are virtual ones and triggers, of which
SQLAlchemy and Alembic know nothing.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from core.errors import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

INDEXES: Final = ("words", "spellings")
MENDING: Final = (
    "INSERT INTO words (words) VALUES ('rebuild')",
    # Not all of the vocabulary is spelt: what would be too much could not be taken out again.
    "INSERT INTO spellings (spellings) VALUES ('delete-all')",
    "INSERT INTO spellings (rowid, term) SELECT number, term FROM vocabulary WHERE is_word",
)
"""Statements that build the indexes anew from the tables."""
_SCRIPTS: Final = (
    """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO facts VALUES ('procedures', 0);

    -- The number is the moment of its begin in milliseconds since 1970, moved on to the next that is free: a stretch of
    -- time is a stretch of rows in every index, and the newest come first without being sorted.
    CREATE TABLE procedures (
        number INTEGER PRIMARY KEY,
        ended INTEGER NOT NULL,
        summary TEXT NOT NULL,
        steps TEXT NOT NULL,
        places TEXT NOT NULL,
        texts TEXT NOT NULL,
        id TEXT NOT NULL,
        video TEXT NOT NULL,
        document TEXT NOT NULL
    );
    CREATE UNIQUE INDEX procedures_id ON procedures (id);
    CREATE INDEX procedures_video ON procedures (video);
    CREATE INDEX procedures_ended ON procedures (ended);

    CREATE VIRTUAL TABLE words USING fts5(
        summary, steps, places, texts,
        content='procedures', content_rowid='number', tokenize='unicode61 remove_diacritics 0'
    );
    INSERT INTO words (words, rank) VALUES ('rank', 'bm25(3.0, 2.0, 1.5, 1.0)');
    CREATE TRIGGER procedures_in AFTER INSERT ON procedures BEGIN
        INSERT INTO words (rowid, summary, steps, places, texts)
        VALUES (new.number, new.summary, new.steps, new.places, new.texts);
    END;
    CREATE TRIGGER procedures_out AFTER DELETE ON procedures BEGIN
        INSERT INTO words (words, rowid, summary, steps, places, texts)
        VALUES ('delete', old.number, old.summary, old.steps, old.places, old.texts);
    END;

    -- In how many procedures each term occurs; spelt are those that a misspelt word may have meant.
    CREATE TABLE vocabulary (
        number INTEGER PRIMARY KEY,
        term TEXT NOT NULL,
        documents INTEGER NOT NULL,
        is_word INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX vocabulary_term ON vocabulary (term);
    CREATE VIRTUAL TABLE spellings USING fts5(
        term, content='vocabulary', content_rowid='number', tokenize='trigram', detail='none'
    );
    CREATE TRIGGER vocabulary_in AFTER INSERT ON vocabulary WHEN new.is_word BEGIN
        INSERT INTO spellings (rowid, term) VALUES (new.number, new.term);
    END;
    CREATE TRIGGER vocabulary_out AFTER DELETE ON vocabulary WHEN old.is_word BEGIN
        INSERT INTO spellings (spellings, rowid, term) VALUES ('delete', old.number, old.term);
    END;
    """,
    """
    -- Little-endian floats of 4 bytes; those of two models cannot be compared.
    CREATE TABLE vectors (
        number INTEGER PRIMARY KEY,
        model TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        vector BLOB NOT NULL
    );
    CREATE TRIGGER vectors_out AFTER DELETE ON procedures BEGIN
        DELETE FROM vectors WHERE number = old.number;
    END;
    """,
)


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Bring the tables up to date, all or none.

    Raises:
        StorageFailed: a newer Vaider wrote the file; it is left as it is.

    """
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == len(_SCRIPTS):
        return
    if found > len(_SCRIPTS):
        raise StorageFailed(
            f"The memories {where} were written by a newer Vaider (schema {found}, this one knows {len(_SCRIPTS)}). "
            "Upgrade Vaider, or set another data_dir; nothing was changed."
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        for statement in _statements("".join(_SCRIPTS[found:])):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(_SCRIPTS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """One after the other: ``executescript`` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
