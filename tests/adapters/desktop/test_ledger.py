"""Which events are ours, told without a display."""

from adapters.desktop.x11.raw_input import HELD_SECONDS, SentEvents

SHIFT = 50


def test_a_credit_of_the_other_device_is_dropped_when_it_is_older_than_any_window_manager_waits() -> None:
    now = [0.0]
    ledger = SentEvents(clock=lambda: now[0])
    ledger.record("key_press", SHIFT)
    now[0] = HELD_SECONDS / 2
    ledger.record("motion")
    assert ledger.take("motion")
    assert ledger.outstanding == 1
    now[0] = HELD_SECONDS * 1.5
    ledger.record("motion")
    assert ledger.take("motion")
    assert not ledger.take("key_press", SHIFT)
