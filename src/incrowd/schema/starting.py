"""The policy to start from: commented TOML, written from a profile."""

import json
import re
from collections.abc import Iterator

from incrowd.requirements import KAnonymity
from incrowd.schema.name_hints import hint_of
from incrowd.schema.profiling import ColumnProfile, Profile

_HEAD = """\
# A policy to start from, suggested from names and counts alone. Read every role before it is used:
#   identifier        names a person; dropped
#   quasi-identifier  others may know it about a person; generalised
#   sensitive         nobody may learn it about a person; kept
#   target            what classifiers will predict; kept
#   insensitive       tells nothing about a person; kept
#   entity            tells persons apart, one record each or there is no release; dropped
#   count             how many records a row stands for; kept
"""

_TAIL = """\
[[requirements]]
k_anonymity = {k}                 # every record looks like at least {others} others

[algorithm]
name = "auto"
# suppression_limit = 0.05      # the share of records that may be suppressed

[release]
order = "shuffle"               # or "keep", for experiments
suppressed = "mask"             # or "drop"
"""


def starting_policy(
    profile: Profile, *, k: int = 5, separator: str | None = None, encoding: str = "utf-8"
) -> str:
    """Write a commented policy file for a profiled table.

    It names columns and counts, never a value.

    Parameters
    ----------
    profile
        What `incrowd.schema.profile` found.
    k
        The k of the k-anonymity requirement.
    separator, encoding
        How the file was read, where that had to be said.
    """
    k = KAnonymity(k).k
    parts = [
        _HEAD,
        _risk(profile),
        'other_columns = "refuse"        # columns not named below: "refuse", "drop" or "keep"\n',
        *_input_section(separator, encoding),
        *("\n".join(_column_lines(column)) + "\n" for column in profile.columns),
        _TAIL.format(k=k, others=k - 1),
    ]
    return "\n".join(parts)


def _input_section(separator: str | None, encoding: str) -> Iterator[str]:
    given = {"separator": separator, "encoding": None if encoding == "utf-8" else encoding}
    lines = [f"{key} = {toml_text(value)}\n" for key, value in given.items() if value is not None]
    if lines:
        yield "[input]\n" + "".join(lines)


def _risk(profile: Profile) -> str:
    return (
        f"# {profile.n_records:,} records. On the {len(profile.quasi_identifiers)} suggested "
        f"quasi-identifiers together: {profile.n_tuples:,} distinct tuples,\n"
        f"# {profile.unique_share:.1%} of the records are unique, "
        f"the smallest class has {profile.smallest_class:,}.\n"
    )


def _column_lines(column: ColumnProfile) -> Iterator[str]:
    yield f"[columns.{toml_key(column.name)}]"
    yield (
        f"# {column.kind}, {column.n_distinct:,} distinct, {column.missing_share:.1%} missing, "
        f"{column.unique_share:.1%} of the records unique"
    )
    yield f'role = "{column.role}"  # {column.reason}'
    if column.role == "quasi-identifier":
        yield from _hierarchy_lines(column)


def _hierarchy_lines(column: ColumnProfile) -> Iterator[str]:
    if column.n_distinct <= 2 or column.kind == "boolean":
        yield "hierarchy = { suppression = true }"
    elif hint_of(column.name) == "postcode":
        yield "hierarchy = { masking = true }  # hides the last characters first"
    elif column.kind == "date":
        yield 'hierarchy = { dates = ["month", "year"] }'
    elif column.kind == "number":
        yield 'hierarchy = "auto"  # a fixed round grid; with widths of your own:'
        yield "# hierarchy = { intervals = [5, 10, 20] }"
    else:
        yield 'hierarchy = "auto"  # suppression; a hierarchy of your own keeps more:'
        yield '# hierarchy = "hierarchy.csv"  # one row per value: value;group;...;root'


def toml_key(name: str) -> str:
    r"""Return a column name as a key of a TOML file.

    >>> toml_key("age"), toml_key("salary class"), toml_key("a\nb")
    ('age', '"salary class"', '"a\\nb"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(text: str) -> str:
    """Return a text as a TOML file writes it, in quotes."""
    # A JSON text is a TOML text too, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
