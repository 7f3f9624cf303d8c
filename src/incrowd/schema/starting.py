"""The policy to start from: commented TOML, written from a profile."""

import json
import re
from collections.abc import Iterator

from incrowd.requirements import KAnonymity
from incrowd.schema.profiling import ColumnProfile, Profile
from incrowd.schema.safe_harbor import CLASSES

DIVERSE = 2
"""So many values a class has of each sensitive column, if the draft has its way."""

_HEAD = """\
# A policy to start from, suggested from names, counts and looks. Read every role before it is used:
#   identifier        names a person; dropped
#   quasi-identifier  others may know it about a person; generalised
#   sensitive         nobody may learn it about a person; kept
#   target            what classifiers will predict; kept
#   insensitive       tells nothing about a person; kept
#   entity            tells persons apart, so that crowds are counted in persons; dropped
#   count             how many records a row stands for; kept
"""

_TAIL = """\
[[requirements]]
k_anonymity = {k}                 # every record looks like at least {others} others

{diversity}[algorithm]
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
        _checklist(profile),
        'other_columns = "refuse"        # columns not named below: "refuse", "drop" or "keep"\n',
        *_input_section(separator, encoding),
        *("\n".join(_column_lines(column)) + "\n" for column in profile.columns),
        _TAIL.format(
            k=k, others=k - 1, diversity="".join(f"{each}\n" for each in _diversity(profile))
        ),
    ]
    return "\n".join(parts)


def _input_section(separator: str | None, encoding: str) -> Iterator[str]:
    given = {"separator": separator, "encoding": None if encoding == "utf-8" else encoding}
    lines = [f"{key} = {toml_text(value)}\n" for key, value in given.items() if value is not None]
    if lines:
        yield "[input]\n" + "".join(lines)


def _risk(profile: Profile) -> str:
    together = (
        f"# {profile.n_records:,} records. On the {len(profile.quasi_identifiers)} suggested "
        f"quasi-identifiers together: {profile.n_tuples:,} distinct tuples,\n"
        f"# {profile.unique_share:.1%} of the records are unique, "
        f"the smallest class has {profile.smallest_class:,}.\n"
    )
    riskiest = [
        f"#   {' + '.join(map(_plain, each.columns))}: {each.unique_share:.1%} unique\n"
        for each in profile.combinations
    ]
    return together + ("# The riskiest pairs and triples:\n" + "".join(riskiest)) * bool(riskiest)


def _checklist(profile: Profile) -> str:
    """Return the classes of the Safe Harbor rule that columns seem to belong to."""
    found = [
        f"#   {each.number:>2} {each.title}: {', '.join(map(_plain, columns))}\n"
        for each, columns in profile.safe_harbor()
        if columns
    ]
    others = len(CLASSES) - len(found)
    return (
        "# HIPAA Safe Harbor, by names and looks of columns; others may hide under other names:\n"
        + "".join(found)
        + f"#   nothing that looks like the other {others} of the {len(CLASSES)} classes\n"
    )


def _plain(name: str) -> str:
    """Return a name as a comment may hold it."""
    return name if name.isprintable() else toml_text(name)


def _column_lines(column: ColumnProfile) -> Iterator[str]:
    yield f"[columns.{toml_key(column.name)}]"
    looks = "" if column.pattern is None else f", looks like: {column.pattern}"
    yield (
        f"# {column.kind}, {column.n_distinct:,} distinct, {column.missing_share:.1%} missing, "
        f"{column.unique_share:.1%} of the records unique{looks}"
    )
    yield f'role = "{column.role}"  # {column.reason}'
    draft = column.draft
    for key, rule in draft.cleaning.items():
        doubt = "  # or another way: nothing in the table tells" if draft.ambiguous else ""
        yield f"{key} = {toml_value(rule)}{doubt}"
    if draft.spelled:
        yield f"# clean = {{ VALUE = [OTHER, OTHER] }}  # {draft.spelled:,} rarer spellings"
    if draft.hierarchy is not None:
        value, why = draft.hierarchy
        yield f"hierarchy = {toml_value(value)}{f'  # {why}' if why else ''}"
    if draft.odd:
        yield f'unknown = "suppress"  # {draft.odd:,} records: see incrowd check; or "missing"'


def _diversity(profile: Profile) -> Iterator[str]:
    """Yield a requirement for each sensitive column that can be diverse at all.

    Of two values every class would have to have both, which costs much: that one is left to whoever
    reads the draft.
    """
    for column in profile.columns:
        if column.role == "sensitive" and column.n_distinct >= DIVERSE:
            off = "# " if column.n_distinct == DIVERSE else ""
            why = "  # its only two values in each class: it costs much" if off else ""
            name = toml_text(column.name)
            yield (
                f"{off}[[requirements]]\n"
                f"{off}l_diversity = {{ l = {DIVERSE}, column = {name} }}{why}\n"
            )


def toml_value(value: object) -> str:
    """Return plain data as a TOML file writes it in one line.

    >>> toml_value({"dates": ["month", "year"], "levels": 2}), toml_value(True)
    ('{ dates = ["month", "year"], levels = 2 }', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        said = (f"{toml_key(key)} = {toml_value(each)}" for key, each in value.items())
        return f"{{ {', '.join(said)} }}"
    return str(value)


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
