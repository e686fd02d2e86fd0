"""``/keys``: which providers have a key; keep one, forget one. No answer holds a key."""

import asyncio
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SecretStr,
    ValidationError,
    model_validator,
)

from adapters.key_kinds import KEY_KINDS
from adapters.keys import KEYRING, MAX_LENGTH
from core.errors import InvalidRequest
from server.answers.keys import key_answer, keys_answer
from server.http.bodies import JsonRoute
from server.http.errors import documented
from server.services import ServicesOf

router = APIRouter(tags=["keys"], route_class=JsonRoute)

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


class NewKey(BaseModel):
    """A key to keep."""

    model_config = ConfigDict(extra="forbid")

    key: SecretStr = Field(min_length=1, max_length=MAX_LENGTH)
    store: Literal["keyring", "file"] = Field(
        default=KEYRING, description="`file`: in the data directory, readable by this user alone, not encrypted."
    )

    @model_validator(mode="wrap")
    @classmethod
    def _tell_nothing_back(cls, body: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validate(body)
        except ValidationError:
            # What was sent is not told back, not even a field's name: any of it may be the key.
            message = f'Send {{"key": "<the key, up to {MAX_LENGTH} characters>"}}, and "store": "keyring" or "file".'
            raise InvalidRequest(message) from None


@router.get("/keys", summary="Which providers have a key, and from where", responses=documented())
async def list_keys(services: ServicesOf) -> KnownKeys:
    """Tell it."""
    return KnownKeys.model_validate(await asyncio.to_thread(keys_answer, services.keys))


@router.put(
    "/keys/{name}",
    summary="Keep a provider's key",
    description="The daemon and its runs use it from now on; a variable of the daemon's environment still wins.",
    responses=documented(404, 409, 413, 415, 507),
)
async def set_key(name: KeyName, new: NewKey, services: ServicesOf) -> KnownKey:
    """Keep it."""
    await asyncio.to_thread(services.keys.set, name, new.key.get_secret_value(), store=new.store)
    return await _known(services, name)


@router.delete("/keys/{name}", summary="Forget a kept key", responses=documented(404, 409, 507))
async def remove_key(name: KeyName, services: ServicesOf) -> KnownKey:
    """Forget it."""
    await asyncio.to_thread(services.keys.remove, name)
    return await _known(services, name)


async def _known(services: ServicesOf, name: KeyName) -> KnownKey:
    return KnownKey.model_validate(key_answer(await asyncio.to_thread(services.keys.status_of, name)))
