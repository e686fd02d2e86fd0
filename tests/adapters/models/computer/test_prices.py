import pytest

from adapters.models.computer.providers import cost, price


def test_a_certain_price_is_told_and_no_other() -> None:
    spent = {"input_tokens": 2_000_000, "output_tokens": 100_000, "calls": 3}
    assert cost("claude-opus-4-6", spent) == pytest.approx(12.5)
    assert cost("claude-opus-4-6-20260205", spent) == pytest.approx(12.5)
    assert cost("claude-opus-4-6", {}) == 0
    assert cost("claude-opus-4-60", spent) is None
    assert price("gpt-6-sol") is None
