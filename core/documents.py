"""Documents in files, each replaced whole or not at all."""

from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from core.files import Folder, make_private, storage_failure
from core.values import Value

_MOST_BYTES: Final = 32 << 20

DocumentT = TypeVar("DocumentT", bound=Value)


class DocumentFile(Generic[DocumentT]):
    """A document of one kind.

    Args:
        path: of the file, in a folder that is made if it is missing.
        kind: of the document; it must have a default for each field.

    """

    def __init__(self, path: Path, kind: type[DocumentT]) -> None:
        self._path, self._kind = path, kind

    def read(self) -> DocumentT:
        """As it was written last; an empty one when there is none, or none that can be understood."""
        try:
            with Folder.open(self._path.parent) as folder:
                return self._kind.model_validate_json(folder.read(self._path.name, _MOST_BYTES))
        except (FileNotFoundError, ValidationError):
            return self._kind()
        except OSError as error:
            raise storage_failure(self._path, error) from None

    def write(self, document: DocumentT, /) -> None:
        """Replace it, whole or not at all."""
        make_private(self._path.parent)
        try:
            with Folder.open(self._path.parent) as folder:
                folder.replace(self._path.name, document.model_dump_json().encode())
        except OSError as error:
            raise storage_failure(self._path, error) from None
