"""The folders that hold a ``schema.json``: found by name or path, listed and read."""

import difflib
import errno
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from core.errors import InvalidPath, InvalidWorkflow, NotFound
from core.files import Folder
from core.workflows.reading import MAX_BYTES, Reading, read_document
from core.workflows.workflow import Workflow

SCHEMA: Final = "schema.json"
NAME: Final = re.compile(r"\w[\w. -]{0,99}")
"""A workflow's name: letters, digits, ``_``, ``.``, ``-`` and spaces, and none of the last three in front."""
_LISTED: Final = 10
_MANY: Final = 10_000
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL})


class WorkflowFolders:
    """Implements ``core.runs.ports.Workflows``.

    Args:
        roots: folders that hold workflows, also such as are not there yet; of two workflows of one name, that of the
            earlier root counts.

    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = tuple(roots)

    def find(self, name: str) -> str:
        """The absolute folder of a workflow, by its name, its folder's path or that of its ``schema.json``.

        A path may be relative to the working directory, and may be one word; a name comes before it.

        Raises:
            NotFound: there is none; the message has the nearest names.

        """
        if name in self.names():
            return str(next(root / name for root in self.roots if _is_workflow(root / name)).absolute())
        path = _path(name)
        if path is not None:
            return str(path)
        raise self.missing(name)

    def missing(self, name: str) -> NotFound:
        """The error that tells of a name that no workflow has, with the nearest ones."""
        return NotFound(f"There is no workflow {name[:200]!r}. {self._hint(name)}", workflow=name[:200])

    def load(self, folder: str) -> Workflow:
        """Read and validate it."""
        return self.read(folder).workflow

    def read(self, folder: str) -> Reading:
        """The same, with its version and what was noticed.

        Raises:
            InvalidWorkflow: it breaks rules; see ``core.workflows.reading.read_workflow``.
            InvalidPath: it cannot be read.
            NotFound: there is no ``schema.json``.

        """
        path = Path(folder)
        content = read_schema(path)
        try:
            return read_document(content)
        except InvalidWorkflow as error:
            raise InvalidWorkflow(f"Workflow {path.name!r} is not valid: {error.message}", **error.details) from None

    def names(self) -> Sequence[str]:
        """All there are, in order, also those that are not valid."""
        return sorted({name for root in self.roots for name in _names(root)}, key=lambda name: (name.lower(), name))

    def _hint(self, name: str) -> str:
        names = self.names()
        if not names:
            return f"There is none yet: `vaider workflows import FOLDER` adds one to {self.roots[0]}."
        by_lower = {each.lower(): each for each in names}
        near = difflib.get_close_matches(name.lower()[:200], by_lower, n=3, cutoff=0.5)
        if near:
            return f"Did you mean {' or '.join(repr(by_lower[each]) for each in near)}?"
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        return f"There are: {', '.join(names[:_LISTED])}{more}."


def read_schema(folder: Path) -> bytes:
    """A workflow's ``schema.json``, or one byte more of it than one may have. Raises ``NotFound``, ``InvalidPath``."""
    try:
        with Folder.open(folder) as opened:
            return opened.read(SCHEMA, MAX_BYTES + 1)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InvalidPath(f"{folder / SCHEMA} is a symbolic link: put the file itself there.") from None
        if error.errno in _ABSENT:
            raise NotFound(f"There is no {SCHEMA} in {folder}.") from None
        raise InvalidPath(f"{folder / SCHEMA} cannot be read: {error.strerror}. Mend that and try again.") from None


def _path(name: str) -> Path | None:
    try:
        path = Path(name).expanduser().absolute()
        path = path.parent if path.name == SCHEMA and not path.is_dir() else path
        return Path(os.path.normpath(path)) if _is_workflow(path) else None
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, ~nobody
        return None


def _names(root: Path) -> Sequence[str]:
    try:
        with os.scandir(root) as entries:
            found = [entry.name for entry, _ in zip(entries, range(_MANY), strict=False)]
    except OSError:
        return ()
    return [name for name in found if NAME.fullmatch(name) and _is_workflow(root / name)]


def _is_workflow(folder: Path) -> bool:
    try:
        return (folder / SCHEMA).is_file()
    except OSError:
        return False
