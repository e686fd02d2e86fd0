from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from core.errors import StorageFailed
from storage.files import machine_name

if TYPE_CHECKING:
    from pathlib import Path


def test_the_machines_name_stays_also_when_it_is_first_asked_for_by_many(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(machine_name, [tmp_path / "data"] * 16))
    assert names == {machine_name(tmp_path / "data")}
    assert machine_name(tmp_path / "other") not in names


def test_a_name_that_was_overwritten_is_refused(tmp_path: Path) -> None:
    (tmp_path / "machine").write_text("'; DROP TABLE jobs")
    with pytest.raises(StorageFailed, match="remove it"):
        machine_name(tmp_path)
