"""Cells that are not what their column holds: found, named, and given the fate of the policy.

What a column holds is what at least 99% of its non-missing records say, or what its hierarchy
takes. Numbers with a decimal comma and dates that begin with the day are read as such where no
other reading makes sense, and asked about where one does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from incrowd.engines import Countable, DistinctValues, Engine
from incrowd.errors import HierarchyError, PolicyError
from incrowd.frame.coding import IS_OF_KIND, infer_kind
from incrowd.frame.lines import Found
from incrowd.frame.readings import (
    NEARLY_ALL,
    Reading,
    Rule,
    is_date_or_time,
    nearly_all,
    possible_readings,
)
from incrowd.frame.source import Kind
from incrowd.hierarchies import (
    ROOT,
    CountingSpec,
    Hierarchy,
    HierarchySpec,
    auto,
    built,
    dates,
    intervals,
    suppression,
    with_new_leaves,
)
from incrowd.hierarchies.spec import unfit_for
from incrowd.private import private_dataclass
from incrowd.recoding import Recoding
from incrowd.schema import Column, Policy
from incrowd.schema.roles import MAY_BE_CLEANED
from incrowd.texts import is_number

_E = TypeVar("_E", bound=Engine)

MOSTLY = 90
"""From this share of the records on, in per cent, it is asked what a column is meant to hold."""

FATES = {"suppress": "are released as *", "missing": "count as missing"}
"""What becomes of odd cells, in words, by what a policy says."""

_WORDS: dict[Kind, str] = {
    "number": "numbers",
    "date": "dates",
    "boolean": "true or false",
    "text": "what its hierarchy takes",
}


@private_dataclass
class Odd:
    """The cells of a column that are not what it holds.

    Parameters
    ----------
    column
        As the policy describes it, with how it is read.
    texts
        The odd ones among its distinct texts, as they are read.
    holds
        What the others are, in words.
    reading
        How the column is written, where that was recognised.
    kind
        What the column holds.
    """

    column: Column
    texts: tuple[str, ...]
    holds: str
    reading: Reading
    kind: Kind

    def rule(self) -> Rule | None:
        """Return what mends the column; None if nothing has to be."""
        column, reading, texts = self.column, self.reading, frozenset(self.texts)
        if column.unknown == "missing":
            return lambda text: None if (read := reading.read(text)) in texts else read
        if column.unknown == "suppress" and column.role != "quasi-identifier" and texts:
            return lambda text: ROOT if (read := reading.read(text)) in texts else read
        return None if reading == Reading() else reading.read

    def raw(self, texts: Sequence[str]) -> frozenset[str]:
        """Return those of the texts of a table that are odd once they are read."""
        among = frozenset(self.texts)
        if not among:
            return among
        return frozenset(each for each in texts if self.reading.read(each) in among)

    def notes(self, records: int) -> Iterator[str]:
        """Yield how the column was read, and what became of so many odd cells."""
        name, reading = self.column.name, self.reading
        if reading.dates is not None:
            yield f"the dates of column {name!r} are read {reading.dates}."
        if reading.decimal is not None:
            yield f"the numbers of column {name!r} are read with the decimal {reading.decimal!r}."
        fate = FATES.get(self.column.unknown or "")
        if records and fate is not None:
            yield f"{records:,} records of column {name!r} are not {self.holds}, and {fate}."

    def stated(self) -> Column:
        """Return the column with how it is read written down, for rows that come later."""
        cleaning = self.column.cleaning
        if self.reading != Reading():
            cleaning = replace(cleaning, decimal=self.reading.decimal, dates=self.reading.dates)
        looked_at = self.column.hierarchy is None and self.column.role != "quasi-identifier"
        kind = self.kind if looked_at else self.column.kind
        return replace(self.column, cleaning=cleaning, kind=kind)


def open_questions(
    looking: Countable, engine: Engine, policy: Policy
) -> Iterator[tuple[Column, DistinctValues]]:
    """Yield the columns of which it matters what their cells are, and their distinct values."""
    for column in filter(is_in_question, policy.columns):
        generalised = column.role == "quasi-identifier"
        table = looking if column.name in looking.names and generalised else engine
        yield column, table.distinct(column.name, missing=policy.input.missing)


def is_in_question(column: Column) -> bool:
    """Whether it matters what the cells of a column are; others are released as they stand."""
    stated = column.unknown is not None or column.kind is not None
    return column.role == "quasi-identifier" or (column.role in MAY_BE_CLEANED and stated)


def odd_cells(column: Column, values: DistinctValues) -> Odd:
    """Return what of a column is not what it holds.

    Raises
    ------
    PolicyError
        If its cells can be read in two ways, or it holds two kinds of cells.
    """
    spec = spec_of(column)
    reading = _reading(column, spec, values)
    texts, counts = values.texts, values.records.tolist()
    if reading != Reading():
        texts = tuple(map(reading.read, texts))
    if spec is None:
        kind = column.kind or infer_kind(texts, counts)
        others = [text for text in texts if not IS_OF_KIND[kind](text)]
        return Odd(column, tuple(others), _WORDS[kind], reading, kind)
    others = unfit_in(column, spec, texts, counts)
    if column.kind is None and spec == auto():
        _refuse_two_kinds(column, texts, counts, others)
    if not others and column.unknown != "missing":
        return Odd(column, (), "", reading, "text")
    odd = frozenset(others)
    fitting = [text for text in texts if text not in odd]
    if column.unknown == "missing" and not isinstance(spec, CountingSpec):
        tree = built(spec, fitting, column=column.name)
        codes = tree.match(fitting).tolist()
        others += [text for text, code in zip(fitting, codes, strict=True) if code < 0]
    kind = infer_kind(fitting)
    return Odd(column, tuple(others), getattr(spec, "takes", _WORDS[kind]), reading, kind)


def spec_of(column: Column) -> HierarchySpec | None:
    """Return what a column is generalised by, or its values are compared by."""
    if column.hierarchy is None and column.role != "quasi-identifier":
        return None
    if column.kind in ("text", "boolean"):
        return suppression()
    return auto() if column.hierarchy is None else column.hierarchy


def unfit_in(
    column: Column, spec: HierarchySpec, texts: Sequence[str], counts: Sequence[int]
) -> list[str]:
    """Return the texts that are not what a column holds, as its policy says or its hierarchy."""
    stated: dict[str, HierarchySpec] = {"number": intervals(1), "date": dates("year")}
    return unfit_for(stated.get(column.kind or "", spec), texts, counts)


def _reading(column: Column, spec: HierarchySpec | None, values: DistinctValues) -> Reading:
    """Return how the cells of a column are written, if not as they are written inside.

    Where the policy says what it holds, it is enough that most of its cells are written so.
    """
    said = column.cleaning.decimal or column.cleaning.dates
    if said or column.kind == "text" or not getattr(spec, "reads", spec is None):
        return Reading()
    counts = values.records.tolist()
    possible: list[Reading] = []
    is_stated = column.kind is not None or column.hierarchy not in (None, auto())
    for share in (NEARLY_ALL, MOSTLY) if is_stated else (NEARLY_ALL,):
        possible = possible or possible_readings(values.texts, counts, share=share)
        if spec is not None:  # of a column of dates it is no question how numbers are written
            possible = [
                each
                for each in possible
                if _helps(column, spec, each, values.texts, counts, share=share)
            ]
    if len(possible) > 1:
        written = [
            f'dates = "{each.dates}"' if each.dates else f'decimal = "{each.decimal}"'
            for each in possible
        ]
        what = "dates" if possible[0].dates else "numbers"
        raise PolicyError(
            f"the {what} of column {column.name!r} can be read in {len(possible)} ways.",
            hint=f"write {' or '.join(written)} under its name in the policy.",
        )
    return possible[0] if possible else Reading()


def _helps(
    column: Column,
    spec: HierarchySpec,
    reading: Reading,
    texts: Sequence[str],
    counts: Sequence[int],
    *,
    share: int,
) -> bool:
    odd = set(unfit_in(column, spec, list(map(reading.read, texts)), counts))
    return nearly_all(texts, counts, lambda text: reading.read(text) not in odd, share=share)


def _refuse_two_kinds(
    column: Column, texts: Sequence[str], counts: Sequence[int], others: Sequence[str]
) -> None:
    """Ask what a column is meant to hold, if most of its records are numbers or dates, not all."""
    if others or not texts:
        return
    written = [(Reading(), is_number), (Reading(), is_date_or_time)]
    written += [(each, each.reads) for each in possible_readings(texts, counts, share=MOSTLY)]
    for reading, holds in written:
        if not nearly_all(texts, counts, holds, share=MOSTLY):
            continue
        odd = [text for text in texts if not holds(text)]
        if not odd:
            return
        numbers = holds is is_number or reading.decimal is not None
        raise _of_two_kinds(column.name, numbers, odd, dict(zip(texts, counts, strict=True)))


def _of_two_kinds(
    name: str, numbers: bool, odd: Sequence[str], count: Mapping[str, int]
) -> PolicyError:
    share = 1 - sum(count[text] for text in odd) / sum(count.values())
    words = _WORDS["number" if numbers else "date"]
    hierarchy = "{ intervals = [5, 10, 20] }" if numbers else '{ dates = ["month", "year"] }'
    return PolicyError(
        f"{share:.1%} of the records of column {name!r} are {words}, and a column is what 99% "
        "say: it is not clear what it is meant to hold.",
        hint=f'give it a hierarchy, such as {hierarchy}, and unknown = "suppress" or '
        '"missing" for the other cells; { suppression = true } if they are texts. '
        "`incrowd check` names their lines.",
        values=odd,
    )


def refuse_odd(odd: Odd, found: Found, n_records: int) -> None:
    """Raise if a column has cells that are not what it holds, and the policy does not say more."""
    if not odd.texts or (odd.column.unknown or "refuse") != "refuse":
        return
    places = found.told()
    raise HierarchyError(
        f"{found.records:,} of {n_records:,} records of column {odd.column.name!r} are not "
        f"{odd.holds}{': ' * bool(places)}{places}.",
        hint='mend them, or spell them alike with `clean`; unknown = "suppress" releases these '
        'cells as *, unknown = "missing" as missing ones. `incrowd check` names their lines.',
        values=odd.texts,
    )


def mended(
    engine: _E, policy: Policy, look: Callable[[_E], Countable]
) -> tuple[_E, Countable, Policy, tuple[str, ...]]:
    """Give the odd cells of a table the fate that its policy says, or refuse it.

    Parameters
    ----------
    engine, policy
        The table, cleaned as the policy says, and the policy.
    look
        What looks at the columns that are counted.

    Returns
    -------
    tuple
        The table, what is looked at of it, the policy with how its columns are read, and notes.
    """
    looking = look(engine)
    rules: dict[str, Rule] = {}
    stated: dict[str, Column] = {}
    notes: list[str] = []
    for column, values in open_questions(looking, engine, policy):
        odd = odd_cells(column, values)
        raw = odd.raw(values.texts)
        if raw and odd.column.fate_of_unknown == "refuse":
            table = looking if column.name in looking.names else engine
            refuse_odd(odd, table.where(column.name, raw), int(values.records.sum()))
        counts = zip(values.texts, values.records.tolist(), strict=True) if raw else ()
        notes += odd.notes(sum(n for text, n in counts if text in raw))
        rule = odd.rule()
        if rule is not None:
            rules[column.name] = rule
        stated[column.name] = odd.stated()
    if stated:
        columns = tuple(stated.get(column.name, column) for column in policy.columns)
        policy = replace(policy, columns=columns)
    if rules:
        engine = engine.cleaned(rules)
        looking = look(engine)
    return engine, looking, policy, tuple(notes)


def mended_alike(
    engine: _E, policy: Policy, recoding: Recoding, look: Callable[[_E], Countable]
) -> tuple[_E, Countable]:
    """Give the odd cells of new rows the fate that those of the first ones had.

    The parameters are those of `mended`, and the decision that is to be applied.
    """
    looking = look(engine)
    rules: dict[str, Rule] = {}
    for column, values in open_questions(looking, engine, policy):
        if column.name not in recoding.columns:
            odd = odd_cells(column, values)
            refuse_odd(odd, engine.where(column.name, odd.texts), engine.n_rows)
            rule = odd.rule()
        else:
            tree = recoding.hierarchies[recoding.columns.index(column.name)]
            rule = _unlisted_as_missing(column, tree, values.texts)
        if rule is not None:
            rules[column.name] = rule
    if not rules:
        return engine, looking
    engine = engine.cleaned(rules)
    return engine, look(engine)


def _unlisted_as_missing(column: Column, tree: Hierarchy, texts: Sequence[str]) -> Rule | None:
    if column.unknown != "missing":
        return None
    codes = with_new_leaves(tree, texts).match(texts).tolist()
    others = frozenset(text for text, code in zip(texts, codes, strict=True) if code < 0)
    return (lambda text: None if text in others else text) if others else None
