"""A page that keeps records in SQLite, with a list and JSON beside it. Its banner always says that it was saved."""

from __future__ import annotations

import html
import sqlite3
from typing import Any
from urllib.parse import parse_qs, quote

from bench.saving.faults import LABELS, SEEDED, Record, save, typed
from tests.fakes.web.servers import FakeServer, Request, Response

_PAGE = """<!DOCTYPE html><title>Ledger</title><style>body {{ font: 18px sans-serif }} input {{ font: inherit }}</style>
<h1>New record</h1><p>{banner}</p><form method=post action=/save>{fields}<button>Save</button></form>
<script>history.replaceState(null, "", "/")</script>"""
_FIELD = "<p><label for={id}>{label}</label> <input id={id} name={id} size=34 autocomplete=off></p>"
_COLUMNS = tuple(label.lower() for label in LABELS)


class SqlStore:
    """The records in a table whose columns take any type, in the order of their ids."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.execute("CREATE TABLE records (id INTEGER PRIMARY KEY, name, weight, code)")
        for record in SEEDED:
            self.insert(record)

    def insert(self, record: Record) -> None:
        """See ``Store``."""
        self._database.execute("INSERT INTO records (name, weight, code) VALUES (:name, :weight, :code)", record)

    def change(self, at: int, **cells: Any) -> None:
        """See ``Store``."""
        for name, value in cells.items():
            self._database.execute(f"UPDATE records SET {name} = ? WHERE id = ?", (value, self._id(at)))  # noqa: S608

    def delete(self, at: int) -> None:
        """See ``Store``."""
        self._database.execute("DELETE FROM records WHERE id = ?", (self._id(at),))

    def rows(self) -> list[Record]:
        """All of them, with their ids."""
        found = self._database.execute("SELECT id, name, weight, code FROM records ORDER BY id")
        return [dict(zip(("id", *_COLUMNS), row, strict=True)) for row in found]

    def _id(self, at: int) -> int:
        return self.rows()[at]["id"]


class Ledger(FakeServer):
    """Serves it.

    Args:
        fault: how it saves.
        scripted: whether its list is filled in by a script.

    """

    def __init__(self, fault: str, *, scripted: bool = False) -> None:
        super().__init__()
        self._fault = fault
        self._scripted = scripted
        self._database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self.store = SqlStore(self._database)

    def __exit__(self, *raised: object) -> None:
        """End it, and forget the records."""
        super().__exit__(*raised)
        self._database.close()

    def answer(self, request: Request) -> Response:
        """See the base."""
        if request.method == "POST" and request.path == "/save":
            given = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
            save(self.store, typed(given["name"], given["weight"], given["code"]), self._fault)
            return Response(303, "", {"Location": f"/?saved={quote(given['name'])}"})
        if request.path == "/":
            banner = (
                f"Saved: {html.escape(request.query['saved'])}" if "saved" in request.query else "Nothing saved yet"
            )
            fields = "".join(_FIELD.format(id=name, label=label) for name, label in zip(_COLUMNS, LABELS, strict=True))
            return Response(200, _PAGE.format(banner=banner, fields=fields))
        if request.path == "/records":
            return Response(200, _scripted_list() if self._scripted else _list(self.store.rows()))
        if request.path == "/api/records":
            return Response(200, {"count": len(self.store.rows()), "records": self.store.rows()})
        return Response(404, "There is no such page.")


def _list(rows: list[Record]) -> str:
    head = "".join(f"<th>{label}</th>" for label in LABELS)
    body = "".join(f"<tr>{''.join(_cell(row[name]) for name in _COLUMNS)}</tr>" for row in rows)
    return f"<h1>Records</h1><table><tr>{head}</tr>{body}</table>"


def _cell(value: Any) -> str:
    return f"<td>{'' if value is None else html.escape(str(value))}</td>"


def _scripted_list() -> str:
    head = "".join(f"<th>{label}</th>" for label in LABELS)
    return f"""<h1>Records</h1><table><thead><tr>{head}</tr></thead><tbody></tbody></table><script>
fetch("/api/records").then(answer => answer.json()).then(({{ records }}) => records.forEach(record => {{
  const row = document.querySelector("tbody").insertRow()
  for (const name of ["name", "weight", "code"]) row.insertCell().textContent = record[name] ?? ""
}}))</script>"""
