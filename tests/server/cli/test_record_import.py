"""``vaider record import``: what was analysed before is remembered."""

import json
import subprocess
from pathlib import Path

from tests.fakes.daemons.commands import vaider
from tests.fakes.daemons.memory_daemon import answer


def _import(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return vaider("record", "import", str(here / "videos"), *arguments, "--data-dir", str(here / "data"), cwd=here)


def test_the_newest_answer_of_each_interaction_folder_is_remembered_once(tmp_path: Path) -> None:
    folder = tmp_path / "videos" / "shop" / "demo.mp4.VaiderInteractions"
    folder.mkdir(parents=True)
    typed = {
        "t_ms": 1000, "until_ms": 1800, "kind": "typed", "text": "turmeric", "confidence": 0.95,
        "region": [40, 90, 120, 18], "description": '"turmeric" was typed.',
    }  # fmt: skip
    reported = answer("job-1", tmp_path / "videos" / "shop" / "demo.mp4") | {"timeline": [typed]}
    (folder / "01_response.json").write_text(json.dumps(reported | {"timeline": []}))
    (folder / "02_response.json").write_text(json.dumps(reported))
    (folder / "03_response.json").write_text('{"error": "It broke.", "code": "internal_error"}')
    (tmp_path / "videos" / "empty.mp4.VaiderInteractions").mkdir()

    first, again = _import(tmp_path, "--json"), _import(tmp_path)
    found = json.loads(
        vaider("recall", "turmeric", "--json", "--data-dir", str(tmp_path / "data"), cwd=tmp_path).stdout
    )

    assert json.loads(first.stdout) | {"skipped": []} == {"videos": 1, "memories": 1, "skipped": []}
    assert "empty.mp4" in again.stdout
    assert [each["source"] for each in found["results"]] == ["video"]
    assert found["results"][0]["inferred"]


def test_a_folder_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    done = _import(tmp_path)
    assert (done.returncode, "There is no folder" in done.stderr) == (2, True)
