import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.models.retry import Failure, Patience, RetryPolicy, parse_duration, parse_retry_after
from core.errors import ProviderError, RateLimited

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


def patience(policy: RetryPolicy) -> Patience:
    return Patience(policy, lambda: None)


@settings(deadline=None)
@given(tries=st.integers(1, 10), jitter=st.floats(0, 1), first=st.floats(0.01, 10), most=st.floats(0, 120))
def test_a_wait_of_our_own_grows_and_is_never_longer_than_the_setting(
    tries: int, jitter: float, first: float, most: float
) -> None:
    policy = RetryPolicy(attempts=10, max_seconds=most, first_seconds=first, jitter=lambda: jitter)
    full = min(most, first * 2 ** (tries - 1))
    wait = policy.delay(tries, None)
    assert wait is not None
    assert full / 2 <= wait <= full


@settings(deadline=None)
@given(demanded=st.floats(0, 120), jitter=st.floats(0, 1))
def test_a_demanded_wait_is_never_undercut_and_one_too_long_is_not_begun(demanded: float, jitter: float) -> None:
    wait = RetryPolicy(max_seconds=60, jitter=lambda: jitter).delay(1, demanded)
    assert (wait is None) == (demanded > 60)
    assert wait is None or demanded <= wait <= 60


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Fri, 20 Nov 2026 12:00:09 GMT", 9.0),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0.0),
        ("Fri, 20 Nov 2026 12:00:09", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header, lambda: NOW) == seconds


@pytest.mark.parametrize(
    ("value", "seconds"), [("58s", 58.0), ("58.93s", 58.93), ("-1s", 0.0), ("nans", None), ("58", None), (58, None)]
)
def test_a_retry_delay_is_a_protobuf_duration(value: object, seconds: float | None) -> None:
    assert parse_duration(value) == seconds


def test_what_is_not_understood_is_raised_as_it_is_and_at_once() -> None:
    tries = 0

    async def fail() -> None:
        nonlocal tries
        tries += 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(patience(RetryPolicy()).insist(fail, lambda _: None))
    assert tries == 1


@pytest.mark.parametrize("attempts", [0, 1, 3])
def test_the_last_failure_is_told_after_so_many_further_tries(attempts: int) -> None:
    tries = 0

    async def no_sleep(_: float) -> None:
        pass

    async def fail() -> None:
        nonlocal tries
        tries += 1
        raise ConnectionError

    def translate(_: Exception) -> Failure:
        kind = RateLimited if tries > attempts else ProviderError
        return Failure(kind(f"try {tries}"), retry=True)

    with pytest.raises(RateLimited, match=f"try {attempts + 1}") as raised:
        asyncio.run(patience(RetryPolicy(attempts=attempts, sleep=no_sleep)).insist(fail, translate))
    assert raised.value.__context__ is None, "the provider's exception, which holds its request, went along"
