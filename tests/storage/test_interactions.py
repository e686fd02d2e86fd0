import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.analysis import Analysis, AnalysisRequest, Video
from core.errors import InvalidVideo, StorageFailed
from storage.interactions import InteractionFolder, InteractionFolders
from tests.canary import CANARY, files_with
from tests.fakes.jobs.analyses import VIDEO, analysis, verdict

REPOSITORY = Path(__file__).parents[2]
QUESTIONS = (verdict(0).expectation, verdict(1).expectation)


@pytest.fixture
def video(tmp_path: Path) -> Video:
    return _video(tmp_path / "clips" / "checkout.mp4")


def _video(path: Path) -> Video:
    if path.is_absolute() and not path.is_relative_to("/sys"):
        path.parent.mkdir(exist_ok=True)
    return VIDEO.model_copy(update={"path": str(path)})


def _ask(video: Video, expectations: Sequence[str] = QUESTIONS, *, uploaded: bool = False) -> AnalysisRequest:
    return AnalysisRequest(video_path=video.path, expectations=tuple(expectations), uploaded=uploaded)


def _answered(logs: InteractionFolders, video: Video, job_id: str = "job-1") -> tuple[InteractionFolder, Analysis]:
    interaction = logs.open(video, _ask(video), job_id)
    here = {"video": video, "interactions_dir": str(interaction.directory), "job_id": job_id}
    answer = analysis(job_id=job_id).model_copy(update=here)
    interaction.answer(answer)
    return interaction, answer


def _files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): oct(path.stat().st_mode & 0o777) for path in sorted(folder.rglob("*"))}


def test_request_answer_timeline_and_log_lie_beside_the_video_for_the_user_only(
    logs: InteractionFolders, video: Video
) -> None:
    interaction, answer = _answered(logs, video)
    folder = Path(f"{video.path}.VaiderInteractions")
    assert interaction.directory == folder
    assert _files(folder.parent) == {
        folder.name: "0o700",
        f"{folder.name}/01_request.json": "0o600",
        f"{folder.name}/01_response.json": "0o600",
        f"{folder.name}/frames": "0o700",
        f"{folder.name}/server.log": "0o600",
        f"{folder.name}/timeline.md": "0o600",
    }
    assert Analysis.model_validate_json((folder / "01_response.json").read_bytes()) == answer
    request = json.loads((folder / "01_request.json").read_bytes())
    assert (request["job_id"], request["request"]["expectations"]) == ("job-1", list(QUESTIONS))
    timeline = (folder / "timeline.md").read_text()
    assert '**00:00.4** "Order 1 confirmed" appeared.' in timeline
    assert "| **pass** |" in timeline
    frames = interaction.frames
    assert (frames.directory, frames.prefix, frames.relative) == (folder / "frames", "01_", "frames")


def test_the_log_holds_one_json_object_a_line(logs: InteractionFolders, video: Video) -> None:
    interaction = logs.open(video, _ask(video), "job-1")
    interaction.log("remote.request.success", provider="local", duration_ms=12, note="two\nlines")
    interaction.log("internal.error.unhandled", level="error")
    lines = (interaction.directory / "server.log").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    assert [(entry["event"], entry["level"], entry["request_id"]) for entry in entries] == [
        ("agent.request.received", "info", "job-1"),
        ("remote.request.success", "info", "job-1"),
        ("internal.error.unhandled", "error", "job-1"),
    ]
    assert entries[1]["duration_ms"] == 12
    assert entries[1]["timestamp"].endswith("+00:00")


def test_a_failure_is_kept_as_the_response(logs: InteractionFolders, video: Video) -> None:
    interaction = logs.open(video, _ask(video), "job-1")
    interaction.fail(InvalidVideo("Nothing can be decoded.").to_json())
    kept = json.loads((interaction.directory / "01_response.json").read_bytes())
    assert kept == {"error": "Nothing can be decoded.", "code": "invalid_video"}
    assert logs.find(video, _ask(video), "local", "rapidocr") is None


def test_a_failed_request_leaves_no_pictures_and_touches_no_others(logs: InteractionFolders, video: Video) -> None:
    first, second = (logs.open(video, _ask(video), job_id) for job_id in ("job-1", "job-2"))
    for name in ("01_0000320.jpg", "02_0000320.jpg", "02_0001800.jpg", "102_0000000.jpg"):
        (first.frames.directory / name).write_bytes(b"picture, perhaps half of one")
    second.fail(StorageFailed("There is no room left.").to_json())
    assert sorted(path.name for path in first.frames.directory.iterdir()) == ["01_0000320.jpg", "102_0000000.jpg"]


