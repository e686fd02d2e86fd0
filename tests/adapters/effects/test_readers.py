"""What is read of files, of JSON and of pages that are opened anew, and what is refused."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.effects.readers import EffectReaders
from core.effects.effect import Effect
from core.errors import Cancelled, EffectUnreadable
from tests.fakes.web.servers import FakeServer, Request, Response

TABLE = """<h1>Parcels</h1><table><thead><tr><th>Name<th>Weight ▲<th></tr></thead>
<tbody><tr><td>Ada <b>Lovelace</b><td>3<td><a>Edit</a></tr>
<tr hidden><td>Template<td>0<td></tr><tr><td>Bob &amp; Co<td>4<td><a>Edit</a></tbody>
<tr><td colspan=3>2 parcels</td></tr><tfoot><tr><td>Sum<td>7<td></tfoot></table>"""
SCRIPT = """<div id="list"></div><script>fetch('/rows').then(answer => answer.json()).then(({rows}) => {
document.getElementById('list').innerHTML = '<table><tr><th>Name</th><th>Weight</th></tr>' +
rows.map(row => `<tr><td>${row.name}</td><td>${row.weight}</td></tr>`).join('') + '</table>'})</script>"""
ROWS = [{"name": "Ada", "weight": 3.5, "to": {"city": "Rome"}, "tags": ["a"]}]


class Site(FakeServer):
    """Answers what a test puts there."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[str, Response] = {}

    def answer(self, request: Request) -> Response:
        return self.pages.get(request.path, Response(404, "nothing"))


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as served:
        yield served


def read(kind: str, at: str, *columns: str) -> Any:
    effect = Effect.model_validate({"kind": kind, "at": at, "expect": dict.fromkeys(columns, "x")})
    return [dict(row) for row in EffectReaders().read(effect, lambda: None).rows]


def test_a_list_of_json_is_found_by_its_columns_wherever_it_is(site: Site) -> None:
    site.pages["/rows"] = Response(200, {"count": 1, "data": {"rows": ROWS, "others": [{"a": 1}]}})
    (row,) = read("json", f"{site.url}/rows", "name", "to.city")

    assert (row["name"], row["to.city"], json.loads(row["tags"])) == ("Ada", "Rome", ["a"])


def test_a_list_without_entries_has_no_rows_yet(site: Site) -> None:
    site.pages["/rows"] = Response(200, {"count": 0, "rows": []})

    assert read("json", f"{site.url}/rows", "name") == []


@pytest.mark.parametrize(
    ("response", "says"),
    [
        (Response(500, {}), "status 500"),
        (Response(200, "<p>Log in</p>"), "is no JSON"),
        (Response(200, {"rows": [{"title": "x"}]}), "has no column 'name'"),
        (Response(200, {"a": [{"name": "x"}], "b": [{"name": "y"}]}), "2 tables"),
        (Response(302, None, {"Location": "http://127.0.0.2:1/rows"}), "redirects to another host"),
        (Response(302, None, {"Location": "/rows"}), "redirects more than"),
        (Response(200, None, drop=True), "gives no answer"),
    ],
)
def test_what_is_no_plain_answer_is_no_empty_list(site: Site, response: Response, says: str) -> None:
    site.pages["/rows"] = response

    with pytest.raises(EffectUnreadable, match=says):
        read("json", f"{site.url}/rows", "name")


def test_a_page_is_read_as_its_table_shows_it(site: Site) -> None:
    site.pages["/list"] = Response(200, TABLE)

    assert read("page", f"{site.url}/list", "name", "weight") == [
        {"Name": "Ada Lovelace", "Weight ▲": "3", "column 3": "Edit"},
        {"Name": "Bob & Co", "Weight ▲": "4", "column 3": "Edit"},
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>Name:</th><td>Ada</td></tr><tr><th>Weight</th><td>3</td></tr></table>",
        "<dl><dt>Name<dd>Ada<dt>Weight<dd>3</dl>",
        '<label for=n>Name *</label><input id=n value=Ada><label>Weight <input type=number value="3"></label>',
    ],
    ids=["headers", "terms", "fields"],
)
def test_a_page_of_one_record_is_one_row(site: Site, html: str) -> None:
    site.pages["/one"] = Response(200, html)

    assert read("page", f"{site.url}/one", "Name", "Weight") == [{"Name": "Ada", "Weight": "3"}]


def test_the_entries_of_lists_are_rows_of_text(site: Site) -> None:
    site.pages["/list"] = Response(200, "<ul><li>Ada<li>Bob</ul>")

    assert read("page", f"{site.url}/list", "text") == [{"text": "Ada"}, {"text": "Bob"}]


@pytest.mark.screen
def test_a_page_of_scripts_is_read_as_a_fresh_browser_shows_it(site: Site) -> None:
    site.pages["/list"] = Response(200, SCRIPT)
    site.pages["/rows"] = Response(200, {"rows": ROWS})

    assert read("page", f"{site.url}/list", "Name", "Weight") == [{"Name": "Ada", "Weight": "3.5"}]


def test_a_cancelled_run_reads_nothing_more(site: Site) -> None:
    site.pages["/list"] = Response(200, SCRIPT)
    asked = Effect(kind="page", at=f"{site.url}/list", expect={"Name": "x"})

    def stop() -> None:
        if site.requests:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        EffectReaders().read(asked, stop)


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("a.csv", "name;weight\nAda;3\n\nBob;4;extra\n", [("Ada", "3"), ("Bob", "4")]),
        ("a.csv", 'name,weight\n"Ada, L.",3\n', [("Ada, L.", "3")]),
        ("a.csv", "", []),
        ("a.json", "", []),
        ("a.json", '[{"name": "Ada", "weight": "3"}]', [("Ada", "3")]),
        ("a.jsonl", '{"name": "Ada", "weight": "3"}\n{"name": "Bob", "weight": "4"}\n', [("Ada", "3"), ("Bob", "4")]),
        ("a.txt", "name: Ada\nweight = 3\n", [("Ada", "3")]),
        ("none.csv", None, []),
    ],
)
def test_a_file_has_the_rows_of_its_kind(
    name: str, content: str | None, rows: list[tuple[str, str]], tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")

    assert [(row["name"], row["weight"]) for row in read("file", str(tmp_path / name), "name", "weight")] == rows


def test_a_file_says_when_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    asked = Effect(kind="file", at=str(path), change="written", expect={"text": "x"})
    stamps: list[str] = []
    for content in (None, "x", "x"):
        if content is not None:
            path.write_text(content)
            os.utime(path, ns=(len(stamps), len(stamps)))
        stamps.append(EffectReaders().read(asked, lambda: None).stamp)

    assert len(set(stamps)) == len(stamps)


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "bin.csv").write_bytes(b"\xff\xfe\x00")

    for name in ("pipe.csv", "bin.csv", ""):
        with pytest.raises(EffectUnreadable):
            read("file", str(tmp_path / name), "name")
