"""Shows the list of what left this machine; works without a daemon."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from rich.text import Text

from adapters.keys import Keys
from server.cli_output.analysis import console, plain, write_json
from server.composition.memory import Memory
from server.composition.memory_refining import OFF, RefinementWorker
from server.times import ago

if TYPE_CHECKING:
    from rich.console import Console

    from config.settings import Settings
    from core.memories.ports import Sent, SentList


def bare_refinement_worker(settings: Settings, memory: Memory) -> RefinementWorker:
    """One that lists and forgets; it is not started, and what is to be deleted elsewhere the next daemon deletes."""
    keys = Keys(os.environ, vision_base_url=settings.vision_base_url, folder=settings.data_path)
    return RefinementWorker(settings.model_copy(update={"memory_refiner": OFF}), keys, memory)


def show_sent(settings: Settings, limit: int, *, as_json: bool) -> None:
    """Print it, the newest first. Raises ``StorageFailed``."""
    keys = Keys(os.environ, vision_base_url=settings.vision_base_url, folder=settings.data_path)
    with closing(Memory(settings)) as memory:
        listed = RefinementWorker(settings, keys, memory).list_sent(limit)
    if as_json:
        write_json(listed.model_dump(mode="json"))
        return
    out = console(sys.stdout)
    _show(out, listed, settings.embeddings_provider)


def _show(out: Console, listed: SentList, embeddings: str) -> None:
    if embeddings != OFF:
        state = f"memory_refiner is {listed.refiner}, embeddings_provider is {embeddings}."
    elif listed.refiner == OFF:
        state = "Nothing leaves: memory_refiner is none."
    else:
        state = f"memory_refiner is {listed.refiner}."
    out.print(Text(state, style="bold"), soft_wrap=True)
    if listed.problem:
        out.print(Text(plain(listed.problem), style="yellow"), soft_wrap=True)
    if not listed.sent:
        out.print(Text("Nothing that is still listed has left."), soft_wrap=True)
    for sent in listed.sent:
        out.print(Text(_line(sent)), soft_wrap=True)
    if listed.left_there:
        text = f"Not deleted there so far: {', '.join(listed.left_there)}."
        out.print(Text(plain(text), style="yellow"), soft_wrap=True)


def _line(sent: Sent) -> str:
    of = ", ".join(each for each in (sent.memory, sent.video) if each)
    seconds = ", ".join(f"{t_ms / 1000:.1f}" for t_ms in sent.times_ms[:20])
    parts = [
        f"{sent.at.astimezone():%F %H:%M:%S} ({ago(sent.at)})  {sent.what} to {sent.host}",
        f"({sent.model})" if sent.model else "",
        f"of {of}" if of else "",
        f"at {seconds} s" if seconds else "",
        f"{sent.bytes:,} bytes" if sent.bytes else "",
        f"{sent.text_bytes:,} bytes of words" if sent.text_bytes else "",
    ]
    return plain(" ".join(part for part in parts if part))
