"""Whether a table is the one that was compared, as far as names and sizes tell.

No hash of cells is kept: whoever knows all cells but one could try out what the last one is.
"""

import os
from pathlib import Path
from typing import Any

from incrowd.engines import Engine
from incrowd.errors import InputError
from incrowd.schema import Policy

_ANEW = "or compare anew without --again."


def about_input(data: Any, engine: Engine, policy: Policy) -> dict[str, Any]:
    """Return the names and sizes of a table and of the hierarchy files.

    Parameters
    ----------
    data, engine
        What was given, and where its rows are; only a file has a size in bytes.
    policy
        It names the hierarchy files.
    """
    is_path = isinstance(data, str | os.PathLike)
    return {
        "columns": list(engine.names),
        "rows": engine.n_rows,
        "bytes": _size(data) if is_path else None,
        "hierarchies": {str(path): _size(path) for path in policy.files},
    }


def check_input(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Raise unless table and hierarchies can be those of an earlier comparison."""
    if "table" in expected:
        raise InputError(
            "the earlier comparison holds a hash of the table's cells, from which a cell can be "
            "guessed.",
            hint="delete that file and its copies, and compare anew without --again.",
        )
    differs = [key for key in ("columns", "rows", "bytes") if _differ(found[key], expected[key])]
    if differs:
        words = {"columns": "other columns", "rows": "another number of rows",
                 "bytes": "another size"}  # fmt: skip
        raise InputError(
            f"this is not the table that was compared: it has {words[differs[0]]}.",
            hint=f"give the same table, {_ANEW}",
        )
    if found["hierarchies"] != expected["hierarchies"]:
        raise InputError(
            "the hierarchy files are not those of the earlier comparison.",
            hint=f"put them back as they were, {_ANEW}",
        )


def _differ(one: Any, other: Any) -> bool:
    """Whether two facts differ; a frame has no size in bytes to be held against that of a file."""
    return one is not None and other is not None and one != other


def _size(path: str | os.PathLike[str]) -> int | None:
    try:
        return Path(path).stat().st_size
    except OSError:  # whoever needs the file says so
        return None
