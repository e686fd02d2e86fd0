"""The tool that asks after a job."""

from typing import Annotated, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from core.ports import Jobs
from mcp_tools.analysis import MaxTokens, told
from mcp_tools.answers import JobAnswer
from mcp_tools.budget import DEFAULT_TOKENS
from mcp_tools.waiting import HEARTBEAT_SECONDS, wait_aloud

_DESCRIPTION: Final = """\
Fetch the answer of a job that was not done when its tool call returned, by the job_id given there. Waits up to \
wait_seconds for it; while it is still under way, answers how far it is: then call again."""


class JobTools:
    """`job_status` over the job engine.

    Args:
        jobs: the engine.
        heartbeat_seconds: the longest silence within a call.

    """

    def __init__(self, jobs: Jobs, *, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> None:
        self._jobs = jobs
        self._heartbeat = heartbeat_seconds

    def register(self, server: MCPServer) -> None:
        """Put the tool on a server."""
        server.add_tool(
            self.job_status,
            title="Ask after a job",
            description=_DESCRIPTION,
            annotations=ToolAnnotations(
                read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
            ),
        )

    async def job_status(
        self,
        *,
        ctx: Context,
        job_id: Annotated[str, Field(min_length=1, max_length=200, description="As analyse_video gave it.")],
        wait_seconds: Annotated[float, Field(ge=0, le=30, description="How long to wait for the job to be done.")] = 25,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, JobAnswer]:
        """Wait a while, and answer with the result or with how far it is."""
        job = await self._jobs.get(job_id)
        if not job.state.is_final:
            job = await wait_aloud(
                self._jobs, job, wait_seconds, ctx.report_progress, heartbeat_seconds=self._heartbeat
            )
        return told(job, max_tokens)
