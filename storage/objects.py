"""The videos, pictures and logs of a farm, by obstore: a bucket that speaks S3, or a shared folder."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

from core.errors import InvalidRequest, InvalidSetting, NotFound, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from datetime import datetime

_PART_BYTES: Final = 8 * 1024 * 1024
_LONGEST_PAUSE: Final = timedelta(seconds=2)


class Objects:
    """Things by their keys.

    Args:
        url: ``s3://<bucket>/<prefix>``, its credentials in the variables ``AWS_…``, or ``file:///<folder>``.
        patience_seconds: for how long a bucket that does not answer is asked again.

    Raises:
        InvalidSetting: obstore is not installed, or the URL is of another kind.

    """

    def __init__(self, url: str, *, patience_seconds: float = 10) -> None:
        try:
            import obstore  # noqa: PLC0415 - of the extra: one machine needs none of it
            from obstore import store  # noqa: PLC0415 - same
        except ImportError:
            raise InvalidSetting("A farm needs the package obstore: pip install 'vaider[farm]'.") from None
        if not url.startswith(("s3://", "file:///")):
            raise InvalidSetting("store_url must be s3://<bucket>/<prefix> or file:///<folder that is shared>.")
        self._obstore: Any = obstore
        self._is_folder = not url.startswith("s3://")
        try:
            if url.startswith("s3://"):
                # Time is what ends it: refused connections would use up a number of tries within two seconds.
                retry: Any = {"max_retries": 10_000, "retry_timeout": timedelta(seconds=patience_seconds)}
                retry |= {"backoff": {"init_backoff": timedelta(seconds=0.1), "max_backoff": _LONGEST_PAUSE, "base": 2}}
                self._store: Any = store.from_url(url, retry_config=retry, client_options={"allow_http": True})
            else:
                folder = Path(url.removeprefix("file://"))
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._store = store.LocalStore(prefix=folder)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it
            raise InvalidSetting(f"store_url cannot be used: {str(error).splitlines()[0][:200]}") from None

    @contextlib.contextmanager
    def writing(self, key: str) -> Generator[IO[bytes]]:
        """A file to write to, in parts and constant memory; nothing is there when the block raises."""
        with _translated(key):
            writer = self._obstore.open_writer(self._store, key, buffer_size=_PART_BYTES, max_concurrency=2)
        try:
            yield cast("IO[bytes]", writer)
            with _translated(key):
                writer.close()
        except BaseException:
            with contextlib.suppress(Exception):
                writer.close()
            with contextlib.suppress(StorageFailed, NotFound):
                self.remove(key)
            raise

    def put_file(self, key: str, path: Path) -> None:
        """Keep a file. Raises ``StorageFailed``."""
        with _translated(key), path.open("rb") as file:
            self._obstore.put(self._store, key, file, chunk_size=_PART_BYTES, max_concurrency=2)

    def get(self, key: str, most_bytes: int) -> bytes:
        """The whole of a small thing. Raises ``NotFound``, ``StorageFailed``."""
        if self.size(key) > most_bytes:
            raise NotFound(f"{key} is larger than it can be.")
        with _translated(key):
            return bytes(self._obstore.get(self._store, key).bytes())

    def get_file(self, key: str, path: Path) -> None:
        """Write it to a file, piece by piece. Raises ``NotFound``, ``StorageFailed``."""
        with _translated(key), path.open("xb") as file:
            for piece in self._obstore.get(self._store, key).stream(min_chunk_size=1 << 20):
                file.write(piece)

    def open(self, key: str) -> IO[bytes]:
        """To read from any place. Raises ``NotFound``, ``StorageFailed``."""
        with _translated(key):
            return cast("IO[bytes]", _Reading(self._obstore.open_reader(self._store, key)))

    def size(self, key: str) -> int:
        """Its bytes. Raises ``NotFound``, ``StorageFailed``."""
        with _translated(key):
            return int(self._obstore.head(self._store, key)["size"])

    def keys(self, prefix: str, *, before: datetime | None = None) -> Iterator[str]:
        """Each key below a prefix; only those written before a moment. Raises ``StorageFailed``."""
        with _translated(prefix):
            for page in self._obstore.list(self._store, prefix):
                yield from (each["path"] for each in page if before is None or each["last_modified"] < before)

    def upload_url(self, key: str, seconds: int) -> str:
        """Where anybody may ``PUT`` it within that time. Raises ``InvalidRequest`` where the store is a folder."""
        if self._is_folder:
            raise InvalidRequest("The store of this farm is a folder: send the video itself, as -F video=@FILE.")
        with _translated(key):
            return str(self._obstore.sign(self._store, "PUT", key, timedelta(seconds=seconds)))

    def remove(self, key: str) -> None:
        """Remove it, if it is there. Raises ``StorageFailed``."""
        with contextlib.suppress(NotFound), _translated(key):
            self._obstore.delete(self._store, key)


class _Reading:
    """What a reader of obstore lacks of a file: bytes that are bytes."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def seek(self, place: int, whence: int = 0) -> int:
        return int(self._reader.seek(place, whence))

    def read(self, size: int = -1) -> bytes:
        return bytes(self._reader.read(None if size < 0 else size))

    def close(self) -> None:
        self._reader.close()


@contextlib.contextmanager
def _translated(key: str) -> Generator[None]:
    try:
        yield
    except (NotFound, StorageFailed):
        raise
    except FileNotFoundError:
        raise NotFound(f"There is no {key} any more.") from None
    except Exception as error:
        if type(error).__name__ == "NotFoundError":
            raise NotFound(f"There is no {key} any more.") from None
        # What the server answers may quote headers: the error names its kind alone.
        raise StorageFailed(
            f"The store of the farm failed ({type(error).__name__}); see to it and try again."
        ) from error
