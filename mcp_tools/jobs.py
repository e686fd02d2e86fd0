"""The tool that asks after a job."""

from typing import Annotated, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import Field

from core.ports import Jobs
from mcp_tools.analysis import MaxTokens
from mcp_tools.budget import DEFAULT_TOKENS
from mcp_tools.consent import Consent, round_of
from mcp_tools.job_answers import StatusAnswer, told

_DESCRIPTION: Final = """\
Fetch the answer of a job that was not done when its tool call returned, by the job_id given there. Waits up to \
wait_seconds for it; while it is still under way, answers how far it is: then call again."""


class JobTools:
    """`job_status` over the job engine.

    Args:
        jobs: the engine.
        consent: waits, and lets the user answer what a run asks.

    """

    def __init__(self, jobs: Jobs, consent: Consent) -> None:
        self._jobs = jobs
        self._consent = consent

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
        job_id: Annotated[str, Field(min_length=1, max_length=200, description="As another tool gave it.")],
        wait_seconds: Annotated[float, Field(ge=0, le=30, description="How long to wait for the job to be done.")] = 25,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, StatusAnswer] | InputRequiredResult:
        """Wait a while, and answer with the result or with how far it is."""
        job = await self._jobs.get(job_id)
        if job.state.is_final:
            return told(job, max_tokens)
        waited = await self._consent.wait(job, wait_seconds, ctx, again=round_of(ctx), patient=True)
        return waited.ask or told(waited.job, max_tokens, waited.question)
