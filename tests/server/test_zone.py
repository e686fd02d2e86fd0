"""The machine's zone: as the system finds it, and never a guess."""

from pathlib import Path

import pytest

from server.times import machine_zone


@pytest.mark.parametrize(
    ("told", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("", "UTC"),
        ("UTC", "UTC"),
        # A zone without a name: its clock is known, its next change is not the IANA database's.
        ("CET-1CEST,M3.5.0,M10.5.0/3", ""),
        ("Europe/Berln", ""),
        ("../../etc/passwd", ""),
    ],
)
def test_tz_comes_first(told: str, zone: str, tmp_path: Path) -> None:
    assert machine_zone({"TZ": told}, tmp_path) == zone


def test_without_tz_the_systems_own_link_says_it_and_a_change_is_noticed(tmp_path: Path) -> None:
    for zone in ("Europe/Berlin", "America/Argentina/Ushuaia"):
        place = tmp_path / "zoneinfo" / zone
        place.parent.mkdir(parents=True)
        place.touch()
        (tmp_path / "localtime").unlink(missing_ok=True)
        (tmp_path / "localtime").symlink_to(place)
        assert machine_zone({}, tmp_path) == zone


def test_a_copied_zone_has_its_name_beside_it_or_none(tmp_path: Path) -> None:
    assert machine_zone({}, tmp_path) == "UTC"
    (tmp_path / "localtime").write_bytes(b"TZif2")
    assert machine_zone({}, tmp_path) == ""
    (tmp_path / "timezone").write_text("Asia/Kolkata\n", encoding="ascii")
    assert machine_zone({}, tmp_path) == "Asia/Kolkata"
