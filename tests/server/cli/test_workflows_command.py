"""``vaider workflows``: for people and for machines, with the right exit code."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from storage.runs import RunFolders
from tests.fakes.daemons.commands import vaider
from tests.fakes.runs.recorded_runs import record
from tests.fakes.runs.workflow_documents import V1, V2, changed, document


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with `workflows/` in it: one of each version, and one that is not valid."""
    root = tmp_path / "workflows"
    shutil.copytree(V1, root / "spotify")
    (root / "report").mkdir()
    (root / "report" / "schema.json").write_text(changed(document(V2), "task_params.1.example", "swordfish"))
    (root / "broken").mkdir()
    text = changed(document(V2), "plan.subtasks.1.steps.1.action_value", "\x1b[31mred")
    (root / "broken" / "schema.json").write_text(changed(json.loads(text), "task_name", ""))
    return tmp_path


def _ask(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = vaider("workflows", *arguments, "--data-dir", str(here / "data"), cwd=here)
    assert "\x1b" not in done.stdout + done.stderr
    assert "swordfish" not in done.stdout + done.stderr
    return done


def _json(here: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = _ask(here, *arguments, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_list_shows_each_with_its_parameters(here: Path) -> None:
    done = _ask(here, "list")

    assert done.returncode == 0
    assert ["spotify", "song", "2", "Play", "a"] in [line.split()[:5] for line in done.stdout.splitlines()]
    assert "Workflow 'broken' is not valid: task_name: must not be empty" in done.stdout
    assert [each["name"] for each in _json(here, "list")["workflows"]] == ["broken", "report", "spotify"]


def test_validate_refuses_a_parameter_that_no_step_uses(here: Path) -> None:
    changed_steps = json.loads(changed(document(V2), "task_params.0.name", "client"))
    text = json.dumps(changed_steps).replace("{customer}", "ACME")
    (here / "workflows" / "broken" / "schema.json").write_text(text)

    (reported,) = _json(here, "validate", "broken", code=2)["workflows"]
    assert reported["valid"] is False
    assert reported["faults"][0].startswith("The parameter 'client' is used by no step")
    assert "is used by no step" in _ask(here, "validate", "broken").stdout


def test_an_empty_list_tells_how_to_add_one(tmp_path: Path) -> None:
    assert "vaider workflows import FOLDER" in _ask(tmp_path, "list").stdout


def test_show_tells_parameters_parts_and_the_last_run(here: Path) -> None:
    runs = RunFolders(data_dir=here / "data", encode=lambda _: b"", redact=lambda text: text)
    record(runs.open(str(here / "workflows" / "report"), "job", ()))
    lines = [" ".join(line.split()) for line in _ask(here, "show", "report").stdout.splitlines()]

    assert "customer ACME string Whose order" in lines
    assert "password (sensitive) string Of the shop" in lines
    assert "note (optional) string What to add" in lines
    assert any(line.startswith("2. File order {extract_0}.") for line in lines)
    assert any(re.match(r"Last run: succeeded, [0-9]+ days ago, ", line) for line in lines)
    assert _json(here, "show", str(here / "workflows" / "report"))["workflow"] == document(V2)


def test_validate_tells_every_fault_by_its_path_and_exits_with_2(here: Path) -> None:
    done = _ask(here, "validate")

    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        "broken  not valid",
        "  task_name: must not be empty",
        "  plan.subtasks[1].steps[1].action_value: must be null for DRAG",
        "report  valid",
        "spotify  valid",
    ]
    assert _ask(here, "validate", "report", "workflows/spotify/schema.json").returncode == 0
    (reported,) = _json(here, "validate", "broken", code=2)["workflows"]
    assert (reported["valid"], len(reported["faults"])) == (False, 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "reprot"), "There is no workflow 'reprot'. Did you mean 'report'?"),
        (("validate", "nowhere"), "There is no workflow 'nowhere'."),
        (("show", "broken"), "Workflow 'broken' is not valid: task_name: must not be empty"),
        (("import", "nowhere"), "There is no file or folder nowhere."),
        (("import", "workflows"), "There is no schema.json in workflows"),
        (("import", "workflows/broken"), "task_name: must not be empty"),
        (("import", "workflows/report", "--name", "../x"), "'../x' is no name for a workflow"),
        (("export", "spotify", "workflows/report/schema.json"), "is there already"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_and_exits_with_2(here: Path, arguments: tuple[str, ...], says: str) -> None:
    done = _ask(here, *arguments)

    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert says in done.stderr
    assert not list((here / "data").glob("workflows/*"))


def test_what_is_exported_can_be_imported_and_replaced(here: Path) -> None:
    exported = _ask(here, "export", "report")
    assert exported.stdout.splitlines() == [
        str(here / "report.zip"),
        "  without the examples of password, which are sensitive",
    ]

    first = _json(here, "import", "report.zip", "--name", "second")
    again = _json(here, "import", "report.zip", "--name", "second", "--force")

    assert first == {
        "name": "second",
        "folder": str(here / "data" / "workflows" / "second"),
        "backup": None,
        "notes": [],
    }
    assert again["backup"].startswith(str(here / "data" / "workflows" / ".second-"))
    assert _json(here, "show", "second")["workflow"] == document(V2)


def test_names_are_completed_in_the_shell(here: Path) -> None:
    completing = {"_VAIDER_COMPLETE": "bash_complete", "COMP_WORDS": "vaider workflows show s", "COMP_CWORD": "3"}
    done = vaider(cwd=here, environment={**completing, "VAIDER_DATA_DIR": str(here / "data")})

    assert done.stdout.split() == ["plain,spotify"]


def test_make_turns_a_task_into_a_workflow_and_says_what_it_cannot(here: Path) -> None:
    tasks = here / "data" / "tasks" / "greet"
    tasks.mkdir(parents=True)
    plan = '1. Type "Ada" into the "Name" field.\n2. Click "Greet".'
    head = "# Task\nTitle: Greet\nSuggestedPlan:\n"
    (tasks / "HEARTBEAT.md").write_text(f"{head}{plan}\n\n## Questions\n- None.\n")

    made = _json(here, "make", "greet")
    shown = _json(here, "show", made["folder"])["workflow"]

    assert (made["name"], [each["example"] for each in shown["task_params"]]) == ("greet", ["Ada"])
    assert [step["action_type"] for step in shown["plan"]["subtasks"][0]["steps"]] == ["TYPE", "CLICK"]
    assert "already" in _ask(here, "make", "greet").stderr
    (tasks / "HEARTBEAT.md").write_text(f"{head}1. Do what is needed.\n\n## Questions\n- None.\n")
    assert "Step 1 of the plan is not understood" in _ask(here, "make", "greet", "--force").stderr
