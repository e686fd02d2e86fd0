"""The tool that holds two runs side by side."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from core.analysis import AnalysisRequest
from core.comparison.comparing_videos import request_of
from core.comparison.values import CompareRequest
from core.jobs import Job
from core.ports import Jobs
from mcp_tools.analysis import Project, no_project, video_path
from mcp_tools.comparison_answers import compare_answer
from mcp_tools.handles import DEFAULT_TOKENS
from mcp_tools.registering import add_tool
from mcp_tools.waiting import HEARTBEAT_SECONDS, ProgressNotifier, given_up, submitted, wait_with_progress

_DESCRIPTION: Final = """\
Compare the videos of a good and a bad run: what is new, gone, changed, slower or in another order, and apart from it \
what differs from run to run (dates, times, ids)."""
_SECONDS: Final = 40.0


class CompareTools:
    """`compare_videos` over the job engine.

    Args:
        jobs: where comparisons run.
        compare: makes a job of two runs, or refuses them; raises ``CallerError``.
        provider: who watches what was not watched yet.
        project: what relative paths of a call are below, see ``Project``.
        heartbeat_seconds: the longest silence within a call.

    """

    def __init__(
        self,
        jobs: Jobs,
        compare: Callable[[CompareRequest], Awaitable[Job]],
        *,
        provider: str = "auto",
        project: Project = no_project,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
    ) -> None:
        self._jobs = jobs
        self._compare = compare
        self._provider = provider
        self._project = project
        self._heartbeat = heartbeat_seconds

    def register(self, server: MCPServer) -> None:
        """Put the tool on a server."""
        add_tool(server, self.compare_videos, "Compare two runs", _DESCRIPTION, far=True)

    async def compare_videos(
        self,
        *,
        ctx: Context,
        good: Annotated[str, Field(min_length=1, max_length=4096, description="A path or job_id.")],
        bad: Annotated[str, Field(min_length=1, max_length=4096)],
        varying: Annotated[
            list[str] | None, Field(description="Regular expressions of further values that may differ.")
        ] = None,
    ) -> CallToolResult:
        """Start the comparison, wait a while, and answer with the result or the job's handle."""
        deadline = time.monotonic() + _SECONDS
        project = self._project(ctx)
        before, after = await self._run(good, project), await self._run(bad, project)
        request = CompareRequest(good=before, bad=after, varying=tuple(varying or ()))
        job = await submitted(self._compare(request))
        notifier = ProgressNotifier(ctx.report_progress)
        async with given_up(self._jobs, job.id):
            job = await wait_with_progress(
                self._jobs, job, deadline - time.monotonic(), notifier, heartbeat_seconds=self._heartbeat
            )
        return compare_answer(job, DEFAULT_TOKENS)

    async def _run(self, given: str, project: Path | None) -> AnalysisRequest:
        text = given.strip()
        if any(sign in text for sign in "/\\."):
            return AnalysisRequest(video_path=video_path(text, project), provider=self._provider)
        return request_of(await self._jobs.get(text))
