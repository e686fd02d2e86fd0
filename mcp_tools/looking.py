"""The tools by which an agent looks itself: pictures of moments, its own verdict, and which videos there are."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import BaseModel, Field

from core.analysis import Region, VerdictResult
from core.errors import InvalidRequest
from core.headlines import Headline
from core.jobs import Job
from core.looking import (
    DEFAULT_TOKENS,
    FEWEST_TOKENS,
    MOST_TOKENS,
    AgentVerdict,
    Looking,
    LookRequest,
    Moment,
    Still,
    analysis_of,
)
from core.ports import Jobs
from mcp_tools.analysis import Project, no_project, video_path
from mcp_tools.answers import DATA_NOTE, size
from mcp_tools.handles import DEFAULT_TOKENS as ANSWER_TOKENS
from mcp_tools.handles import clipped, result
from mcp_tools.registering import add_tool
from mcp_tools.video_page import META

_LOOK: Final = """\
See at most four pictures of a video, cropped to what changed. Moments are milliseconds (t_ms) or 'mm:ss.s'. With none \
named: what failed or is unclear, else the events. Use it to judge what analyse_video left unclear."""
_ANSWER: Final = """\
Keep your own verdict on an expectation that analyse_video left unclear, after you have seen it with look."""
_LIST: Final = """\
The videos that were analysed, newest first, with job_id and outcome. Ask further about one by look or \
analyse_video."""


class LookParts(BaseModel):
    """What the tools work with."""

    model_config = {"arbitrary_types_allowed": True}

    looking: Looking
    judge: Callable[[str, AgentVerdict], Awaitable[Job]]
    read_frame: Callable[[str, str], bytes | None]


class ShortVideo(BaseModel):
    """One video that was analysed."""

    job_id: str
    video: str
    state: str
    outcome: str | None = None
    verdicts: dict[str, int] | None = None
    events: int | None = None
    at: str


class VideoList(BaseModel):
    """What `list_videos` answers."""

    videos: list[ShortVideo]
    left_out: bool | None = None


class Judged(BaseModel):
    """What `answer_expectation` answers."""

    job_id: str
    expectation: str
    verdict: str
    judged_by: str
    evidence: list[str]
    still_unclear: int


class LookTools:
    """`look`, `answer_expectation` and `list_videos`.

    Args:
        jobs: the analyses.
        parts: takes pictures, and keeps verdicts.
        project: what relative paths of a call are below.

    """

    def __init__(self, jobs: Jobs, parts: LookParts, *, project: Project = no_project) -> None:
        self._project = project
        self._jobs = jobs
        self._parts = parts

    def register(self, server: MCPServer) -> None:
        """Put the tools on a server."""
        add_tool(server, self.look, "Look at a video", _LOOK, reads=True, meta=META)
        add_tool(server, self.answer_expectation, "Judge what is unclear", _ANSWER)
        add_tool(server, self.list_videos, "List videos", _LIST, reads=True)

    async def look(
        self,
        *,
        ctx: Context,
        job_id: Annotated[str | None, Field(max_length=200)] = None,
        path: Annotated[str | None, Field(max_length=4096, description="Without a job: the video.")] = None,
        at: Moment | None = None,
        begin: Annotated[Moment | None, Field(validation_alias="from")] = None,
        end: Annotated[Moment | None, Field(validation_alias="to")] = None,
        event: Annotated[
            int | str | None, Field(description="Its place in the timeline from 0, or words of it.")
        ] = None,
        region: Annotated[Region | None, Field(description="Crop: x, y, width, height.")] = None,
        compare_with: Annotated[
            str | None, Field(max_length=4096, description="Another job_id or path: the same moments of it.")
        ] = None,
        max_tokens: Annotated[int, Field(ge=FEWEST_TOKENS, le=MOST_TOKENS)] = DEFAULT_TOKENS,
    ) -> CallToolResult:
        """The pictures."""
        if (job_id is None) == (path is None):
            raise InvalidRequest("Give either the job_id of an analysis, or the path of a video.")
        project = self._project(ctx)
        videos = [await self._jobs.get(job_id) if job_id is not None else Path(video_path(path or "", project))]
        videos += [await self._video(compare_with, project)] if compare_with else []
        request = LookRequest(at=at, begin=begin, end=end, event=event, region=region, max_tokens=max_tokens)
        stills = await asyncio.to_thread(self._parts.looking.look, request, videos)
        return pictures(stills)

    async def answer_expectation(
        self,
        *,
        job_id: Annotated[str, Field(min_length=1, max_length=200)],
        expectation: Annotated[str, Field(min_length=1, max_length=2000, description="Word for word.")],
        verdict: Literal["pass", "fail", "unclear"],
        reason: Annotated[str, Field(min_length=1, max_length=1000, description="What you saw.")],
        at: Annotated[list[Moment], Field(min_length=1, max_length=4, description="The moments that show it.")],
    ) -> CallToolResult:
        """The verdict, as it is kept now."""
        given = AgentVerdict(expectation=expectation, verdict=VerdictResult(verdict), reason=reason, at=at)
        analysis = analysis_of(await self._parts.judge(job_id, given))
        kept = next(each for each in analysis.verdicts if each.expectation.strip() == expectation.strip())
        unclear = sum(each.verdict is VerdictResult.UNCLEAR for each in analysis.verdicts)
        answered = Judged(
            job_id=job_id,
            expectation=clipped(kept.expectation, 300),
            verdict=kept.verdict,
            judged_by="agent",
            evidence=[proof.frame for proof in kept.evidence if proof.frame],
            still_unclear=unclear,
        )
        return result(f"Kept as judged by the agent: {kept.verdict}. {unclear} still unclear.", answered)

    async def list_videos(self, *, limit: Annotated[int, Field(ge=1, le=50)] = 10) -> CallToolResult:
        """The newest analyses."""
        briefs = await self._jobs.briefs(kinds=["analysis"], limit=limit + 1)
        videos = [
            ShortVideo(
                job_id=brief.id,
                video=brief.title,
                state=brief.state,
                outcome=_line(brief.headline),
                verdicts=brief.verdicts or None,
                events=brief.events,
                at=brief.created_at,
            )
            for brief in briefs[:limit]
        ]
        listed = _listed(videos, more=len(briefs) > limit)
        while size(listed) > ANSWER_TOKENS:
            videos = videos[: len(videos) * 3 // 4]
            listed = _listed(videos, more=True)
        return listed

    async def _video(self, given: str, project: Path | None) -> Path | Job:
        text = given.strip()
        if text.startswith(("/", "~", "file://")) or (project is not None and "/" in text):
            return Path(video_path(text, project))
        if "/" in text or "\\" in text:
            raise InvalidRequest(f"{given[:80]!r} is neither a job_id nor an absolute path.")
        return await self._jobs.get(text)


def pictures(stills: Sequence[Still]) -> CallToolResult:
    """The pictures as content, with a line for each before them."""
    lines = [f"{place}. {still.line}" for place, still in enumerate(stills, 1)]
    content: list[ContentBlock] = [TextContent(type="text", text="\n".join([DATA_NOTE, *lines]))]
    content += [
        ImageContent(type="image", data=base64.b64encode(still.data).decode(), mime_type="image/jpeg")
        for still in stills
    ]
    return CallToolResult(content=content)


def _listed(videos: Sequence[ShortVideo], *, more: bool) -> CallToolResult:
    lines = [f"{each.job_id} {each.video}: {each.outcome or each.state}" for each in videos]
    text = "\n".join(lines) or "No video was analysed yet: call analyse_video."
    return result(text, VideoList(videos=list(videos), left_out=more or None))


def _line(headline: Headline | None) -> str | None:
    return clipped(headline.text, 160) if headline else None