def test_a_resumed_job_finds_its_number_again_and_numbers_go_beyond_99(logs: InteractionFolders, video: Video) -> None:
    first = logs.open(video, _ask(video), "job-1")
    assert logs.open(video, _ask(video), "job-2").frames.prefix == "02_"
    (first.directory / "99_request.json").write_text("cut short {")
    assert logs.open(video, _ask(video), "job-3").frames.prefix == "100_"
    assert logs.open(video, _ask(video), "job-1").frames.prefix == "01_"
    assert logs.open(video, _ask(video), "job-4").frames.prefix == "101_"


@pytest.mark.nightly
def test_processes_that_take_numbers_at_once_each_get_their_own(video: Video, tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from core.analysis import AnalysisRequest, Video
from storage.answers import AnswerIndex
from storage.database import Database
from storage.interactions import InteractionFolders
database = Database(f"sqlite:///{sys.argv[1]}/vaider.db")
database.open()
logs = InteractionFolders(data_dir=Path(sys.argv[1]), answers=AnswerIndex(database, "here"), redact=str)
video = Video.model_validate_json(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
for turn in range(10):
    job = f"{sys.argv[3]}-{turn}"
    print(logs.open(video, AnalysisRequest(video_path=video.path), job).frames.prefix.strip("_"), job, flush=True)
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "data"), video.model_dump_json(), str(number)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(5)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    outputs: list[str] = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        outputs += process.communicate(timeout=60)[0].splitlines()
    taken = dict(line.split() for line in outputs)
    assert sorted(int(number) for number in taken) == list(range(1, 51))
    folder = Path(f"{video.path}.VaiderInteractions")
    assert {n: json.loads((folder / f"{n}_request.json").read_bytes())["job_id"] for n in taken} == taken
    assert len((folder / "server.log").read_text().splitlines()) == 50


@pytest.mark.parametrize("name", ["a\nb.mp4", "🎬 čaj.mp4", "-rf.mp4", "x" * 232 + ".mp4", "$(touch oops).mp4"])
def test_any_file_name_that_leaves_room_keeps_its_folder_beside_it(
    logs: InteractionFolders, tmp_path: Path, name: str
) -> None:
    video = _video(tmp_path / "clips" / name)
    interaction, _ = _answered(logs, video)
    assert interaction.directory == Path(f"{video.path}.VaiderInteractions")
    assert logs.find(video, _ask(video), "local", "rapidocr") is not None


@pytest.mark.parametrize(
    ("place", "uploaded"),
    [
        ("clips/" + "x" * 251 + ".mp4", False),
        ("clips/" + "é" * 125 + ".mp4", False),
        ("clips/../clips/upload.mp4", True),
        ("/sys/read-only.mp4", False),
        ("gone/deleted.mp4", False),
    ],
)
def test_uploads_and_places_that_cannot_take_a_folder_go_to_the_data_directory(
    logs: InteractionFolders, tmp_path: Path, data_dir: Path, place: str, uploaded: bool
) -> None:
    video = VIDEO.model_copy(update={"path": str(tmp_path / place)})
    interaction = logs.open(video, _ask(video, uploaded=uploaded), "job-1")
    assert interaction.directory.parent == data_dir / "interactions"
    assert interaction.directory.name.startswith("0000000000000000-")
    assert interaction.frames.directory.is_dir()
    assert {mode for name, mode in _files(data_dir).items() if "." not in Path(name).name} == {"0o700"}
    assert sorted(tmp_path.rglob("*.VaiderInteractions")) == []


@pytest.mark.parametrize("planted", ["folder", "dangling folder", "frames", "folder for a picture", "plain file"])
def test_what_was_planted_in_the_way_is_not_followed(
    logs: InteractionFolders, video: Video, tmp_path: Path, data_dir: Path, planted: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = Path(f"{video.path}.VaiderInteractions")
    if planted == "folder":
        folder.symlink_to(outside)
    elif planted == "dangling folder":
        folder.symlink_to(outside / "new")
    elif planted == "plain file":
        folder.write_text("mine")
    elif planted == "folder for a picture":
        (folder / "frames" / "01_0000320.jpg").mkdir(parents=True)
    else:
        folder.mkdir()
        (folder / "frames").symlink_to(outside)
    interaction, _ = _answered(logs, video)
    assert interaction.directory.is_relative_to(data_dir)
    assert list(outside.iterdir()) == []
    assert planted != "plain file" or folder.read_text() == "mine"


def test_links_in_the_place_of_our_files_are_replaced_and_never_written_through(
    logs: InteractionFolders, video: Video, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder = Path(f"{video.path}.VaiderInteractions")
    (folder / "frames").mkdir(parents=True)
    for name in ("01_request.json", "02_response.json", "timeline.md", "server.log", "frames/02_0000320.jpg"):
        (folder / name).symlink_to(victim)
    interaction, _ = _answered(logs, video)
    assert interaction.frames.prefix == "02_"
    # A library writes the pictures, and follows links: none may lie there under their names.
    assert list(interaction.frames.directory.iterdir()) == []
    assert victim.read_text() == "mine"
    assert not (folder / "02_response.json").is_symlink()


def test_a_full_disk_is_told_in_a_sentence_and_leaves_nothing_half_written(
    logs: InteractionFolders, video: Video
) -> None:
    interaction, answer = _answered(logs, video)
    before = {path: path.read_bytes() for path in interaction.directory.iterdir() if path.is_file()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, hard))
    try:
        with pytest.raises(StorageFailed, match=r"There is no room left to write .*: free some space"):
            interaction.answer(answer.model_copy(update={"description": "x" * 300 * 1024}))
        big = _ask(video, ["y" * 300 * 1024])
        with pytest.raises(StorageFailed, match="There is no room left"):
            logs.open(video, big, "job-2")
        interaction.log("huge", text="z" * 300 * 1024)
        interaction.fail({"error": "w" * 300 * 1024})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {path: path.read_bytes() for path in interaction.directory.iterdir() if path.is_file()} == before


def test_a_secret_reaches_no_file(logs: InteractionFolders, video: Video, tmp_path: Path) -> None:
    request = _ask(video, [f'"{CANARY}" is shown']).model_copy(update={"metadata": {"env": {"KEY": CANARY}}})
    interaction = logs.open(video, request, "job-1")
    interaction.log("odd", text=CANARY)
    interaction.answer(analysis(words=CANARY))
    interaction.fail({"error": f"refused {CANARY}"})
    assert list(files_with(CANARY, tmp_path)) == []
    assert "[key]" in (interaction.directory / "01_request.json").read_text()


def test_the_same_question_about_the_same_content_is_answered_from_the_log(
    logs: InteractionFolders, video: Video, tmp_path: Path
) -> None:
    _, answer = _answered(logs, video)
    renamed = _video(tmp_path / "elsewhere" / "renamed.mp4")
    found = logs.find(renamed, _ask(renamed, QUESTIONS[::-1]), "local", "rapidocr")
    assert found is not None
    assert found.cached
    assert found.video.path == renamed.path
    assert [verdict.expectation for verdict in found.verdicts] == list(QUESTIONS[::-1])
    assert (found.timeline, found.interactions_dir) == (answer.timeline, answer.interactions_dir)
    assert logs.find(video, _ask(video, QUESTIONS[:1]), "local", "rapidocr") is None
    assert logs.find(video, _ask(video), "gemini", "rapidocr") is None
    assert logs.find(video, _ask(video), "local", "other") is None
    other = video.model_copy(update={"sha256": "1" * 64})
    assert logs.find(other, _ask(other), "local", "rapidocr") is None


def test_of_equal_answers_that_beside_the_video_is_taken(logs: InteractionFolders, video: Video) -> None:
    copy = _video(Path(video.path).with_name("copy.mp4"))
    own, _ = _answered(logs, video)
    newer, _ = _answered(logs, copy, "job-2")
    for asked, place in ((video, own), (copy, newer)):
        found = logs.find(asked, _ask(asked), "local", "rapidocr")
        assert found is not None
        assert found.interactions_dir == str(place.directory)


def test_a_kept_answer_that_was_changed_or_removed_is_passed_over_for_an_older_one(
    logs: InteractionFolders, video: Video
) -> None:
    interaction, _ = _answered(logs, video, "job-1")
    _answered(logs, video, "job-2")
    _answered(logs, video, "job-3")
    tampered = (interaction.directory / "03_response.json").read_text().replace('"fail"', '"pass"')
    (interaction.directory / "03_response.json").write_text(tampered)
    (interaction.directory / "02_response.json").unlink()
    found = logs.find(video, _ask(video), "local", "rapidocr")
    assert found is not None
    assert found.job_id == "job-1"
    (interaction.directory / "01_response.json").write_text("{")
    assert logs.find(video, _ask(video), "local", "rapidocr") is None


def test_answers_that_came_with_somebodys_videos_are_not_believed(logs: InteractionFolders, video: Video) -> None:
    folder = Path(f"{video.path}.VaiderInteractions")
    folder.mkdir()
    (folder / "01_response.json").write_text(analysis(job_id="planted").model_dump_json())
    assert logs.find(video, _ask(video), "local", "rapidocr") is None
