"""The hierarchies of the synthetic census, and a policy that uses them."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from incrowd.datasets.census import whole_number
from incrowd.datasets.tables import (
    CENSUS,
    EDUCATION_LEVELS,
    EDUCATION_STAGES,
    MARITAL_STATUSES,
    OCCUPATIONS,
    REGIONS,
    WORKCLASSES,
    Groups,
)
from incrowd.errors import ParameterError

Rows = tuple[tuple[str, ...], ...]

_ROOT = "*"
_LEVELS: dict[str, Sequence[Groups]] = {
    "sex": (),
    "ethnicity": (),
    "marital_status": (MARITAL_STATUSES,),
    "education": (EDUCATION_STAGES, EDUCATION_LEVELS),
    "country": (REGIONS,),
    "occupation": (OCCUPATIONS,),
    "workclass": (WORKCLASSES,),
    "income": (),
}
_ROLES = {"income": "target", "disease": "sensitive"}
_REMARKS = {
    "sex": "what a stranger may know of a person, with a way to say it less exactly",
    "income": "what a classifier that learns from the release should still predict",
    "disease": "what nobody should learn of a person; never generalised",
}


def census_hierarchies() -> dict[str, Rows]:
    """Return a hierarchy for each column of the census but the disease.

    Each is a tuple of rows, one per leaf: the leaf, its ancestors, the root.

    Examples
    --------
    >>> rows = census_hierarchies()
    >>> rows["age"][0]
    ('17', '15-19', '10-19', '0-19', '*')
    >>> {column: len(leaves[0]) - 1 for column, leaves in rows.items()}  # doctest: +ELLIPSIS
    {'sex': 1, 'age': 4, 'ethnicity': 1, 'marital_status': 2, 'education': 3, 'country': 2, ...
    """
    return {name: _rows(name) for name in CENSUS if name == "age" or name in _LEVELS}


def _rows(name: str) -> Rows:
    if name == "age":
        return tuple(_age_row(int(age)) for age in CENSUS[name].values)
    columns = [CENSUS[name].values]
    for groups in _LEVELS[name]:
        parent_of = {value: group for group, values in groups.items() for value in values}
        columns.append(tuple(parent_of[value] for value in columns[-1]))
    columns.append((_ROOT,) * len(columns[0]))
    return tuple(zip(*columns, strict=True))


def _age_row(age: int) -> tuple[str, ...]:
    starts = [(age // width * width, width) for width in (5, 10, 20)]
    bands = [f"{start}-{start + width - 1}" for start, width in starts]
    return (str(age), *bands, _ROOT)


def census_policy(
    k: int = 5,
    *,
    suppression_limit: float = 0.05,
    algorithm: str = "flash",
    objective: str | None = "loss",
    folder: str | os.PathLike[str] = "hierarchies",
) -> str:
    """Return the text of a policy file for the census, with comments.

    Parameters
    ----------
    k
        Every record of a release looks like at least k - 1 others.
    suppression_limit
        The share of the records that may be suppressed.
    algorithm, objective
        The search, and what it makes small; no objective if None.
    folder
        Where `write_census_hierarchies` put the hierarchies, seen from the policy file.
    """
    k = whole_number(k, "k", at_least=1)
    blocks = [
        "# A policy for the synthetic census: what each column is, and what a release must hold.",
        'other_columns = "refuse"  # a column that is not named below is an error',
        *(_column(name, folder) for name in CENSUS),
        f"[[requirements]]\nk_anonymity = {k}",
        _algorithm(algorithm, suppression_limit, objective),
        '[release]\norder = "shuffle"\nsuppressed = "mask"  # or "drop"',
    ]
    return "\n\n".join(blocks) + "\n"


def _column(name: str, folder: str | os.PathLike[str]) -> str:
    lines = [f"# {_REMARKS[name]}"] if name in _REMARKS else []
    role = _ROLES.get(name, "quasi-identifier")
    lines += [f"[columns.{name}]", f"role = {_quoted(role)}"]
    if role == "quasi-identifier":
        path = Path(folder) / hierarchy_file(name)
        lines.append(f"hierarchy = {_quoted(path.as_posix())}")
    return "\n".join(lines)


def hierarchy_file(name: str) -> str:
    """Return the name of the file that holds the hierarchy of a column."""
    return f"{name}.csv"


def _algorithm(name: str, suppression_limit: float, objective: str | None) -> str:
    number = isinstance(suppression_limit, int | float) and not isinstance(suppression_limit, bool)
    if not number or not 0 <= suppression_limit <= 1:
        raise ParameterError(
            "suppression_limit must be a share of the records.",
            hint="give a number from 0 to 1, such as 0.05.",
            values=[suppression_limit],
        )
    limit = float(suppression_limit)
    lines = ["[algorithm]", f"name = {_quoted(name)}", f"suppression_limit = {limit}"]
    if objective is not None:
        lines.append(f"objective = {_quoted(objective)}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    # A JSON string is a TOML string, but for the one control character that JSON lets through.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
