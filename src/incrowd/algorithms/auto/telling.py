"""What `auto` says of its choice: what was tried, what won and why, what else there is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from incrowd.algorithms.auto.attempts import Attempt
from incrowd.algorithms.auto.judges import Judge
from incrowd.algorithms.base import Purpose
from incrowd.recoding import Recoding

KEEPS: dict[Purpose, str] = {
    "publication": "one domain per column, which can be applied to later rows",
    "general": "the least loss, in classes of any shape",
    "queries": "counts",
    "classification": "what tells the classes of the target apart",
}


def with_choice(
    asked: Any,
    judge: Judge,
    tried: Sequence[Attempt],
    best: Attempt,
    others: Mapping[Purpose, tuple[Judge, Attempt, Attempt]],
    *,
    ended: bool,
) -> Recoding:
    """Return the best decision, with what is to be told of the choice among its facts.

    Parameters
    ----------
    asked
        The `Auto` that chose.
    judge, tried, best
        What decided, between which candidates, and for which.
    others
        By other purpose: its judge, what would be chosen there, and what was chosen, judged so.
    ended
        Whether the time limit ended the search.
    """
    choice: dict[str, Any] = {
        "purpose": asked.purpose,
        "keeps": KEEPS[asked.purpose],
        "effort": asked.effort,
        "judged_by": judge.name,
        "how": judge.how,
        "chosen": best.algorithm.name,
        "candidates": [each.told(judge.name) for each in tried],
        "other_purposes": [
            {
                "purpose": purpose,
                "judged_by": by.name,
                "algorithm": other.algorithm.name,
                by.name: other.figure,
                "chosen": own.figure,
            }
            for purpose, (by, other, own) in others.items()
        ],
        "ended_by_time_limit": ended,
    }
    recoding: Any = best.recoding
    found = recoding.found
    notes = [*_notes(asked, judge, tried, best, others), *found.facts.get("notes", ())]
    facts = {**found.facts, "notes": notes}
    if ended:
        facts["ended_by_time_limit"] = True
    result: Recoding = replace(recoding, found=replace(found, facts=facts, choice=choice))
    return result


def _notes(
    asked: Any,
    judge: Judge,
    tried: Sequence[Attempt],
    best: Attempt,
    others: Mapping[Purpose, tuple[Judge, Attempt, Attempt]],
) -> list[str]:
    """Return the choice in words."""
    usable = [each for each in tried if each.reason is None]
    listed = ", ".join(_figure(each, judge) for each in usable)
    direction = "least" if judge.better == "lower" else "highest"
    notes = [
        f'purpose = "{asked.purpose}" keeps {KEEPS[asked.purpose]}. Tried: {listed}. '
        f"{best.algorithm.name} was chosen: the {direction} {judge.name} ({judge.how})."
        if best.figure is not None
        else f"{best.algorithm.name} was chosen, the first that was done."
    ]
    notes += [
        f"{each.algorithm.name} could not be chosen: {each.reason}"
        for each in tried
        if each.reason is not None
    ]
    for purpose, (by, other, own) in others.items():
        if other.algorithm.name != best.algorithm.name and own.figure is not None:
            notes.append(
                f'purpose = "{purpose}" would keep {KEEPS[purpose]}: {by.name} {other.figure:.4g} '
                f"or less ({other.algorithm.name}), beside {own.figure:.4g} here."
            )
    return notes


def _figure(attempt: Attempt, judge: Judge) -> str:
    if attempt.figure is None:
        return f"{attempt.algorithm.name} (not judged)"
    return f"{attempt.algorithm.name} ({judge.name} {attempt.figure:.4g})"
