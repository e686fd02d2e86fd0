"""Whether an effect is there: what each way to save wrongly looks like in the rows before and after."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from core.effects.effect import Effect
from core.effects.judging import judge_effect
from core.effects.rows import Reading, Row

ADA: Row = {"id": 1, "name": "Ada Lovelace", "weight": Decimal("3.5"), "code": "0042"}
BOB: Row = {"id": 2, "name": "Bob", "weight": Decimal(4), "code": "0043"}
WANTED = {"name": "Grace Hopper", "weight": "2.50", "code": "0044"}
RIGHT: Row = {"id": 3, "name": "Grace Hopper", "weight": Decimal("2.5"), "code": "0044"}


def effect(**more: Any) -> Effect:
    return Effect.model_validate({"kind": "json", "at": "http://localhost/rows", "expect": WANTED, **more})


def judged(
    asked: Effect, before: Sequence[Row], after: Sequence[Row], stamps: tuple[str, str] = ("", "")
) -> tuple[str, str]:
    check = judge_effect(asked, Reading(before, "the list", stamps[0]), Reading(after, "the list", stamps[1]))
    return check.verdict, check.evidence


def test_one_new_row_with_all_values_is_the_effect() -> None:
    assert judged(effect(), [ADA, BOB], [RIGHT, ADA, BOB]) == ("pass", "The list has the new row, once.")


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ([ADA, BOB], "has no new row"),
        ([ADA, BOB, RIGHT, {**RIGHT, "id": 4}], "has the row twice"),
        ([ADA, BOB, {**RIGHT, "weight": None}], "weight: empty instead of “2.50”"),
        ([ADA, BOB, {**RIGHT, "name": "Grace Hop"}], "name: “Grace Hop” instead of “Grace Hopper”"),
        ([ADA, BOB, {**RIGHT, "code": 44}], "code: “44” instead of “0044”"),
        ([ADA, BOB, {**RIGHT, "weight": "2.50"}], "of another type than the column has"),
        ([ADA, {**RIGHT, "id": 2}], "1 is gone: “2” “Bob”"),
        ([ADA, RIGHT], "1 is gone: “2” “Bob”"),
        ([ADA, {**BOB, "weight": Decimal(5)}, RIGHT], "1 is gone"),
        ([ADA, BOB, RIGHT, {"id": 9, "name": "Ghost", "weight": Decimal(1), "code": "1"}], "1 is new: “9” “Ghost”"),
    ],
    ids=[
        "not-at-all",
        "twice",
        "partly",
        "truncated",
        "lost-zeros",
        "type",
        "wrong-record",
        "gone",
        "changed",
        "ghost",
    ],
)
def test_what_was_saved_wrongly_is_told(after: list[Row], says: str) -> None:
    verdict, evidence = judged(effect(), [ADA, BOB], after)

    assert verdict == "fail"
    assert says in evidence


def test_a_row_that_was_there_before_is_none_that_was_added() -> None:
    verdict, evidence = judged(effect(), [ADA, RIGHT], [ADA, RIGHT])

    assert (verdict, "though one with these values was there before" in evidence) == ("fail", True)


def test_rows_of_others_may_change_where_that_is_said() -> None:
    after: list[Row] = [{**BOB, "weight": Decimal(5)}, RIGHT, {**ADA, "id": 7}]

    assert judged(effect(others_may_change=True), [ADA, BOB], after)[0] == "pass"
    assert judged(effect(others_may_change=True), [ADA, BOB], [*after, {**RIGHT, "id": 4}])[0] == "fail"


def test_an_ignored_column_may_change_in_any_row() -> None:
    before: list[Row] = [{**ADA, "age": "1 min"}]
    after: list[Row] = [{**ADA, "age": "2 min"}, {**RIGHT, "age": "now"}]

    assert judged(effect(), before, after)[0] == "fail"
    assert judged(effect(ignore=("Age",)), before, after)[0] == "pass"


def test_a_changed_row_keeps_its_other_cells_and_all_other_rows() -> None:
    asked = effect(change="changed", where={"name": "Bob"}, expect={"weight": "5"})
    right: Row = {**BOB, "weight": Decimal(5)}

    assert judged(asked, [ADA, BOB], [ADA, right])[0] == "pass"
    assert judged(asked, [ADA, right], [ADA, right])[0] == "pass"
    for after, says in (
        ([ADA, BOB], "still"),
        ([{**ADA, "weight": Decimal(5)}, BOB], "the other rows"),
        ([{**ADA, "weight": Decimal(5)}, right], "the other rows"),
        ([ADA, {**right, "code": "9"}], "ore of the row was changed"),
        ([ADA, {**BOB, "weight": Decimal("0.5")}], "“0.5” instead of “5”"),
        ([ADA, right, right], "the other rows"),
        ([ADA], "gone"),
    ):
        verdict, evidence = judged(asked, [ADA, BOB], after)
        assert (verdict, says in evidence) == ("fail", True), evidence


def test_a_row_that_is_not_named_alone_leaves_it_unclear() -> None:
    asked = effect(change="changed", where={"name": "Bob"}, expect={"weight": "5"})

    assert judged(asked, [BOB, BOB], [BOB, BOB])[0] == "unclear"
    assert judged(effect(change="removed", where={"name": "Eve"}, expect={}), [BOB], [BOB])[0] == "unclear"


def test_a_removed_row_is_gone_and_no_other_one() -> None:
    asked = effect(change="removed", where={"name": "Bob"}, expect={})

    assert judged(asked, [ADA, BOB], [ADA])[0] == "pass"
    assert judged(asked, [ADA, BOB], [ADA, BOB])[0] == "fail"
    assert judged(asked, [ADA, BOB], [])[0] == "fail"


def test_a_file_counts_as_written_only_when_it_was_written_anew() -> None:
    asked = Effect(kind="file", at="/x.txt", change="written", expect={"text": "Dear Bob"})
    row: Row = {"text": "Dear Bob\n"}

    assert judged(asked, [], [row], ("none", "1"))[0] == "pass"
    assert judged(asked, [row], [row], ("1", "2"))[0] == "pass"
    assert judged(asked, [row], [row], ("1", "1")) == ("fail", "The list was not written.")
    assert judged(asked, [], [{"text": "Dear B"}], ("none", "1"))[0] == "fail"


@pytest.mark.parametrize(
    ("cell", "beside", "verdict"),
    [
        ("2.5", ["3.25", "4"], "pass"),
        ("$2.50", ["$3.25", "$10.00"], "pass"),
        ("1,002.50", ["3.25"], "fail"),
        ("2.5", ["3", "4"], "pass"),
        ("2.500", ["3", "4"], "fail"),
        ("2.5", [], "fail"),
        ("2.50", [], "pass"),
        ("2.50 kg", ["3.00 kg"], "fail"),
    ],
)
def test_a_number_as_text_is_written_as_the_other_rows_write_theirs(cell: str, beside: list[str], verdict: str) -> None:
    asked = effect(expect={"weight": "2.50"})
    before: list[Row] = [{"n": at, "weight": each} for at, each in enumerate(beside)]

    assert judged(asked, before, [*before, {"n": 99, "weight": cell}])[0] == verdict


@pytest.mark.parametrize(
    ("cell", "beside", "verdict"),
    [("12.0", ["3.5", "4.0"], "pass"), ("12.0", ["3", "4"], "fail"), ("12", ["3.5", "4"], "pass"), ("12", [], "pass")],
)
def test_a_whole_number_has_a_fraction_where_the_other_rows_have_one(
    cell: str, beside: list[str], verdict: str
) -> None:
    before: list[Row] = [{"n": at, "weight": each} for at, each in enumerate(beside)]

    assert judged(effect(expect={"weight": "12"}), before, [*before, {"n": 99, "weight": cell}])[0] == verdict
