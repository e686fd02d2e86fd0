"""``schema.json``: both versions are read, every rule is held, and what is written is read again."""

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidWorkflow
from core.workflows.reading import MAX_BYTES, read_document, read_workflow, write_workflow
from tests.fakes.runs.workflow_documents import ABSENT, V1, V2, changed, document, old_plan, plan, step

TYPED = step(action_type="TYPE", action_value="x")
READ = step(
    action_type="EXTRACT",
    action_value="extract_0",
    variable_name="extract_0",
    additional_args={"extract_query": "The number"},
)
READ_1 = READ | {"action_value": "extract_1", "variable_name": "extract_1"}


def _refused(content: str | bytes) -> str:
    with pytest.raises(InvalidWorkflow) as refusal:
        read_workflow(content)
    return refusal.value.message


def test_a_document_of_version_2_is_read_as_it_stands() -> None:
    reading = read_document((V2 / "schema.json").read_bytes())

    assert (reading.version, reading.notes) == (2, ())
    assert reading.workflow.model_dump(mode="json") == document(V2)


def test_the_documented_example_breaks_no_rule() -> None:
    page = Path(__file__).parents[3].joinpath("docs", "workflows.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL)

    assert read_document(example).notes == ()


def test_a_document_of_version_1_is_read_as_version_2() -> None:
    reading = read_document((V1 / "schema.json").read_bytes())
    first, second = reading.workflow.plan.subtasks

    assert (reading.version, reading.notes) == (1, ())
    assert [first.text, second.text] == document(V1)["subtasks"]
    assert [step.intent for step in first.steps] == ["Open the launcher", "Name the program"]
    assert [step.i for step in second.steps] == [0, 1, 2]
    assert second.steps[0].target.fallback == "the magnifying glass"
    assert second.steps[1].action_value == "{song}"


@pytest.mark.parametrize("folder", [V1, V2])
def test_what_is_written_is_version_2_and_is_read_again(folder: Any) -> None:
    workflow = read_workflow((folder / "schema.json").read_bytes())
    written = write_workflow(workflow)

    assert read_document(written) == (workflow, 2, ())
    assert "subtask" not in json.loads(written)["plan"]["subtasks"][0]["steps"][0]


BROKEN: list[tuple[str, Any, str]] = [
    ("task_name", ABSENT, "task_name: is missing"),
    ("task_name", " ", "task_name: must not be empty"),
    ("task_name", 5, "task_name: must be a string, not a number"),
    ("success_criteria", ["x"], "success_criteria: must be a string, not a list"),
    ("task_params", {}, "task_params: must be a list, not an object"),
    ("task_params.0", "customer", "task_params[0]: must be an object, not a string"),
    ("task_params.0.name", "the customer", "task_params[0].name: must consist of at most 100 letters"),
    ("task_params.0.name", "extract_3", "task_params[0].name: must not be 'extract_3'"),
    ("task_params.1.name", "customer", "task_params[1].name: is 'customer' a second time"),
    ("task_params.0.sensitive", "no", "task_params[0].sensitive: must be true or false, not a string"),
    ("task_params.0.optional", 1, "task_params[0].optional: must be true or false, not a number"),
    ("task_params.0.example", ["ACME"], "task_params[0].example: must be a string, not a list"),
    ("plan", ABSENT, "plan: is missing"),
    ("plan", [], "plan: must be an object, not a list"),
    ("plan.subtasks", ABSENT, "plan.subtasks: is missing"),
    ("plan.subtasks", [], "plan.subtasks: must not be empty"),
    ("plan.subtasks", [{}] * 501, "plan.subtasks: must have at most 500 entries, not 501"),
    ("plan.subtasks.1", None, "plan.subtasks[1]: must be an object, not null"),
    ("plan.subtasks.1.subtask_i", 2, "plan.subtasks[1].subtask_i: must be 1, its place in the list"),
    ("plan.subtasks.1.subtask_i", True, "plan.subtasks[1].subtask_i: must be 1"),
    ("plan.subtasks.1.subtask_i", ABSENT, "plan.subtasks[1].subtask_i: is missing; it must be 1"),
    ("plan.subtasks.0.text", "", "plan.subtasks[0].text: must not be empty"),
    ("plan.subtasks.0.dependencies", "extract_0", "plan.subtasks[0].dependencies: must be a list, not a string"),
    ("plan.subtasks.0.dependencies", ["order"], "plan.subtasks[0].dependencies[0]: must be the name of an extract"),
    (
        "plan.subtasks.1.dependencies",
        ["extract_0"] * 2,
        "plan.subtasks[1].dependencies[1]: is 'extract_0' a second",
    ),
    ("plan.subtasks.0.steps.1.i", 0, "plan.subtasks[0].steps[1].i: must be 1, its place in the list"),
    ("plan.subtasks.1.steps.0.i", 2, "plan.subtasks[1].steps[0].i: must be 0, its place in the list"),
    ("plan.subtasks.0.steps.0.intent", "", "plan.subtasks[0].steps[0].intent: must not be empty"),
    ("plan.subtasks.0.steps.0.expected_current_state", "\n", "steps[0].expected_current_state: must not be empty"),
    ("plan.subtasks.0.steps.0.target", "the field", "steps[0].target: must be an object, not a string"),
    ("plan.subtasks.0.steps.0.target.primary", "", "steps[0].target.primary: must not be empty"),
    ("plan.subtasks.0.steps.0.target.fallback", 3, "steps[0].target.fallback: must be a string, not a number"),
    ("plan.subtasks.0.steps.0.post_action", [], "steps[0].post_action: must not be empty"),
    ("plan.subtasks.0.steps.0.post_action", "Dots.", "steps[0].post_action: must be a list, not a string"),
    ("plan.subtasks.0.steps.0.post_action", ["a", ""], "steps[0].post_action[1]: must not be empty"),
    ("plan.subtasks.0.steps.0.action_type", "HOVER", "steps[0].action_type: must be an action of the format"),
    ("plan.subtasks.0.steps.0.action_type", "click", "did you mean CLICK?"),
    ("plan.subtasks.0.steps.0.action_value", None, "steps[0].action_value: must be a string for TYPE"),
    ("plan.subtasks.0.steps.0.action_value", 7, "steps[0].action_value: must be a string, not a number"),
    ("plan.subtasks.1.steps.1.action_value", "x", "plan.subtasks[1].steps[1].action_value: must be null for DRAG"),
    ("plan.subtasks.0.steps.1.action_value", "extract_1", "action_value: must equal variable_name for EXTRACT"),
    ("plan.subtasks.0.steps.1.action_value", None, "action_value: must equal variable_name for EXTRACT"),
    ("plan.subtasks.0.steps.1.variable_name", "order", "variable_name: must be extract_<number> for EXTRACT"),
    ("plan.subtasks.0.steps.1.variable_name", None, "variable_name: must be extract_<number> for EXTRACT"),
    ("plan.subtasks.0.steps.1.additional_args", {}, "additional_args.extract_query: must be a string that is not"),
    ("plan.subtasks.0.steps.1.additional_args.extract_query", " ", "extract_query: must be a string that is not"),
    ("plan.subtasks.0.steps.0.additional_args", [], "steps[0].additional_args: must be an object, not a list"),
    ("plan.subtasks.0.steps.0.additional_args", {"literal": 1}, "additional_args.literal: must be true or false"),
    ("plan.subtasks.0.steps.0.additional_args", {"literal": True}, "{password} is a sensitive parameter"),
    ("plan.subtasks.1.dependencies", [], "uses {extract_0}, which dependencies does not list"),
    ("plan.subtasks.1.dependencies", ["extract_0", "extract_9"], "[1]: extract_9 is extracted by no subtask"),
    ("plan.subtasks.0.dependencies", ["extract_0"], "extract_0 is extracted by this subtask itself"),
    (
        "plan.subtasks.0.text",
        "Find {custommer}.",
        "plan.subtasks[0].text: uses {custommer}, which task_params does",
    ),
    ("plan.subtasks.0.text", "Find {custommer}.", "did you mean {customer}?"),
    ("plan.subtasks.0.steps.0.action_value", "{pin}", "set additional_args.literal to true to type it as it"),
    ("plan.subtasks.0.steps.1.additional_args.extract_query", "{x}?", "extract_query: uses {x}, which task_params"),
    ("success_criteria", "{extract_4} is shown", "success_criteria: uses {extract_4}, which no subtask extracts"),
    ("plan.steps", [], "plan.steps: stands beside subtasks"),
]


@pytest.mark.parametrize(("path", "value", "says"), BROKEN)
def test_a_broken_rule_is_told_by_its_path(path: str, value: Any, says: str) -> None:
    assert says in _refused(changed(document(V2), path, value))


@pytest.mark.parametrize("action", ["CLICK", "DOUBLE_CLICK", "RIGHT_CLICK", "MIDDLE_CLICK", "SCROLL", "DRAG"])
def test_only_what_is_typed_or_read_has_a_value(action: str) -> None:
    assert f"must be null for {action}" in _refused(plan({"steps": [step(action_type=action, action_value="x")]}))


@pytest.mark.parametrize("action", ["KEYPRESS", "OPEN_APP", "OPEN_URL"])
def test_what_is_pressed_or_opened_needs_a_value(action: str) -> None:
    for value, says in ((None, "must be a string, not null"), ("", "must not be empty")):
        message = _refused(plan({"steps": [step(action_type=action, action_value=value)]}))
        assert message == f"plan.subtasks[0].steps[0].action_value: {says}."


def test_the_empty_text_can_be_typed() -> None:
    (subtask,) = read_workflow(plan({"steps": [step(action_type="TYPE", action_value="")]})).plan.subtasks
    assert subtask.steps[0].action_value == ""


def test_an_extract_cannot_be_used_before_it_is_made() -> None:
    message = _refused(plan({"dependencies": ["extract_0"], "text": "{extract_0}"}, {"steps": [READ]}))
    assert message == "plan.subtasks[0].dependencies[0]: extract_0 is extracted only later, by subtask 1."


def test_extracts_that_need_each_other_are_called_a_circle() -> None:
    message = _refused(
        plan(
            {"dependencies": ["extract_1"], "steps": [READ]},
            {"dependencies": ["extract_0"], "steps": [READ_1]},
        )
    )
    assert "extract_1 is extracted by subtask 1, which itself needs this one: a circle" in message


def test_every_fault_is_told_and_the_first_five_in_the_message() -> None:
    with pytest.raises(InvalidWorkflow) as refusal:
        read_workflow(plan(*({"text": ""} for _ in range(80))))

    assert refusal.value.message.endswith("plan.subtasks[4].text: must not be empty; and 75 more.")
    assert refusal.value.details["fault_count"] == 80
    assert len(str(refusal.value.details["faults"]).splitlines()) == 50


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is no JSON: Expecting value in line 1, column 1"),
        (b"{", "is no JSON"),
        (b"\xff\xfe{\x00}\x00", "is no UTF-8: byte 0"),
        ('{"task_name": "a", "task_name": "b"}', "names 'task_name' twice in one object"),
        ('{"plan": NaN}', "holds NaN"),
        ('{"plan": -Infinity}', "holds -Infinity"),
        ("[" * 100_000, "is nested deeper than 64 levels"),
        ('{"a":' * 100 + "1" + "}" * 100, "is nested deeper than 64 levels"),
        ('{"plan": ' + "9" * 5000 + "}", "holds a number of 5000 digits"),
        ('{"task_name": "\\ud83d"}', "half a character"),
        ("null", "must be an object, not null"),
        ("[]", "must be an object, not a list"),
        (" " * (MAX_BYTES + 1), f"is longer than {MAX_BYTES} bytes"),
    ],
)
def test_what_is_no_document_is_refused_in_words(content: str | bytes, says: str) -> None:
    message = _refused(content)
    assert message.startswith("schema.json")
    assert says in message


