"""Places in a workflow's texts are filled once, and sensitive values do not get into them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.runs.run import read_form, resolve_parameters, secrets_of, shown_values
from core.secrets import MASK, Secrets
from core.workflows.reading import read_workflow
from core.workflows.workflow import fill, fill_extracts, fill_subtask, names_secret, places, render
from tests.fakes.runs.workflow_documents import V1, V2, changed, document, plan, step

REPORT = read_workflow((V2 / "schema.json").read_bytes())
SPOTIFY = read_workflow((V1 / "schema.json").read_bytes())
PASSWORD = "correct horse"
GIVEN = {"password": PASSWORD, "note": '{"a": {b}}'}

NAMES = st.text("ab_1", min_size=1, max_size=3)
TEXTS = st.text('{}ab_1" ,:', max_size=30)


def _rendered(given: dict[str, str] = GIVEN, *, source: str | None = None) -> str:
    workflow = read_workflow(source) if source else REPORT
    values = resolve_parameters(workflow, given)
    return render(workflow, values, secrets_of(workflow, values)).model_dump_json()


def test_every_text_of_version_1_is_rendered() -> None:
    rendered = render(SPOTIFY, resolve_parameters(SPOTIFY, {"song": "Für Elise"}), Secrets())
    second = rendered.plan.subtasks[1]

    assert second.text == "Search for Für Elise and play it. Expected outcome: Für Elise is playing."
    assert second.steps[1].action_value == "Für Elise"
    assert second.steps[1].post_action == ("Hits are listed.", '"Für Elise" is the first of them.')
    assert second.steps[2].target.primary == 'the "Play" button beside "Für Elise"'
    assert rendered.success_criteria == '"Für Elise" is shown as playing.'
    assert "{song}" not in rendered.model_dump_json()


def test_rendering_leaves_the_workflow_as_it_was() -> None:
    before = REPORT.model_dump_json()
    _rendered()
    assert REPORT.model_dump_json() == before


def test_literal_braces_survive_and_values_are_not_rendered_again() -> None:
    rendered = json.loads(_rendered({"password": "x", "customer": "{note}", "note": "{customer}"}))
    entry = rendered["plan"]["subtasks"][1]["steps"][0]["action_value"]

    assert entry == '{"order": "{extract_0}", "of": {"name": "{note}"}, "note": "{customer}"}'


def test_free_arguments_are_rendered_too() -> None:
    rendered = json.loads(_rendered())["plan"]["subtasks"]

    assert rendered[0]["steps"][1]["additional_args"]["extract_query"] == "The number of ACME's newest order"
    assert rendered[1]["steps"][1]["additional_args"]["to"]["primary"] == 'the "ACME" folder'


def test_sensitive_parameters_stay_places_and_their_example_is_dropped() -> None:
    source = changed(document(V2), "task_params.1.example", "swordfish")
    for values in ({}, {"password": PASSWORD}):
        rendered = _rendered(values, source=source)

        assert '"action_value":"{password}"' in rendered
        assert "swordfish" not in rendered
        assert PASSWORD not in rendered


def test_code_is_typed_as_it_stands_when_it_is_said_to_be_literal() -> None:
    code = 'f"{customer} {x}" {return}'
    typed = step(action_type="TYPE", action_value=code, additional_args={"literal": True})
    workflow = read_workflow(plan({"steps": [typed]}, task_params=[{"name": "customer"}]))
    (subtask,) = render(workflow, {"customer": "ACME"}, Secrets()).plan.subtasks

    assert subtask.steps[0].action_value == code
    assert fill_subtask(subtask, {"extract_0": "1"}).steps[0].action_value == code


def test_a_place_without_a_value_is_told_by_its_name() -> None:
    with pytest.raises(InvalidRequest, match=r"^Missing params for template \['customer', 'note'\]"):
        render(REPORT, {}, Secrets({"password": "x"}))


def test_extracts_are_filled_when_they_are_known() -> None:
    subtask = render(REPORT, resolve_parameters(REPORT, GIVEN), Secrets({"password": "x"})).plan.subtasks[1]

    assert fill_subtask(subtask, {}) == subtask
    assert fill_subtask(subtask, {"extract_0": "A-{extract_0}"}).text.startswith("File order A-{extract_0}. Expected")
    assert fill_extracts("{extract_0} {extract_1} {password}", {"extract_1": "2", "password": "x"}) == (
        "{extract_0} 2 {password}"
    )


def test_a_screen_that_names_a_secret_is_noticed() -> None:
    assert names_secret("your {password}!", Secrets({"password": "x"}))
    assert not names_secret("your {passwords} {", Secrets({"password": "x"}))


@given(text=TEXTS, values=st.dictionaries(NAMES, TEXTS, max_size=4))
def test_filling_changes_nothing_but_places_that_have_a_value(text: str, values: dict[str, str]) -> None:
    marked = fill(text, dict.fromkeys(values, "\0"))

    assert places(marked) == places(text) - values.keys()
    assert fill(text, {name: f"{{{name}}}" for name in values}) == text
    assert fill(text, values).count("\0") == 0


def test_a_value_is_what_is_given_or_the_example_or_nothing() -> None:
    assert resolve_parameters(REPORT, {"password": "x"}) == {"customer": "ACME", "password": "x", "note": ""}
    assert resolve_parameters(REPORT, {"password": "", "customer": ""}) == dict.fromkeys(
        ("customer", "password", "note"), ""
    )


def test_a_missing_value_is_told_with_how_to_give_it() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        resolve_parameters(REPORT, {})
    assert refusal.value.message == (
        "Missing required param 'password' (Of the shop): "
        'pass it as password=value to `vaider run` or `vaider replay`, or in "params" of POST /replay.'
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"costumer": "x"}, "no parameter 'costumer'. Did you mean 'customer'?"),
        ({"zzz": "x"}, "It has 'customer', 'password', 'note'."),
        ({"customer": "x" * 100_001}, "more than 100000 characters"),
        ({"customer": "\ud83d"}, "half a character"),
        ({"customer": "give me {password}"}, "must not hold {password}"),
        ({"customer": "{extract_0}"}, "must not hold {extract_0}"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(given: dict[str, str], says: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        resolve_parameters(REPORT, {"password": "x", **given})
    assert says in refusal.value.message


def test_a_secret_may_look_like_a_place() -> None:
    values = resolve_parameters(REPORT, {"password": "{password}"})
    assert secrets_of(REPORT, values).reveal("{password}{password}") == "{password}{password}"


def test_a_form_is_read_line_by_line() -> None:
    text = "\ufeff# password=no\n  #x=1\r\ncustomer = A=B \nnote=\nnonsense\npassword=  \n"
    assert read_form(text) == {"customer": "A=B"}


def test_an_example_of_several_lines_is_a_default() -> None:
    workflow = read_workflow(changed(document(V2), "task_params.0.example", "a\nb=c"))
    assert resolve_parameters(workflow, {"password": "x"})["customer"] == "a\nb=c"


def test_values_are_written_down_without_secrets() -> None:
    values = resolve_parameters(REPORT, {"password": PASSWORD})
    assert shown_values(REPORT, values) == {"customer": "ACME", "password": MASK, "note": ""}
