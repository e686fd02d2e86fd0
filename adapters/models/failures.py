"""What a provider's refusal means: one table for all providers.

An answer's status and body are read into a ``Refusal``; the first row that matches says which error of ours it is, what
the user can do, and whether asking again may help.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import cast
from urllib.parse import urlsplit

from adapters.keys import redact_shapes
from adapters.models.api_formats import as_object, as_objects
from adapters.models.retry import Failure, parse_duration, parse_retry_after
from core.errors import BillingRequired, InvalidCredentials, InvalidReply, ProviderError, QuotaExhausted, RateLimited
from core.text import one_line

SAID_LIMIT = 240
ANYTHING_ELSE = "anything else"
COMPATIBLE = "an OpenAI-compatible server"
_MOST_TEXT = 2000
"""Bytes of an answer that is no JSON."""


@dataclass(frozen=True)
class Provider:
    """How a provider is spoken of in advice."""

    title: str
    address: str
    key_place: str
    """Where its key is looked for, e.g. ``GOOGLE_API_KEY``."""
    model: str
    model_setting: str
    url_setting: str
    lighter: str
    """What makes a request smaller, as an imperative."""
    api: str = ""
    """What its API is like, e.g. "an OpenAI-compatible server", where that is not its title."""

    @property
    def shown_address(self) -> str:
        """The address without the password or the query that it may hold."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def address_fault(self) -> str | None:
        """What is wrong with the address as a sentence that does not quote it, ``None`` when it can be one."""
        try:
            parts = urlsplit(self.address)
            fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            fits = False
        return None if fits else f"Set {self.url_setting} to an address such as http://127.0.0.1:8080; it is none now."

    def unlike(self) -> InvalidReply:
        """The error for an answer that is not of this API."""
        return InvalidReply(
            f"{self.shown_address} does not answer like {self.api or self.title}: check {self.url_setting}, "
            "and any proxy."
        )

    def refusal(self, why: str, **details: str) -> ProviderError:
        """The error for a model that does not want to go on with a run."""
        return ProviderError(
            f"{self.model!r} refuses to go on ({why[:300]}): word the task otherwise, or use another provider.",
            **details,
        )


@dataclass(frozen=True)
class Refusal:
    """What a provider answered instead of an answer; ``status`` is ``None`` when nothing came back."""

    status: int | None
    code: str = ""
    """The provider's own word: ``RESOURCE_EXHAUSTED``, ``insufficient_quota``; ours: ``timeout``, ``unreachable``."""
    message: str = ""
    reasons: frozenset[str] = frozenset()
    """Google's ``ErrorInfo.reason``."""
    quotas: tuple[str, ...] = ()
    """Google's ``QuotaFailure`` quota ids."""
    after_seconds: float | None = None

    def says(self, *words: str) -> bool:
        """Whether the message contains one of the words, whatever their case."""
        return any(word in self.message.lower() for word in words)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    matches: Callable[[Refusal], bool]
    error: type[ProviderError]
    advice: str
    retry: bool = False


def _daily(refusal: Refusal) -> bool:
    return any("PerDay" in quota for quota in refusal.quotas) or refusal.code == "insufficient_quota"


def _needs_billing(refusal: Refusal) -> bool:
    if refusal.status == HTTPStatus.TOO_MANY_REQUESTS:
        # The text of every such refusal mentions billing; only a limit of nothing means it.
        return re.search(r"\blimit: 0\b", refusal.message) is not None
    return (
        refusal.status == HTTPStatus.PAYMENT_REQUIRED
        or "BILLING_DISABLED" in refusal.reasons
        or refusal.says("billing")
    )


_OWN_LIMIT = "specified api usage limits"
"""Anthropic's words for the spending limit that an account has set itself; they come with 400."""
_NOT_ALLOWED = {"SERVICE_DISABLED", "API_KEY_SERVICE_BLOCKED"}
_LONG = "context_length_exceeded"
_TOO_LONG = ("exceeds the maximum number of tokens", "maximum context length", "prompt is too long")