def test_a_number_without_an_end_is_refused_where_anything_may_stand() -> None:
    text = plan({"steps": [step(additional_args={"x": 0})]}).replace('"x": 0', '"x": [1e999]')
    assert "additional_args.x[0]: holds a number that is too large" in _refused(text)


def test_a_byte_order_mark_and_brackets_in_strings_are_no_fault() -> None:
    text = plan({"text": "[" * 100 + '\\" {' * 100})
    assert read_workflow(b"\xef\xbb\xbf" + text.encode()) == read_workflow("\ufeff" + text) == read_workflow(text)


def test_what_the_format_does_not_have_is_ignored_and_noted() -> None:
    text = changed(document(V2), "plan.subtasks.0.steps.0.expected_state", "x")
    reading = read_document(changed(json.loads(text), "author", "me"))
    ignored = "is not part of the format and is ignored"

    assert reading.workflow == read_workflow((V2 / "schema.json").read_bytes())
    assert reading.notes == (
        f"plan.subtasks[0].steps[0].expected_state: {ignored}; did you mean 'expected_current_state'?",
        f"author: {ignored}",
    )


def test_a_word_in_braces_that_only_describes_is_noted() -> None:
    text = changed(document(V2), "plan.subtasks.0.steps.0.intent", "Enter {passwort}")
    assert read_document(text).notes == (
        "plan.subtasks[0].steps[0].intent: {passwort} is no parameter and stays as it is; did you mean {password}?",
    )


