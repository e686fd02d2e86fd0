"""The artefact of the benchmarks: what a run writes into it, and that it is whole."""

import json
from pathlib import Path

from bench.__main__ import ARTEFACT, write
from bench.table import Table


def test_a_written_table_replaces_the_one_of_its_title_and_keeps_the_others(tmp_path: Path) -> None:
    artefact = tmp_path / "benchmarks.json"
    artefact.write_text("[]", encoding="utf-8")
    write(
        [Table("Speed", ("clip", "ours"), [("film", "6.3")]), Table("Words", ("", "read"), [("all", "0.98")])], artefact
    )
    others = json.loads(artefact.read_text(encoding="utf-8"))[1]

    write([Table("Speed", ("clip", "ours"), [("film", "7.0"), ("still", "ß")], "Medians.")], artefact)

    first, second = json.loads(artefact.read_text(encoding="utf-8"))
    assert (first["columns"], first["rows"]) == (["clip", "ours"], [["film", "7.0"], ["still", "ß"]])
    assert (first["note"], set(first["measured"])) == ("Medians.", {"when", "on"})
    assert second == others


def test_each_row_of_the_artefact_has_its_columns_and_each_table_says_when_and_on_what() -> None:
    tables = json.loads(ARTEFACT.read_text(encoding="utf-8"))

    assert not [table["title"] for table in tables if {len(row) for row in table["rows"]} - {len(table["columns"])}]
    assert all(table["measured"]["when"] and table["measured"]["on"] for table in tables)
    assert len({table["title"] for table in tables}) == len(tables)
