"""``/doctor``, ``/settings``, ``/clients`` and ``/keys``: what works here, and what connects and configures it."""

import asyncio
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Body, Path, Request
from pydantic import (
    BaseModel,
    Field,
    ModelWrapValidatorHandler,
    SecretStr,
    ValidationError,
    model_validator,
)

from adapters.keys import KEY_KINDS, KEYRING, MAX_LENGTH, key_answer, keys_answer
from core.errors import Conflict, InvalidRequest
from server.http.bodies import JsonBody, JsonRoute
from server.http.errors import documented
from server.security import needs_token
from server.services import Services, ServicesOf
from server.setup.configuration import AllSettings
from server.setup.init import Snippets, snippets

router = APIRouter(route_class=JsonRoute)


class DoctorCheck(BaseModel):
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "note", "bad"] = Field(
        description="`bad` keeps Vaider from working, a `note` is only good to know."
    )
    detail: str
    advice: str = Field(description="What to do about it; empty where there is nothing to be done.")


class DoctorReport(BaseModel):
    """All that was looked at."""

    ok: bool = Field(description="Nothing is `bad`.")
    checks: list[DoctorCheck]
    versions: dict[str, str] = Field(description="Of everything that matters to a bug report.")
    data_dir: str
    log: str = Field(description="The daemon's log file.")


@router.get(
    "/doctor",
    tags=["health"],
    summary="What works here, and what to do about the rest",
    description="Looks at everything anew, which takes a few seconds; one at a time.",
    responses=documented(503),
)
async def doctor(services: ServicesOf) -> DoctorReport:
    async with services.examining:
        return await asyncio.to_thread(_report, services)


def _report(services: Services) -> DoctorReport:
    from server.setup.doctor import examine_own, versions  # noqa: PLC0415 - the daemon starts without what it looks at

    settings = services.settings
    checks = examine_own(settings, services.analysis.providers, services.keys)
    return DoctorReport(
        ok=not any(check.state == "bad" for check in checks),
        checks=[DoctorCheck(**vars(check)) for check in checks],
        versions=versions(),
        data_dir=str(settings.data_path),
        log=str(settings.data_path / "daemon.log"),
    )


class Restarting(BaseModel):
    """The daemon ends, and answers again in a few seconds."""

    restarting: bool


Changes = Annotated[
    dict[str, Any],
    Body(
        description="Settings by their names; null = back to the default.",
        examples=[{"max_parallel_analyses": 4, "log_level": None}],
        json_schema_extra={"minProperties": 1},
    ),
]


@router.get(
    "/settings",
    tags=["settings"],
    summary="Every setting: its value, where it comes from, whether it can be changed",
    responses=documented(),
)
async def list_settings(services: ServicesOf) -> AllSettings:
    """Tell it."""
    return await asyncio.to_thread(services.configuration.all)


@router.patch(
    "/settings",
    tags=["settings"],
    summary="Change settings in the user's file",
    description="All or none. In force at the next start; those marked `at_once` at once.",
    responses=documented(403, 409, 413, 415, 507),
)
async def change_settings(changes: Changes, services: ServicesOf) -> AllSettings:
    if not changes:
        raise InvalidRequest('Send {"name": value, …}, or null as a value for the default.')
    return await asyncio.to_thread(services.configuration.change, changes)


@router.post(
    "/settings/restart",
    status_code=202,
    tags=["settings"],
    summary="Start the daemon again, so that changed settings are in force",
    description="What runs on a desktop is stopped; videos that were being watched are begun again by themselves.",
    responses=documented(409, 415),
)
async def restart(services: ServicesOf) -> Restarting:
    if problem := (await asyncio.to_thread(services.configuration.all)).problem:
        raise Conflict(f"The daemon would not start: {problem}")
    services.restart.ask(services.settings.port)
    return Restarting(restarting=True)


@router.get(
    "/clients",
    tags=["settings"],
    summary="What to copy to connect an agent: its configuration, with this daemon's address",
    description="The address is the one that the request was sent to. No token is in the answer.",
    responses=documented(),
)
async def clients(request: Request, services: ServicesOf) -> Snippets:
    # The guard has let pass none but a name of ours.
    url = f"{request.url.scheme}://{request.headers['host']}"
    token_needed = needs_token(services.settings)
    return Snippets(
        url=url,
        token_needed=token_needed,
        token_file=str(services.settings.data_path / "token"),
        snippets=list(snippets(url, token_needed=token_needed)),
    )


KeyName = Annotated[str, Path(min_length=1, max_length=20, description=f"One of {', '.join(KEY_KINDS)}.")]


class KnownKey(BaseModel):
    """One provider's key, but for the key."""

    name: str
    title: str
    adds: str = Field(description="What it is good for, as the end of a sentence.")
    saved: bool
    source: str | None = Field(description="The environment variable's name, `keyring`, `file`, or null.")
    problem: str | None = Field(description="Why it is not known whether there is one, e.g. a locked keyring.")
    variables: list[str] = Field(description="The environment variables that win over a kept key.")
    page: str | None = Field(description="Where to make one.")


class KnownKeys(BaseModel):
    """All of them."""

    keys: list[KnownKey]
    keyring: Literal["usable", "locked", "none"]
    file: str | None = Field(description='The file that `PUT` with `"store": "file"` writes.')


class NewKey(JsonBody):
    """A key to keep."""

    key: SecretStr = Field(min_length=1, max_length=MAX_LENGTH)
    store: Literal["keyring", "file"] = Field(
        default=KEYRING, description="`file`: in the data directory, readable by this user alone, not encrypted."
    )

    @model_validator(mode="wrap")
    @classmethod
    def _hide_input(cls, body: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validate(body)
        except ValidationError:
            # The input is not echoed, not even a field's name, because any part of it may be the key.
            message = f'Send {{"key": "<the key, up to {MAX_LENGTH} characters>"}}, and "store": "keyring" or "file".'
            raise InvalidRequest(message) from None


@router.get("/keys", tags=["keys"], summary="Which providers have a key, and from where", responses=documented())
async def list_keys(services: ServicesOf) -> KnownKeys:
    """Tell it."""
    return KnownKeys.model_validate(await asyncio.to_thread(keys_answer, services.keys))


@router.put(
    "/keys/{name}",
    tags=["keys"],
    summary="Keep a provider's key",
    description="The daemon and its runs use it from now on; a variable of the daemon's environment still wins.",
    responses=documented(404, 409, 413, 415, 507),
)
async def set_key(name: KeyName, new: NewKey, services: ServicesOf) -> KnownKey:
    await asyncio.to_thread(services.keys.set, name, new.key.get_secret_value(), store=new.store)
    return await _known(services, name)


@router.delete("/keys/{name}", tags=["keys"], summary="Forget a kept key", responses=documented(404, 409, 507))
async def remove_key(name: KeyName, services: ServicesOf) -> KnownKey:
    """Forget it."""
    await asyncio.to_thread(services.keys.remove, name)
    return await _known(services, name)


async def _known(services: ServicesOf, name: KeyName) -> KnownKey:
    return KnownKey.model_validate(key_answer(await asyncio.to_thread(services.keys.status_of, name)))