@pytest.mark.parametrize(("example", "read"), [(5, "5"), (True, "true"), ("", ""), (None, None)])
def test_an_example_may_be_a_number_or_a_truth_value(example: Any, read: str | None) -> None:
    workflow = read_workflow(changed(document(V2), "task_params.0.example", example))
    assert workflow.task_params[0].example == read


def test_a_price_keeps_its_spelling() -> None:
    text = changed(document(V2), "task_params.0.example", "PRICE").replace('"PRICE"', "1.10")
    assert read_workflow(text).task_params[0].example == "1.10"


@pytest.mark.parametrize("value", ["The number", {"extract_0": "The number", "extract_1": "x"}])
def test_a_query_in_an_older_place_is_folded_in(value: Any) -> None:
    bare = READ | {"additional_args": {"anchor": "a.png"}}
    for text in (
        plan({"steps": [bare]}, extract_query=value),
        plan({"steps": [bare | {"extract_query": "The number"}]}),
    ):
        (subtask,) = read_workflow(text).plan.subtasks
        assert subtask.steps[0].additional_args == {"anchor": "a.png", "extract_query": "The number"}


@pytest.mark.parametrize(
    ("texts", "steps", "owned"),
    [
        (["A", "B"], ["A1", "A2", "B1"], [["A1", "A2"], ["B1"]]),
        (["A", "B", "A"], ["A1", "B1", "A2", "A3"], [["A1"], ["B1"], ["A2", "A3"]]),
        (["A", "B"], ["A1", "B1", "A2"], [["A1", "A2"], ["B1"]]),
        (["A", "B", "C"], ["C1", "A1"], [["A1"], [], ["C1"]]),
        (["A", "A"], ["A1", "A2", "A1", "A2"], [["A1", "A2"], ["A1", "A2"]]),
        (["A", "A"], ["A1", "A2", "A3"], [["A1", "A2", "A3"], []]),
        (["A", "B", "A"], ["A1", "A1"], [["A1"], [], ["A1"]]),
        (["A", "B", "A", "B"], ["A1", "B1", "A2", "B2"], [["A1"], ["B1"], ["A2"], ["B2"]]),
    ],
)
def test_subtasks_of_equal_text_neither_share_nor_steal_steps(
    texts: list[str], steps: list[str], owned: list[list[str]]
) -> None:
    plan = read_workflow(old_plan(texts, [(name[0], name, at) for at, name in enumerate(steps)])).plan
    assert [[step.target.primary for step in subtask.steps] for subtask in plan.subtasks] == owned


