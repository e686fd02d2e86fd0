"""Each program that the tests or the benchmarks start is brought by a listed package, whatever else is installed."""

import ast
import itertools
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parent.parent
LISTED: Final = [
    line
    for line in (ROOT / "scripts" / "system-packages.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
BEFORE: Final = ("git", "make", "python3", "python3-venv")
"""What the README asks for before its first command."""
SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Without the virtual environment, whose programs are pinned packages."""


def programs(source: str) -> Iterator[str]:
    """The first word of each list, and each word of a shell's script, where a program has that name."""
    tree = ast.parse(source)
    # What an answer is compared with is no command, whatever program of that name there is.
    compared = {id(each) for node in ast.walk(tree) if isinstance(node, ast.Compare) for each in node.comparators}
    for node in ast.walk(tree):
        if not isinstance(node, ast.List) or id(node) in compared:
            continue
        texts = [each.value if isinstance(each, ast.Constant) else None for each in node.elts]
        words = [text for text in texts[:1] if isinstance(text, str)]
        shell = {"sh", "bash"} & set(texts)
        scripts = [then for flag, then in itertools.pairwise(texts) if shell and flag == "-c"]
        words += [word for script in scripts if isinstance(script, str) for word in re.findall(r"[\w.+-]+", script)]
        # HTTP's methods are programs of a Perl library.
        yield from (word for word in words if not word.isupper() and shutil.which(word, path=SYSTEM_PATH))


def brought_by(packages: Iterable[str], depends: Mapping[str, set[str]]) -> set[str]:
    """These packages, and all that come along with them."""
    found: set[str] = set()
    waiting = set(packages)
    while waiting:
        package = waiting.pop()
        found.add(package)
        waiting |= depends.get(package, set()) - found
    return found


def installed() -> tuple[dict[str, set[str]], set[str]]:
    """What each installed package depends on, and which belong to every Debian."""
    fields = "${binary:Package}\t${Essential}\t${Priority}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
    rows = subprocess.run(
        ["dpkg-query", "--show", f"--showformat={fields}"], capture_output=True, text=True, check=True
    )
    split = [row.replace(":amd64", "").replace(":arm64", "").split("\t") for row in rows.stdout.splitlines()]
    of_all = {name for name, essential, priority, *_ in split if essential == "yes" or priority == "required"}
    providers = defaultdict[str, set[str]](set)
    for name, _, _, provides, _ in split:
        for provided in (name, *_names(provides)):
            providers[provided].add(name)
    depends = {name: {each for word in _names(words) for each in providers[word]} for name, *_, words in split}
    return depends, of_all


def owners(programs: Iterable[str]) -> dict[str, str | None]:
    """The package of each program; ``None`` when it came from elsewhere."""
    places: dict[str, set[str]] = {}
    for program in programs:
        path = Path(shutil.which(program, path=SYSTEM_PATH) or program)
        # /bin is a link to /usr/bin, and packages know one of the two.
        places[program] = {str(path), str(path.resolve()), path.as_posix().removeprefix("/usr")}
    rows = asked("--search", *sorted({each for of in places.values() for each in of}))
    known = {path: package for package, path in (row.split(": ", 1) for row in rows if not row.startswith("diversion"))}
    return {program: next((known[each] for each in of if each in known), None) for program, of in places.items()}


def asked(*arguments: str) -> list[str]:
    done = subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def _names(dependencies: str) -> list[str]:
    return re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", dependencies)


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="only dpkg knows which package brings a program")
def test_each_program_that_tests_or_benchmarks_start_is_brought_by_a_listed_package() -> None:
    depends, of_all = installed()
    brought = brought_by({*of_all, *LISTED, *BEFORE}, depends)
    files = [path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("*.py")]
    started = {
        program: path.relative_to(ROOT)
        for path in files
        if "out" not in path.relative_to(ROOT).parts
        for program in programs(path.read_text(encoding="utf-8"))
    }

    assert {"Xvfb", "curl", "xdotool"} <= set(started), "the search finds what is known to be started"
    known = owners(started)
    unlisted = {program: str(where) for program, where in started.items() if known[program] not in brought}
    assert not unlisted, "name a package in scripts/system-packages.txt that brings each of these"


def test_programs_are_found_in_lists_and_in_scripts_of_a_shell() -> None:
    assert set(programs('run(["cat", name]); run(["sh", "-c", "true; ls | sort"])')) >= {"cat", "sh", "ls", "sort"}
    assert not set(programs('["GET", "/jobs"]; ["no such program"]; [sys.executable, "-c", "import time"]'))


def test_every_make_target_that_needs_programs_installs_the_one_list() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = dict(re.findall(r"^([a-z]+):[^\n]*\n((?:\t[^\n]*\n)*)", makefile, flags=re.MULTILINE))

    calls = {target: re.findall(r"scripts/system-packages.*", rule) for target, rule in rules.items()}
    assert {target for target, found in calls.items() if found} >= {"test", "nightly", "bench", "pictures"}
    assert {call for found in calls.values() for call in found} == {"scripts/system-packages"}
