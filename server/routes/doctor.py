"""``GET /doctor``: what works here, and what to do about the rest, as ``vaider doctor`` tells it."""

import asyncio
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from server.http.errors import documented
from server.services import Services, ServicesOf

router = APIRouter(tags=["health"])


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
    summary="What works here, and what to do about the rest",
    description="Looks at everything anew, which takes a few seconds; one at a time.",
    responses=documented(),
)
async def doctor(services: ServicesOf) -> DoctorReport:
    """Look, and tell."""
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
