"""Every failure that Vaider reports.

    VaiderError
    ├── CallerError            the caller's to mend (HTTP 4xx, exit code 2)
    │   ├── InvalidRequest     a malformed or contradictory request
    │   ├── InvalidPath        no such file, not a file, not readable
    │   ├── InvalidVideo       a file that is no decodable video
    │   ├── TooLarge           over a limit of bytes, seconds or pixels
    │   ├── InvalidSetting     a setting that is unknown or out of range
    │   ├── Forbidden          a wrong Host or Origin, a missing token
    │   ├── NotFound           no such job, analysis, provider
    │   ├── InvalidWorkflow    a schema.json that breaks a rule of its format
    │   └── Conflict           the thing is in a state that does not allow this
    │       └── DesktopUnavailable   there is no such display, or somebody else acts on it
    ├── ProviderError          a model provider failed (HTTP 500, exit code 3)
    │   ├── InvalidCredentials
    │   ├── RateLimited
    │   ├── QuotaExhausted
    │   ├── BillingRequired
    │   └── InvalidReply       the model answered, but not in the shape that was asked for
    │       └── InvalidCall    … not with a move that can be made
    ├── Throttled              a token's limit is reached for now (HTTP 429, exit code 3)
    ├── TimedOut               a limit of time was reached (HTTP 408, exit code 3)
    ├── Cancelled              somebody asked it to stop (exit code 130)
    │   └── TakenOver          the user moved the mouse or pressed a key
    ├── Interrupted            a run that had touched a desktop when its daemon died
    ├── ActionFailed           the desktop could not do what was asked of it
    ├── DesktopLost            the display, or the process that acts on it, is gone
    ├── StorageFailed          the disk is full, or a folder cannot be written (HTTP 507, exit code 3)
    └── Internal               a fault of ours (HTTP 500, exit code 3)

The message is one sentence that says what to do; it is shown to people and to models, so it holds no key, no
stack trace, and no path but one that the caller gave or owns.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import PurePath
from typing import ClassVar


class VaiderError(Exception):
    """The root. ``code`` is stable and machine-readable; ``details`` are further JSON fields of the answer."""

    code: ClassVar[str] = "internal_error"

    def __init__(self, message: str, **details: str | float | bool | None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling with its details: the job engine keeps failures between processes."""
        return (_rebuild, (type(self), self.message, self.details))

    def to_json(self) -> dict[str, object]:
        """The one error shape: ``{"error": sentence, "code": code, …details}``."""
        return {"error": self.message, "code": self.code, **self.details}


@contextmanager
def naming_only(paths: Iterable[str]) -> Generator[None]:
    """Let no error tell in which folder these files lie: copies of uploads, whose sender knows their names alone."""
    try:
        yield
    except VaiderError as error:
        for path in paths:
            name = PurePath(path).name
            error.message = error.message.replace(path, name)
            for key, value in error.details.items():
                if isinstance(value, str):
                    error.details[key] = value.replace(path, name)
        error.args = (error.message,)
        raise


def _rebuild(kind: type[VaiderError], message: str, details: dict[str, str | float | bool | None]) -> VaiderError:
    return kind(message, **details)


class CallerError(VaiderError):
    """What the caller can mend."""

    code = "invalid_request"


class InvalidRequest(CallerError):
    """The request is malformed or contradicts itself."""


class InvalidPath(CallerError):
    """There is no readable file at that path."""

    code = "invalid_path"


class InvalidVideo(CallerError):
    """The file is there, but no video can be decoded from it."""

    code = "invalid_video"


class TooLarge(CallerError):
    """The input is over a limit; the message names the limit and the setting that moves it."""

    code = "too_large"


class InvalidSetting(CallerError):
    """A setting is unknown, of a wrong type or out of range."""

    code = "invalid_setting"


class Forbidden(CallerError):
    """The request comes from where requests are not taken from."""

    code = "forbidden"


class NotFound(CallerError):
    """There is no such thing."""

    code = "not_found"


class ForgottenMeanwhile(NotFound):
    """What was asked for has been forgotten while it was worked on."""


class Conflict(CallerError):
    """The thing is in a state that does not allow this."""

    code = "conflict"


class DailyCallsSpent(Conflict):
    """As many calls to a provider were made as a day may have."""


class DesktopUnavailable(Conflict):
    """There is no such display, it cannot be used, or somebody else acts on it; the message holds the remedy."""

    code = "desktop_unavailable"


class InvalidWorkflow(CallerError):
    """A ``schema.json`` breaks a rule of its format; the message names the path inside it and the rule."""

    code = "invalid_workflow"


class NoTask(CallerError):
    """A recording shows no task that could be learned; the message says why, the detail ``reason`` in a word."""

    code = "no_task"


class ProviderError(VaiderError):
    """A model provider failed, and retrying did not help."""

    code = "upstream_error"


class InvalidCredentials(ProviderError):
    """The provider refuses the key."""

    code = "invalid_credentials"


class RateLimited(ProviderError):
    """Too many requests for now."""

    code = "rate_limited"


class QuotaExhausted(ProviderError):
    """A quota is used up and will not refill soon."""

    code = "quota_exhausted"


class BillingRequired(ProviderError):
    """The account cannot pay for this model."""

    code = "billing_required"


class InvalidReply(ProviderError):
    """The model answered, but not in the shape that was asked for."""

    code = "invalid_reply"


class InvalidCall(InvalidReply):
    """A model's answer is no move that can be made; the message quotes what was wrong, and goes to the model."""

    code = "invalid_call"


class Throttled(VaiderError):
    """What a token may ask for is used up for now; the detail ``retry_after`` is in how many seconds it is not."""

    code = "throttled"


class TimedOut(VaiderError):
    """A limit of time was reached, and the work was stopped."""

    code = "timeout"


class Cancelled(VaiderError):
    """Somebody asked for the work to stop."""

    code = "cancelled"


class TakenOver(Cancelled):
    """The user took the mouse or the keyboard; everything that was held is released."""

    code = "taken_over"


class Interrupted(VaiderError):
    """The daemon ended while a run was acting; what it had done stands, and it does not go on by itself."""

    code = "interrupted"


class ActionFailed(VaiderError):
    """The desktop could not do what was asked of it; the run goes on, and its decider gets the reason."""

    code = "action_failed"


class EffectUnreadable(VaiderError):
    """An effect could not be read; the message says why, and it never means that nothing is there."""

    code = "effect_unreadable"


class DesktopLost(VaiderError):
    """The display, or the process that acts on it, is gone."""

    code = "desktop_lost"


class StorageFailed(VaiderError):
    """The disk is full, or a folder cannot be written."""

    code = "storage_failed"


class Internal(VaiderError):
    """A fault of ours."""


def exit_code(error: VaiderError) -> int:
    """What a command that failed so exits with: 2 the caller's to mend, 130 cancelled, 3 a provider or Vaider."""
    if isinstance(error, Cancelled):
        return 130
    return 2 if isinstance(error, CallerError) else 3
