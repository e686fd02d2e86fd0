"""Further questions about a clip that was watched: judged from what was seen then, as if it were watched anew."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from bench.clips import Clip, clips
from bench.watching import watch
from core.analysis import Analysis, AnalysisRequest
from core.video_analysis import VideoAnalysis
from storage.answers import AnswerIndex
from storage.database import Database
from storage.interactions import InteractionFolders
from tests.fakes.jobs.contexts import FakeContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from core.analysis import Findings, Video
    from core.ports import FrameFolder, JobContext

BY_DAY = {"toasts"}
CLIPS = [pytest.param(clip, marks=[] if clip.name in BY_DAY else [pytest.mark.nightly]) for clip in clips()]


class Watcher:
    """The local analyser's findings, and how often a clip was watched for them."""

    name = "local"
    model = "m-1"

    def __init__(self, clip: Clip) -> None:
        self.calls = 0
        self.video, self._findings = watch(clip.path)

    def unavailable(self) -> str | None:
        return None

    def inspect(self, path: Path) -> Video:
        return self.video.model_copy(update={"path": str(path)})

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        del video, expectations, frames, context
        self.calls += 1
        return self._findings


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'vaider.db'}")
    database.open()
    yield database
    database.close()


def asking(watcher: Watcher, database: Database, folder: Path, settings: str = "s-1") -> Callable[..., Analysis]:
    logs = InteractionFolders(data_dir=folder / "data", answers=AnswerIndex(database, "here"), redact=str)
    analysis = VideoAnalysis(
        analysers={"local": watcher}, preference=["local"], inspector=watcher, logs=logs, seen_with={"local": settings}
    )
    video = folder / "clip.mp4"
    video.touch()

    def ask(*expectations: str, use_cache: bool = True) -> Analysis:
        request = AnalysisRequest(video_path=str(video), expectations=expectations, use_cache=use_cache)
        return analysis.admit(request, "job-2").answer or analysis.run(request, FakeContext())

    return ask


@pytest.mark.parametrize("clip", CLIPS, ids=lambda clip: clip.name)
def test_each_expectation_has_the_verdict_of_a_fresh_watch(clip: Clip, database: Database, tmp_path: Path) -> None:
    watcher = Watcher(clip)
    ask = asking(watcher, database, tmp_path)
    wanted = [true.text for true in clip.truth.expectations]
    fresh = ask(*wanted, use_cache=False)

    judged = [ask(text) for text in wanted]

    assert watcher.calls == 1
    assert [answer.verdicts for answer in judged] == [(verdict,) for verdict in fresh.verdicts]
    kept = {"description", "first_screen", "timeline", "interactions_dir", "provider", "model", "warnings"}
    for answer in judged:
        assert answer.cached
        assert answer.model_dump(include=kept) == fresh.model_dump(include=kept)


@pytest.fixture
def clip() -> Clip:
    return next(clip for clip in clips() if clip.name == "toasts")


def _observation(folder: Path) -> Path:
    return folder / "clip.mp4.VaiderInteractions" / "01_observation.json"


def test_what_was_seen_is_the_users_own_and_a_new_answer_lies_beside_it(
    clip: Clip, database: Database, tmp_path: Path
) -> None:
    ask = asking(Watcher(clip), database, tmp_path)
    ask()
    ask('"Saved" is shown')

    found = _observation(tmp_path)
    assert oct(found.stat().st_mode & 0o777) == "0o600"
    assert {"02_request.json", "02_response.json"} <= {path.name for path in found.parent.iterdir()}


@pytest.mark.parametrize("harm", ["gone", "changed", "nonsense", "a link", "a folder"])
def test_what_is_no_longer_what_we_wrote_is_not_trusted(
    clip: Clip, database: Database, tmp_path: Path, harm: str
) -> None:
    watcher = Watcher(clip)
    ask = asking(watcher, database, tmp_path)
    ask()
    found = _observation(tmp_path)
    content = json.loads(found.read_bytes())
    if harm == "a link":
        shutil.copy(found, tmp_path / "elsewhere")
    found.unlink()
    if harm == "changed":
        content["findings"]["sightings"] = [{"text": "Saved", "t_ms": 0}]
        found.write_text(json.dumps(content))
    elif harm == "nonsense":
        found.write_bytes(b"\xff" * 9)
    elif harm == "a link":
        found.symlink_to(tmp_path / "elsewhere")
    elif harm == "a folder":
        found.mkdir()

    answer = ask('"Saved" is shown')

    assert (answer.cached, watcher.calls) == (False, 2)


def test_other_settings_and_other_bytes_are_watched_anew(clip: Clip, database: Database, tmp_path: Path) -> None:
    watcher = Watcher(clip)
    asking(watcher, database, tmp_path)()
    asking(watcher, database, tmp_path, "s-2")('"Saved" is shown')
    assert watcher.calls == 2
    watcher.video = watcher.video.model_copy(update={"sha256": "b" * 64})
    asking(watcher, database, tmp_path)('"Saved" is gone')
    assert watcher.calls == 3
