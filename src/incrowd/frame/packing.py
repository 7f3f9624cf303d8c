"""CSV files that are packed: gzip and Zstandard, in and out."""

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, cast

from incrowd.errors import InputError

_CODECS = {".gz": "gzip", ".zst": "zstd"}


def codec_of(path: Path) -> str | None:
    """Return what a file is packed by, as its extension says."""
    return _CODECS.get(path.suffix.lower())


def packed(file: IO[bytes], path: Path) -> AbstractContextManager[IO[bytes]]:
    """Return a file to write to, which packs what is written as the extension of a path says."""
    codec = codec_of(path)
    if codec is None:
        return nullcontext(file)
    import pyarrow as pa

    own = os.fdopen(os.dup(file.fileno()), "wb")  # Arrow closes what it writes to
    return cast("AbstractContextManager[IO[bytes]]", pa.CompressedOutputStream(own, codec))


def unpacked(file: IO[bytes], path: Path) -> IO[bytes]:
    """Return a file to read from, which unpacks what is read."""
    codec = codec_of(path)
    if codec is None:
        return file
    import pyarrow as pa

    return cast("IO[bytes]", _Unpacking(pa.CompressedInputStream(file, codec), path))


class _Unpacking:
    """What Arrow unpacks; its complaints quote nothing, but say little."""

    def __init__(self, stream: Any, path: Path) -> None:
        self._stream, self._path = stream, path

    def read(self, size: int) -> bytes:
        try:
            return bytes(self._stream.read(size))
        except (OSError, ValueError):
            raise InputError(
                f"{self._path} cannot be unpacked: it is broken or truncated.",
                hint="copy or pack the file again.",
            ) from None
