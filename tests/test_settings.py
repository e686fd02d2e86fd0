from pathlib import Path

import pytest

from config.settings import Settings, SettingsError, load_settings


def settings_file(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_flags_win_over_the_environment_over_the_user_file_over_the_defaults(tmp_path: Path) -> None:
    user_file = settings_file(tmp_path, 'port = 1111\nprovider = "local"\ngemini_model = "from-file"')
    environment = {"VAIDER_PORT": "2222", "VAIDER_PROVIDER": "gemini", "HOME": "/home/x"}

    settings = load_settings(environment=environment, flags={"port": 3333, "host": None}, user_file=user_file)

    assert settings.port == 3333
    assert settings.provider == "gemini"
    assert settings.gemini_model == "from-file"
    assert settings.host == "127.0.0.1"


def test_settings_cannot_be_changed_once_they_are_loaded() -> None:
    settings = load_settings(environment={})

    with pytest.raises(ValueError, match="frozen"):
        setattr(settings, "port", 1)  # noqa: B010 - pyright would rightly refuse the plain assignment


def test_a_missing_user_file_is_no_error(tmp_path: Path) -> None:
    assert isinstance(load_settings(environment={}, user_file=tmp_path / "none.toml"), Settings)


def test_hosts_in_the_environment_are_separated_by_commas() -> None:
    settings = load_settings(environment={"VAIDER_ALLOWED_HOSTS": "a.internal, b.internal"})

    assert settings.allowed_hosts == ("a.internal", "b.internal")


def test_the_database_lies_in_the_data_directory_unless_told_otherwise() -> None:
    settings = load_settings(environment={"VAIDER_DATA_DIR": "/data"})
    elsewhere = load_settings(environment={"VAIDER_DATABASE_URL": "postgresql://db/vaider"})

    assert settings.resolved_database_url == "sqlite:////data/vaider.db"
    assert elsewhere.resolved_database_url == "postgresql://db/vaider"


@pytest.mark.parametrize(
    ("file", "environment", "told"),
    [
        ("prot = 1", {}, r"no setting 'prot' \(in .*settings.toml\). Did you mean 'port'\?"),
        ("", {"VAIDER_GEMINI_MODLE": "x"}, r"no setting 'gemini_modle' \(in the environment\). Did you mean"),
        ("zzz = 1", {}, "vaider doctor"),
        ("port = 'many'", {}, r"'port' in .*settings.toml does not fit"),
        ("", {"VAIDER_PORT": "70000"}, "'port' in the environment does not fit"),
        ("", {"VAIDER_RECORD_FPS": "nan"}, "'record_fps' in the environment does not fit"),
        ("port = \nhost = 1", {}, r"settings.toml is no readable TOML: .*line 1"),
    ],
)
def test_a_bad_setting_is_refused_with_its_name_its_source_and_the_mend(
    tmp_path: Path, file: str, environment: dict[str, str], told: str
) -> None:
    user_file = settings_file(tmp_path, file)

    with pytest.raises(SettingsError, match=told):
        load_settings(environment=environment, user_file=user_file)
