"""The tools that watch a video and that ask after a job."""

import contextlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import Field

from core.analysis import AnalysisRequest
from core.errors import InvalidPath
from core.jobs import Job
from core.ports import Jobs
from mcp_tools.consent import Consent, round_of
from mcp_tools.handles import DEFAULT_TOKENS, FEWEST_TOKENS, MOST_TOKENS
from mcp_tools.job_answers import to_tool_result
from mcp_tools.registering import add_tool
from mcp_tools.video_page import META
from mcp_tools.waiting import (
    HEARTBEAT_SECONDS,
    LONGEST_SECONDS,
    ProgressNotifier,
    given_up,
    submitted,
    wait_with_progress,
)

MaxTokens = Annotated[
    int,
    Field(
        ge=FEWEST_TOKENS,
        le=MOST_TOKENS,
        description="A longer answer is shortened in the middle.",
    ),
]

_DESCRIPTION: Final = """\
Watch a screen recording, GUI-test video, Playwright trace.zip or the folder of one test, and tell what happened on \
screen, with times, and whether what you expected happened. Use it after a GUI test, instead of guessing.

Give `expectations` as short sentences with the on-screen text in double quotes, one claim each, e.g. \
'"Order 1042 confirmed" is shown', '"Saving…" disappears within 3 s', '"Error" is not shown', \
'"Welcome" is shown after "Log in"'. Each gets a verdict: pass or fail with evidence, or unclear with the \
reason: then look yourself.

A long video answers with state "running" and a job_id: call job_status with it. Another question about the same \
video is answered without watching it again."""


Project = Callable[[Context], Path | None]
"""The project that a call comes from, where it is known; without it relative paths are refused."""


def no_project(_: Context) -> None:
    """Of no call is it known."""


class AnalysisTools:
    """`analyse_video` over the job engine.

    Args:
        jobs: where analyses run.
        analyse: makes a job of a request, or refuses it; raises ``CallerError``.
        provider: who watches when the call does not say.
        heartbeat_seconds: the longest silence within a call.
        project: what relative paths of a call are below, see ``Project``.

    """

    def __init__(
        self,
        jobs: Jobs,
        analyse: Callable[[AnalysisRequest], Awaitable[Job]],
        *,
        provider: str = "auto",
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
        project: Project = no_project,
    ) -> None:
        self._jobs = jobs
        self._project = project
        self._analyse = analyse
        self._provider = provider
        self._heartbeat = heartbeat_seconds

    def register(self, server: MCPServer) -> None:
        """Put the tool on a server."""
        # It writes its log beside the video; with a key, the video may go to the provider.
        add_tool(server, self.analyse_video, "Watch a video", _DESCRIPTION, far=True, meta=META)

    async def analyse_video(
        self,
        *,
        ctx: Context,
        path: Annotated[
            str, Field(min_length=1, max_length=4096, description="Absolute, ~/…, file:// or below the project.")
        ],
        expectations: Annotated[
            list[str] | str | None,
            Field(
                description="What should be seen, one claim each, with on-screen text in double quotes. Left out: the "
                "lines of <video>.expect.txt."
            ),
        ] = None,
        provider: Annotated[
            str | None,
            Field(
                max_length=64,
                description="local (offline), gemini, vision or auto; left out: as the user has set it.",
            ),
        ] = None,
        wait_seconds: Annotated[float, Field(ge=0, le=45, description="Then a job_id is given instead.")] = 40,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> CallToolResult:
        """Start the analysis, wait a while, and answer with the result or the job's handle."""
        deadline = time.monotonic() + min(wait_seconds, LONGEST_SECONDS)
        request = AnalysisRequest(
            video_path=video_path(path, self._project(ctx)),
            expectations=_claims(expectations),
            provider=provider or self._provider,
        )
        job = await submitted(self._analyse(request))
        notifier = ProgressNotifier(ctx.report_progress)
        async with given_up(self._jobs, job.id):
            job = await wait_with_progress(
                self._jobs, job, deadline - time.monotonic(), notifier, heartbeat_seconds=self._heartbeat
            )
        return to_tool_result(job, max_tokens)


def _claims(expectations: list[str] | str | None) -> tuple[str, ...]:
    if isinstance(expectations, str):
        return (expectations,)
    return tuple(expectations or ())


def video_path(given: str, project: Path | None = None) -> str:
    """The absolute path that a model means, one that is relative below its project. Raises ``InvalidPath``."""
    text = given.strip()
    if text.startswith("file://"):
        url = urlsplit(text)
        if url.netloc not in {"", "localhost"}:
            raise InvalidPath(
                f"{given!r} names a file of another machine ({url.netloc}); copy it to this one, "
                "and give its path here, e.g. file:///home/me/clip.mp4"
            )
        text = url2pathname(url.path)
    with contextlib.suppress(RuntimeError):
        text = str(Path(text).expanduser()) if text.startswith("~") else text
    if "\0" in text:
        raise InvalidPath("The path holds a NUL character; give the path as the file system spells it.")
    if project is not None and text:
        return str(project / text)
    if not Path(text).is_absolute():
        raise InvalidPath(
            f"{given!r} is relative to a folder that only you know; give the absolute path, "
            f"e.g. {Path('/home/me/project') / text}"
        )
    return text


_STATUS_DESCRIPTION: Final = """\
Fetch the answer of a job by the job_id that another tool gave. While it is still under way, answers how far it is: \
then call again."""


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
        add_tool(server, self.job_status, "Ask after a job", _STATUS_DESCRIPTION, reads=True, meta=META)

    async def job_status(
        self,
        *,
        ctx: Context,
        job_id: Annotated[str, Field(min_length=1, max_length=200)],
        wait_seconds: Annotated[float, Field(ge=0, le=30, description="At most so long.")] = 25,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> CallToolResult | InputRequiredResult:
        """Wait a while, and answer with the result or with how far it is."""
        job = await self._jobs.get(job_id)
        if job.state.is_final:
            return to_tool_result(job, max_tokens)
        waited = await self._consent.wait(job, wait_seconds, ctx, again=round_of(ctx), patient=True)
        return waited.ask or to_tool_result(waited.job, max_tokens, waited.question)
