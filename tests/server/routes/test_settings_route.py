"""``/settings``: what is told of each setting, and that a page can change what it may and nothing else."""

import tomllib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as some

from config.settings import Settings, load_settings
from config.settings_file import descriptions, with_values
from server.setup.configuration import Configuration, why_fixed
from tests.fakes.daemons.memory_daemon import Daemon, running

MINE = '# my own words\nprovider = "local"  # no key\n\n[notes]\nx = 1\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


@pytest.fixture
def daemon(tmp_path: Path, file: Path) -> Generator[Daemon]:
    environment = {"VAIDER_GEMINI_MODEL": "m", "REPLAY_MODEL": "r", "VAIDER_TOKEN": "t"}
    database = "postgresql://me:hunter2@db/vaider"
    flags = {"data_dir": str(tmp_path / "data"), "database_url": database, "max_video_bytes": "5000"}
    with running(load_settings(environment=environment, flags=flags, user_file=file), None) as daemon:
        yield daemon


def named(answer: Any) -> dict[str, dict[str, Any]]:
    return {setting["name"]: setting for setting in answer.json()["settings"]}


def test_every_setting_is_described_in_one_place() -> None:
    sections, described = descriptions()

    assert sorted(described) == sorted(Settings.model_fields)
    assert not [name for name, description in described.items() if not description.text]
    assert {description.section for description in described.values()} == {section.name for section in sections}


def test_each_setting_tells_its_value_its_shape_and_where_it_comes_from(daemon: Daemon) -> None:
    answer = daemon.http.get("/settings")
    found = named(answer)

    assert list(found) == list(Settings.model_fields)
    assert (found["gate"]["type"], found["gate"]["choices"]) == ("choice", ["allow", "confirm_risky"])
    assert (found["record_fps"]["above"], found["record_fps"]["maximum"]) == (0, 10)
    assert (found["memory_refiner_daily_calls"]["type"], found["memory_refiner_daily_calls"]["minimum"]) == (
        "integer",
        1,
    )
    assert [found[name]["type"] for name in ("reload", "record_exclude_apps")] == ["boolean", "list"]
    reported = {
        name: (found[name]["source"], found[name]["set_by"]) for name in ("gemini_model", "tagged_model", "data_dir")
    }
    assert reported == {
        "gemini_model": ("environment", "VAIDER_GEMINI_MODEL"),
        "tagged_model": ("environment", "REPLAY_MODEL"),
        "data_dir": ("flag", "--data-dir"),
    }
    assert found["max_video_bytes"]["set_by"] == "--set max_video_bytes"
    assert (found["provider"]["source"], found["provider"]["set_by"]) == ("default", None)
    assert "hunter2" not in answer.text
    assert answer.json()["restart"] is False


def test_a_change_is_written_and_waits_for_the_next_start(daemon: Daemon, file: Path) -> None:
    answer = daemon.http.patch("/settings", json={"max_parallel_analyses": 5, "provider": "gemini"})
    found = named(answer)["max_parallel_analyses"]

    assert answer.status_code == 200
    assert (found["value"], found["next"], found["default"], found["source"]) == (2, 5, 2, "default")
    assert (found["in_file"], found["restart"], answer.json()["restart"]) == (True, True, True)
    assert tomllib.loads(file.read_text()) == {"max_parallel_analyses": 5, "provider": "gemini"}
    assert file.stat().st_mode & 0o777 == 0o600
    assert load_settings(environment={}, user_file=file).max_parallel_analyses == 5
    assert daemon.http.get("/settings").json() == answer.json()


def test_null_is_the_default_and_all_else_in_the_file_stays(daemon: Daemon, file: Path) -> None:
    file.parent.mkdir()
    file.write_text(MINE)
    daemon.http.patch("/settings", json={"log_level": "debug"})
    both = file.read_text()
    answer = daemon.http.patch("/settings", json={"provider": None, "log_level": None})

    assert "# my own words" in both
    assert 'provider = "local"  # no key' in both
    assert tomllib.loads(both) == {"provider": "local", "log_level": "debug", "notes": {"x": 1}}
    assert (answer.status_code, tomllib.loads(file.read_text())) == (200, {"notes": {"x": 1}})
    assert "# my own words" in file.read_text()


def test_a_link_to_the_file_stays_one(daemon: Daemon, file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    (tmp_path / "kept.toml").write_text("")
    file.symlink_to(tmp_path / "kept.toml")

    assert daemon.http.patch("/settings", json={"max_parallel_analyses": 3}).status_code == 200
    assert file.is_symlink()
    assert tomllib.loads((tmp_path / "kept.toml").read_text()) == {"max_parallel_analyses": 3}


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"log_level": "debug", "max_parallel_analyses": "four"}, 400, "'max_parallel_analyses' does not fit"),
    ({"log_level": "debug", "max_parallel_analyses": "4"}, 400, "'max_parallel_analyses' does not fit"),
    ({"max_parallel_analyses": True}, 400, "'max_parallel_analyses' does not fit"),
    ({"max_parallel_analyses": 65}, 400, "less than or equal to 64"),
    ({"record_fps": 0}, 400, "greater than 0"),
    ({"max_video_bytes": 10**30}, 409, "--set max_video_bytes"),
    ({"record_keep_bytes": 10**30}, 400, "too large"),
    ({"provider": "nobody"}, 400, "'local', 'gemini' or 'vision'"),
    ({"record_exclude_apps": "signal"}, 400, "'record_exclude_apps' does not fit"),
    ({"record_exclude_apps": ["signal", 1]}, 400, "'record_exclude_apps' does not fit"),
    ({"record_exclude_apps": ["signal", " "]}, 400, "an empty value"),
    ({"record_exclude_apps": ["a"] * 201}, 400, "at most 200 values"),
    ({"vision_model": "x" * 501}, 400, "at most 500 characters"),
    ({"vision_model": 'a"\nport = 1'}, 400, "no line breaks"),
    ({"vision_model": {"a": 1}}, 400, "'vision_model' does not fit"),
    ({"display_size": "big"}, 400, "'display_size' does not fit"),
    ({"log_levle": "debug"}, 400, "Did you mean 'log_level'?"),
    ({"x" * 5000: 1}, 400, "There is no setting"),
    ({"log_level": "debug", "port": 1}, 403, "who can reach the daemon"),
    ({"gemini_model": "other"}, 409, "VAIDER_GEMINI_MODEL"),
    ({"gemini_model": None}, 409, "VAIDER_GEMINI_MODEL"),
    ({}, 400, "null as a value"),
]


