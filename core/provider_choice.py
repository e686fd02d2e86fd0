"""Which provider does it: the one that was asked for, or with ``auto`` the first that can; and why no other."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from core.errors import Conflict, InvalidRequest
from core.text import did_you_mean

AUTO: Final = "auto"


class Provider(Protocol):
    """What can lack something."""

    def unavailable(self) -> str | None:
        """``None`` when it can be used now, else one sentence that says what is missing and how to supply it."""
        ...


ProviderT = TypeVar("ProviderT", bound=Provider)


def choose(
    name: str, providers: Mapping[str, ProviderT], preference: Sequence[str], *, purpose: str = ""
) -> tuple[ProviderT, str]:
    """The provider, and why it is this one: a few words, for each answer.

    Args:
        name: ``auto``, or one of the providers.
        providers: by name.
        preference: the names that ``auto`` tries in order.
        purpose: what it is wanted for, as in `` for learning``.

    Raises:
        InvalidRequest: there is none of that name.
        Conflict: it, or with ``auto`` each of them, cannot be used.

    """
    if name == AUTO:
        return _first(providers, preference)
    provider = providers.get(name)
    if provider is None:
        raise unknown_provider(name, [AUTO, *providers], purpose)
    return usable(name, provider), "asked for"


def usable(name: str, provider: ProviderT) -> ProviderT:
    """The provider, if it can be used now. Raises ``Conflict``."""
    lack = provider.unavailable()
    if lack is not None:
        raise Conflict(f"Provider {name!r} cannot be used: {lack}")
    return provider


def unknown_provider(name: str, known: Iterable[str], purpose: str) -> InvalidRequest:
    """The refusal of a name that no provider has, with the nearest or with all of them."""
    names = list(known)
    hint = did_you_mean(name, [each for each in names if each != AUTO], f"There are: {', '.join(names)}.")
    return InvalidRequest(f"There is no provider {name!r}{purpose}. {hint}")


def _first(providers: Mapping[str, ProviderT], preference: Sequence[str]) -> tuple[ProviderT, str]:
    passed_over: list[str] = []
    for name in preference:
        lack = providers[name].unavailable()
        if lack is None:
            # What the others lack is said by `vaider doctor`, because it is the same in every answer.
            return providers[name], f"auto chose {name}"
        passed_over.append(f"{name}: {lack}")
    raise Conflict(f"No provider can be used. {' '.join(passed_over)}")