def test_steps_that_count_anew_begin_the_next_subtask_of_the_same_text() -> None:
    steps = [("A", "A1", 0), ("A", "A2", 1), ("A", "A3", 0)]
    plan = read_workflow(old_plan(["A", "A"], steps)).plan
    assert [len(subtask.steps) for subtask in plan.subtasks] == [2, 1]


def test_steps_that_cannot_be_shared_out_are_noted() -> None:
    reading = read_document(old_plan(["A", "A"], [("A", "A1", 0), ("A", "A2", 1), ("A", "A3", 2)]))
    assert reading.notes == ("plan.steps: all steps of the 2 subtasks 'A' go to the first of them",)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("subtasks", [], "subtasks: must not be empty"),
        ("subtasks", ABSENT, "subtasks: is missing"),
        ("subtasks.0", "", "subtasks[0]: must not be empty"),
        ("subtasks.0", "Open {sonk}.", "plan.steps[0].subtask: must be the exact copy of an entry of subtasks"),
        ("plan.steps.2.subtask", "Search for {song} and play it.", "plan.steps[2].subtask: must be the exact copy"),
        ("plan.steps.0.i", "0", "plan.steps[0].i: must be a number, not a string"),
        ("plan.steps.0.i", ABSENT, "plan.steps[0].i: is missing"),
        ("plan.steps.2.action_value", "x", "plan.steps[2].action_value: must be null for CLICK"),
        ("plan.steps.3.action_value", "{sonk}", "uses {sonk}, which task_params does not declare"),
        ("task_params", [], "subtasks[1]: uses {song}, which task_params does not declare"),
    ],
)
def test_version_1_is_held_to_its_rules_by_its_own_paths(path: str, value: Any, says: str) -> None:
    assert says in _refused(changed(document(V1), path, value))


