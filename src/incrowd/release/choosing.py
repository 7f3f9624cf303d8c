"""Which algorithm searches, with what parameters, and how much its release may suppress."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from incrowd.algorithms import (
    ALGORITHMS,
    Algorithm,
    algorithm_called,
    build_algorithm,
    parameters_of,
    said_by,
)
from incrowd.algorithms.parameters import fraction, records_allowed
from incrowd.errors import ParameterError, UnsatisfiableError
from incrowd.recoding import Assignment, Recoding
from incrowd.schema import AlgorithmChoice, Policy
from incrowd.schema.options import LIMIT


def algorithm_of(policy: Policy, algorithm: Algorithm | str | None = None) -> Algorithm:
    """Return the algorithm that was asked for, or the policy's.

    An algorithm in the place of the policy's has those of the policy's parameters that it knows.
    The policy's suppression limit binds it in any case, see `limit_of`.
    """
    choice = policy.algorithm
    if algorithm is None or isinstance(algorithm, str):
        return _built(choice if algorithm is None else choice.replaced(algorithm, {}))
    if isinstance(algorithm, type) or not hasattr(algorithm, "solve"):
        raise ParameterError(
            "the algorithm is neither the name of one nor an algorithm.",
            hint='pass for example "flash", or Flash(suppression_limit=0.05).',
        )
    limit, usual = _stated_limit(choice), parameters_of(type(algorithm)).get(LIMIT)
    if limit is None or not hasattr(algorithm, LIMIT):
        return algorithm
    own = getattr(algorithm, LIMIT)
    if own == usual and (own is None or own > limit):  # nobody asked for more than the policy says
        return replace(algorithm, **{LIMIT: limit})  # type: ignore[type-var]
    return algorithm


def _built(choice: AlgorithmChoice) -> Algorithm:
    """Build what a policy or a flag chooses; what is wrong in it is refused."""
    known = parameters_of(algorithm_called(choice.name))
    parameters = dict(choice.parameters)
    if LIMIT in parameters and LIMIT not in known:
        fraction(parameters.pop(LIMIT), LIMIT)
    return build_algorithm(choice.name, {**_inherited(choice, known), **parameters})


def _inherited(choice: AlgorithmChoice, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the policy's own algorithm that another in its place takes."""
    before = choice.instead_of
    if before is None:
        return {}
    _built(before)  # a misspelt parameter is no less wrong while another algorithm runs
    shared = {
        key: value
        for key, value in before.parameters.items()
        if key in known and key not in choice.parameters
    }
    if _is_accepted(choice.name, shared):
        return shared
    return {key: value for key, value in shared.items() if _is_accepted(choice.name, {key: value})}


def _is_accepted(name: str, parameters: dict[str, Any]) -> bool:
    """Whether an algorithm takes parameters; one name may mean different things."""
    try:
        build_algorithm(name, parameters)
    except ParameterError:
        return False
    return True


def about_left_out(policy: Policy, algorithm: Algorithm) -> list[str]:
    """Return a note on parameters of the policy that the algorithm in place of its own has not."""
    choice = policy.algorithm
    before = choice.instead_of if algorithm.name == choice.name else choice
    if before is None or before.name == algorithm.name:
        return []
    given = {LIMIT, *(choice.parameters if before is not choice else ())}
    names = [
        key
        for key, value in before.parameters.items()
        if key not in given and getattr(algorithm, key, None) != value
    ]
    if not names:
        return []
    return [
        f"{', '.join(names)} of the policy left out: {algorithm.name} took the place of "
        f"{before.name}, and has no such parameter or not that value."
    ]


def _stated_limit(choice: AlgorithmChoice) -> float | None:
    stated = choice.parameters.get(LIMIT)
    return None if stated is None else fraction(stated, LIMIT)


def limit_of(policy: Policy, algorithm: Algorithm) -> float | None:
    """Return the share of the records that a release may suppress; None if nobody set a limit.

    A limit given to the algorithm itself counts, otherwise the policy's, whether the algorithm has
    such a parameter or not.
    """
    own = getattr(algorithm, LIMIT, None)
    if own is not None and own != parameters_of(type(algorithm)).get(LIMIT):
        return float(own)
    return _stated_limit(policy.algorithm)


def within(recoding: Recoding, policy: Policy, algorithm: Algorithm) -> Recoding:
    """Return a decision that says what it might have suppressed at most."""
    limit = limit_of(policy, algorithm)
    own = getattr(algorithm, LIMIT, None)
    found = replace(recoding.found, suppression_limit=own if limit is None else limit)
    return replace(recoding, found=found)  # type: ignore[type-var]


def refuse_beyond(limit: float | None, algorithm: str, assignment: Assignment) -> None:
    """Raise if more records are suppressed than the limit allows."""
    records, suppressed = assignment.n_records, assignment.n_suppressed
    if limit is None or suppressed <= records_allowed(limit, records):
        return
    reachable = math.ceil(suppressed / records * 10_000) / 10_000
    raise UnsatisfiableError(
        f"{algorithm} suppresses {suppressed:,} of {records:,} records; suppression_limit = "
        f"{limit:g} allows {records_allowed(limit, records):,}.",
        hint=f"it reaches suppression_limit = {reachable:g}; or take an algorithm that searches "
        "within the limit, such as flash, or weaken the requirements.",
    )


def carries_of(algorithm: Algorithm) -> tuple[str, ...]:
    """Return the roles of the columns that a search looks at beside the quasi-identifiers."""
    return tuple(said_by(algorithm, "carries"))


def with_runtime_options(algorithm: Algorithm, **options: Any) -> Algorithm:
    """Return the algorithm with options such as seed and threads; refuse those it does not have."""
    given = {key: value for key, value in options.items() if value is not None}
    known = parameters_of(type(algorithm))
    for key in given:
        if key not in known:
            flag = key.replace("_", "-")
            others = (name for name, cls in ALGORITHMS.items() if key in parameters_of(cls))
            raise ParameterError(
                f"--{flag} does nothing: algorithm {algorithm.name!r} has no {key}.",
                hint=f"leave it out; algorithms with {key} are {', '.join(others)}.",
            )
    return replace(algorithm, **given) if given else algorithm  # type: ignore[type-var]
