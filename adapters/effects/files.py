"""The rows of a file: CSV, JSON, JSON lines, or plain text as one row."""

from __future__ import annotations

import csv
import io
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adapters.effects.json_rows import tables_of
from adapters.effects.selecting import Table, rows_for
from core.effects.effect import TEXT, Effect
from core.effects.rows import Reading, Row
from core.errors import EffectUnreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_BYTES: Final = 8 * 2**20
_DELIMITERS: Final = ",;\t|"
_PAIR: Final = re.compile(r"\s*([^\s:=][^:=]{0,60}?)\s*[:=]\s?(.*)")


def read_file(effect: Effect) -> Reading:
    """The rows of the file that the effect names; none where there is no such file. Raises ``EffectUnreadable``."""
    path = Path(effect.at).expanduser()
    source = f"the file {effect.at}"
    if not path.is_absolute():
        raise EffectUnreadable(f"{source} is not named by an absolute path.")
    try:
        with open(path, "rb", opener=_open) as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise EffectUnreadable(f"{source} is no plain file.")
            if status.st_size > MAX_BYTES:
                raise EffectUnreadable(f"{source} has more than {MAX_BYTES // 2**20} MB.")
            content = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Reading((), source, "none")
    except (OSError, ValueError) as error:
        raise EffectUnreadable(f"{source} cannot be read ({getattr(error, 'strerror', None) or error}).") from error
    tables = _tables(content, effect, path.suffix.lower(), source)
    stamp = f"{status.st_ino} {status.st_mtime_ns} {status.st_size}"
    return Reading(rows_for(effect, tables, source), source, stamp)


def _open(path: str, flags: int) -> int:
    # Without the flag, the opening of a named pipe would wait for whoever writes into it.
    return os.open(path, flags | os.O_NONBLOCK)


def _tables(content: bytes, effect: Effect, suffix: str, source: str) -> Sequence[Table]:
    if suffix == ".json":
        if not content.strip():
            return [Table(effect.columns, ())]
        return tables_of(content, effect, source, max_bytes=MAX_BYTES)
    if suffix in {".jsonl", ".ndjson"}:
        lines = b",".join(line for line in content.splitlines() if line.strip())
        return tables_of(b"[" + lines + b"]", effect, source, max_bytes=MAX_BYTES + 2)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EffectUnreadable(f"{source} is no UTF-8 text.") from None
    if suffix in {".csv", ".tsv"}:
        return [_csv(text, effect, source)]
    row = _text_row(text)
    return [Table(list(row), [row])]


def _csv(text: str, effect: Effect, source: str) -> Table:
    """A table whose first line names its columns."""
    lines = text.splitlines()
    if not lines:
        return Table(effect.columns, ())
    delimiter = max(_DELIMITERS, key=lines[0].count)
    try:
        header, *rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, strict=True) if row]
    except (csv.Error, ValueError) as error:
        raise EffectUnreadable(f"{source} is no CSV: {error}.") from error
    # A row of another length has its further cells under names of their own, so that they are compared as well.
    return Table(header, [_csv_row(header, row) for row in rows])


def _csv_row(header: Sequence[str], row: Sequence[str]) -> Row:
    cells: dict[str, str | None] = dict(zip(header, row, strict=False))
    cells |= {f"column {at + 1}": cell for at, cell in enumerate(row[len(header) :], len(header))}
    return cells | dict.fromkeys(header[len(row) :])


def _text_row(text: str) -> Mapping[str, str]:
    """The whole text, and what stands behind a name in a line of its own, as in ``Name: Ada`` or ``name=Ada``."""
    pairs = (_PAIR.fullmatch(line) for line in text.splitlines())
    named = {found[1]: found[2] for found in pairs if found is not None}
    return {**named, TEXT: text}
