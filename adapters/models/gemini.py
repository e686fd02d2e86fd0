"""The analyser that lets Gemini watch the video."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.models.asking import expectations_text
from adapters.models.gemini_video import Inquiry
from adapters.models.replies import VideoReply, parse_reply, to_findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.models.gemini_video import GeminiVideo
    from core.analysis import Findings, Video
    from core.ports import FrameFolder, JobContext


class GeminiAnalyser:
    """Implements ``core.ports.Analyser``: asks one question about the video.

    Args:
        gemini: who is asked.
        prompt: the instruction.
        prompt_version: of the prompt, a part of ``model``.

    """

    name = "gemini"
    """How settings and answers call it."""

    def __init__(self, gemini: GeminiVideo, *, prompt: str, prompt_version: str) -> None:
        self.model: Final = gemini.model_with(prompt_version)
        """The model, its prompt and how closely it looks: another one may answer otherwise, and is asked anew."""
        self._gemini = gemini
        self._prompt = prompt

    def unavailable(self) -> str | None:
        """What is wrong with the key or the address, if anything."""
        return self._gemini.unavailable()

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        """Let Gemini watch the video; see ``core.ports.Analyser``."""
        del frames  # Gemini tells moments; it makes no pictures.
        inquiry = Inquiry(
            instruction=self._prompt, text=question_text(video, expectations), check=_check, schema=VideoReply
        )
        reply, warnings = self._gemini.ask(video, inquiry, context)
        findings = to_findings(parse_reply(reply.text, VideoReply), video, expectations)
        return findings.model_copy(update={"usage": reply.usage, "warnings": (*findings.warnings, *warnings)})


def question_text(video: Video, expectations: Sequence[str]) -> str:
    """What stands behind the video: its length and the numbered expectations."""
    return f"The video lasts {video.duration_ms / 1000:.1f} s. {expectations_text(expectations)}"


def _check(text: str) -> None:
    parse_reply(text, VideoReply)
