"""Which answers of a model are kept: asked by the use case, with the real interaction log, of real servers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.analysis import AnalysisRequest, Video
from core.ports import Analyser
from core.video_analysis import VideoAnalysis
from storage.answers import AnswerIndex
from storage.database import Database
from storage.interactions import InteractionFolders
from tests.adapters.models import clip_helpers, vision_helpers
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.gemini import FakeGemini
from tests.fakes.models.openai_chat import FakeOpenAI


class Inspector:
    def __init__(self, video: Video) -> None:
        self._video = video

    def inspect(self, path: Path) -> Video:
        return self._video.model_copy(update={"path": str(path)})


@pytest.fixture
def kept(clip: Video, tmp_path: Path) -> Iterator[Callable[[Analyser], bool]]:
    """Asks about the same clip with an analyser, and tells whether a kept answer came back."""
    database = Database(f"sqlite:///{tmp_path / 'vaider.db'}")
    database.open()
    logs = InteractionFolders(data_dir=tmp_path, answers=AnswerIndex(database, "here"), redact=str)
    video = tmp_path / "clip.mp4"
    video.write_bytes(Path(clip.path).read_bytes())

    def ask(analyser: Analyser) -> bool:
        name = analyser.name
        analysis = VideoAnalysis(analysers={name: analyser}, preference=[name], inspector=Inspector(clip), logs=logs)
        return analysis.run(AnalysisRequest(video_path=str(video), provider=name), FakeContext()).cached

    yield ask
    database.close()


@pytest.mark.parametrize(
    "changed",
    [{"prompt_version": "2"}, {"fps": 2.5}, {"media_resolution": "low"}, {"model": "gemini-3.7-flash"}],
    ids=lambda changed: next(iter(changed)),
)
def test_gemini_is_asked_anew_when_it_is_asked_otherwise(
    gemini: FakeGemini, kept: Callable[[Analyser], bool], changed: dict[str, Any]
) -> None:
    same, other = clip_helpers.analyser(gemini), clip_helpers.analyser(gemini, **changed)
    assert [kept(same), kept(same), kept(other), kept(other)] == [False, True, False, True]
    assert gemini.count("generate") == 2


@pytest.mark.parametrize(
    "changed",
    [{"prompt_version": "2"}, {"max_frames": 3}, {"watched_by": "ocr-2"}],
    ids=lambda changed: next(iter(changed)),
)
def test_a_vision_model_is_asked_anew_when_it_is_asked_otherwise(
    kept: Callable[[Analyser], bool], changed: dict[str, Any]
) -> None:
    with FakeOpenAI() as server:
        same, other = vision_helpers.analyser(server), vision_helpers.analyser(server, **changed)
        assert [kept(same), kept(same), kept(other), kept(other)] == [False, True, False, True]
        assert len(server.requests) == 2
