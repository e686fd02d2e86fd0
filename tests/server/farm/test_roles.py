"""What a process of a farm says that lacks something."""

import pytest

from config.settings import load_settings
from core.errors import InvalidSetting
from server.farm.start import check_farm


@pytest.mark.parametrize("role", ["api", "worker"])
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "needs PostgreSQL"),
        ({"database_url": "sqlite:////tmp/jobs.db"}, "needs PostgreSQL"),
        ({"database_url": "postgresql://localhost/vaider"}, "set store_url"),
    ],
)
def test_a_process_that_is_half_configured_says_what_it_lacks(role: str, given: dict[str, str], sentence: str) -> None:
    settings = load_settings(environment={}, flags=given).with_role(role)
    with pytest.raises(InvalidSetting, match=sentence):
        check_farm(settings)
