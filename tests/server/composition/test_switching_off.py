"""Switching off what leaves: from the answer on nothing does, though the daemon runs on."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.keys import Keys
from config.settings import Settings, load_settings
from core.errors import Conflict
from core.memory import RecallRequest
from server.composition.memory import RECORDINGS, Memory, build_meaning
from server.composition.memory_refining import RefinementWorker
from server.setup.configuration import Configuration
from tests.clock import until
from tests.fakes.daemons.memory_daemon import running
from tests.fakes.models import openai_chat
from tests.fakes.models.embeddings import KEY, FakeEmbeddings
from tests.fakes.models.openai_chat import MODEL, FakeOpenAI
from tests.fakes.models.refiners import BEGAN, SEGMENT, procedure
from tests.fakes.recordings.films import write_film

QUESTION = RecallRequest(query="how did I get bigger letters")


def written(folder: Path, **chosen: Any) -> Settings:
    """Settings that stand in the user's file."""
    file = folder / "settings.toml"
    file.write_text("".join(f'{name} = "{value}"\n' for name, value in chosen.items()))
    return load_settings(environment={}, flags={"data_dir": str(folder / "data")}, user_file=file)


def test_no_question_goes_to_a_model_once_meaning_is_switched_off(tmp_path: Path) -> None:
    with FakeEmbeddings(key=None) as server:
        settings = written(tmp_path, embeddings_provider="openai", embeddings_base_url=server.url)
        keys = Keys({"VAIDER_VISION_API_KEY": KEY}, ring=lambda: None)
        with closing(Memory(settings)) as memory:
            memory.meaning = lambda memories: build_meaning(settings, keys, memories)
            memory.memories.replace(SEGMENT, [procedure("a")])
            memory.recall(QUESTION)
            reported = Configuration(settings, lambda _: memory.switch_meaning_off()).change(
                {"embeddings_provider": "none"}
            )
            before = len(server.requests)
            memory.recall(QUESTION)

            assert before > 0
            assert len(server.requests) == before
            assert not reported.restart


@pytest.mark.nightly
def test_nothing_is_refined_once_that_is_switched_off(tmp_path: Path) -> None:
    with FakeOpenAI() as server:
        server.reply = 'Clicked "Add" in the top right corner'
        settings = written(tmp_path, memory_refiner="vision", vision_base_url=server.base_url, vision_model=MODEL)
        folder = settings.data_path / RECORDINGS
        folder.mkdir(mode=0o700, parents=True)
        write_film(folder / f"{SEGMENT}.mp4", seconds=30)
        keys = Keys({"VAIDER_VISION_API_KEY": openai_chat.KEY}, ring=lambda: None)
        with closing(Memory(settings)) as memory:
            memory.memories.replace(SEGMENT, [procedure("a")])
            refinement_worker = RefinementWorker(settings, keys, memory, since=BEGAN - timedelta(seconds=1))
            segment = memory.segments.find(SEGMENT)
            assert segment is not None
            refinement_worker.offer(segment)
            until(lambda: server.requests)
            refinement_worker.switch_off()
            before = len(server.requests)
            refinement_worker.offer(segment)
            with pytest.raises(Conflict, match="No model that refines memories is switched on"):
                refinement_worker.refine_memory("a")

            assert not refinement_worker.is_on
            assert len(server.requests) == before
            assert refinement_worker.list_sent(10).refiner == "none"


def test_the_daemon_follows_and_says_that_nothing_waits_for_the_next_start(tmp_path: Path) -> None:
    settings = written(tmp_path, memory_refiner="vision", embeddings_provider="gemini")
    with running(settings, None) as daemon:
        off = daemon.http.patch("/settings", json={"memory_refiner": "none", "embeddings_provider": None}).json()
        on = daemon.http.patch("/settings", json={"memory_refiner": "gemini"}).json()

    assert (off["restart"], on["restart"]) == (False, True)
