"""Builds what knows meanings: of words always, by a model if one is switched on. Part of the composition root."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Final

from core.errors import Internal

if TYPE_CHECKING:
    from adapters.keys import Keys
    from config.settings import Settings
    from core.recall.meaning import Meaning, VectorMemories
    from core.recall.words import Words

OFF: Final = "none"
_LOG: Final = logging.getLogger("vaider.memory")


@functools.cache
def build_words() -> Words | None:
    """What words mean, known on this machine; ``None`` where that cannot be read: they are compared as written."""
    from adapters.embeddings.static import StaticWords  # noqa: PLC0415 - at the first question, with numpy

    try:
        return StaticWords()
    except Internal as error:
        _LOG.warning("%s", error.message)
        return None


def build_meaning(settings: Settings, keys: Keys, memories: VectorMemories) -> Meaning | None:
    """The search by meaning; ``None`` while ``embeddings_provider`` is ``none``, and then nothing leaves."""
    dialect = settings.embeddings_provider
    if dialect == OFF:
        return None
    from adapters.embeddings.remote import RemoteEmbeddings  # noqa: PLC0415 - only when it is switched on
    from adapters.key_kinds import GEMINI, OPENAI, VISION, missing_key  # noqa: PLC0415 - same
    from core.recall.meaning import Meaning  # noqa: PLC0415 - same
    from storage.memories.sent import SentFile  # noqa: PLC0415 - same

    address = settings.embeddings_base_url
    if dialect == GEMINI:
        name: str | None = GEMINI
        address = settings.gemini_base_url
    elif not address:
        name = OPENAI
    else:
        # A server of the user's own is sent no key but the one that is meant for it.
        name = VISION if address == settings.vision_base_url else None
    embeddings = RemoteEmbeddings(
        dialect,
        address=address,
        model=settings.embeddings_model,
        key=lambda: None if name is None else keys.get(name),
        missing=missing_key(OPENAI if dialect == OPENAI else GEMINI),
    )
    return Meaning(memories, embeddings, SentFile(settings.data_path))
