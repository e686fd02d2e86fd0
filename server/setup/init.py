"""Connecting a project to Vaider: what ``vaider init`` writes and spares, and what people copy to connect by hand."""

import contextlib
import difflib
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from core.errors import CallerError, InvalidPath, StorageFailed
from core.rules import RULES_NAMES, find_rules, read_rules
from server.security import is_loopback

_INDENT: Final = re.compile(r"\n([ \t]+)\S")
_DEFAULT_INDENT: Final = "  "


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text of a JSON object with the value at ``path`` set; objects on the way are made where they are missing.

    Raises:
        ValueError: the text is no JSON object, something on the way is no object, or a number of it cannot be kept.

    """
    whole = here = json.loads(text)
    *outer, last = path
    for name in outer:
        here = _members(here).setdefault(name, {})
    _members(here)[last] = value
    return laid_out(whole, like=text)


def laid_out(whole: Any, *, like: str) -> str:
    """JSON with the indent, the line ends and the escapes of another text. Raises ``ValueError`` for infinities."""
    found = _INDENT.search(like)
    indent = found[1] if found else _DEFAULT_INDENT
    text = json.dumps(whole, indent=indent, ensure_ascii=like.isascii() and "\x7f" not in like, allow_nan=False)
    text += "\n" if like.endswith("\n") else ""
    text.encode()  # Of half a character that was escaped beside others that were not, no file can be made.
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def _members(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it is JSON, but there is no object where one belongs")  # noqa: TRY004 - content does not fit
    return cast("dict[str, Any]", value)


RULES_FILE: Final = RULES_NAMES[0]
NAME: Final = "vaider"


@dataclass(frozen=True)
class Wishes:
    """What the user said about the connection; ``None`` where nothing was said.

    ``url`` is the one to write where none is found, ``insists`` whether it was given by the user.
    """

    url: str
    insists: bool = False
    stdio: bool | None = None
    token: bool = False
    project: bool = False
    """Whether the client says with each request which project it is in; only a daemon of this machine asks."""


@dataclass(frozen=True)
class Change:
    """One file: its text before and after, or why it is left alone."""

    path: Path
    before: str | None
    after: str | None
    note: str
    refused: bool = False
    backup: Path | None = None
    """Where the text before is kept, if not all of its layout stays."""

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to write."""
        return self.after is not None and self.after != self.before

    @property
    def diff(self) -> str:
        """What would change, as a unified diff."""
        before, after = (self.before or "").splitlines(keepends=True), (self.after or "").splitlines(keepends=True)
        name = str(self.path)
        lines = difflib.unified_diff(before, after, name if self.before is not None else os.devnull, name)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def clients() -> dict[str, dict[str, Any]]:
    """Each client's file and the entries it understands."""
    text = resources.files("config").joinpath("clients", "mcp.json").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, Any]]", json.loads(text))


def own_entry(directory: Path, client: Mapping[str, Any]) -> dict[str, Any]:
    """Vaider's entry in a client's file of this project, empty without one. Raises ``OSError``, ``ValueError``."""
    with contextlib.suppress(FileNotFoundError):
        return member(json.loads((directory / client["file"]).read_text(encoding="utf-8-sig")), "mcpServers", NAME)
    return {}


def plan(directory: Path, names: Sequence[str], wishes: Wishes) -> list[Change]:
    """What is to be done to which file. Raises ``InvalidPath`` when the directory is none."""
    if not directory.is_dir():
        raise InvalidPath(f"{directory} is no directory; give the project's folder.")
    known = clients()
    drafted = next(filter(None, (_find_drafted_url(directory / client["file"]) for client in known.values())), None)
    found = wishes if wishes.insists or drafted is None else replace(wishes, url=drafted)
    found = replace(found, project=_may_say_project(directory, found.url))
    changes = [_client_change(directory, known[name], found) for name in names]
    return [*changes, _rules_change(directory)]


def apply(change: Change) -> None:
    """Write one file, whole or not at all, and its backup before. Raises ``StorageFailed``."""
    if not change.is_needed:
        return
    if change.backup is not None:
        _write(replace(change, path=change.backup, after=change.before), like=change.path)
    _write(change, like=change.path)


