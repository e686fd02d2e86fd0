"""``vaider reload`` through a daemon and without one."""

import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from config.settings import load_settings
from core.reload.offers import Posted
from server.cli import run
from server.composition.reload import ActionCacheServices
from tests.fakes.daemons.memory_daemon import Daemon, running

Vaider = Callable[..., tuple[int, str, str]]


@pytest.fixture
def daemon(tmp_path: Path) -> Generator[Daemon]:
    flags = {"data_dir": str(tmp_path / "data")}
    with running(load_settings(environment={}, flags=flags, user_file=tmp_path / "none.toml"), None) as daemon:
        yield daemon


@pytest.fixture
def vaider(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Vaider:
    """Run a command in this process; the daemon's address goes with it, if one is given."""

    def command(*arguments: str, by: Daemon | None = None) -> tuple[int, str, str]:
        port = str(by.address[1]) if by is not None else "9"
        places = ("--port", port, "--data-dir", str(tmp_path / "data"))
        code = run(["reload", *arguments, *places])
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def keep(reload: ActionCacheServices, request: str = "Reminder set for alice", **changes: Any) -> str:
    asked: dict[str, Any] = {
        "trigger_type": "user_message",
        "request": request,
        "actions": ({"type": "reminder.add", "to": request.rsplit(" ", 1)[-1]},),
        "summary": "Sets a reminder",
        "succeeded": True,
    }
    kept = reload.reloads.post(Posted(**{**asked, **changes})).cache_id
    assert kept is not None
    return kept


def test_entries_are_listed_shown_and_offered(daemon: Daemon, vaider: Vaider) -> None:
    cache_id = keep(daemon.services.reload)
    listed = vaider("list", by=daemon)
    shown = vaider("show", cache_id, by=daemon)
    offered = vaider("options", "Reminder", "set", "for", "bob", by=daemon)
    nothing = vaider("options", "Knit", "a", "jumper", by=daemon)

    assert (listed[0], cache_id in listed[1], "Sets a reminder" in listed[1]) == (0, True, True)
    assert 'reminder.add: to "alice"' in shown[1]
    assert "value      to = alice" in shown[1]
    assert offered[0] == 0
    assert "to = alice → bob" in offered[1]
    assert f"Next: vaider reload run {cache_id} to=bob" in offered[1]
    assert (nothing[0], nothing[1]) == (1, "Nothing that was done before fits.\n")


@pytest.mark.nightly
def test_for_machines_it_is_what_the_routes_answer(daemon: Daemon, vaider: Vaider) -> None:
    cache_id = keep(daemon.services.reload)

    for arguments, path in (
        (("list",), "/reload"),
        (("show", cache_id), f"/reload/{cache_id}"),
        (("stats",), "/reload/stats"),
    ):
        code, out, _ = vaider(*arguments, "--json", by=daemon)
        assert (code, json.loads(out)) == (0, daemon.http.get(path).json())


def test_one_is_forgotten_by_its_name_and_all_only_when_that_is_sure(daemon: Daemon, vaider: Vaider) -> None:
    first, _ = keep(daemon.services.reload), keep(daemon.services.reload, "Open the shed of Ann")

    assert vaider("forget", by=daemon)[0] == 2
    assert vaider("forget", first, "--all", by=daemon)[0] == 2
    unsure = vaider("forget", "--all", by=daemon)
    assert (unsure[0], "--yes" in unsure[2]) == (2, True)
    assert vaider("forget", first, by=daemon)[:2] == (0, "1 entry is forgotten.\n")
    assert vaider("forget", first, by=daemon)[0] == 2
    assert vaider("forget", "--all", "--yes", by=daemon)[:2] == (0, "1 entry is forgotten.\n")


def test_a_file_is_exported_and_imported_and_never_replaced_unasked(
    daemon: Daemon, vaider: Vaider, tmp_path: Path
) -> None:
    keep(daemon.services.reload)
    file = str(tmp_path / "cache.json")

    assert vaider("export", file, by=daemon)[0] == 0
    assert vaider("export", file, by=daemon)[0] == 2
    assert vaider("export", file, "--force", by=daemon)[0] == 0
    assert vaider("import", file, by=daemon)[:2] == (0, "1 kept, 0 refused.\n")
    assert json.loads(vaider("export", by=daemon)[1])["entries"]
    bad = tmp_path / "bad.json"
    bad.write_text('{"entries": [{"id": "reload-1", "actions": [{"action": "rm -rf /"}]}]}')
    code, out, _ = vaider("import", str(bad), by=daemon)
    assert (code, out.startswith("0 kept, 1 refused.\n  entry 0: ")) == (1, True)
    assert vaider("import", str(tmp_path / "none.json"), by=daemon)[0] == 2


def test_what_cannot_be_done_again_says_so(daemon: Daemon, vaider: Vaider) -> None:
    cache_id = keep(daemon.services.reload)
    unknown = vaider("run", "reload-99", by=daemon)

    assert (unknown[0], "Cache entry not found. Proceed manually" in unknown[2]) == (2, True)
    assert vaider("run", cache_id, "to=bob", "--skip", "7", by=daemon)[0] == 2
    assert vaider("run", cache_id, "--skip", "-1", by=daemon)[0] == 2
    assert vaider("run", cache_id, "from=bob", by=daemon)[0] == 2
    assert vaider("show", "reload-99", by=daemon)[0] == 2
    assert vaider("options", "--trigger-type", "shout", by=daemon)[0] == 2


def test_without_a_daemon_it_works_on_what_is_kept(daemon: Daemon, vaider: Vaider) -> None:
    cache_id = keep(daemon.services.reload)
    reported = json.loads(vaider("list", "--json")[1])
    refused = vaider("run", cache_id)

    assert [each["cacheId"] for each in reported["entries"]] == [cache_id]
    assert (refused[0], "vaider serve" in refused[2]) == (2, True)
