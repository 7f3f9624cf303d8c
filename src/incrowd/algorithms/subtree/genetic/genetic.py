"""Iyengar's genetic search for cuts through hierarchies and between numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from incrowd import kernels
from incrowd.algorithms.base import Effort, Honours, Problem, Purpose, algorithm
from incrowd.algorithms.parameters import check_choices, check_seed, fraction, records_allowed
from incrowd.algorithms.subtree.family.places import (
    ColumnCut,
    Flags,
    by_column,
    placed,
    released_within,
)
from incrowd.algorithms.subtree.genetic.genes import ColumnGenes, chromosomes_of, genes_of
from incrowd.progress import QUIET, Progress
from incrowd.recoding import Found, GlobalRecoding
from incrowd.requirements import whole_number

_EVALUATIONS: dict[Effort, int] = {"fast": 1_000, "default": 5_000, "best": 20_000}


@algorithm
@dataclass(frozen=True, kw_only=True)
class Genetic:
    """Breed cuts: good ones have children, and each child takes the place of the worst.

    A chromosome has a bit for each place where a column can be cut.  Records in classes that are
    too small are suppressed and cost as much as a record can.

    Parameters
    ----------
    metric
        What is minimised: the ``"loss"``, or ``"classification"``, the share of the records that
        are suppressed or not of the majority of their class, which needs a target.
    suppression_limit
        The share of the records that may be suppressed.
    population
        How many chromosomes live at a time.
    evaluations
        How many chromosomes are tried altogether.  [1]_ used a population of 5,000 and half a
        million evaluations.
    crossover
        The share of children with two parents.
    mutation
        The share of children with two parents of which some bits are flipped; all others have
        some flipped anyway.
    seed
        Draws the first population, the parents and the bits.

    Notes
    -----
    Numbers without a hierarchy of their own have a bit between each two neighbours that occur, in
    any set of which they are cut.  All other columns have a bit for each inner node of their
    hierarchy; a node that is set releases all under it and clears the nodes below.  A flipped bit
    sets a node, or parts the set node over it into the nodes below.  A child takes each column
    from either parent.  Parents are drawn by rank, with a bias of 1.5 towards the best [2]_; no
    two chromosomes alike live at a time.

    Chromosomes that suppress more records than the limit allows are worse than all others.  The
    table with every column at its root is in the first population, so there is always an answer.
    Departure from [1]_: the loss of numbers counts leaves, as everywhere in this library, not
    lengths.  Several requirements are counted together, those on sensitive values too: a chromosome
    costs what they suppress.  One of another package that kernels do not know is met by suppression
    after the search.  Columns that no requirement covers stay as they are.

    An evaluation costs O(tuples).

    References
    ----------
    .. [1] Iyengar: "Transforming data to satisfy privacy constraints", KDD 2002,
       doi:10.1145/775047.775089
    .. [2] Whitley: "The GENITOR algorithm and selection pressure: why rank-based allocation of
       reproductive trials is best", ICGA 1989
    """

    family: ClassVar = "subtree"
    honours: ClassVar[Honours] = "in the search"
    searches_cuts: ClassVar[bool] = True
    name: ClassVar[str] = "genetic"
    quicker: ClassVar[str] = "Fewer evaluations take less: the time is proportional to them."
    purposes: ClassVar[tuple[Purpose, ...]] = (
        "publication",
        "general",
        "queries",
        "classification",
    )

    metric: Literal["loss", "classification"] = "loss"
    suppression_limit: float = 1.0
    population: int = 200
    evaluations: int = 20_000
    crossover: float = 0.7
    mutation: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        check_choices(self)
        fraction(self.suppression_limit, "suppression_limit")
        whole_number(self.population, "population", at_least=2)
        whole_number(self.evaluations, "evaluations", at_least=1)
        fraction(self.crossover, "crossover")
        fraction(self.mutation, "mutation")
        check_seed(self.seed)

    @classmethod
    def suited(cls, purpose: Purpose, effort: Effort, problem: Problem) -> dict[str, Any]:
        """Return what `auto` builds it with."""
        metric = "classification" if purpose == "classification" else "loss"
        return {"evaluations": _EVALUATIONS[effort], "metric": metric}

    @property
    def carries(self) -> tuple[str, ...]:
        """The target, if the metric looks at it."""
        return ("target",) if self.metric == "classification" else ()

    def estimated_seconds(self, problem: Problem) -> float:
        """Return about how long the search takes: each evaluation looks at every tuple."""
        return 2.5e-9 * self.evaluations * problem.table.n_tuples * len(problem.columns)

    def solve(self, problem: Problem, progress: Progress = QUIET) -> GlobalRecoding:
        """Return the recoding under the best cuts that were bred."""
        problem.check_reachable()
        by_target = self.metric == "classification"
        table = placed(problem, problem.needed_target(self.name)[1] if by_target else None)
        columns = genes_of(problem, table)
        most = records_allowed(self.suppression_limit, problem.table.n_records)
        progress.start(self.name, total=self.evaluations)
        genes, cost, evaluated = kernels.genetic(
            table.kernel,
            chromosomes_of(columns),
            by_target,
            most,
            int(self.population),
            int(self.evaluations),
            float(self.crossover),
            float(self.mutation),
            self.seed,
            progress.update,
        )
        found = Found(
            self.name, self.metric, checked=evaluated, facts={"cost": cost, "genes": len(genes)}
        )
        return released_within(problem, _cuts(table.columns, columns, genes), found, most)


def _cuts(
    positions: Sequence[int], columns: Sequence[ColumnGenes], genes: Flags
) -> dict[int, ColumnCut]:
    pieces = by_column(genes, [each.n_genes for each in columns])
    return {j: each.cut(piece) for j, each, piece in zip(positions, columns, pieces, strict=True)}