def _write(change: Change, *, like: Path) -> None:
    temporary = change.path.with_name(f".{change.path.name}.{secrets.token_hex(4)}")
    try:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            if change.before is not None:
                os.fchmod(file.fileno(), like.stat().st_mode & 0o777)
            file.write(change.after or "")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(change.path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise StorageFailed(f"{change.path} cannot be written: {error.strerror}.") from None


def _client_change(directory: Path, client: dict[str, Any], wishes: Wishes) -> Change:
    path = directory / client["file"]
    before, refusal = read_text(directory, path)
    if refusal:
        return Change(path, before, None, f"{refusal} {_by_hand(entry(client, wishes))}", refused=True)
    text = before if before is not None and before.strip() else "{}\n"
    try:
        whole = json.loads(text.removeprefix("\ufeff"))
        present = member(whole, "mcpServers", NAME)
        ours = entry(client, wishes, present)
        if ours == present:
            return Change(path, before, before, "knows Vaider already")
        bom, plain = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
        after = bom + with_member(plain, ("mcpServers", NAME), ours)
        keeps_all = before is None or not before.strip() or laid_out(whole, like=plain) == plain
    except ValueError as error:
        why = f"is left alone: it is not plain JSON ({error})."
        return Change(path, before, None, f"{why} {_by_hand(entry(client, wishes))}", refused=True)
    note = "made" if before is None else "Vaider updated" if present else "Vaider added"
    if keeps_all:
        return Change(path, before, after, note)
    backup = path.with_name(f"{path.name}.before-vaider")
    return Change(path, before, after, f"{note}; as it was: {backup.name}", backup=backup)


def entry(client: dict[str, Any], wishes: Wishes, present: dict[str, Any] | None = None) -> dict[str, Any]:
    """The client's entry for us: what is there stays, unless the user said otherwise."""
    present = present or {}
    said = wishes.insists or wishes.stdio is not None
    if not said and ("url" in present or "command" in present):
        return present
    if wishes.stdio if wishes.stdio is not None else "command" in present:
        stale, ours = {"url", "type", "headers"}, client["stdio"]
    else:
        url = wishes.url if wishes.insists else present.get("url", wishes.url)
        stale, ours = {"command", "args", "type"}, {**client["http"], "url": url}
        headers: dict[str, str] = client["project"]["headers"] if wishes.project else {}
        if wishes.token and "headers" not in present:
            headers = {**headers, **client["token"]["headers"]}
        headers = {**headers, **present.get("headers", {})}
        ours |= {"headers": headers} if headers else {}
    return {name: value for name, value in present.items() if name not in stale} | ours


REPORTER: Final = "vaider-reporter.mjs"


def reporter_change(directory: Path) -> Change:
    """The reporter for Playwright in JavaScript; one that is there is the user's."""
    path = directory / REPORTER
    before, refusal = read_text(directory, path)
    if refusal:
        return Change(path, before, None, refusal, refused=True)
    if before is not None:
        return Change(path, before, before, "is there already")
    text = resources.files("config").joinpath("clients", REPORTER).read_text(encoding="utf-8")
    return Change(path, None, text, f"made; add ['./{REPORTER}'] to the reporters in playwright.config, before html")


def _may_say_project(directory: Path, url: str) -> bool:
    """Whether the daemon is on this machine, and the project's path can stand in a header of HTTP."""
    try:
        str(directory.resolve()).encode("latin-1")
        return is_loopback(urlsplit(url).hostname or "")
    except ValueError:
        return False


def _find_drafted_url(path: Path) -> str | None:
    """The daemon's URL in the shape of the first draft, ``{"tools": {"vaider": {"transport", "url"}}}``."""
    try:
        url = member(json.loads(path.read_text(encoding="utf-8-sig")), "tools", NAME).get("url")
    except (OSError, ValueError):
        return None
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    base = url.rstrip("/")
    return base if base.endswith("/mcp") else f"{base}/mcp"


def _rules_change(directory: Path) -> Change:
    try:
        present = find_rules(directory)
        if present is not None:
            read_rules(present)
            return Change(present, "", "", "is there already")
    except CallerError as error:
        return Change(directory / RULES_FILE, None, None, f"is left alone: {error.message}", refused=True)
    path = directory / RULES_FILE
    before, refusal = read_text(directory, path)
    if before is not None or refusal:
        return Change(path, before, None, refusal or "is left alone", refused=True)
    text = resources.files("config").joinpath("clients", RULES_FILE).read_text(encoding="utf-8")
    return Change(path, None, text, "made")


def read_text(directory: Path, path: Path) -> tuple[str | None, str | None]:
    """The file's text, ``None`` when there is none; and why it cannot be used, if so."""
    if not path.resolve().is_relative_to(directory.resolve()):
        return None, f"is left alone: it leads out of the project, to {path.resolve()}."
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read(), None
    except FileNotFoundError:
        return None, None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        return None, f"is left alone: it cannot be read ({reason})."


def member(whole: Any, *names: str) -> dict[str, Any]:
    """The object at a path in parsed JSON; an empty one when there is none."""
    for name in names:
        whole = cast("dict[str, Any]", whole).get(name) if isinstance(whole, dict) else None
    return cast("dict[str, Any]", whole) if isinstance(whole, dict) else {}


def _by_hand(ours: dict[str, Any]) -> str:
    return f"Add this by hand:\n{written(ours)}"


def written(ours: dict[str, Any]) -> str:
    """A client's whole file where we are alone in it."""
    return json.dumps({"mcpServers": {NAME: ours}}, indent=2)


class Snippet(BaseModel):
    """Something to copy."""

    name: str
    title: str
    note: str = Field(description="Where it goes.")
    language: Literal["json", "shell"]
    text: str


class Snippets(BaseModel):
    """All of them. No token is in any: where one is needed, they name the variable VAIDER_TOKEN."""

    url: str = Field(description="The daemon's address as the request had it.")
    token_needed: bool
    token_file: str = Field(description="Where the token stands.")
    snippets: list[Snippet]


def snippets(url: str, *, token_needed: bool) -> Iterator[Snippet]:
    """For each client its file's text, and commands.

    Args:
        url: the daemon's, without a slash at its end.
        token_needed: whether a request must carry the token.

    """
    wishes = Wishes(url=f"{url}/mcp", insists=True, token=token_needed)
    known = clients()
    for name, client in known.items():
        yield Snippet(
            name=name,
            title=client["title"],
            note=f"In {client['file']} of the project.",
            language="json",
            text=written(entry(client, wishes)),
        )
    first = next(iter(known.values()))
    yield Snippet(
        name="stdio",
        title="Without a daemon, over stdio",
        note="For any client that starts its servers itself.",
        language="json",
        text=written(entry(first, Wishes(url="", stdio=True))),
    )
    for name, command in _commands().items():
        token = Template(command.get("token", "")).substitute() if token_needed else ""
        yield Snippet(
            name=name,
            title=command["title"],
            note=command["note"],
            language="shell",
            text=Template(command["text"]).substitute(URL=url) + token,
        )


def _commands() -> dict[str, dict[str, str]]:
    text = resources.files("config").joinpath("clients", "shell.json").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, str]]", json.loads(text))