def test_what_does_not_fit_is_refused_by_name_and_nothing_is_written(daemon: Daemon, file: Path) -> None:
    answers = [
        (daemon.http.patch("/settings", json=changes), status, sentence) for changes, status, sentence in REFUSED
    ]

    wrong = [
        (answer.text, message)
        for answer, status, message in answers
        if answer.status_code != status or message not in answer.json()["error"] or len(answer.text) > 500
    ]
    assert not wrong
    assert not file.exists()


def test_nothing_that_opens_a_way_out_can_be_changed(daemon: Daemon, file: Path) -> None:
    found = named(daemon.http.get("/settings"))
    fixed = {name for name in found if why_fixed(name)}
    answers = [daemon.http.patch("/settings", json={name: found[name]["default"]}) for name in fixed]
    back = daemon.http.patch("/settings", json=dict.fromkeys(fixed))

    addresses = {name for name in Settings.model_fields if name.endswith("_url")}
    assert fixed >= addresses | {
        "host",
        "port",
        "allowed_hosts",
        "public_url",
        "data_dir",
        "workflow_dirs",
        "gate",
        "stop_key",
    }
    assert {answer.status_code for answer in (*answers, back)} == {403}
    assert not [name for name in fixed if found[name]["writable"]]
    assert not file.exists()


def test_a_file_that_no_start_could_read_is_told_and_left_alone(daemon: Daemon, file: Path) -> None:
    file.parent.mkdir()
    for broken in ("port = \n", 'provider = "nobody"\n', "\x00", "[port]\nx = 1\n"):
        file.write_text(broken)
        reported = daemon.http.get("/settings")
        answer = daemon.http.patch("/settings", json={"log_level": "debug"})

        assert reported.json()["problem"], broken
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
        assert file.read_text() == broken


def test_a_wrong_value_in_the_file_can_be_mended_from_the_page(daemon: Daemon, file: Path) -> None:
    file.parent.mkdir()
    file.write_text('provider = "nobody"\n')

    assert daemon.http.patch("/settings", json={"provider": None}).json()["problem"] is None


def test_a_folder_that_cannot_be_written_is_told_and_nothing_changes(daemon: Daemon, file: Path) -> None:
    file.parent.write_text("a file in the way")
    answer = daemon.http.patch("/settings", json={"log_level": "debug"})

    assert (answer.status_code, answer.json()["code"]) in {(507, "storage_failed"), (409, "conflict")}


def test_what_the_recorder_goes_by_is_in_force_at_once(tmp_path: Path) -> None:
    applied: list[Settings] = []
    file = tmp_path / "settings.toml"
    configuration = Configuration(load_settings(environment={}, user_file=file), applied.append)
    reported = configuration.change(
        {"record_exclude_apps": ["signal"], "record_when": "always", "max_parallel_analyses": 3}
    )
    again = configuration.change({"record_exclude_apps": ["signal"]})
    found = {setting.name: setting for setting in again.settings}

    assert [settings.record_exclude_apps for settings in applied] == [("signal",)]
    assert applied[0].record_when == "never"
    assert (found["record_exclude_apps"].value, found["record_exclude_apps"].source) == (["signal"], "file")
    assert [found[name].restart for name in ("record_exclude_apps", "record_when", "max_parallel_analyses")] == [
        False,
        True,
        True,
    ]
    assert reported.restart is True


values = some.one_of(
    some.booleans(),
    some.integers(-(2**40), 2**40),
    some.floats(allow_nan=False, allow_infinity=False),
    some.text(some.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=20),
    some.lists(some.text("ab\"'\\#=[]*\u00e9", max_size=8), max_size=4),
)
names = some.sampled_from(["port", "provider", "reload", "a-b", "x"])
tables = some.sampled_from(["", "\n[notes]\nx = 1 # mine\n", "\n[[many]]\ny = 2\n[[many]]\n", "\n# the end"])


@given(before=some.dictionaries(names, values), changes=some.dictionaries(names, values | some.none()), tail=tables)
@hypothesis_settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_whatever_is_changed_the_rest_of_the_file_means_what_it_meant(
    before: dict[str, Any], changes: dict[str, Any], tail: str
) -> None:
    lines = ["# at the top"]
    lines += [with_values("", {name: value}).strip() + "  # why" for name, value in before.items()]
    text = "\n".join(lines) + tail
    wanted = {**tomllib.loads(text), **changes}

    changed = with_values(text, changes)

    assert tomllib.loads(changed) == {name: value for name, value in wanted.items() if value is not None}
    assert changed.startswith("# at the top")
