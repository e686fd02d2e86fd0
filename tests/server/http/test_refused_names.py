"""What comes from elsewhere under a name that some system cannot have, and what errors tell of uploads."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from server.http.uploads import safe_name
from storage.workflows.packages import pack_workflow
from tests.fakes.daemons.memory_daemon import Daemon, form
from tests.fakes.runs.workflow_documents import document


def package(*names: str, schema: bytes | None = None) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("flow/schema.json", json.dumps(document()) if schema is None else schema)
        for name in names:
            archive.writestr(name, b"x")
    return packed.getvalue()


def imported(daemon: Daemon, content: bytes, **metadata: Any) -> Any:
    files = {"workflow": ("flow.zip", content), "metadata": (None, json.dumps(metadata))}
    return daemon.http.post("/workflows/import", files=files)


@pytest.mark.parametrize(
    "name", ["a\x1b[2Jb.png", "line\nbreak.png", "tab\t.png", "CON", "nul.txt", "img/Aux.png", "com1", "LPT¹.png"]
)
def test_a_package_with_a_name_that_cannot_travel_is_refused(daemon: Daemon, name: str) -> None:
    answer = imported(daemon, package(f"flow/{name}"))

    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_request"
    assert "rename it" in answer.json()["error"]
    assert not any(not character.isprintable() for character in answer.json()["error"])


@pytest.mark.parametrize("name", ["console.png", "nullable.txt", "com10.png", "été.png", "a con.png"])
def test_a_package_with_a_name_that_only_resembles_one_is_taken(daemon: Daemon, name: str) -> None:
    assert imported(daemon, package(f"flow/{name}")).status_code == 201


@pytest.mark.parametrize("name", ["CON", "nul.flow", "aux"])
def test_a_workflow_cannot_be_called_what_windows_reserves(daemon: Daemon, name: str) -> None:
    assert imported(daemon, package(), name=name).status_code == 400


def test_a_workflow_with_such_a_file_is_not_packed(tmp_path: Path) -> None:
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "schema.json").write_text(json.dumps(document()))
    (folder / "con.png").write_bytes(b"x")

    with pytest.raises(Exception, match="reserved on Windows"):
        pack_workflow(folder)


def test_a_task_is_never_called_what_windows_reserves(daemon: Daemon) -> None:
    ids = [
        daemon.http.post("/tasks", json={"title": title}).json()["id"] for title in ("CON", "Nul", "com¹", "Console")
    ]

    assert ids == ["task-con", "task-nul", "task-com1", "console"]


def test_an_upload_is_kept_under_a_name_that_every_system_has() -> None:
    assert safe_name("CON.mp4") == "video-CON.mp4"
    assert safe_name("concert.mp4") == "concert.mp4"


def test_titles_have_at_most_two_hundred_characters(daemon: Daemon) -> None:
    long = "x" * 201
    workflow = json.dumps({**document(), "task_name": long}).encode()

    assert daemon.http.post("/tasks", json={"title": long}).status_code == 400
    assert "200" in imported(daemon, package(schema=workflow)).json()["faults"]
    written = daemon.http.post("/tasks", json={"text": f"# Task\n\n{long}\n"})
    assert len(written.json()["title"]) == 200


@pytest.mark.parametrize("content", [b"no zip at all", package()[:-30], package("x/y")[:200] * 3])
def test_no_error_tells_where_an_upload_was_kept(daemon: Daemon, content: bytes) -> None:
    answer = imported(daemon, content)

    assert answer.status_code == 400
    assert "flow.zip" in answer.json()["error"]
    assert str(daemon.services.settings.data_path) not in answer.text


def test_no_error_of_an_analysis_tells_where_its_upload_was_kept(daemon: Daemon) -> None:
    answer = daemon.http.post("/analyse", **form(b"no video"))

    assert str(daemon.services.settings.data_path) not in answer.json().get("error", "")
