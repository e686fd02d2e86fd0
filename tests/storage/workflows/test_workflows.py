"""Workflows in folders: found, listed, read, taken in whole or not at all, and handed on without secrets."""

import io
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import (
    Conflict,
    InvalidPath,
    InvalidRequest,
    InvalidWorkflow,
    NotFound,
    StorageFailed,
    TooLarge,
    VaiderError,
)
from storage.workflows.packages import MAX_FILE, export_workflow, import_workflow
from storage.workflows.workflows import WorkflowFolders
from tests.canary import files_with
from tests.fakes.runs.workflow_documents import V1, V2, changed, document

SCHEMA = (V2 / "schema.json").read_bytes()


@pytest.fixture
def roots(tmp_path: Path) -> Sequence[Path]:
    return (tmp_path / "data" / "workflows", tmp_path / "here" / "workflows")


@pytest.fixture
def folders(roots: Sequence[Path]) -> WorkflowFolders:
    shutil.copytree(V1, roots[0] / "Spotify")
    shutil.copytree(V2, roots[1] / "report")
    (roots[1] / "broken").mkdir()
    (roots[1] / "broken" / "schema.json").write_text("{")
    (roots[1] / "empty").mkdir()
    (roots[1] / ".hidden").mkdir()
    (roots[1] / ".hidden" / "schema.json").write_bytes(SCHEMA)
    return WorkflowFolders(roots)


