"""Files that an older Vaider wrote are read as before, and what is made of them is the same to the letter.

The files of ``tests/data/written`` were written by commit 983fa9f. They are never written anew: users have such files,
and the revisions of workflows and the notes of memories are hashes of them. What is drafted from the recording alone
was written anew since: a terminal's command is asked for, and a window that comes confirms a step.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.analysis import Findings
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft
from core.memory import Procedure
from core.procedures.procedures import procedures_of
from core.procedures.run_steps import procedure_of_run
from core.recording.input_log import InputLog
from core.reload.entry import Draft, Entry
from core.reload.entry_keys import revision_of
from core.reload.import_export import export_file, read_file
from core.tasks.heartbeat import Heartbeat
from core.tasks.parameters import filled, parametrised
from core.tasks.plan import plan_of
from core.tasks.workflow import compiled
from core.workflows.reading import read_document, write_workflow
from storage.memories.memories import SqlMemories
from storage.reload.rows import write_document
from tests.fakes.runs.finished_runs import finished_run, finished_subtask

DATA = Path(__file__).parents[1] / "data"
WRITTEN = DATA / "written"
BEGAN = datetime(2026, 11, 21, 9, tzinfo=UTC)
DURATION = 60_000


def old(name: str) -> str:
    return (WRITTEN / name).read_text(encoding="utf-8")


def lines(procedures: Iterable[Procedure]) -> str:
    return "".join(f"{each.model_dump_json()}\n" for each in procedures)


def recording() -> tuple[Findings, InputLog]:
    whole: dict[str, Any] = json.loads(old("recording.json"))
    return Findings.model_validate(whole["findings"]), InputLog.model_validate(whole["log"])


@pytest.mark.parametrize(
    ("name", "version", "revision"),
    [
        ("spotify", 1, "72573a98ba81a7d21346a230290138f954a3efbb66cec524a68290769f1c20da"),
        ("report", 2, "b7ee2edca650037a23ef040390faea6304bcb5ddd547f6b8f3b133e8cc6d96d9"),
        ("parcel", 2, "2ac9a077d9285c8f243a6efed76ec263fd997a38e9661d3c369a8f91e1107ad5"),
    ],
)
def test_a_workflow_is_written_as_before_and_has_the_same_revision(name: str, version: int, revision: str) -> None:
    folder = DATA / "workflows" / name / "schema.json"
    reading = read_document(folder.read_bytes() if folder.exists() else old(f"{name}.schema.json"))

    assert (reading.version, reading.notes) == (version, ())
    assert write_workflow(reading.workflow) == old(f"{name}.schema.json")
    assert revision_of(reading.workflow) == revision


def test_a_task_becomes_the_same_workflow() -> None:
    assert write_workflow(compiled(Heartbeat(old("parcel.HEARTBEAT.md")))) == old("parcel.schema.json")


def test_a_task_has_the_same_plan_and_takes_the_same_values() -> None:
    task = Heartbeat(old("doubtful.HEARTBEAT.md"))
    template = parametrised(task)

    assert filled(template, {"Recipient": "Bob", "Note": "{Recipient}"}).text == old("doubtful.filled.md")
    assert [each.text for each in plan_of(template.heartbeat)] == json.loads(old("doubtful.plan.json"))


def test_a_recording_becomes_the_same_task() -> None:
    findings, log = recording()

    assert draft(demonstrated(findings, log, DURATION)) == old("recording.HEARTBEAT.md")
    assert draft(demonstrated(findings, None, DURATION)) == old("inferred.HEARTBEAT.md")


def test_a_recording_is_remembered_as_before() -> None:
    findings, log = recording()
    found = [
        each
        for name, known in (("logged", log), ("inferred", None))
        for each in procedures_of(
            findings, known, video=name, source="recorder", started_at=BEGAN, duration_ms=DURATION
        )
    ]

    assert lines(found) == old("memories.jsonl")


def test_a_run_is_remembered_as_before() -> None:
    workflow = read_document(old("parcel.schema.json")).workflow
    run = finished_run(finished_subtask("Send it."))
    procedure = procedure_of_run(run, workflow)

    assert procedure is not None
    # Its job is named by now, by which its page is found.
    assert procedure.video == run.job_id
    assert lines([procedure.model_copy(update={"video": run.run_id})]) == old("run-memory.jsonl")


def test_what_is_remembered_is_read_and_written_as_before(tmp_path: Path) -> None:
    """What is kept is compared as text: a document that is written otherwise is stored, embedded and refined anew."""
    documents = [*old("memories.jsonl").splitlines(), *old("run-memory.jsonl").splitlines()]
    procedures = [Procedure.model_validate_json(each) for each in documents]
    assert [each.model_dump_json() for each in procedures] == documents

    database = tmp_path / "memory.db"
    database.write_bytes((WRITTEN / "memory.db").read_bytes())
    memories = SqlMemories(database)
    memories.open()
    try:
        assert [memories.get(each.id) for each in procedures] == procedures
    finally:
        memories.close()


def test_a_cache_is_read_and_written_as_before() -> None:
    exported = old("reload-cache.json")
    (incoming,) = read_file(exported.encode()).entries
    kept = Draft.model_validate_json(old("reload-document.json"))
    entry = Entry.model_validate({**dict(kept), "id": "reload-7", "metadata": {"created_at": "1", "last_used": "2"}})

    assert write_document(kept) == old("reload-document.json")
    assert export_file([entry]).decode() == exported
    assert incoming.draft.actions == kept.actions
