"""Asking a model until its answer has the right form, or once more at most."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from adapters.models.replies import TEXT_LIMIT, MalformedReply
from core.errors import InvalidReply
from core.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.models.failures import Provider


class Reply(Value):
    """What a model answered, as text, and what it spent, by the provider's own names."""

    text: str
    usage: dict[str, int]


class Mend(Value):
    """An answer that was not of the right form, and what was wrong with it, for the model to mend."""

    wrong: str
    request: str


def ask_well_formed(ask: Callable[[Mend | None], Reply], check: Callable[[str], None], provider: Provider) -> Reply:
    """Ask, and once more when ``check`` raises ``MalformedReply`` for the answer. Raises ``InvalidReply``."""
    mend: Mend | None = None
    usage: dict[str, int] = {}
    for _ in range(2):
        reply = ask(mend)
        for name, count in reply.usage.items():
            usage[name] = usage.get(name, 0) + count
        try:
            check(reply.text)
        except MalformedReply as fault:
            request = f"That was not the form that was asked for: {fault}. Answer again, in that form alone."
            mend = Mend(wrong=reply.text[:TEXT_LIMIT], request=request)
        else:
            return Reply(text=reply.text, usage=usage)
    raise InvalidReply(
        f"{provider.title} did not answer in the form that was asked for, twice: try again, "
        f"or set {provider.model_setting} to another model."
    )


def expectations_text(expectations: Sequence[str]) -> str:
    """The numbered expectations as a part of the question."""
    if not expectations:
        return "No expectations were given: leave `verdicts` empty."
    numbered = [{"number": number, "expectation": text} for number, text in enumerate(expectations, start=1)]
    return f"Judge each of these expectations:\n{json.dumps(numbered, ensure_ascii=False, indent=1)}"
