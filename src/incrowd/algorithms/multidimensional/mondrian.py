"""Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006): cut regions while all sides stay safe."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from incrowd import kernels
from incrowd.algorithms.base import Effort, Family, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.elsewhere import CoarselyCounted, TuplesElsewhere
from incrowd.algorithms.multidimensional.family.top_cuts import cut_elsewhere
from incrowd.algorithms.multidimensional.family.undoing import undone
from incrowd.algorithms.multidimensional.family.widths import region_widths
from incrowd.algorithms.parameters import check_choices, check_threads, threads_to_use
from incrowd.algorithms.shared.covered import covered_columns_alone
from incrowd.algorithms.shared.gain import gain_split
from incrowd.algorithms.shared.merging import meeting_all
from incrowd.arrays import Codes
from incrowd.counts import Parts
from incrowd.errors import ParameterError
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, LocalRecoding, MultidimensionalRecoding, SplitTree

Variant = Literal["strict", "relaxed"]
Split = Literal["median", "hierarchy", "gain"]

# Records that one thread splits at a time, once there are so few in a region.
_GAIN_BUCKET = 20_000


@algorithm
@dataclass(frozen=True, kw_only=True)
class Mondrian:
    """Cut the space of tuples at medians, or into nodes, while all sides stay safe.

    A region is cut in its widest column that has an allowable cut: one after which every side meets
    every requirement.  Regions without any are released as they are.

    Parameters
    ----------
    variant
        ``"strict"``: equal values stay together, regions do not overlap, and the recoding can be
        applied to new rows.  ``"relaxed"``: records with the median value are divided, so that
        both sides get half of the records.
    split
        Where a region is cut: at the ``"median"`` of the records in leaf order; into the children
        of the lowest ``"hierarchy"`` node that covers it, all of which must be safe; or into those
        children where that removes the most loss (``"gain"``), children that are too small together
        and with the nearest records that others can spare.  Gain looks at all columns, and has no
        variants: what is borrowed may be divided.
    threads
        How many threads to use; all cores if not given.  The result does not depend on it.

    Notes
    -----
    Widths: numbers in ascending order count their range over that of all leaves, other columns the
    leaves of the lowest node that covers the region over all leaves; a single value is 0 wide,
    a missing cell beside others as wide as the whole column.  With ``split="hierarchy"`` all
    columns count leaves.  A column's weight multiplies its width; of equally wide columns the
    first in the policy is cut.  The median is the smallest value that half of the records do not
    exceed, or the value before the largest.  Cost: O(distinct tuples x depth), whatever the number
    of records.

    A plug-in requirement without a compiled form is not asked about each cut.  The others decide
    about these; afterwards cuts are undone from the bottom up, until every region meets it too.
    Relaxed classes that do not are merged with others.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan: "Mondrian Multidimensional K-Anonymity", ICDE 2006,
       doi:10.1109/ICDE.2006.101
    """

    name: ClassVar[str] = "mondrian"
    family: ClassVar[Family] = "multidimensional"
    honours: ClassVar[Honours] = "in the search"
    purposes: ClassVar[tuple[Purpose, ...]] = ("general", "queries", "classification")
    quick: ClassVar[bool] = True

    variant: Variant = "strict"
    split: Split = "median"
    threads: int | None = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_threads(self.threads)
        if self.variant == "relaxed" and self.split != "median":
            raise ParameterError(
                f'variant = "relaxed" has no meaning for split = "{self.split}".',
                hint="the children of a node share no value that could be divided between them.",
            )

    @classmethod
    def suited(cls, purpose: Purpose, effort: Effort, problem: Problem) -> dict[str, Any]:
        """Return what `auto` builds it with: splits by gain lose least."""
        return {"split": "gain"}

    @covered_columns_alone
    def solve(
        self, problem: Problem, progress: Progress = QUIET
    ) -> MultidimensionalRecoding | LocalRecoding:
        """Return the regions, or the classes if records with equal values are divided."""
        problem.check_reachable()
        if self.split == "gain":
            found = gain_split(problem, _GAIN_BUCKET, self.threads, progress, self.name)
            return problem.in_classes(found.parts, self._found(found.parts.n_classes))
        progress.start("mondrian", total=problem.table.n_tuples)
        regions = region_widths(problem, only_trees=self.split == "hierarchy")
        if self.variant == "relaxed":
            parts = self._relaxed_parts(problem, regions, progress)
            return problem.in_classes(parts, self._found(parts.n_classes))
        tree, low, high = self._strict_regions(problem, regions, progress)
        return problem.in_regions(tree, low, high, self._found(tree.n_regions))

    def solve_elsewhere(
        self, problem: Problem, tuples: TuplesElsewhere, progress: Progress = QUIET
    ) -> tuple[MultidimensionalRecoding, CoarselyCounted]:
        """Return the same regions, of tuples that are counted where the rows are."""
        if (self.variant, self.split) != ("strict", "median"):
            raise ParameterError(
                "mondrian looks at every different row unless it is strict and splits at medians, "
                f"and there are more than {tuples.most:,} of the columns that it looks at.",
                hint='use variant = "strict" and split = "median", or allow more (collect_limit=).',
            )
        progress.start("mondrian")
        return cut_elsewhere(replace(self, threads=1), problem, tuples, self._found)

    def cut(self, problem: Problem) -> tuple[SplitTree, Codes, Codes]:
        """Return the cuts of a table into strict regions, and what these span."""
        return self._strict_regions(problem, region_widths(problem), QUIET)

    def _strict_regions(
        self, problem: Problem, regions: kernels.Regions, progress: Progress
    ) -> tuple[SplitTree, Codes, Codes]:
        table = problem.table
        *tree, low, high = kernels.mondrian(
            table.kernel,
            regions,
            problem.requirements.kernel,
            problem.class_size,
            self.split == "hierarchy",
            threads_to_use(self.threads),
            progress.update,
        )
        found = SplitTree(*tree)
        if not problem.requirements.compiled:
            found, low, high = undone(problem, found)
        shape = (-1, len(table.columns))
        return found, low.reshape(shape), high.reshape(shape)

    def _relaxed_parts(
        self, problem: Problem, regions: kernels.Regions, progress: Progress
    ) -> Parts:
        tuple_of, class_of, records = kernels.relaxed_mondrian(
            problem.table.kernel,
            regions,
            problem.requirements.kernel,
            problem.class_size,
            threads_to_use(self.threads),
            progress.update,
        )
        n_classes = int(class_of.max(initial=-1)) + 1
        parts = Parts(tuple_of, class_of, records, n_classes)
        return parts if problem.requirements.compiled else meeting_all(problem, parts)

    def _found(self, regions: int) -> Found:
        search = "gain" if self.split == "gain" else self.variant
        facts = {"variant": self.variant, "split": self.split, "regions": regions}
        return Found(self.name, search, facts=facts)
