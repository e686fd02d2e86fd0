"""Recall by meaning, as the daemon builds it: off it contacts nobody; on it is told in the list of what was sent."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.keys import Keys
from config.settings import Settings, load_settings
from core.memory import RecallRequest
from server.composition.memory import Memory, build_meaning
from storage.memories.ledgers import SentFile
from tests.fakes.models.embeddings import KEY, FakeEmbeddings
from tests.fakes.recordings.made_procedures import procedure


def settings_of(folder: Path, **chosen: str) -> Settings:
    return load_settings(environment={}, flags={"data_dir": str(folder), **chosen})


def remembered(settings: Settings, keys: Keys) -> Memory:
    memory = Memory(settings)
    memory.meaning = lambda memories: build_meaning(settings, keys, memories)
    made = [procedure(f"other-{place}", f'Opened "plan{place}"', ago=timedelta(hours=place)) for place in range(40)]
    for each in (procedure("font", 'Changed "Font size" to "16"', application="Code"), *made):
        memory.memories.replace(each.video, [each])
    return memory


@pytest.mark.parametrize("provider", ["gemini", "openai"])
def test_a_question_in_other_words_is_answered_by_the_provider_that_is_switched_on(
    tmp_path: Path, provider: str
) -> None:
    with FakeEmbeddings() as server:
        settings = settings_of(
            tmp_path,
            embeddings_provider=provider,
            embeddings_base_url=server.url,
            vision_base_url=server.url,
            gemini_base_url=server.url,
        )
        keys = Keys({"GOOGLE_API_KEY": KEY, "VAIDER_VISION_API_KEY": KEY}, ring=lambda: None)
        with closing(remembered(settings, keys)) as memory:
            meaning = build_meaning(settings, keys, memory.memories)
            assert meaning is not None
            assert meaning.catch_up() == 41
            answer = memory.recall(RecallRequest(query="how did I get bigger letters"))
        assert [each.id for each in answer.results] == ["font"]
        assert {each.what for each in SentFile(tmp_path).newest(9)} == {"words", "question"}


def test_nobody_is_asked_while_it_is_off(tmp_path: Path) -> None:
    with FakeEmbeddings() as server:
        settings = settings_of(tmp_path, embeddings_base_url=server.url, gemini_base_url=server.url)
        with closing(remembered(settings, Keys({"GOOGLE_API_KEY": KEY}, ring=lambda: None))) as memory:
            assert memory.recall(RecallRequest(query="how did I bake a cake")).results == ()
            # What words mean is known here.
            assert memory.recall(RecallRequest(query="how did I get bigger letters")).results[0].id == "font"
        assert server.requests == []


def test_a_server_of_the_users_own_is_sent_no_key_that_is_meant_for_another(tmp_path: Path) -> None:
    with FakeEmbeddings(key=None) as server:
        settings = settings_of(tmp_path, embeddings_provider="openai", embeddings_base_url=server.url)
        keys = Keys({"OPENAI_API_KEY": KEY, "VAIDER_VISION_API_KEY": KEY}, ring=lambda: None)
        with closing(remembered(settings, keys)) as memory:
            memory.recall(RecallRequest(query="bigger letters"))
        assert server.requests
        assert not any("authorization" in request.headers for request in server.requests)
