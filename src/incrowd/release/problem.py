"""From a policy and a table to the problem that an algorithm solves."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.algorithms.base import Problem
from incrowd.algorithms.elsewhere import TuplesElsewhere
from incrowd.counts import FrequencyTable, SensitiveColumn, Target, refuse_single_tuples
from incrowd.engines import (
    Coding,
    Countable,
    Counted,
    DistinctValues,
    Engine,
    RowsInMemory,
    Space,
    engine_for,
    in_memory,
)
from incrowd.errors import (
    IncrowdError,
    InputError,
    ParameterError,
    PolicyError,
    UnsatisfiableError,
)
from incrowd.hierarchies import CountingSpec, built, check_covers, with_new_leaves
from incrowd.hierarchies.settling import settled
from incrowd.hierarchies.tree import Hierarchy
from incrowd.private import Private, private_dataclass
from incrowd.progress import QUIET, Progress, telling
from incrowd.recoding import Recoding
from incrowd.release.mending import mended, mended_alike, spec_of, unfit_in
from incrowd.release.released_table import sensitive_column
from incrowd.release.value_counts import count_values
from incrowd.requirements import BoundRequirements, Requirement, carried_by
from incrowd.requirements.about_values import AboutValues
from incrowd.schema import (
    Column,
    Policy,
    Roles,
    load_policy,
    policy_from_keywords,
    policy_from_mapping,
)
from incrowd.schema.roles import MAY_BE_CLEANED

_SAVE_AGAIN = "give the unchanged file that --recoding or `save` wrote."


@dataclass(eq=False)
class Stopwatch:
    """Seconds spent on each part of a run, by name; whoever waits is told which part it is.

    Parameters
    ----------
    progress
        What the parts are reported to.
    seconds
        What was spent.
    """

    progress: Progress = QUIET
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timing(self, part: str) -> Iterator[None]:
        """Add the time of a block to a part."""
        start = time.perf_counter()
        try:
            with telling(self.progress, part):
                yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - start


@private_dataclass
class Run(Private):
    """A run on its way: what is asked, and the rows that it is asked of.

    Parameters
    ----------
    policy, roles
        What the table's columns are, and what becomes of each.
    problem
        What is to be solved.
    counted
        The rows; whatever outlives the run does without them.
    implied
        Requirements that others imply, with those that do.
    notes
        What was found out about the input.
    watch
        What the time is spent on.
    close
        Lets go of what is held outside of memory.
    decided
        What was found already, where tuples are elsewhere.
    """

    policy: Policy
    roles: Roles
    problem: Problem
    counted: Counted
    implied: tuple[tuple[Requirement, Requirement], ...]
    notes: tuple[str, ...]
    watch: Stopwatch
    close: Callable[[], None]
    decided: Recoding | None = None

    @contextmanager
    def closed_on_failure(self) -> Iterator[None]:
        """Leave nothing behind if a block fails or is interrupted."""
        with _closed_on_failure(self.close):
            yield

    def with_target(self) -> Callable[[], FrequencyTable]:
        """Return what makes a table of the tuples with the target, and needs no row for it.

        Which tuples have which class is counted here, if the search did without.
        """
        assert self.policy.target is not None
        if self.policy.target in self.problem.table.carried:
            return partial(replace, self.problem.table)
        with self.watch.timing("count"):
            spread = self.counted.spread(self.policy.target)
        return partial(_with_target, self.problem.table, spread)


def _with_target(table: FrequencyTable, spread: FrequencyTable) -> FrequencyTable:
    return replace(spread, columns=table.columns, codes=table.codes[:, spread.codes[0]])


def policy_of(policy: Policy | str | Path | None = None, **described: Any) -> Policy:
    """Return a policy: the one given, the one in a file, or the one that keywords describe."""
    if policy is None:
        return policy_from_keywords(**described)
    if described:
        named = ", ".join(described)
        raise ParameterError(
            f"a policy is given, and beside it {named}.", hint="give one or the other."
        )
    if isinstance(policy, str | Path):
        return load_policy(policy)
    if not isinstance(policy, Policy):
        raise ParameterError(
            f"an object of type {type(policy).__name__} is no policy.",
            hint="pass a Policy, the path of a policy file, or keywords such as quasi_identifiers.",
        )
    return policy


def policy_in(recoding: Recoding) -> Policy:
    """Return the policy that a recoding was found under."""
    try:
        policy = policy_from_mapping(recoding.context)
    except IncrowdError as error:
        raise InputError(f"the policy in the recoding: {error.message}", hint=_SAVE_AGAIN) from None
    if policy.quasi_identifiers != recoding.columns:
        raise InputError(
            "the recoding is not about the quasi-identifiers of its policy.", hint=_SAVE_AGAIN
        )
    return policy


def open_table(
    data: Any, policy: Policy, engine: str | None = None, space: Space | None = None
) -> Engine:
    """Open a table as its policy says, with the engine of that name or the one that fits."""
    reading = policy.input
    opened = engine_for(
        data, engine, separator=reading.separator, encoding=reading.encoding, space=space
    )
    with _closed_on_failure(opened.close):
        return opened.cleaned(rules) if (rules := policy.cleaning_rules()) else opened


def open_in_memory(data: Any, policy: Policy, engine: str | None = None) -> RowsInMemory:
    """Open a table for what has to look at single rows, as classifiers do."""
    reading = policy.input
    opened = in_memory(data, engine, separator=reading.separator, encoding=reading.encoding)
    return opened.cleaned(rules) if (rules := policy.cleaning_rules()) else opened


def open_run(
    data: Any,
    policy: Policy,
    engine: str | None = None,
    carries: Sequence[str] = (),
    space: Space | None = None,
    *,
    anywhere: bool = False,
) -> Run:
    """Open a table and state the problem; the parameters are those of the two."""
    watch = Stopwatch(space.progress if space else QUIET)
    with watch.timing("read"):
        opened = open_table(data, policy, engine, space)
    with _closed_on_failure(opened.close):
        return state_problem(opened, policy, carries, watch, anywhere=anywhere)


@contextmanager
def _closed_on_failure(close: Callable[[], None]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        close()
        raise


def state_problem(
    engine: Engine,
    policy: Policy,
    carries: Sequence[str] = (),
    watch: Stopwatch | None = None,
    *,
    anywhere: bool = False,
) -> Run:
    """Check a table against its policy, build the hierarchies, and count its tuples.

    Parameters
    ----------
    engine, policy
        The table, and what its columns are.
    carries
        The roles of the columns that the search looks at beside the quasi-identifiers.
    watch
        Counts the seconds of the whole run.
    anywhere
        Whether whoever asks can do without the tuples themselves, if they do not fit here.
    """
    watch = watch or Stopwatch()
    with watch.timing("count"):
        requirements, implied = policy.requirements_resolved()
        looked_at = policy.sensitive if "sensitive" in carries else ()
        target = policy.target if "target" in carries else None
        asked = carried_for(requirements)
        carried = [*asked, *looked_at, *([] if target is None else [target])]
        roles = policy.check(engine.names)
        names = [*carried, *filter(None, [policy.target])]
        look = partial(_looking, policy=policy, carried=names)
        engine, looking, policy, notes = mended(engine, policy, look)
        codings = {
            name: _coding(looking, policy.column(name), policy) for name in policy.quasi_identifiers
        }
        counted = looking.count(
            codings,
            carried=tuple(dict.fromkeys(carried)),
            count=policy.count,
            persons=policy.entity,
        )
        if not anywhere:
            _refuse_tuples_elsewhere(counted)
        problem = _problem(policy, codings, requirements, counted.table, looked_at, target)
        notes = (*engine.notes, *notes)
        return Run(policy, roles, _settled(problem), counted, implied, notes, watch, engine.close)


def _problem(
    policy: Policy,
    codings: Mapping[str, Coding],
    requirements: tuple[Requirement, ...],
    table: FrequencyTable,
    looked_at: Sequence[str],
    target: str | None,
) -> Problem:
    columns = [policy.column(name) for name in codings]
    trees = tuple(coding.hierarchy for coding in codings.values())
    described = _described(policy, table, carried_for(requirements))
    _refuse_one_value(requirements, described)
    for j, (column, tree) in enumerate(zip(columns, trees, strict=True)):
        _check_domain(column, tree, table, j)
    return Problem(
        table,
        trees,
        BoundRequirements(requirements),
        np.array([column.weight for column in columns], dtype=np.float64),
        labels=policy.release.labels,
        given=tuple((each.hierarchy or each.levels) is not None for each in columns),
        sensitive=_described(policy, table, looked_at),
        target=None if target is None else Target(target, tuple(table.carried_values[target])),
        domains=tuple(column.domain for column in columns),
        described=described,
        masks=policy.release.suppressed == "mask",
    )


def _refuse_one_value(
    requirements: Sequence[Requirement], described: Sequence[SensitiveColumn]
) -> None:
    """Raise if a column has the same value in all records: no class can be told from the table."""
    alike = {each.name: each.texts for each in described if len(each.texts) == 1}
    for each in requirements:
        if isinstance(each, AboutValues) and each.column in alike:
            has = "missing cells alone" if None in alike[each.column] else "1 value"
            raise UnsatisfiableError(
                f"{each.describe()} cannot protect anybody: column {each.column!r} has {has}, so "
                "that every class has what the table has.",
                hint="leave this column out of the release, and the requirement out of the policy.",
            )


def _described(
    policy: Policy, table: FrequencyTable, names: Sequence[str]
) -> tuple[SensitiveColumn, ...]:
    """Return carried columns with what the policy says of them."""
    return tuple(
        sensitive_column(policy.column(name), table.carried_values[name]) for name in names
    )


def _settled(problem: Problem) -> Problem:
    """Let no search use ranges that could not be shown even if every record were released."""
    table = problem.table
    records = (
        table.by_leaf(j, tree.n_codes)[: tree.n_leaves]
        for j, tree in enumerate(problem.hierarchies)
    )
    columns = zip(problem.hierarchies, records, strict=True)
    trees = tuple(settled(tree, each, problem.crowd) for tree, each in columns)
    return replace(problem, hierarchies=trees)


def _check_domain(column: Column, hierarchy: Hierarchy, table: FrequencyTable, j: int) -> None:
    """Raise if a column lies outside the domain that the policy states, or holds no numbers."""
    if column.domain is None:
        return
    if hierarchy.numbers is None:
        raise PolicyError(
            f"column {column.name!r} has a domain, and not all of its values are numbers.",
            hint="leave `domain` out: it is for columns of numbers, and would do nothing here.",
        )
    present = np.flatnonzero(table.by_leaf(j, hierarchy.n_codes)[: hierarchy.n_leaves])
    numbers = hierarchy.numbers[present]
    outside = present[(numbers < column.domain[0]) | (numbers > column.domain[1])]
    if len(outside):
        raise PolicyError(
            f"column {column.name!r} has {len(outside)} distinct values outside its domain.",
            hint="an interval that ends at the domain must be true of them: widen `domain`, leave "
            "it out, or mend the values listed in `error.values`.",
            values=[hierarchy.leaves[code] for code in outside.tolist()],
        )


def check_table(engine: Engine, policy: Policy) -> None:
    """Hold a policy against a table that is to be counted: its columns, and whose its rows are."""
    policy.check(engine.names)
    if policy.entity is not None:
        _check_persons(engine, policy.entity, policy.input.missing)


def _looking(engine: Engine, policy: Policy, carried: Sequence[str]) -> Countable:
    """Return a table with what is counted of it; refuse it if persons cannot be told apart."""
    names = [*policy.quasi_identifiers, *carried, *filter(None, [policy.entity])]
    released = policy.check(engine.names).released_names
    cleanable = [column.name for column in policy.columns if column.role in MAY_BE_CLEANED]
    looking = engine.looking_at(
        tuple(dict.fromkeys(names)), policy.count, later=(*released, *cleanable)
    )
    if policy.entity is not None:
        _check_persons(looking, policy.entity, policy.input.missing)
    return looking


def _refuse_tuples_elsewhere(counted: Counted) -> None:
    """Refuse rows of which there are too many different ones for whoever looks at all of them."""
    if elsewhere(counted) is not None:
        refuse_single_tuples()


def elsewhere(counted: Counted) -> TuplesElsewhere | None:
    """Return the tuples where the rows are, if there are too many of them to be here."""
    return getattr(counted, "elsewhere", None)


def _check_persons(engine: Countable, name: str, missing: Sequence[str]) -> None:
    """Refuse rows of nobody."""
    persons = engine.distinct(name, missing=("", *missing))
    if persons.has_missing:
        raise PolicyError(
            f"column {name!r} has the role 'entity', and cells in it are missing: whose rows these "
            "are cannot be told.",
            hint="fill them in or leave these rows out.",
        )


def state_new_rows(
    data: Any, recoding: Recoding, engine: str | None = None, space: Space | None = None
) -> Run:
    """Open rows that a decision has not seen, and count them over its hierarchies."""
    policy, watch = policy_in(recoding), Stopwatch(space.progress if space else QUIET)
    with watch.timing("read"):
        opened = open_table(data, policy, engine, space)
    with _closed_on_failure(opened.close), watch.timing("count"):
        requirements, implied = policy.requirements_resolved()
        carried = recoding.carried or carried_for(requirements)
        roles = policy.check(opened.names)
        look = partial(_looking, policy=policy, carried=carried)
        opened, looking = mended_alike(opened, policy, recoding, look)
        codings = code_new_rows(looking, policy, recoding)
        counted = looking.count(codings, carried=carried, count=policy.count, persons=policy.entity)
        _refuse_tuples_elsewhere(counted)
    trees = tuple(coding.hierarchy for coding in codings.values())
    described = _described(policy, counted.table, carried_for(requirements))
    _refuse_one_value(requirements, described)
    problem = Problem(
        counted.table,
        trees,
        BoundRequirements(requirements),
        np.array([policy.column(name).weight for name in codings], dtype=np.float64),
        described=described,
        masks=policy.release.suppressed == "mask",
    )
    return Run(policy, roles, problem, counted, implied, opened.notes, watch, opened.close)


def code_new_rows(engine: Countable, policy: Policy, recoding: Recoding) -> dict[str, Coding]:
    """Code new rows over the hierarchies of a recoding; what no leaf covers is unknown."""
    codings = {}
    for name, hierarchy in zip(recoding.columns, recoding.hierarchies, strict=True):
        values, missing = _distinct(engine, name, hierarchy, policy.input.missing)
        wider = with_new_leaves(hierarchy, values.texts)
        covered = check_covers(wider, values.texts, name, "suppress", values.has_missing)
        codings[name] = Coding(*covered, missing)
    return codings


def _coding(engine: Countable, column: Column, policy: Policy) -> Coding:
    spec, missing = spec_of(column), policy.input.missing
    assert spec is not None  # a quasi-identifier has one
    values = engine.distinct(column.name, missing=missing)
    taken: Sequence[str] = values.texts
    if column.unknown == "suppress":  # else odd cells were refused before, or are missing
        odd = frozenset(unfit_in(column, spec, values.texts, values.records.tolist()))
        taken = [text for text in values.texts if text not in odd]
    if isinstance(spec, CountingSpec):
        counted = count_values(engine, column.name, missing, policy.target, policy.count)
        spec = spec.counting(counted, column=column.name)
    hierarchy = built(spec, taken, column=column.name)
    if any(hierarchy.match([text])[0] >= 0 for text in missing):
        values, missing = _distinct(engine, column.name, hierarchy, missing)
    tree, codes = check_covers(
        hierarchy, values.texts, column.name, column.fate_of_unknown, values.has_missing
    )
    return Coding(_within_levels(tree, column), codes, missing)


def _within_levels(tree: Hierarchy, column: Column) -> Hierarchy:
    """Return a hierarchy that is released at the levels that the policy allows."""
    if column.levels is None:
        return tree
    if column.levels[1] > tree.height:
        raise PolicyError(
            f"levels of column {column.name!r} go up to {column.levels[1]}, and its hierarchy has "
            f"the levels 0 to {tree.height}.",
            hint="0 is the value itself and the highest level the root; `incrowd hierarchy show` "
            "prints the levels of a file.",
        )
    return tree.within(*column.levels)


def _distinct(
    engine: Countable, name: str, hierarchy: Hierarchy, missing: Sequence[str]
) -> tuple[DistinctValues, tuple[str, ...]]:
    """Return the values of a column, and what is missing: no text that the hierarchy lists is."""
    unlisted = tuple(text for text in missing if hierarchy.match([text])[0] < 0)
    return engine.distinct(name, missing=unlisted), unlisted


def carried_for(requirements: Sequence[Requirement]) -> tuple[str, ...]:
    """Return the columns that requirements look at."""
    return tuple(dict.fromkeys(name for each in requirements for name in carried_by(each)))
