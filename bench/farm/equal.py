"""The labelled clips by one machine and by a farm: the same answers, and the same pictures byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

import httpx2

from bench.clips import clip, clips
from bench.daemon import running_daemon
from bench.farm.machines import ADMIN, machines
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.clips import Clip

FEW: Final = ("checkout", "still", "signin")
_OWN: Final = {"job_id", "interactions_dir", "duration_ms", "cached"}
"""What two answers to one question differ in."""


def run(*, quick: bool = False) -> list[Table]:
    """The table."""
    chosen = [clip(name) for name in FEW] if quick else clips()
    with running_daemon() as daemon:
        alone = [_asked(daemon.url, each, {}) for each in chosen]
    with machines() as farm:
        for _ in range(2):
            farm.farm.start("worker", VAIDER_PROVIDER="local")
        shared = [_asked(f"http://127.0.0.1:{farm.ports[0]}", each, ADMIN) for each in chosen]
    answers = sum(one[0] == other[0] for one, other in zip(alone, shared, strict=True))
    pictures = sum(one[1] == other[1] for one, other in zip(alone, shared, strict=True))
    number = sum(len(each[1]) for each in alone)
    rows = [
        ("clips", f"{len(chosen)}", "-"),
        ("equal answers", f"{answers}", f"{len(chosen)}"),
        (f"clips with equal pictures, of {number} pictures in all", f"{pictures}", f"{len(chosen)}"),
    ]
    return [Table("The labelled clips by a farm and by one machine", ("", "measured", "bar"), rows)]


def _asked(base: str, asked: Clip, headers: Mapping[str, str]) -> tuple[dict[str, Any], Sequence[bytes]]:
    """An answer without what is its own, and its pictures."""
    expectations = [each.text for each in asked.truth.expectations]
    question = json.dumps({"expectations": expectations, "provider": "local", "use_cache": False})
    with (
        httpx2.Client(base_url=base, trust_env=False, timeout=300, headers=headers) as client,
        asked.path.open("rb") as file,
    ):
        sent = {"video": (asked.path.name, file, "video/mp4")}
        prefer = {"Prefer": "wait=240"}
        answer = (
            client.post("/analyse", files=sent, data={"metadata": question}, headers=prefer).raise_for_status().json()
        )
        names = sorted(set(_frames(answer)))
        path = f"/jobs/{answer['job_id']}"
        pictures = [client.get(f"{path}/{name}").raise_for_status().content for name in names]
    answer["video"].pop("path")
    return {name: value for name, value in answer.items() if name not in _OWN}, pictures


def _frames(found: Any) -> list[str]:
    """Each picture that is named anywhere in an answer."""
    if isinstance(found, dict):
        inner = cast("dict[str, Any]", found)
        own = [inner["frame"]] if isinstance(inner.get("frame"), str) else []
        return [*own, *_frames(list(inner.values()))]
    return [name for value in cast("list[Any]", found) for name in _frames(value)] if isinstance(found, list) else []
