"""Workflows that come from elsewhere and go elsewhere: folders and zip files, taken in whole or not at all."""

import errno
import io
import json
import os
import secrets
import shutil
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from core.errors import Conflict, InvalidPath, InvalidRequest, NotFound, TooLarge
from core.files import Folder, make_private, storage_failure
from core.untrusted_files import fault_of
from core.workflows.reading import read_document, write_workflow
from core.workflows.workflow import Workflow
from storage.workflows.workflows import NAME, SCHEMA, read_schema

MAX_FILE: Final = 50 * 1024 * 1024
MAX_ALL: Final = 250 * 1024 * 1024
MAX_FILES: Final = 5000
_MAX_PARTS: Final = 16
_LONGEST: Final = 255
_LEFT_OUT: Final = frozenset({".replay", ".git", ".DS_Store", "__MACOSX"})
_PLAIN: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    RuntimeError,  # encrypted
    ValueError,
    OverflowError,
)
_STAGING: Final = ".import-"
_STALE_SECONDS: Final = 3600
_TAKEN: Final = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR})
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip file knows; so the same workflow always gives the same file."""


class Imported(NamedTuple):
    """A workflow that was taken in."""

    name: str
    folder: Path
    backup: Path | None
    """Where the one that it replaced is now."""
    notes: tuple[str, ...]
    """What in its ``schema.json`` has no effect."""


class _File(NamedTuple):
    parts: tuple[str, ...]
    """Below the workflow's folder."""
    content: bytes


def import_workflow(source: Path, root: Path, *, name: str | None = None, force: bool = False) -> Imported:
    """Copy a workflow from a folder or a zip file into ``root``, under its own name or another.

    It is copied beside its place, validated, and only then put there: whatever goes wrong leaves nothing behind.

    Args:
        source: a folder with a ``schema.json`` (or that file), or a zip file of one.
        root: the folder of workflows; is made if it is missing.
        name: another name than the source's.
        force: replace a workflow of that name, which is kept as a backup.

    Raises:
        InvalidPath: there is nothing to import there, or a symbolic link is in it.
        InvalidRequest: an entry would land outside, or the name cannot be used.
        TooLarge: a file is larger than 50 MiB, all are larger than 250 MiB, or there are too many.
        InvalidWorkflow: its ``schema.json`` breaks a rule.
        Conflict: there is such a workflow, and no ``force``.
        StorageFailed: it cannot be written.

    """
    source = source.parent if source.name == SCHEMA and source.is_file() else source
    files = _from_folder(source) if source.is_dir() else _from_zip(source)
    base, own = _base(source, files)
    name = name or own or (source.resolve().name if source.is_dir() else source.stem)
    return _added([_File(file.parts[base:], file.content) for file in files], root, name, force=force)


def add_workflow(workflow: Workflow, root: Path, name: str, *, force: bool = False) -> Imported:
    """Keep a new workflow in ``root``; the rest is as for one that is imported. Raises as ``import_workflow`` does."""
    return _added([_File((SCHEMA,), write_workflow(workflow).encode())], root, name, force=force)


def _added(files: Sequence[_File], root: Path, name: str, *, force: bool) -> Imported:
    if not NAME.fullmatch(name) or fault_of(name):
        raise InvalidRequest(f"{name[:200]!r} is no name for a workflow: give it a name of letters and digits.")
    _sweep(make_private(root))
    staging = root / f"{_STAGING}{secrets.token_hex(8)}"
    try:
        for file in files:
            _write(staging, file.parts, file.content)
        reading = read_document(read_schema(staging))
        return Imported(name, root / name, _put(staging, root, name, force=force), reading.notes)
    except OSError as error:
        raise storage_failure(root / name, error) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


class Packed(NamedTuple):
    """A workflow as a zip file."""

    content: bytes
    hidden: Sequence[str]
    """The names of the sensitive parameters whose example was left out."""


def pack_workflow(folder: Path) -> Packed:
    """A workflow as a zip file, without its runs and without the examples of sensitive parameters.

    Raises ``InvalidWorkflow``, ``InvalidPath`` and ``TooLarge`` as ``import_workflow`` does.
    """
    files = {file.parts: file.content for file in _from_folder(folder)}
    workflow = read_document(files[SCHEMA,]).workflow
    hidden = [each.name for each in workflow.task_params if each.sensitive and each.example is not None]
    if hidden:
        files[SCHEMA,] = _without_examples(files[SCHEMA,], hidden)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for parts, content in sorted(files.items()):
            _check_names((folder.name, *parts), "The workflow's file")
            entry = zipfile.ZipInfo("/".join((folder.name, *parts)), _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o600) << 16
            archive.writestr(entry, content)
    return Packed(packed.getvalue(), hidden)


def export_workflow(folder: Path, target: Path, *, force: bool = False) -> Sequence[str]:
    """Write what ``pack_workflow`` gives into a file.

    Returns:
        the names of the sensitive parameters whose example was left out.

    Raises:
        Conflict: there is such a file, and no ``force``.
        InvalidWorkflow, InvalidPath, TooLarge, StorageFailed: as in ``import_workflow``.

    """
    packed = pack_workflow(folder)
    try:
        with Folder.open(target.parent) as opened:
            if force:
                opened.replace(target.name, packed.content)
            elif not opened.create(target.name, packed.content):
                raise Conflict(f"{target} is there already: give another file, or --force.")
    except OSError as error:
        raise storage_failure(target, error) from error
    return packed.hidden


