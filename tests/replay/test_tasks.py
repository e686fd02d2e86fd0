"""Tasks carried out on a private display: by each decider from the same document, and with a question where it ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.runs.run import Run, RunRequest, RunStatus
from core.tasks.heartbeat import Heartbeat
from storage.tasks.tasks import TaskFolders
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.model_families import NAMES, Families, model_families
from tests.fakes.runs.replaying import REPLAYED, PageServer, Replays

pytestmark = pytest.mark.screen

TASK = """# Task
Title: Keep a note
Goal: The note is kept.
SuccessCriteria:
- "Note Milk is kept" is shown.
SuggestedPlan:
1. Open "{address}" in the browser.
2. Type "Milk" into the "Title" field.
3. Type "Two litres" into the "Note" field.
4. Click the "Save" button. Then "Note Milk is kept" is shown.

## Questions
- [ ] Are two litres always enough?
"""


@pytest.fixture(scope="module")
def families() -> Iterator[Families]:
    with model_families() as all_of_them:
        yield all_of_them


@pytest.fixture
def page() -> Iterator[PageServer]:
    with PageServer(REPLAYED / "note") as server:
        yield server


@dataclass
class Tried:
    """A task in a folder of its own, and runs of it."""

    replays: Replays
    tasks: TaskFolders

    def run(self, **request: Any) -> Run:
        asked = RunRequest.model_validate({"task": "keep-a-note", "display": "private", "size": "800x600", **request})
        return self.replays.replay.run(self.replays.replay.admit(asked), FakeContext())


def tried(folder: Path, page: PageServer, families: Families | None = None) -> Tried:
    tasks = TaskFolders(folder / "data" / "tasks")
    text = TASK.replace("{address}", f"{page.url}/page.html")
    tasks.add(Heartbeat(text), by="test", why="")
    makers = families.makers if families is not None else None
    return Tried(Replays(folder, makers, patience=2.0), tasks)


# One of those that are given tools; that models which write them as text are told the same, their conversations say.
@pytest.mark.parametrize(
    "provider",
    [
        "anthropic",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("local", *NAMES) if name != "anthropic"),
    ],
)
def test_each_decider_carries_out_the_same_document(
    provider: str, families: Families, page: PageServer, tmp_path: Path
) -> None:
    run = tried(tmp_path, page, families).run(provider=provider)

    assert (run.status, run.reason, run.asked) == (RunStatus.SUCCESS, "", ())
    assert page.read_reports() == {"title": "Milk", "body": "Two litres"}
    assert [each.text for each in run.open_questions] == ["Are two litres always enough?"]


@pytest.mark.nightly
def test_other_values_go_into_the_plan_and_into_what_shows_success(page: PageServer, tmp_path: Path) -> None:
    run = tried(tmp_path, page).run(params={"title": 'Ännu "en"', "Note": "{title} & 'co'"})

    assert run.status is RunStatus.SUCCESS, run.reason
    assert page.read_reports() == {"title": 'Ännu "en"', "body": "{title} & 'co'"}


@pytest.mark.nightly
def test_a_renamed_button_becomes_a_question_and_its_answer_the_new_step(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    html = (REPLAYED / "note" / "page.html").read_text(encoding="utf-8")
    (tmp_path / "site" / "page.html").write_text(html.replace(">Save<", ">Store<"), encoding="utf-8")
    with PageServer(tmp_path / "site") as renamed:
        here = tried(tmp_path, renamed)
        blocked = here.run()
        (asked,) = blocked.asked
        here.tasks.change(
            "keep-a-note", lambda now: now.with_answer(asked.id, 'Click the "Store" button.'), by="test", why=""
        )
        sent_before = renamed.read_reports()
        done = here.run()
        sent = renamed.read_reports()

    assert (blocked.status, sent_before) == (RunStatus.NEEDS_CLARIFICATION, None)
    assert asked.text.startswith("Step 4, ")
    assert asked.required
    assert (done.status, done.asked, sent) == (RunStatus.SUCCESS, (), {"title": "Milk", "body": "Two litres"})
    assert [each.text for each in done.open_questions] == ["Are two litres always enough?"]
