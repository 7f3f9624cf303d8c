"""Whether a table is the one that was compared, told without any of its cells."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.errors import InputError
from incrowd.frame.source import Source
from incrowd.schema import Policy


def fingerprint(source: Source, policy: Policy) -> dict[str, Any]:
    """Return the number of rows, and the SHA-256 of all cells and of the hierarchy files."""
    found = hashlib.sha256()
    for name in source.names:
        column = source.encode(name, missing=())
        found.update(json.dumps([name, column.texts]).encode())
        found.update(np.ascontiguousarray(column.codes, dtype="<i4").tobytes())
    files = {str(path): _digest(path) for path in policy.files}
    return {"rows": source.n_rows, "table": found.hexdigest(), "hierarchies": files}


def check_fingerprint(source: Source, policy: Policy, expected: dict[str, Any]) -> None:
    """Raise unless table and hierarchies are those of an earlier comparison."""
    found = fingerprint(source, policy)
    if found["table"] != expected.get("table"):
        raise InputError(
            f"this is not the table that was compared: it has {found['rows']:,} rows, that one had "
            f"{expected.get('rows', 0):,}, and not all cells are alike.",
            hint="give the same table, or compare anew without --again.",
        )
    if found["hierarchies"] != expected.get("hierarchies"):
        raise InputError(
            "the hierarchy files are not those of the earlier comparison.",
            hint="put them back as they were, or compare anew without --again.",
        )


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:  # whoever needs the hierarchy says so
        return None
