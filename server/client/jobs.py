"""A running daemon's jobs, reached over HTTP: the ``Jobs`` port for the command line and for stdio."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Self, Unpack, cast
from urllib.parse import quote

import httpx2

from core.errors import Internal, InvalidRequest, VaiderError
from core.job_briefs import BriefJob
from core.jobs import NOBODY, Job, JobEvent, JobFilter, Sender, Stage
from core.provider_choice import AUTO
from core.runs.run import RunRequest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

    from core.looking import AgentVerdict
    from core.values import Value
    from server.client.address import Address

_KNOCK: Final = httpx2.Timeout(4.0, connect=0.5)
_PATIENCE: Final = httpx2.Timeout(30.0, connect=2.0)
_STREAM: Final = httpx2.Timeout(45.0, connect=2.0)
"""The daemon says at least a keep-alive every 15 s."""
RETURN_SECONDS: Final = 15.0
"""How long a daemon that went away in the middle of a job is waited for."""
_REFUSES_ALL: Final = frozenset({401, 403, 421})


def health(where: Address) -> dict[str, Any] | None:
    """What the daemon there says of itself; ``None`` when nothing of ours answers, or another account's daemon.

    Raises:
        Forbidden: Vaider answers, but does not take requests from here.

    """
    with contextlib.suppress(httpx2.HTTPError), httpx2.Client(**_options(where, _KNOCK)) as client:
        response = client.get("/health")
        body = object_of(response.content)
        if response.is_success and body.get("name") == "vaider":
            return body
        if body.get("access") == "own_account" and not where.is_named:
            return None
        if response.status_code in _REFUSES_ALL and body.get("code") == "forbidden":
            raise error_from(body)
    return None


def lacks(found: Mapping[str, Any]) -> dict[str, str | None]:
    """Each provider of a daemon and what it lacks, ``None`` for those that can be used now; none of a farm's API."""
    return {name: entry["reason"] for name, entry in found.get("providers", {}).items()}


def ask(where: Address, method: str, path: str, *, seconds: float = 120.0, **content: Any) -> bytes:
    """What the daemon there answers. Raises ``VaiderError``: what it refuses, as it words it; it does not answer."""
    try:
        with httpx2.Client(**_options(where, httpx2.Timeout(seconds, connect=2.0))) as client:
            response = client.request(method, path, **content)
    except httpx2.HTTPError as error:
        raise Internal(
            f"The daemon at {where.url} does not answer ({type(error).__name__}): start it with `vaider serve`."
        ) from None
    if not response.is_success:
        raise error_from(object_of(response.content))
    return response.content