def _everything(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*")) if root.exists() else []


def _zip(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_all_that_hold_a_schema_are_listed_also_invalid_ones(folders: WorkflowFolders) -> None:
    assert folders.names() == ["broken", "report", "Spotify"]
    assert WorkflowFolders([Path("/nonexistent")]).names() == []


def test_a_workflow_is_found_by_name_and_by_path(folders: WorkflowFolders, roots: Sequence[Path]) -> None:
    folder = str(roots[1] / "report")

    assert folders.find("report") == folder
    assert folders.find(folder) == folders.find(f"{folder}/") == folders.find(f"{folder}/schema.json") == folder
    assert folders.find(f"{roots[0]}/../../here/workflows/report") == folder
    assert folders.load(folder).task_name == "file_an_order"


def test_a_relative_path_is_meant_from_where_one_stands(
    folders: WorkflowFolders, roots: Sequence[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(roots[1] / "report")
    assert folders.find(".") == folders.find("schema.json") == folders.find("./schema.json") == str(roots[1] / "report")


def test_a_folder_where_one_stands_is_found_by_its_bare_name_after_the_names(
    folders: WorkflowFolders, roots: Sequence[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("v-dark", "report"):
        shutil.copytree(V1, tmp_path / "elsewhere" / name)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert folders.find("v-dark") == folders.find("./v-dark") == str(tmp_path / "elsewhere" / "v-dark")
    assert folders.find("report") == str(roots[1] / "report")


def test_of_two_of_one_name_the_earlier_roots_counts(folders: WorkflowFolders, roots: Sequence[Path]) -> None:
    shutil.copytree(V1, roots[0] / "report")
    assert folders.find("report") == str(roots[0] / "report")
    assert folders.names().count("report") == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("reprot", "There is no workflow 'reprot'. Did you mean 'report'?"),
        ("spotify", "Did you mean 'Spotify'?"),
        ("zzz", "There are: broken, report, Spotify."),
        ("empty", "There is no workflow 'empty'."),
        ("../report", "There is no workflow '../report'."),
        ("/etc", "There is no workflow '/etc'."),
        ("~nobody-at-all/x", "There is no workflow"),
        ("a/\0", "There is no workflow"),
        ("x/" * 5000, "There is no workflow"),
        ("", "There is no workflow ''."),
    ],
)
def test_what_is_not_there_is_told_with_what_is(folders: WorkflowFolders, name: str, says: str) -> None:
    with pytest.raises(NotFound) as refusal:
        folders.find(name)
    assert says in refusal.value.message
    assert len(refusal.value.message) < 500


def test_where_there_is_none_it_is_told_how_to_add_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is none yet: `vaider workflows import FOLDER` adds one to"):
        WorkflowFolders([tmp_path / "workflows"]).find("x")


def test_an_invalid_workflow_is_told_by_its_name_with_all_faults(folders: WorkflowFolders, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "schema.json").write_text(changed(document(V2), "plan.subtasks.0.subtask_i", 5))
    with pytest.raises(InvalidWorkflow) as refusal:
        folders.load(str(folder))
    assert refusal.value.message.startswith("Workflow 'mine' is not valid: plan.subtasks[0].subtask_i: must be 0")
    assert refusal.value.details["fault_count"] == 1


def test_a_schema_that_is_no_plain_file_is_refused(folders: WorkflowFolders, tmp_path: Path) -> None:
    link, folder = tmp_path / "link", tmp_path / "folder"
    link.mkdir()
    (link / "schema.json").symlink_to(V2 / "schema.json")
    (folder / "schema.json").mkdir(parents=True)

    for path, kind in ((link, InvalidPath), (folder, InvalidPath), (tmp_path / "none", NotFound)):
        with pytest.raises(kind):
            folders.load(str(path))


def test_a_folder_is_taken_in_without_its_runs_for_the_user_only(tmp_path: Path, roots: Sequence[Path]) -> None:
    source = tmp_path / "report"
    shutil.copytree(V2, source)
    (source / "anchors").mkdir()
    (source / "anchors" / "a.png").write_bytes(b"png")
    (source / ".replay" / "run").mkdir(parents=True)
    (source / ".replay" / "run" / "x.png").write_bytes(b"png")
    imported = import_workflow(source, roots[0])

    assert (imported.name, imported.folder, imported.backup, imported.notes) == (
        "report",
        roots[0] / "report",
        None,
        (),
    )
    assert _everything(roots[0]) == ["report", "report/anchors", "report/anchors/a.png", "report/schema.json"]
    assert {path.stat().st_mode & 0o777 for path in roots[0].rglob("*")} == {0o600, 0o700}
    assert (roots[0] / "report" / "schema.json").read_bytes() == SCHEMA


def test_the_path_of_a_schema_means_its_folder(roots: Sequence[Path]) -> None:
    assert import_workflow(V2 / "schema.json", roots[0]).name == "report"


def test_of_two_imports_of_one_name_at_once_one_is_taken_in(roots: Sequence[Path]) -> None:
    with ThreadPoolExecutor(8) as pool:
        started = [pool.submit(import_workflow, V2, roots[0]) for _ in range(8)]
    failures = [each.exception() for each in started if each.exception() is not None]

    assert [type(failure) for failure in failures] == [Conflict] * 7
    assert _everything(roots[0]) == ["report", "report/schema.json"]


FULL = """
import resource, signal, sys
from pathlib import Path
from core.errors import StorageFailed
from storage.workflows.packages import import_workflow

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write over the limit fails with EFBIG, as one to a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    import_workflow(Path(sys.argv[1]), Path(sys.argv[2]), force=True)
except StorageFailed as failure:
    print(failure.message)
"""


def test_a_full_disk_is_told_and_leaves_the_old_one(roots: Sequence[Path]) -> None:
    import_workflow(V2, roots[0])
    reported = subprocess.run(
        [sys.executable, "-c", FULL, str(V2), str(roots[0])],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert reported.stdout.startswith("There is no room left to write")
    assert _everything(roots[0]) == ["report", "report/schema.json"]


@pytest.mark.parametrize("prefix", ["", "filed/"])
def test_a_zip_is_taken_in_with_or_without_a_folder_around_it(
    tmp_path: Path, roots: Sequence[Path], prefix: str
) -> None:
    files = {f"{prefix}schema.json": SCHEMA, f"{prefix}a/b.png": b"x", "__MACOSX/._a": b"x"}
    imported = import_workflow(_zip(tmp_path / "packed.zip", files), roots[0])

    assert imported.name == ("filed" if prefix else "packed")
    assert _everything(imported.folder) == ["a", "a/b.png", "schema.json"]


def test_one_that_is_there_is_replaced_only_by_force_and_then_kept(tmp_path: Path, roots: Sequence[Path]) -> None:
    import_workflow(V1, roots[0], name="mine")
    with pytest.raises(Conflict, match="give another name, or force"):
        import_workflow(V2, roots[0], name="mine")
    assert WorkflowFolders(roots).load(str(roots[0] / "mine")).task_name == "play_a_song"

    backup = import_workflow(V2, roots[0], name="mine", force=True).backup
    folders = WorkflowFolders(roots)

    assert backup is not None
    assert folders.load(str(backup)).task_name == "play_a_song"
    assert folders.load(folders.find("mine")).task_name == "file_an_order"
    assert folders.names() == ["mine"]
    del tmp_path


def _link() -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo("link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("../evil", InvalidRequest),
        ("a/../../evil", InvalidRequest),
        ("/etc/evil", InvalidRequest),
        ("..\\evil", InvalidRequest),
        ("C:evil", InvalidRequest),
        ("a/" * 20 + "deep", InvalidRequest),
        ("x" * 300, InvalidRequest),
        (_link(), InvalidRequest),
        ("schema.json/below", InvalidRequest),
    ],
)
def test_an_entry_that_leads_elsewhere_refuses_all_and_leaves_nothing(
    tmp_path: Path, roots: Sequence[Path], entry: str | zipfile.ZipInfo, kind: type[VaiderError]
) -> None:
    packed = tmp_path / "evil.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("schema.json", SCHEMA)
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(kind):
        import_workflow(packed, roots[0])

    assert _everything(roots[0]) == []
    assert not list(tmp_path.parent.rglob("evil"))


def test_what_is_too_large_is_refused_whatever_its_zip_says(tmp_path: Path, roots: Sequence[Path]) -> None:
    large = _zip(tmp_path / "large.zip", {"schema.json": SCHEMA, "a": bytes(MAX_FILE + 1)})
    assert large.stat().st_size < 1_000_000
    together = _zip(tmp_path / "together.zip", {"schema.json": SCHEMA, **{str(at): bytes(MAX_FILE) for at in range(6)}})
    many = _zip(tmp_path / "many.zip", {"schema.json": SCHEMA, **{f"a/{at}": b"" for at in range(5000)}})

    for path, says in ((large, "'a' is larger than 50 MiB"), (together, "250 MiB together"), (many, "more than 5000")):
        with pytest.raises(TooLarge, match=says):
            import_workflow(path, roots[0])
    assert _everything(roots[0]) == []


def test_what_is_no_workflow_is_refused_and_leaves_nothing(tmp_path: Path, roots: Sequence[Path]) -> None:
    (tmp_path / "text.zip").write_text("no zip")
    (tmp_path / "cut.zip").write_bytes(_zip(tmp_path / "whole.zip", {"schema.json": SCHEMA}).read_bytes()[:-30])
    (tmp_path / "folder").mkdir()
    _zip(tmp_path / "none.zip", {"a/readme": b"", "b/schema.json": SCHEMA})
    _zip(tmp_path / "broken.zip", {"schema.json": b'{"task_name": ""}'})
    named = _zip(tmp_path / "named.zip", {"schema.json": SCHEMA, "qq": b""}).read_bytes()
    (tmp_path / "nameless.zip").write_bytes(named.replace(b"qq", b"\0q"))
    os.mkfifo(tmp_path / "pipe")
    linked = tmp_path / "linked"
    shutil.copytree(V2, linked)
    (linked / "secret").symlink_to("/etc/passwd")

    for name, kind in {
        "text.zip": InvalidPath,
        "cut.zip": InvalidPath,
        "nameless.zip": InvalidRequest,
        "missing": InvalidPath,
        "pipe": InvalidPath,
        "linked": InvalidPath,
        "folder": NotFound,
        "none.zip": NotFound,
        "broken.zip": InvalidWorkflow,
    }.items():
        with pytest.raises(kind):
            import_workflow(tmp_path / name, roots[0])
    assert _everything(roots[0]) == []


@given(flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_a_damaged_zip_is_taken_in_whole_or_refused(flips: list[tuple[float, int]]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("filed/schema.json", SCHEMA)
        archive.writestr("filed/anchors/a.png", b"png" * 50)
    content = bytearray(packed.getvalue())
    for where, change in flips:
        content[int(where * len(content))] ^= change
    with tempfile.TemporaryDirectory() as folder:
        file, root = Path(folder, "damaged.zip"), Path(folder, "workflows")
        file.write_bytes(content)
        try:
            imported = import_workflow(file, root)
        except VaiderError:
            assert _everything(root) == []
        else:
            assert WorkflowFolders([root]).load(str(imported.folder))


@pytest.mark.parametrize("name", ["../x", ".x", "a/b", "", "x" * 101, "a\nb"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, roots: Sequence[Path], name: str) -> None:
    source = tmp_path / ".odd"
    shutil.copytree(V2, source)
    with pytest.raises(InvalidRequest, match="is no name for a workflow"):
        import_workflow(source, roots[0], name=name)


def test_a_root_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="cannot be written"):
        import_workflow(V2, tmp_path / "file" / "workflows")


def test_what_a_killed_import_left_is_swept_later(roots: Sequence[Path]) -> None:
    for name, age in (("old", 7200), ("new", 0)):
        left = roots[0] / f".import-{name}"
        left.mkdir(parents=True)
        os.utime(left, (left.stat().st_atime, left.stat().st_mtime - age))
    import_workflow(V2, roots[0])

    assert [path.name for path in roots[0].iterdir() if path.name.startswith(".")] == [".import-new"]


def test_an_export_is_taken_in_again_without_runs_and_secret_examples(tmp_path: Path, roots: Sequence[Path]) -> None:
    source = tmp_path / "filed"
    source.mkdir()
    text = changed(document(V2), "task_params.1.example", "swordfish")
    (source / "schema.json").write_text(changed(json.loads(text), "author", "Zoë"), encoding="utf-8")
    (source / ".replay").mkdir()
    (source / ".replay" / "x").write_text("swordfish")
    target = tmp_path / "filed.zip"

    assert export_workflow(source, target) == ["password"]
    assert target.stat().st_mode & 0o777 == 0o600
    imported = import_workflow(target, roots[0])
    kept = json.loads((imported.folder / "schema.json").read_bytes())

    assert imported.name == "filed"
    assert (kept["author"], kept["task_params"][1]["example"]) == ("Zoë", None)
    assert not list(files_with("swordfish", roots[0]))
    with zipfile.ZipFile(target) as archive:
        assert "swordfish" not in "".join(archive.read(name).decode() for name in archive.namelist())


def test_an_export_overwrites_only_by_force_and_is_always_the_same(tmp_path: Path) -> None:
    target = tmp_path / "a.zip"
    assert export_workflow(V1, target) == []
    first = target.read_bytes()
    with pytest.raises(Conflict, match="is there already"):
        export_workflow(V1, target)
    export_workflow(V1, target, force=True)

    assert target.read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip"]


def test_an_export_to_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be written: No such file"):
        export_workflow(V1, tmp_path / "none" / "a.zip")
