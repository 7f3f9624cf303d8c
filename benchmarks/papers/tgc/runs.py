"""What the experiments of the TGC paper measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parts import Figures, Run

import incrowd as ic
from incrowd.metrics import protection


def quality(release: ic.Release, estimation_range: float = 1.0) -> Figures:
    """Return utility, protection and the sizes of the classes of a release."""
    facts = release.recoding.found.facts
    chosen = {name: facts[name] for name in ("threshold", "rejected") if name in facts}
    return {
        "UM": release.metric("utility"),
        "protection": protection(release.outcome, estimation_range),
        "DM": release.metric("discernibility"),
        "NCP": release.metric("ncp"),
        "classes": release.facts["classes"],
        "largest class": int(release.outcome.assignment.class_sizes.max()),
        "seconds": release.seconds["search"],
        **chosen,
    }


def with_normalised_errors(runs: Sequence[Run], errors: Sequence[str], left_out: str) -> list[Run]:
    """Add to the runs at one place where each error lies between the best and the worst.

    The errors of the algorithm that is left out lie far outside, and are not normalised.
    """
    compared = [run for run in runs if run.algorithm != left_out]
    found = []
    for run in runs:
        figures = dict(run.figures)
        for error in errors if run in compared else ():
            all_errors = [each.figures[error] for each in compared]
            figures[f"{error}, normalised"] = ic.normalised_error(
                run.figures[error], best=min(all_errors), worst=max(all_errors)
            )
        found.append(replace(run, figures=figures))
    return found
