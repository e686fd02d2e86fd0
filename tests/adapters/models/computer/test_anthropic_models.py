import pytest

from adapters.models.computer.deciders import FAMILIES, TOOL, TOOLSET, UNKNOWN, family_of


@pytest.mark.parametrize(
    ("model", "tool", "append_only"),
    [
        ("claude-opus-4-6", TOOL, False),
        ("claude-opus-4-5-20251101", TOOL, False),
        ("claude-sonnet-4-5-20250929", "computer_20250124", False),
        ("claude-opus-4-8", TOOLSET, False),
        ("claude-sonnet-5", TOOLSET, False),
        ("claude-sonnet-5-5", TOOLSET, True),
        ("claude-fable-5-2-latest", TOOLSET, True),
    ],
)
def test_a_model_is_known_by_its_name_with_a_date_or_without(model: str, tool: str, append_only: object) -> None:
    family = family_of(model)
    assert (family.tool, family.append_only) == (tool, append_only)


@pytest.mark.parametrize("model", ["claude-sonnet-5-7", "claude-opus-6", "claude-opus-4-60", "someone-elses", ""])
def test_a_model_newer_than_the_table_gets_what_no_model_refuses(model: str) -> None:
    assert family_of(model) is UNKNOWN
    assert UNKNOWN.append_only
    assert not UNKNOWN.thinks


def test_no_picture_of_an_append_only_history_is_ever_too_large_beside_many_others() -> None:
    assert all(family.limits.edge <= 2000 for family in (*FAMILIES.values(), UNKNOWN) if family.append_only)
