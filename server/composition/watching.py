"""Builds the video analysers and the learning of tasks. Part of the composition root."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from adapters.keys import GEMINI, VISION, Keys
from adapters.models.gemini import GeminiAnalyser, GeminiVideo
from adapters.models.learning.checked import CheckedExtractor
from adapters.models.learning.gemini import GeminiExtractor
from adapters.models.learning.local import LocalExtractor
from adapters.models.vision import VisionAnalyser
from adapters.video.local import LocalAnalyser
from adapters.video.trace_files import TraceFiles
from adapters.video.video_files import VideoConverter, VideoFile, VideoStills
from config.prompts import load_prompt
from core.looking import Looking
from core.tasks.learning import LONGEST_SECONDS, TaskLearning
from core.video_analysis import VideoAnalysis
from server.composition.from_settings import video_limits
from storage.memories.lessons import MemoryLessons
from storage.recording_files import InputLogFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.video.process.child import KeptChild
    from config.settings import Settings
    from core.analysis import Analysis, Findings, Video
    from core.ports import InteractionLogs
    from core.tasks.ports import Tasks
    from server.composition.memory import Memory

LESSONS: Final = "lessons"
"""Below the data directory: clips of memories during learning."""
PREFERENCE: Final = ("gemini", "local")
"""What ``provider = "auto"`` tries, in this order."""


def build_analysis(
    settings: Settings,
    keys: Keys,
    logs: InteractionLogs,
    remember: Callable[[Analysis], None],
    kept: KeptChild | None = None,
) -> VideoAnalysis:
    """Build it; nothing is started or loaded before the first analysis.

    Args:
        settings: say what is taken, and who watches.
        keys: of the providers.
        logs: where answers are kept.
        remember: called with each answer.
        kept: where the local analyser's process waits for the next video, if it shall.

    """
    local = LocalAnalyser(**video_limits(settings), kept=kept)
    prompt = load_prompt("video_analysis")
    gemini = GeminiAnalyser(_gemini(settings, keys), prompt=prompt.text, prompt_version=prompt.version)
    return VideoAnalysis(
        analysers={"local": local, "gemini": gemini, "vision": _vision(settings, keys, local)},
        preference=PREFERENCE,
        inspector=VideoFile(**video_limits(settings), kept=kept),
        traces=TraceFiles(**video_limits(settings), kept=kept),
        logs=logs,
        remember=remember,
        seen_with={"local": json.dumps(video_limits(settings), sort_keys=True)},
    )


def build_looking(settings: Settings) -> Looking:
    """Pictures of moments, within these settings' limits."""
    return Looking(VideoFile(**video_limits(settings)), VideoStills(**video_limits(settings)))


def build_learning(  # noqa: PLR0917 - what it is made of
    settings: Settings,
    keys: Keys,
    tasks: Tasks,
    memory: Memory,
    analysis: VideoAnalysis,
    kept: KeptChild | None = None,
) -> TaskLearning:
    """The same for learning tasks; what ``analysis`` has seen of a recording is not watched again."""
    prompt = load_prompt("task_extraction")
    # The use case checks a recording's own limits; videos to be analysed may have others.
    longest = max(settings.max_video_seconds, LONGEST_SECONDS)
    settings = settings.model_copy(update={"max_video_seconds": longest})
    gemini = GeminiExtractor(_gemini(settings, keys), prompt=prompt.text, prompt_version=prompt.version)
    watches = LocalAnalyser(**video_limits(settings), kept=kept)

    def known(video: Video) -> Findings | None:
        return analysis.seen(video, "local")

    return TaskLearning(
        extractors={
            "local": LocalExtractor(watches, known=known),
            "gemini": CheckedExtractor(gemini, watches, known),
        },
        preference=PREFERENCE,
        inspector=VideoFile(**video_limits(settings), kept=kept),
        logs=InputLogFiles(),
        tasks=tasks,
        lessons=MemoryLessons(lambda: memory.clips, InputLogFiles(), settings.data_path / LESSONS),
    )


def _gemini(settings: Settings, keys: Keys) -> GeminiVideo:
    return GeminiVideo(
        key=lambda: keys.get(GEMINI),
        convert=VideoConverter(**video_limits(settings)),
        model=settings.gemini_model,
        base_url=settings.gemini_base_url,
    )


def _vision(settings: Settings, keys: Keys, local: LocalAnalyser) -> VisionAnalyser:
    prompt = load_prompt("frame_analysis")
    return VisionAnalyser(
        inner=local,
        base_url=settings.vision_base_url,
        model=settings.vision_model,
        key=lambda: keys.get(VISION),
        prompt=prompt.text,
        prompt_version=prompt.version,
    )
