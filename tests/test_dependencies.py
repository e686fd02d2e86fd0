"""Each package that is required is imported, and an installation stays as small as ``docs/install-size.md`` says."""

import re
import subprocess
import tomllib
from importlib.metadata import files
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
IMPORT: Final = re.compile(r"^\s*(?:from|import) (\w+)|import_module\(\"(\w+)", re.MULTILINE)


def _modules(requirement: str) -> set[str]:
    """What a required package lets one import."""
    distribution = re.split(r"[<>=!~;\[ ]", requirement, maxsplit=1)[0]
    return {path.parts[0].partition(".")[0] for path in files(distribution) or ()}


def test_each_required_package_is_imported_by_the_product() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    sources = (path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py"))
    imported = {name for source in sources for found in IMPORT.findall(source) for name in found if name}

    assert [each for each in project["project"]["dependencies"] if not _modules(each) & imported] == []


@pytest.mark.nightly
def test_an_installation_is_no_larger_than_it_was_and_its_table_is_the_documents() -> None:
    done = subprocess.run(
        [ROOT / "scripts" / "install-size", "--most", "550"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    packages = {row.split("|")[1].strip() for row in done.stdout.splitlines()[2:] if " more |" not in row}
    table = (ROOT / "docs" / "install-size.md").read_text(encoding="utf-8")
    assert [name for name in packages if f"| {name} |" not in table] == []
    assert not packages & {"shapely", "pyclipper", "tokenizers", "hf-xet", "rapidocr", "wordllama", "openai"}
