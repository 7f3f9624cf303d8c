"""Recodings as files: JSON that can be reviewed, compared and applied again."""

import json
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from incrowd.arrays import Codes, Integers
from incrowd.errors import IncrowdError, InputError
from incrowd.recoding.base import FORMAT, Found, Recoding

_KINDS: dict[str, type[Any]] = {}
_K = TypeVar("_K", bound=type[Any])


def recoding_kind(cls: _K) -> _K:
    """Register a class of recodings under its `kind`, so that files can name it."""
    _KINDS[cls.kind] = cls
    return cls


def load_recoding(path: str | Path) -> Recoding:
    """Read a recoding that `save` wrote."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"the recoding {path.name!r} cannot be read: {error.strerror}.",
            hint="give the file that --recoding wrote.",
        ) from None
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    if not isinstance(data, dict) or data.get("incrowd_recoding") != FORMAT:
        raise _damaged(path)
    cls = _KINDS.get(str(data.get("kind")))
    if cls is None or not isinstance(data.get("policy"), dict):
        raise _damaged(path)
    try:
        recoding: Recoding = cls.from_json(data, Found(**data["found"]), data["policy"])
    except IncrowdError as error:
        raise _damaged(path, f": {error.message}") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        raise _damaged(path) from None
    return recoding


def whole_numbers(stored: Any, *, low: int = 0, below: int = 2**31) -> Integers:
    """Return what a file says as whole numbers; raise unless all lie in ``[low, below)``."""
    found = np.array(stored)
    if found.size and (found.dtype.kind != "i" or found.min() < low or found.max() >= below):
        raise ValueError("no whole numbers")
    return found.astype(np.int64)


def number_rows(stored: Any, width: int, *, low: int = 0) -> Codes:
    """Return what a file says as rows of `width` whole numbers; raise unless it is such rows."""
    found = whole_numbers(stored, low=low).astype(np.int32)
    if found.size and found.shape[1:] != (width,):
        raise ValueError("no rows")
    return found.reshape(-1, width)


def _damaged(path: Path, reason: str = ".") -> InputError:
    return InputError(
        f"{path.name!r} is not a recoding that this version can read{reason}",
        hint="give the unchanged file that --recoding wrote.",
    )
