"""Rules files: what they may say, how bad ones are refused, and who is asked again."""

from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidPath, InvalidRequest
from core.rules import Rules, find_rules, last_word, load_rules, read_rules, retry_plan


def test_a_pattern_alone_is_enough() -> None:
    rules = load_rules('{"video_trigger_pattern": "out/**/*.mp4"}', "VaiderRules.json")
    assert rules == Rules(
        video_trigger_pattern="out/**/*.mp4",
        analysis_timeout_seconds=30,
        on_mismatch="retry",
        max_retries=5,
        enabled=True,
    )


def test_the_template_is_a_good_rules_file() -> None:
    text = resources.files("config").joinpath("clients", "VaiderRules.json").read_text(encoding="utf-8")
    assert set(Rules.model_fields) == load_rules(text, "VaiderRules.json").model_fields_set


@pytest.mark.parametrize(
    ("text", "line", "field", "says"),
    [
        ("", 1, None, "line 1, column 1: this is no JSON"),
        ("[]", 1, None, "one object in braces"),
        ('"x"', 1, None, "one object in braces"),
        ('{\n  "enabled": yes\n}', 2, None, "line 2, column 14: this is no JSON"),
        ("{\n  enabled: true\n}", 2, None, "field name in double quotes"),
        ('{"enabled" true}', 1, None, "Expecting ':'".lower()),
        ('{"video_trigger_pattern": "a.mp4",\n}', 2, None, "field name in double quotes"),
        ('{"video_trigger_pattern": "a.mp4"\n "enabled": true}', 2, None, "','"),
        ('{"video_trigger_pattern": "a.mp4"}\n{}', 2, None, "after the closing brace"),
        ('{"video_trigger_pattern": "a.mp4"', 1, None, "','"),
        ("{}", 1, "video_trigger_pattern", "it is missing"),
        ('{\n  "enabled": true\n}\n', 3, "video_trigger_pattern", "it is missing"),
        ('{\n\n  "max_retry": 3}', 3, "max_retry", "Did you mean 'max_retries'?"),
        ('{"wobble": 3}', 1, "wobble", "There are: video_trigger_pattern"),
        (
            '{"video_not_matching_ai_expectations_retry_limit": 5}',
            1,
            "video_not_matching_ai_expectations_retry_limit",
            "it is 'max_retries' now",
        ),
        ('{"enabled": true,\n"enabled": false}', 2, "enabled", "line 1 has it too"),
        (
            '{"video_trigger_pattern": "a.mp4",\n "max_retries": "5"}',
            2,
            "max_retries",
            'a whole number from 0 to 100, not "5"',
        ),
        ('{"video_trigger_pattern": "a.mp4",\n "max_retries": -1}', 2, "max_retries", "not -1"),
        ('{"video_trigger_pattern": "a.mp4",\n "max_retries": true}', 2, "max_retries", "not true"),
        ('{"video_trigger_pattern": "a.mp4",\n "max_retries": 2.5}', 2, "max_retries", "not 2.5"),
        (
            '{"video_trigger_pattern": "a.mp4",\n\n "analysis_timeout_seconds": 4}',
            3,
            "analysis_timeout_seconds",
            "from 5",
        ),
        (
            '{"video_trigger_pattern": "a.mp4", "analysis_timeout_seconds": NaN}',
            1,
            "analysis_timeout_seconds",
            "not NaN",
        ),
        (
            '{"video_trigger_pattern": "a.mp4", "analysis_timeout_seconds": 1e999}',
            1,
            "analysis_timeout_seconds",
            "from 5",
        ),
        ('{"video_trigger_pattern": "a.mp4", "on_mismatch": "Retry"}', 1, "on_mismatch", '"retry" or "fail"'),
        ('{"video_trigger_pattern": "a.mp4", "enabled": 1}', 1, "enabled", "true or false"),
        ('{"video_trigger_pattern": ""}', 1, "video_trigger_pattern", "1 to 500"),
        ('{"video_trigger_pattern": null}', 1, "video_trigger_pattern", "not null"),
        ('{"video_trigger_pattern": "/etc/*.mp4"}', 1, "video_trigger_pattern", "relative"),
        ('{"video_trigger_pattern": "C:/*.mp4"}', 1, "video_trigger_pattern", "relative"),
        ('{"video_trigger_pattern": "../*.mp4"}', 1, "video_trigger_pattern", "leave out '..'"),
        ('{"video_trigger_pattern": "a\\\\b.mp4"}', 1, "video_trigger_pattern", "by '/'"),
        ('{"video_trigger_pattern": "a\\u0000"}', 1, "video_trigger_pattern", "control character"),
    ],
)
def test_a_bad_rules_file_is_refused_with_its_line_and_field(
    text: str, line: int, field: str | None, says: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        load_rules(text, "VaiderRules.json")
    assert says in refused.value.message
    assert refused.value.message.startswith(f"VaiderRules.json, line {line}")
    assert (refused.value.details["line"], refused.value.details["field"]) == (line, field)


@pytest.mark.parametrize("text", ["[" * 30_000, '{"a": ' * 8000, '{"max_retries": ' + "9" * 6000 + "}", " " * 70_000])
def test_a_bomb_is_refused_at_once(text: str) -> None:
    with pytest.raises(InvalidRequest):
        load_rules(text, "VaiderRules.json")


@given(st.text(max_size=200) | st.recursive(st.none() | st.booleans() | st.text(), st.lists).map(str))
def test_no_text_is_met_by_anything_but_rules_or_a_refusal(text: str) -> None:
    with pytest.raises(InvalidRequest, match=r"VaiderRules\.json"):
        load_rules(text, "VaiderRules.json")


def test_either_name_is_found_and_both_are_refused(tmp_path: Path) -> None:
    assert find_rules(tmp_path) is None
    (tmp_path / "vaider.rules.json").write_text('\ufeff{"video_trigger_pattern": "a.mp4"}', encoding="utf-8")
    found = find_rules(tmp_path)
    assert found is not None
    assert found.name == "vaider.rules.json"
    assert read_rules(found).video_trigger_pattern == "a.mp4"
    (tmp_path / "VaiderRules.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"both VaiderRules\.json and vaider\.rules\.json"):
        find_rules(tmp_path)


def test_an_unreadable_rules_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidPath, match="No such file"):
        read_rules(tmp_path / "VaiderRules.json")
    (tmp_path / "VaiderRules.json").write_bytes(b'{\n"enabled": "\xff"}')
    with pytest.raises(InvalidRequest, match="line 2: this is no UTF-8"):
        read_rules(tmp_path / "VaiderRules.json")


@pytest.mark.parametrize(
    ("fields", "available", "first", "asked"),
    [
        ({}, ["local"], "local", ()),
        ({}, ["gemini", "local"], "local", ("gemini",) * 5),
        ({}, ["gemini"], "gemini", ("gemini",) * 5),
        ({}, ["gemini", "local"], "gemini", ("local", "gemini", "gemini", "gemini", "gemini")),
        ({}, ["gemini", "vision", "local"], "local", ("gemini", "vision", "gemini", "vision", "gemini")),
        ({"max_retries": 1}, ["gemini", "vision", "local"], "gemini", ("vision",)),
        ({"max_retries": 0}, ["gemini", "local"], "local", ()),
        ({"on_mismatch": "fail"}, ["gemini", "local"], "local", ()),
    ],
)
def test_only_who_could_answer_differently_is_asked_again(
    fields: dict[str, str | int], available: list[str], first: str, asked: tuple[str, ...]
) -> None:
    rules = Rules.model_validate({"video_trigger_pattern": "*.mp4", **fields})
    plan = retry_plan(rules, available, first)
    assert plan.providers == asked
    assert plan.reason


def test_the_last_word_names_the_log_folder_and_why_nobody_else_was_asked() -> None:
    rules = Rules(video_trigger_pattern="*.mp4")
    said = last_word(1, retry_plan(rules, ["local"], "local"), "/p/a.mp4.VaiderInteractions")
    assert said == (
        "The video was analysed once and is not as expected. Not asked again: local would only give the same answer "
        "again, and no other provider can be used. Every request and answer is in /p/a.mp4.VaiderInteractions."
    )
    assert "Not asked" not in last_word(3, retry_plan(rules, ["gemini"], "gemini"), "/p")