class RemoteJobs:
    """Implements ``core.ports.Jobs`` by a daemon's HTTP routes; an asynchronous context manager.

    Args:
        where: the daemon's address.
        label: under which analyses are listed there.

    """

    def __init__(self, where: Address, label: str = "") -> None:
        self._where = where
        self._label = label
        self._client = httpx2.AsyncClient(**_options(where, _PATIENCE))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def submit(self, kind: str, request: Value, *, question: str | None = None, sender: Sender = NOBODY) -> Job:
        """Ask the daemon to do it; it finds by itself what others ask as well, and who asks."""
        del question, sender
        if kind == "replay":
            if isinstance(request, RunRequest) and request.trial:
                path = f"/tasks/{_part(request.task)}/try"
                return await self.get((await self._ask("POST", path, json={"params": request.params}))["job_id"])
            asked = request.model_dump(mode="json", exclude={"held", "by", "trial"}, exclude_none=True)
            asked = {name: value for name, value in asked.items() if value != ""}
            if "reload" in asked:
                wanted = asked.pop("reload")
                asked |= {"cache_id": wanted["cache_id"], "skip_indices": wanted["skip_indices"]}
            return await self.get((await self._ask("POST", "/replay", json=asked))["job_id"])
        if kind == "learning":
            lesson = request.model_dump(mode="json", exclude={"uploaded"}, exclude_none=True)
            videos = lesson.pop("videos")
            lesson |= {"video_paths": videos} if videos else {}
            # The daemon's own setting may be stricter than ours.
            body = {name: value for name, value in lesson.items() if (name, value) != ("provider", AUTO)}
            return await self.get((await self._ask("POST", "/tasks", json=body))["job_id"])
        if kind == "comparison":
            pair = request.model_dump(mode="json", include={"good", "bad"})
            body = {side: each["video_path"] for side, each in pair.items()}
            body |= {"varying": request.model_dump(mode="json")["varying"]}
            body |= {} if pair["good"]["provider"] == AUTO else {"provider": pair["good"]["provider"]}
            return await self.get((await self._ask("POST", "/compare", json=body))["job_id"])
        if kind != "analysis":
            raise InvalidRequest(f"The daemon takes no jobs of kind {kind!r} from here.")
        body = question_body(request, self._label)
        accepted = await self._ask("POST", "/analyse", json=body, headers={"Prefer": "respond-async"})
        return await self.get(accepted["job_id"])

    async def get(self, job_id: str) -> Job:
        """The job as it is now."""
        return Job.model_validate(await self._ask("GET", f"/jobs/{_part(job_id)}"))

    async def list(self, **which: Unpack[JobFilter]) -> Sequence[Job]:
        """Jobs, newest first."""
        return await self.submitted(None, None, **which)

    async def submitted(self, submitter: str | None, label: str | None, **which: Unpack[JobFilter]) -> Sequence[Job]:
        """The same of those alone that a token submitted, or that have a label."""
        filters = {"submitter": submitter, "label": label}
        query = _query(which) | {name: value for name, value in filters.items() if value}
        return [Job.model_validate(job) for job in (await self._ask("GET", "/jobs", params=query))["jobs"]]

    async def briefs(self, **which: Unpack[JobFilter]) -> Sequence[BriefJob]:
        """Jobs as lists show them, newest first."""
        query = {**_query(which), "brief": "true"}
        return [BriefJob.model_validate(job) for job in (await self._ask("GET", "/jobs", params=query))["jobs"]]

    async def cancel(self, job_id: str) -> Job:
        """Cancel the job for all callers."""
        return Job.model_validate(await self._ask("DELETE", f"/jobs/{_part(job_id)}", params={"all": "true"}))

    async def leave(self, job_id: str) -> Job:
        """Want the job no more; it stops unless others asked for it as well."""
        return Job.model_validate(await self._ask("DELETE", f"/jobs/{_part(job_id)}"))

    async def wait(self, job_id: str, seconds: float | None = None) -> Job:
        """Return when the job is final, or after ``seconds`` as it then is."""
        job = await self.get(job_id)
        if job.state.is_final:
            return job
        after = job.progress.id if job.progress else 0
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), contextlib.aclosing(self.events(after=after, job_id=job_id)) as stream:
                async for _ in stream:
                    pass
        return await self.get(job_id)

    async def history(self, job_id: str, *, after: int = 0, limit: int = 500) -> Sequence[JobEvent]:
        """A job's events so far, the oldest first."""
        answer = await self._ask("GET", f"/jobs/{_part(job_id)}/events", params={"after": after, "limit": limit})
        return [JobEvent.model_validate(event) for event in answer["events"]]

    async def events(self, *, after: int = 0, job_id: str | None = None) -> AsyncGenerator[JobEvent]:
        """Events above ``after``; a job's end after its last. A daemon that is started again is found again."""
        gone_since: float | None = None
        while True:
            try:
                async with contextlib.aclosing(self._stream(after, job_id)) as stream:
                    async for event in stream:
                        after, gone_since = max(after, event.id), None
                        yield event
                        if job_id is not None and event.stage in {Stage.DONE, Stage.FAILED, Stage.CANCELLED}:
                            return
            except httpx2.HTTPError as error:
                gone_since = gone_since or time.monotonic()
                if time.monotonic() - gone_since > RETURN_SECONDS:
                    raise self._gone(error) from None
                await asyncio.sleep(0.3)
            else:
                if job_id is not None and (await self.get(job_id)).state.is_final:
                    return

    async def answer(self, job_id: str, approval_id: str, *, agree: bool) -> None:
        """Answer the question of a run."""
        path = f"/jobs/{_part(job_id)}/approvals/{_part(approval_id)}"
        await self._ask("POST", path, json={"agree": agree})

    async def judge(self, job_id: str, given: AgentVerdict) -> Job:
        """Keep what an agent says of an expectation that was left unclear."""
        body = given.model_dump(mode="json")
        return Job.model_validate(await self._ask("POST", f"/jobs/{_part(job_id)}/verdicts", json=body))

    async def pin(self, job_id: str, *, pinned: bool) -> Job:
        """Keep a job whatever its age, or no more."""
        return Job.model_validate(await self._ask("POST", f"/jobs/{_part(job_id)}/pin", json={"pinned": pinned}))

    async def leaving(self) -> dict[str, Any]:
        """What is kept how long, and what goes when, as ``GET /retention`` tells it."""
        return await self._ask("GET", "/retention")

    async def hold(self, job_id: str) -> Job:
        """Have a run let go of its display and wait."""
        return Job.model_validate(await self._ask("POST", f"/jobs/{_part(job_id)}/hold", json={}))

    async def resume(self, job_id: str) -> Job:
        """Let a run go on that is held."""
        return Job.model_validate(await self._ask("POST", f"/jobs/{_part(job_id)}/resume", json={}))

    async def share(self, job_id: str) -> bytes:
        """An analysis or a run as one HTML file."""
        return await self._read("GET", f"/jobs/{_part(job_id)}/share")

    async def last_event_id(self) -> int:
        """The newest event's id: that of the job that something last happened to."""
        return max((job.progress.id for job in await self.list(limit=500) if job.progress), default=0)

    async def _stream(self, after: int, job_id: str | None) -> AsyncGenerator[JobEvent]:
        query = {"after": after, **({"job": job_id} if job_id else {})}
        async with self._client.stream("GET", "/events", params=query, timeout=_STREAM) as response:
            if response.status_code == HTTPStatus.NO_CONTENT:
                return
            if not response.is_success:
                raise error_from(object_of(await response.aread()))
            async for sent in httpx2.EventSource(response):
                if sent.event in set(Stage):
                    data = json.loads(sent.data)
                    stage, job, t = Stage(sent.event), data.pop("job_id"), data.pop("t")
                    # An event without an id carries the last event's id.
                    number = int(sent.id or 0)
                    number, after = (number, number) if number > after else (0, after)
                    yield JobEvent(id=number, job_id=job, t=t, stage=stage, data=data)

    async def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        return object_of(await self._read(method, path, **options))

    async def _read(self, method: str, path: str, **options: Any) -> bytes:
        try:
            response = await self._client.request(method, path, **options)
        except httpx2.HTTPError as error:
            raise self._gone(error) from None
        if not response.is_success:
            raise error_from(object_of(response.content))
        return response.content

    def _gone(self, error: Exception) -> Internal:
        return Internal(
            f"The daemon at {self._where.url} does not answer any more ({type(error).__name__}); "
            "start it again with `vaider serve`, then `vaider jobs list` tells what became of the work."
        )