TABLE: tuple[Row, ...] = (
    Row(
        "key leaked",
        lambda r: r.status == HTTPStatus.FORBIDDEN and r.says("leaked"),
        InvalidCredentials,
        "{title} has blocked this key because it was found in public: make a new one and put it in {key_place}.",
    ),
    Row(
        "no key",
        lambda r: r.status == HTTPStatus.FORBIDDEN and r.says("unregistered callers"),
        InvalidCredentials,
        "{title} saw no key: put one in {key_place}.",
    ),
    Row(
        "key may not use this API",
        lambda r: r.status == HTTPStatus.FORBIDDEN and bool(r.reasons & _NOT_ALLOWED),
        InvalidCredentials,
        "The key's project may not use {title}: enable the API there, or put another key in {key_place}.",
    ),
    Row(
        "key refused",
        lambda r: (
            r.status == HTTPStatus.UNAUTHORIZED
            or "API_KEY_INVALID" in r.reasons
            or r.says("api key not valid", "api key expired")
        ),
        InvalidCredentials,
        "{title} refuses the key: check it in {key_place}.",
    ),
    Row(
        "billing",
        _needs_billing,
        BillingRequired,
        "{title} does not serve {model!r} to this account without billing: enable it there, or set {model_setting} "
        "to a model that the account includes.",
    ),
    Row(
        "quota of the day",
        lambda r: (r.status == HTTPStatus.TOO_MANY_REQUESTS and _daily(r)) or r.says(_OWN_LIMIT),
        QuotaExhausted,
        "The quota of {title} for this key is used up: wait for the next day, raise the plan, or use provider 'local'.",
    ),
    Row(
        "rate",
        lambda r: r.status == HTTPStatus.TOO_MANY_REQUESTS,
        RateLimited,
        "{title} takes no more requests for now: try again in {wait}, or use provider 'local'.",
        retry=True,
    ),
    Row(
        "location",
        lambda r: r.says("location is not supported", "country, region, or territory not supported"),
        ProviderError,
        "{title} is not offered where this machine is: use provider 'local' or 'vision'.",
    ),
    Row(
        "model unknown",
        lambda r: r.code == "model_not_found" or (r.status == HTTPStatus.NOT_FOUND and r.says("model")),
        ProviderError,
        "{title} has no model {model!r}: set {model_setting} to one that it has.",
    ),
    Row(
        "address unknown",
        lambda r: r.status == HTTPStatus.NOT_FOUND,
        ProviderError,
        "There is no such API at {address}: check {url_setting}.",
    ),
    Row(
        "too long",
        lambda r: r.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or r.code == _LONG or r.says(*_TOO_LONG),
        ProviderError,
        "This is more than {model!r} can take at once: {lighter}.",
    ),
    Row(
        "slow",
        lambda r: r.code == "timeout" or r.status in {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT},
        ProviderError,
        "{title} did not answer in time: try again, or {lighter}.",
        retry=True,
    ),
    Row(
        "unreachable",
        lambda r: r.code == "unreachable",
        ProviderError,
        "{title} cannot be reached at {address}: check the network and {url_setting}, or use provider 'local'.",
        retry=True,
    ),
    Row(
        "server fault",
        lambda r: r.status is not None and r.status >= HTTPStatus.INTERNAL_SERVER_ERROR,
        ProviderError,
        "{title} is in trouble ({status}{said}): try again later, or use provider 'local'.",
        retry=True,
    ),
    Row(
        ANYTHING_ELSE,
        lambda _: True,
        ProviderError,
        "{title} refused the request ({status}{said}): check {model_setting} and {url_setting}.",
    ),
)


def read_refusal(status: int, body: bytes, retry_after: str | None = None) -> Refusal:
    """Read what came with an error status.

    All providers answer ``{"error": {"message": …}}``, with a word of their own in ``code``, ``status`` or ``type``.
    Some servers leave out the outer object or say a text in ``error``; Google's OpenAI-compatible API wraps it in a
    list. Google's ``details`` hold reasons, quotas and how long to wait (``google.rpc.ErrorInfo``, ``QuotaFailure``,
    ``RetryInfo``).

    Args:
        status: of HTTP.
        body: of the answer.
        retry_after: the header of that name.

    """
    try:
        value = cast("object", json.loads(body))
    except (ValueError, RecursionError):
        text = body[:_MOST_TEXT].decode(errors="replace")
        # A proxy's page is not the provider's word.
        value = {"message": "" if text.lstrip().startswith("<") else text}
    outer = next(iter(as_objects(value)), None) or as_object(value)
    inner = outer.get("error", outer)
    error = as_object(inner)
    details = as_objects(error.get("details"))
    words = (error.get(name) for name in ("code", "status", "type"))
    violations = [each for detail in details for each in as_objects(detail.get("violations"))]
    delays = [delay for detail in details if (delay := parse_duration(detail.get("retryDelay"))) is not None]
    return Refusal(
        status=status,
        code=next((word for word in words if isinstance(word, str) and word), ""),
        message=inner if isinstance(inner, str) else str(error.get("message") or ""),
        reasons=frozenset(str(detail["reason"]) for detail in details if "reason" in detail),
        quotas=tuple(str(each.get("quotaId", "")) for each in violations),
        after_seconds=delays[0] if delays else parse_retry_after(retry_after, lambda: datetime.now(UTC)),
    )


def find_row(refusal: Refusal) -> Row:
    """The first row that matches; the last one always does."""
    return next(row for row in TABLE if row.matches(refusal))


def judge(refusal: Refusal, provider: Provider, *secrets: str) -> Failure:
    """Find the row, and say it; neither ``secrets`` nor anything shaped like a key is in what comes out."""
    row = find_row(refusal)
    seconds = refusal.after_seconds
    sentence = row.advice.format(
        title=provider.title,
        address=provider.shown_address,
        key_place=provider.key_place,
        model=provider.model,
        model_setting=provider.model_setting,
        url_setting=provider.url_setting,
        lighter=provider.lighter,
        status=refusal.status,
        said=_said(refusal, secrets),
        wait=f"{seconds:.0f} s" if seconds else "a minute",
    )
    details: dict[str, str | float | bool | None] = {"upstream_status": refusal.status}
    if seconds is not None:
        details["retry_after_seconds"] = seconds
    return Failure(row.error(sentence, **details), retry=row.retry, after_seconds=seconds)


def _said(refusal: Refusal, secrets: tuple[str, ...]) -> str:
    text = refusal.message
    # A proxy's HTML page is no help.
    if not text.strip() or text.lstrip().startswith("<"):
        return f", {refusal.code}" if refusal.code else ""
    return f', "{one_line(redact_shapes(text, *secrets))[:SAID_LIMIT]}"'
