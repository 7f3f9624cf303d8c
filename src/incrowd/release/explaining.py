"""A saved decision and its table: what if it had been another."""

from pathlib import Path
from typing import Any

from incrowd.engines import Space
from incrowd.metrics import Outcome
from incrowd.recoding import Recoding, as_read
from incrowd.release.problem import state_new_rows
from incrowd.release.run import recoding_of
from incrowd.release.what_if import WhatIf, what_if


def explain_recoding(
    recoding: Recoding | str | Path,
    data: Any,
    *,
    engine: str | None = None,
    space: Space | None = None,
) -> WhatIf:
    """Look at what a saved recoding makes of a table from its neighbours, and column by column.

    Parameters
    ----------
    recoding
        The decision, or the file it was saved in.
    data
        The table that it was found on, or new rows.
    engine, space
        Where the rows are counted, and what that may take.
    """
    decision = recoding_of(recoding)
    problem = state_new_rows(data, decision, engine, space).problem
    assignment = decision.assign(problem.table, problem.hierarchies)
    outcome = Outcome(
        problem.table,
        problem.hierarchies,
        as_read(assignment, problem.hierarchies),
        problem.weights,
        problem.smallest_k,
    )
    return what_if(problem, decision, outcome)
