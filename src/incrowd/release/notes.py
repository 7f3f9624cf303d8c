"""What the data owner should know about a release, in words."""

from __future__ import annotations

from pathlib import Path

from incrowd.frame import find_formulas, is_csv, refuse_formulas
from incrowd.frame.source import Source
from incrowd.recoding import Labels, LocalRecoding, Recoding
from incrowd.release.problem import Run
from incrowd.release.result import Found
from incrowd.schema import Policy

_EXACT_LABELS = {"range": "the ends of ranges", "set": "the members of sets"}

KEPT_ORDER = 'order = "keep": the rows stand where they stood, for experiments only.'


def about_search(run: Run, found: Found) -> list[str]:
    """Return what the owner should know of a search and of what it has found."""
    return [
        *(
            f"{weaker.describe()} is implied by {stronger.describe()}, and was not searched for."
            for weaker, stronger in run.implied
        ),
        *found.recoding.found.facts.get("notes", ()),
        *_about_labels(found.recoding, run.policy.release.labels),
        *_about_one_class(found),
    ]


def _about_labels(recoding: Recoding, labels: Labels) -> list[str]:
    """Return what the owner should know of labels that are more exact than nodes."""
    if labels != "node" and recoding.kind == "global":
        return [
            f'labels = "{labels}": a recoding by levels has no classes of its own to write so; it '
            "is written as nodes."
        ]
    if labels in _EXACT_LABELS:
        return [
            f'labels = "{labels}": {_EXACT_LABELS[labels]} are values of the data, of single '
            'records too; labels = "node" names none that fewer than k share.'
        ]
    if isinstance(recoding, LocalRecoding) and recoding.aggregates:
        return [
            "means, medians and modes are worked out from the exact values of their class, also "
            "from those of single records."
        ]
    return []


def _about_one_class(found: Found) -> list[str]:
    """Return a note if all records became alike, though there are enough for two classes."""
    problem, assignment = found.problem, found.assignment
    kept = assignment.n_records - assignment.n_suppressed
    if assignment.n_classes != 1 or kept < 2 * problem.class_size:
        return []
    codes = problem.table.codes[:, assignment.tuple_of[assignment.class_of >= 0]]
    if (codes == codes[:, :1]).all():
        return []
    return [
        f"all {kept:,} released records fell into one class, though there are enough for two; "
        "another algorithm may keep some apart (see incrowd compare)."
    ]


def about_new_rows(found: Found, outside: int) -> str:
    """Say how many new rows lie outside the released classes, and how many in too small ones."""
    return (
        f"{outside:,} of the new records lie outside the released classes and are suppressed; "
        f"{found.assignment.n_suppressed - outside:,} more would stand in classes that are too "
        "small."
    )


def about_dropped(found: Found) -> str:
    """Say why suppressed records are not in the release, though the policy would mask them."""
    return (
        f"suppressed records ({found.assignment.n_suppressed:,}) do not meet the requirements as a "
        "class of their own, and were dropped."
    )


def about_formulas(source: Source, output: str | Path, policy: Policy) -> list[str]:
    """Say how many cells of a CSV file a spreadsheet would run; refuse them if the policy does."""
    if not is_csv(output):
        return []
    found = find_formulas(source)
    if policy.release.formulas == "refuse":
        refuse_formulas(found)
    if not found.total:
        return []
    if policy.release.formulas == "escape":
        return [
            f"{found.total:,} cells that spreadsheet programs would run have an apostrophe in "
            "front; `verify` and `measure` read them without it."
        ]
    return [
        f"spreadsheet programs would run {found.total:,} cells as formulas; formulas = "
        '"escape" in [release] prevents it.'
    ]