def _from_folder(folder: Path) -> Sequence[_File]:
    if not (folder / SCHEMA).is_file():
        raise NotFound(f"There is no {SCHEMA} in {folder}.")
    files: list[_File] = []
    total = 0
    try:
        for path in _walk(folder):
            parts = path.relative_to(folder).parts
            with Folder.open(path.parent) as opened:
                content = opened.read(path.name, MAX_FILE + 1)
            total += len(content)
            _check_size("/".join(parts), len(content), total, len(files))
            files.append(_File(parts, content))
    except OSError as error:
        raise InvalidPath(f"{error.filename or folder} cannot be read: {error.strerror}.") from None
    return files


def _walk(folder: Path) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with os.scandir(here) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name in _LEFT_OUT:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)
                else:
                    raise InvalidPath(f"{entry.path} is no regular file (a link?): put the file itself there.")


def _from_zip(file: Path) -> Sequence[_File]:
    if not file.is_file():
        raise InvalidPath(f"There is no file or folder {file}.")
    if file.stat().st_size > MAX_ALL:
        raise TooLarge(f"{file} is larger than {MAX_ALL >> 20} MiB, which a workflow may have.")
    files: dict[tuple[str, ...], _File] = {}
    total = 0
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                parts = _parts(entry)
                if entry.is_dir() or not _LEFT_OUT.isdisjoint(parts):
                    continue
                if parts in files:
                    raise InvalidRequest(f"{file.name} holds {entry.filename[:200]!r} twice.")
                with archive.open(entry) as opened:
                    # What an entry says of its size is not believed.
                    content = opened.read(MAX_FILE + 1)
                total += len(content)
                _check_size(entry.filename, len(content), total, len(files))
                files[parts] = _File(parts, content)
    except _DAMAGED as error:
        raise InvalidPath(f"{file} cannot be unpacked ({error}): give a folder or a plain zip file.") from None
    except OSError as error:
        raise InvalidPath(f"{file} cannot be read: {error.strerror or error}.") from None
    for parts in files:
        if any(parts[:length] in files for length in range(1, len(parts))):
            raise InvalidRequest(f"{file.name} holds a file and a folder of one name, above {'/'.join(parts)[:200]!r}.")
    return list(files.values())


def _parts(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """The entry's way down; refused if it leads anywhere else."""
    name = entry.filename
    shown = repr(name[:200])
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind and not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise InvalidRequest(f"The zip file's entry {shown} is a link or no file: such are not taken.")
    if entry.compress_type not in _PLAIN:
        raise InvalidRequest(f"The zip file's entry {shown} is packed in an unusual way: pack it with 'deflate'.")
    path = PurePosixPath(name)
    if not name or not (path.parts or entry.is_dir()):
        raise InvalidRequest("The zip file has an entry without a name: pack it anew.")
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in name:
        raise InvalidRequest(f"The zip file's entry {shown} would land outside of the workflow.")
    if len(path.parts) > _MAX_PARTS or any(len(os.fsencode(part)) > _LONGEST for part in path.parts):
        raise InvalidRequest(f"The zip file's entry {shown} lies too deep, or its name is too long.")
    _check_names(path.parts, "The zip file's entry")
    return path.parts


def _check_names(parts: tuple[str, ...], what: str) -> None:
    fault = next((fault for part in parts if (fault := fault_of(part))), None)
    if fault:
        raise InvalidRequest(f"{what} {'/'.join(parts)[:200]!r} has a name that {fault}: rename it.")


def _check_size(name: str, size: int, total: int, files: int) -> None:
    if size > MAX_FILE:
        raise TooLarge(f"{name[:200]!r} is larger than {MAX_FILE >> 20} MiB, which a workflow's file may have.")
    if total > MAX_ALL:
        raise TooLarge(f"Its files are larger than {MAX_ALL >> 20} MiB together, which a workflow may have.")
    if files >= MAX_FILES:
        raise TooLarge(f"It has more than {MAX_FILES} files, which a workflow may have.")


def _base(source: Path, files: Sequence[_File]) -> tuple[int, str]:
    """How many folders of a package lie around the workflow, and the innermost's name."""
    found = {file.parts for file in files}
    if (SCHEMA,) in found:
        return 0, ""
    tops = {parts[0] for parts in found}
    if len(tops) == 1 and (*tops, SCHEMA) in found:
        return 1, tops.pop()
    raise NotFound(f"There is no {SCHEMA} in {source}, nor in a single folder in it.")


def _write(staging: Path, parts: tuple[str, ...], content: bytes) -> None:
    with Folder.open(staging.parent, staging.name, *parts[:-1]) as folder:
        folder.create(parts[-1], content)


def _put(staging: Path, root: Path, name: str, *, force: bool) -> Path | None:
    """Give the staged folder its name. Raises ``Conflict``, ``OSError``; then the old one stays."""
    final = root / name
    backup = None
    if os.path.lexists(final):
        if not force:
            raise _taken(name)
        backup = root / f".{name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
        final.rename(backup)
    try:
        staging.rename(final)
    except OSError as error:
        if backup is not None:
            with suppress(OSError):
                backup.rename(final)
        if error.errno in _TAKEN:
            raise _taken(name) from None
        raise
    return backup


def _taken(name: str) -> Conflict:
    return Conflict(f"There is a workflow {name!r} already: give another name, or force to replace it.")


def _sweep(root: Path) -> None:
    """Remove what an import left that was killed."""
    for path in root.glob(f"{_STAGING}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(path)


def _without_examples(content: bytes, names: Sequence[str]) -> bytes:
    document = json.loads(content.decode("utf-8-sig"))
    for parameter in document["task_params"]:
        if parameter["name"] in names:
            parameter["example"] = None
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
