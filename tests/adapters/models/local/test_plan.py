"""A task's plan followed without a model: as it is written, or with a question about the line that stops it."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from adapters.desktop.eyes import ScreenEyes
from core.actions import Ask, Done
from core.plans.phrasing import quote
from core.tasks.heartbeat import Heartbeat
from tests.fakes.desktops.headless_screens import ROOT, page_of
from tests.fakes.desktops.page_desktop import PageDesktop
from tests.fakes.runs.followed_plans import follow

FORM = "examples/workflows/parcel-form/form.html"
PLAN = (
    'Type "Ada Lovelace" into the "Recipient" field.',
    'Type "Kaivokatu 12" into the "Street" field.',
    'Type "Helsinki" into the "City" field.',
    'Choose "Finland" in the "Country" dropdown.',
    'Type "3.5" into the "Weight in kg" field.',
    'Type "2026-12-01" into the "Pickup date" field.',
    'Choose the "Express" radio button.',
    'Type "{Pickup_code}" into the "Pickup code" field.',
    'Type "Ring twice" into the text area under "Note for the driver".',
    'Tick the "Handle with care" check box.',
    'Click the "Place order" button. Then "Order 1042 placed" is shown.',
)


@pytest.fixture
def form(browser: Browser) -> Generator[Page]:
    with page_of(browser, (ROOT / FORM).as_uri()) as page:
        yield page


def task(*lines: str) -> Heartbeat:
    plan = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    return Heartbeat(f"# Task\nTitle: Send a parcel\nSuggestedPlan:\n{plan}\n\n## Questions\n- None.\n")


def order(page: Page) -> dict[str, Any] | None:
    reported = page.evaluate("document.body.dataset.order")
    return json.loads(reported) if reported else None


@pytest.mark.nightly
def test_a_plan_is_followed_line_by_line(form: Page, eyes: ScreenEyes) -> None:
    end = follow(task(*PLAN), PageDesktop(form), eyes, secrets={"Pickup_code": "4711"})

    assert isinstance(end, Done), end
    assert end.succeeded
    assert order(form) == {
        "recipient": "Ada Lovelace",
        "street": "Kaivokatu 12",
        "city": "Helsinki",
        "country": "Finland",
        "weight": "3.5",
        "date": "2026-12-01",
        "service": "Express",
        "code": "4711",
        "note": "Ring twice",
        "fragile": True,
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param('Click the "Send order" button.', '"Send order" is not seen', marks=pytest.mark.nightly),
        pytest.param('Choose "Mars" in the "Country" dropdown.', '"Mars" was typed into', marks=pytest.mark.nightly),
        ("Fill in the form as usual.", "it is not understood without a model"),
        pytest.param('Type "{City}" into the "City" field.', "no value is known for {City}", marks=pytest.mark.nightly),
        pytest.param(
            'Click "Harbour Post", until "Order 7 is waiting" is shown.', "this was expected", marks=pytest.mark.nightly
        ),
    ],
)
def test_a_line_that_cannot_be_followed_becomes_a_question(form: Page, eyes: ScreenEyes, line: str, said: str) -> None:
    end = follow(task(PLAN[0], line, PLAN[-1]), PageDesktop(form), eyes, patience=1.0)

    assert isinstance(end, Ask), end
    assert end.question.startswith(f"Step 2, {quote(line)}: ")
    assert said in end.question
    assert order(form) is None


@pytest.mark.nightly
def test_the_answer_to_the_question_is_done_instead(form: Page, eyes: ScreenEyes) -> None:
    asking = task(PLAN[0], 'Click the "Send order" button.')
    end = follow(asking, PageDesktop(form), eyes, patience=1.0)
    assert isinstance(end, Ask), end
    asked = asking.with_questions([end.question])
    answered = asked.with_answer(asked.questions[0].id, f"{PLAN[1]} Then {PLAN[2]}")

    done = follow(answered, PageDesktop(form), eyes)

    assert isinstance(done, Done), done
    assert [form.input_value("#street"), form.input_value("#city")] == ["Kaivokatu 12", "Helsinki"]


def test_a_task_without_a_plan_is_asked_about(form: Page, eyes: ScreenEyes) -> None:
    end = follow(Heartbeat.new("Send a parcel"), PageDesktop(form), eyes)

    assert isinstance(end, Ask), end
    assert "step by step" in end.question


def test_what_a_line_notes_is_known_to_the_next(form: Page, eyes: ScreenEyes) -> None:
    form.evaluate("document.querySelector('h1').textContent = 'Order 7731 waits'")
    notes = 'Note the number after "Order" as {extract_0}.'
    end = follow(task(notes, 'Type "{extract_0}" into the "City" field.'), PageDesktop(form), eyes)

    assert isinstance(end, Done), end
    assert form.input_value("#city") == "7731"


def test_of_two_that_are_called_the_same_the_one_that_stays_when_the_page_has_changed_is_taken(
    form: Page, eyes: ScreenEyes
) -> None:
    form.set_content(
        '<p><a id="old">Documents</a></p><p>Menu</p>'
        "<p><a href='#' onclick='document.title=\"opened\"'>Documents</a></p>"
        "<script>setTimeout(() => document.getElementById('old').remove(), 400)</script>"
    )

    end = follow(task('Click "Documents".'), PageDesktop(form), eyes, patience=2.0)

    assert isinstance(end, Done), end
    assert form.title() == "opened"