def _query(which: JobFilter) -> dict[str, Any]:
    state = which.get("state")
    wanted = {
        "state": state.value if state else None,
        "kind": list(which.get("kinds", ())),
        "before": which.get("before"),
        "limit": which.get("limit", 50),
    }
    return {name: value for name, value in wanted.items() if value is not None}


def error_from(shape: Mapping[str, Any]) -> VaiderError:
    """The error that an answer in the one error shape stands for."""
    message = str(shape.get("error") or "The daemon failed without saying why; its log in the data directory tells.")
    kinds = {kind.code: kind for kind in _kinds(VaiderError)}
    details = {name: value for name, value in shape.items() if name not in {"error", "code"}}
    plain = {name: value for name, value in details.items() if isinstance(value, str | int | float | bool | None)}
    kind = kinds.get(str(shape.get("code")))
    if kind is None:
        return Internal(message, **plain, reported_code=str(shape.get("code")))
    return kind(message, **plain)


def _kinds(root: type[VaiderError]) -> Iterator[type[VaiderError]]:
    # Parents first, so that of two kinds with one code the more exact one is found.
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)


def question_body(request: Value, label: str) -> dict[str, Any]:
    """The body that asks the same; ``auto`` is left out, for the daemon's own setting may be stricter than ours."""
    body = request.model_dump(mode="json", exclude={"uploaded"})
    if body["provider"] == AUTO:
        del body["provider"]
    return {**body, "label": label} if label else body


def _options(where: Address, timeout: httpx2.Timeout) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {where.token}"} if where.token else {}
    # To load the machine's certificates takes 50 ms, a tenth of a command. Over plain HTTP only a proxy needs them.
    needs_certificates = where.is_far or where.url.startswith("https:")
    verify = True if needs_certificates else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return {
        "base_url": where.url,
        "headers": headers,
        "timeout": timeout,
        "trust_env": where.is_far,
        "verify": verify,
    }


def _part(job_id: str) -> str:
    return quote(job_id, safe="")


def object_of(content: bytes) -> dict[str, Any]:
    """The JSON object of an answer; empty for anything else."""
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}