@given(st.lists(st.sampled_from("ABC"), min_size=1, max_size=6), st.lists(st.integers(0, 5), max_size=12))
def test_each_step_of_version_1_goes_to_one_subtask_of_its_text_in_order(texts: list[str], owners: list[int]) -> None:
    reported = [(texts[owner % len(texts)], str(at), at) for at, owner in enumerate(owners)]
    plan = read_workflow(old_plan(texts, reported)).plan
    given_to = [[(subtask.text, step.target.primary) for step in subtask.steps] for subtask in plan.subtasks]

    assert sorted(step for own in given_to for step in own) == sorted((text, name) for text, name, _ in reported)
    assert all(own == sorted(own, key=lambda step: int(step[1])) for own in given_to)


@given(st.lists(st.sampled_from("ABC"), min_size=1, max_size=6), st.integers(1, 3))
def test_a_plan_of_version_1_in_order_is_read_as_it_was_meant(texts: list[str], size: int) -> None:
    reported = [(text, f"{text}{i}", i) for text in texts for i in range(size)]
    plan = read_workflow(old_plan(texts, reported)).plan

    assert [[step.target.primary for step in subtask.steps] for subtask in plan.subtasks] == [
        [f"{text}{i}" for i in range(size)] for text in texts
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    path=st.sampled_from(["plan", "plan.subtasks", "plan.subtasks.0", "plan.subtasks.0.steps.1", "task_params.0"])
    | st.sampled_from(sorted(f"plan.subtasks.0.steps.1.{name}" for name in READ)),
    value=JSON,
)
@settings(max_examples=200, deadline=None)
def test_anything_anywhere_is_read_or_refused(path: str, value: Any) -> None:
    text = changed(document(V2), path, value)
    with contextlib.suppress(InvalidWorkflow):
        workflow = read_workflow(text)
        assert read_workflow(write_workflow(workflow)) == workflow
