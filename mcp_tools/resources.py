"""What a client may read and ask for without a call: a job's timeline, verdicts and pictures; two prompts."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Annotated, Final

from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from pydantic import Field

from core.errors import VaiderError
from core.looking import analysis_of
from mcp_tools.answers import DATA_NOTE

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import MCPServer

    from core.analysis import Analysis
    from core.ports import Jobs

TIMELINE: Final = "vaider://jobs/{job_id}/timeline"
VERDICTS: Final = "vaider://jobs/{job_id}/verdicts"
FRAME: Final = "vaider://jobs/{job_id}/frames/{name}"

_CHECK: Final = """\
Check on the screen that this change of the GUI does what it should: {change}

1. Run the GUI test that shows it, or record the screen while you do it.{video}
2. Write what should be seen as short claims with the on-screen text in double quotes, what must not be seen too \
(e.g. '"Error" is not shown'), and call analyse_video with them.
3. What is `unclear`, look at yourself with look, and keep what you saw by answer_expectation.
4. Report each claim with its verdict and its moment. Call it done only when none is fail or unclear."""
_EXPLAIN: Final = """\
Explain why this test failed: {test}

1. Call analyse_video with the video or trace.zip that the test left{video}, and with what the test expected as claims.
2. Call look with the job_id: it shows what failed. The last events before it tell what the program did instead.
3. Say in three sentences: what was expected, what was on the screen instead and when, and which line of code is the \
likely cause. Name only what you saw or read; say what you did not find."""


class Resources:
    """The resources and prompts.

    Args:
        jobs: the analyses.
        read_frame: the bytes of a picture of an interaction folder by its name; ``None`` where it is none of it.

    """

    def __init__(self, jobs: Jobs, read_frame: Callable[[str, str], bytes | None]) -> None:
        self._jobs = jobs
        self._read_frame = read_frame

    def register(self, server: MCPServer) -> None:
        """Put them on a server."""
        server.resource(TIMELINE, title="Timeline of a video", mime_type="text/plain")(self.timeline)
        server.resource(VERDICTS, title="Verdicts on a video", mime_type="application/json")(self.verdicts)
        server.resource(FRAME, title="Picture of a moment", mime_type="image/jpeg")(self.frame)
        for prompt, title in ((check_gui_change, "Check this GUI change"), (explain_failed_test, "Explain this test")):
            server.add_prompt(Prompt.from_function(prompt, title=title))

    async def timeline(self, job_id: str) -> str:
        """What happened in a video, a line `[mm:ss.s] sentence` each; by the job_id of its analysis."""
        return f"{DATA_NOTE}\n{(await self._analysis(job_id)).description}"

    async def verdicts(self, job_id: str) -> str:
        """Whether what was expected of a video was seen, with evidence; by the job_id of its analysis."""
        found = [each.model_dump(mode="json", exclude_none=True) for each in (await self._analysis(job_id)).verdicts]
        return json.dumps(found, ensure_ascii=False)

    async def frame(self, job_id: str, name: str) -> bytes:
        """A picture that an event or an evidence names as frames/NAME; by the job_id of its analysis."""
        folder = (await self._analysis(job_id)).interactions_dir
        picture = await asyncio.to_thread(self._read_frame, folder, name)
        if picture is None:
            raise ResourceNotFoundError(f"Job {job_id[:80]} has no picture {name[:80]!r}; its verdicts name them.")
        return picture

    async def _analysis(self, job_id: str) -> Analysis:
        try:
            return analysis_of(await self._jobs.get(job_id))
        except VaiderError as error:
            raise ResourceNotFoundError(error.message) from None


def check_gui_change(
    change: Annotated[str, Field(description="What was changed, and what should be seen.")],
    video: Annotated[str, Field(description="Absolute path of a recording, if there is one.")] = "",
) -> str:
    """Watch a change of a GUI, and judge by what was seen."""
    return _CHECK.format(change=change, video=f" There is one: {video}" if video else "")


def explain_failed_test(
    test: Annotated[str, Field(description="Its name, and what it said when it failed.")],
    video: Annotated[str, Field(description="Absolute path of its video or trace.zip, if known.")] = "",
) -> str:
    """From a failed GUI test to the moment, the picture and the likely line."""
    return _EXPLAIN.format(test=test, video=f": {video}" if video else "; list_videos and the test's output folder")
