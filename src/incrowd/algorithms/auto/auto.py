"""The algorithm for those who have not chosen one: try what serves a purpose, keep the best."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from incrowd.algorithms.auto.attempts import Attempt, Candidates
from incrowd.algorithms.auto.judges import Judge, judge_for
from incrowd.algorithms.auto.telling import with_choice
from incrowd.algorithms.base import (
    ALGORITHMS,
    Effort,
    Family,
    Honours,
    Problem,
    Purpose,
    algorithm,
    said_by,
)
from incrowd.algorithms.parameters import (
    check_choices,
    check_seed,
    check_threads,
    fraction,
    most_seconds,
    positive,
)
from incrowd.algorithms.shared.clock import TimeUp, Watched
from incrowd.errors import IncrowdError, UnsatisfiableError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Recoding

OTHERS: tuple[Purpose, ...] = ("publication", "general", "queries")
"""The purposes whose figure is quickly found, told beside the one that was asked for."""

_EQUAL = 1e-12  # figures that differ by less are the same: the first candidate stays


@algorithm
@dataclass(frozen=True, kw_only=True)
class Auto:
    """Run the searches that serve a purpose on all records, and keep the best.

    Parameters
    ----------
    purpose
        What the release is for.  ``"publication"``: one domain per column, so that the decision can
        be read, and applied to later rows; judged by `loss`.  ``"general"``: the least `loss`, in
        classes of any shape.  ``"queries"``: counts, judged by their error.  ``"classification"``:
        what tells the classes of the target apart, judged by the accuracy of a classifier.
    effort
        How long to search: ``"fast"``, ``"default"`` or ``"best"``.
    suppression_limit
        The share of the records that may be suppressed.
    time_limit
        After so many seconds the best so far is taken, and a note says so.  Without one no clock
        decides anything.
    seed
        Of what is drawn at random.
    threads
        How many; all cores if not given.  The choice does not depend on it.

    Notes
    -----
    Candidates are the algorithms that name the purpose in their `purposes`, the quick ones first,
    then in the order of the registry; of equal figures the first stays.  Each is judged as it would
    be released, with settled labels.  One that cannot meet the requirements, or suppresses more
    than the limit, is told with its reason and left out.

    What is told is in ``found.choice`` and in the notes of the release: every candidate
    with its figure, and what another purpose would give as far as it was tried, or can be tried
    in no time.
    """

    name: ClassVar[str] = "auto"
    family: ClassVar[Family] = "choice"
    honours: ClassVar[Honours] = "in the search"

    purpose: Purpose = "publication"
    effort: Effort = "default"
    suppression_limit: float = 0.05
    time_limit: float | None = None
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        limit = fraction(self.suppression_limit, "suppression_limit")
        object.__setattr__(self, "suppression_limit", limit)
        positive(self.time_limit, "time_limit")
        check_seed(self.seed)
        check_threads(self.threads)

    @property
    def carries(self) -> tuple[str, ...]:
        """What the candidates look at: the target, if it is to be told."""
        told = [said_by(cls, "carries") for cls in self._classes(self.purpose)]
        roles = [role for each in told if isinstance(each, tuple) for role in each]
        target = ["target"] if self.purpose == "classification" else []
        return tuple(dict.fromkeys([*target, *roles]))

    def _classes(self, purpose: Purpose) -> list[type]:
        """Return the algorithms that say they serve a purpose, the quick ones first."""
        found = [
            cls for cls in ALGORITHMS.everything().values() if purpose in said_by(cls, "purposes")
        ]
        return sorted(found, key=lambda cls: not said_by(cls, "quick"))

    def solve(self, problem: Problem, progress: Progress = QUIET) -> Recoding:
        """Return the decision of the best candidate, which it names, with what was tried."""
        until = time.monotonic() + most_seconds(self.time_limit)
        judge = judge_for(self.purpose, problem, self.effort, self.seed)
        tried = self._tried(problem, judge, Watched(progress, until))
        best = _best(tried, judge)
        others = self._others(problem, tried, best)
        return with_choice(self, judge, tried, best, others, ended=time.monotonic() > until)

    def _tried(self, problem: Problem, judge: Judge, progress: Watched) -> list[Attempt]:
        """Run and judge the candidates, as far as there is time; the first always runs."""
        candidates = Candidates(self, problem, self.purpose)
        tried: list[Attempt] = []
        for cls in self._classes(self.purpose):
            try:
                tried.append(candidates.run(cls, progress))
                tried[-1] = tried[-1].judged_by(judge, progress)
            except TimeUp:
                break
        return tried

    def _others(
        self, problem: Problem, tried: Sequence[Attempt], best: Attempt
    ) -> dict[Purpose, tuple[Judge, Attempt, Attempt]]:
        """Return by other purpose its judge, what it would choose, and how that sees the best.

        Of what was tried, or is tried in no time; nothing is trained for a purpose that nobody
        asked for.
        """
        known = {type(each.algorithm): each for each in tried}
        found = {}
        for purpose in OTHERS if self.time_limit is None else ():
            if purpose == self.purpose:
                continue
            judge = judge_for(purpose, problem, self.effort, self.seed)
            candidates = Candidates(self, problem, purpose)
            for cls in self._classes(purpose):
                if cls not in known and said_by(cls, "quick"):
                    known[cls] = candidates.run(cls, QUIET)
            serving = [known[cls] for cls in self._classes(purpose) if cls in known]
            with suppress(IncrowdError):  # a purpose that makes no sense here gives nothing
                judged = [each.judged_by(judge, QUIET) for each in serving]
                own = best.judged_by(judge, QUIET)
                found[purpose] = (judge, _best(judged, judge), own)
        return found


def _best(tried: Sequence[Attempt], judge: Judge) -> Attempt:
    """Return the best of some attempts, or raise what kept the first from being made."""
    best: Attempt | None = None
    for each in tried:
        if each.reason is None and (best is None or judge.prefers(each, best, by=_EQUAL)):
            best = each
    if best is not None:
        return best
    errors: list[IncrowdError] = [each.error for each in tried if each.error is not None]
    raise next((each for each in errors if isinstance(each, UnsatisfiableError)), errors[0])
