"""Any OpenAI-compatible vision model, as the settings name it: what it lacks, and a conversation with it."""

from __future__ import annotations

import asyncio
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from adapters.models.failures import Provider
from core.errors import VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from adapters.models.retry import Patience
    from adapters.models.vision_api import VisionSession


class VisionServer:
    """Where the model is, and how it is spoken of.

    Args:
        base_url: e.g. ``http://127.0.0.1:11434/v1``; empty when it is not used.
        model: as the server names it.
        key: finds the key; may find none, for a server that needs none.
        request_seconds: how long one request may be silent.
        purpose: what it is for, for advice: "there is no OpenAI-compatible vision model to ...".
        lighter: what makes a request smaller, as an imperative.

    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        key: Callable[[], str | None],
        request_seconds: float,
        purpose: str,
        lighter: str,
    ) -> None:
        self._key = key
        self._request_seconds = request_seconds
        self._purpose = purpose
        self.provider: Final = Provider(
            title="The vision server",
            address=base_url.rstrip("/"),
            key_place="VAIDER_VISION_API_KEY",
            model=model,
            model_setting="vision_model",
            url_setting="vision_base_url",
            lighter=lighter,
        )

    def unavailable(self) -> str | None:
        """Which setting is missing, or what is wrong with the key or the address."""
        for setting, value in (("vision_base_url", self.provider.address), ("vision_model", self.provider.model)):
            if not value:
                return f"Set {setting}: there is no OpenAI-compatible vision model to {self._purpose}."
        try:
            self._key()
        except VaiderError as error:
            return error.message
        return self.provider.address_fault()

    @contextmanager
    def session(self, patience: Patience) -> Generator[VisionSession]:
        """A conversation that holds the key until it ends. Raises what the look for the key raises."""
        from adapters.models.vision_api import VisionSession  # noqa: PLC0415 - the SDK is loaded when it is used

        with asyncio.Runner() as runner:
            session = VisionSession(
                runner=runner,
                key=self._key(),
                provider=self.provider,
                request_seconds=self._request_seconds,
                patience=patience,
            )
            with closing(session):
                yield session
