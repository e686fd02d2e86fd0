"""Admits every run to nowhere: the routes' checks without a desktop."""

from collections.abc import Mapping

from core.errors import NotFound
from core.runs.run import RunRequest
from core.tasks.ports import LearnRequest


class Admission:
    """Implements ``server.services.Checks``."""

    @property
    def providers(self) -> Mapping[str, str | None]:
        return {"local": None, "anthropic": "it has no key"}

    def admit(self, request: RunRequest) -> RunRequest:
        if request.workflow == "missing":
            raise NotFound("There is no workflow 'missing'.")
        named = {"workflow": f"/workflows/{request.workflow}"} if request.workflow else {}
        return request.model_copy(update=named)


class LearningAdmission:
    """Implements ``server.services.Checks``."""

    @property
    def providers(self) -> Mapping[str, str | None]:
        return {"local": None, "gemini": "it has no key"}

    def admit(self, request: LearnRequest) -> LearnRequest:
        if request.into == "missing":
            raise NotFound("There is no task 'missing'.")
        return request
