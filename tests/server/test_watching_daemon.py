"""A real daemon that watches one clip after another."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from core.analysis import Analysis
from tests.clock import until
from tests.fakes.daemons.daemon_processes import Process
from tests.fakes.videos.odd_clips import write_screen
from tests.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS = ("Harbour", "Violin", "Glacier", "Paprika", "Lantern", "Meadow", "Cobalt", "Walnut")
SERVER = "adapters.video.process.fork_server"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Process]:
    process = Process(tmp_path / "data", provider="local")
    yield process.started()
    process.close()


@pytest.fixture
def clips(tmp_path: Path) -> list[Path]:
    """Each shows other words, one more each second."""
    return [
        write_screen(
            tmp_path / f"{word}.mp4",
            lines=[(1000 * second, f"{word} {number}") for second, number in enumerate("12")],
            until_ms=3000,
        )
        for word in WORDS[:3]
    ]


def shown(daemon: Process, clip: Path) -> list[str | None]:
    answer = daemon.http.post("/analyse", json={"video_path": str(clip)})
    answer.raise_for_status()
    analysis = Analysis.model_validate(answer.json())
    return [*analysis.first_screen, *(event.text for event in analysis.timeline)]


def servers(daemon: Process) -> list[int]:
    found = running(SERVER, daemon.process.pid)
    return [pid for pid in found if psutil.Process(pid).ppid() == daemon.process.pid]


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process waits")
def test_one_process_watches_clip_after_clip_until_it_is_killed_or_the_daemon_ends(
    daemon: Process, clips: list[Path]
) -> None:
    assert not servers(daemon)
    assert [shown(daemon, clip) for clip in clips[:2]] == [[f"{word} 1", f"{word} 2"] for word in WORDS[:2]]
    (first,) = servers(daemon)
    daemon.http.post("/analyse", json={"video_path": str(clips[0]), "use_cache": False}).raise_for_status()
    assert servers(daemon) == [first]

    os.kill(first, signal.SIGKILL)
    assert shown(daemon, clips[2]) == ["Glacier 1", "Glacier 2"]
    (second,) = servers(daemon)
    assert second != first

    daemon.process.terminate()
    assert daemon.ended()[0] == 0
    until(lambda: not psutil.pid_exists(second))


@pytest.mark.nightly
def test_what_is_found_is_told_while_the_clip_is_still_watched(daemon: Process, tmp_path: Path) -> None:
    lines = [(1500 * number, word) for number, word in enumerate(WORDS)]
    clip = write_screen(tmp_path / "clip.mp4", lines=lines, until_ms=14_000)
    begun = daemon.http.post("/analyse", json={"video_path": str(clip)}, headers={"Prefer": "respond-async"}).json()

    events = sent(daemon, begun["events_url"])
    found = [data for stage, data in events if stage == "found"]

    assert [stage for stage, _ in events][-1] == "done"
    assert found[0]["first_screen"] == [WORDS[0]]
    assert all(part["provisional"] and part["total"] >= 13_000 for part in found)
    whole = daemon.http.get(begun["job_url"]).json()
    assert whole["so_far"] is None
    told = [event["text"] for part in found for event in part.get("timeline", ())]
    assert told == [event["text"] for event in whole["result"]["timeline"]][: len(told)]


def sent(daemon: Process, path: str) -> list[tuple[str, dict[str, Any]]]:
    """The stages and data of a job's stream, to its end."""
    events: list[tuple[str, dict[str, Any]]] = []
    with daemon.http.stream("GET", path) as stream:
        stage = ""
        for line in stream.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                stage = value
            elif name == "data":
                events.append((stage, json.loads(value)))
    return events
