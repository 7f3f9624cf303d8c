"""The scikit-learn transformer: learn a recoding on training rows, show new rows through it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from incrowd.algorithms import Algorithm, Problem
from incrowd.engines import CountedInMemory, in_memory
from incrowd.errors import InputError, MissingDependencyError, ParameterError, PolicyError
from incrowd.frame.arrays import ArraySource
from incrowd.frame.features import Features, column_beside, in_container, is_frame
from incrowd.frame.native import from_frame
from incrowd.frame.source import NewCells, Replacement
from incrowd.hierarchies.tree import ROOT
from incrowd.recoding import Assignment
from incrowd.release.choosing import algorithm_of, carries_of
from incrowd.release.problem import code_new_rows, policy_of, state_problem
from incrowd.release.run import refuse_empty, refuse_oversized, search
from incrowd.requirements import Requirement
from incrowd.schema import Column, Policy

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils._set_output import _get_output_config
    from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data
except ImportError:
    raise MissingDependencyError(
        "Anonymizer is a scikit-learn transformer, and scikit-learn 1.6 or newer is not installed.",
        hint="pip install 'incrowd[ml]'",
    ) from None

_DESCRIBED = (
    *("quasi_identifiers", "requirements", "sensitive", "identifiers", "insensitive", "weights"),
    *("unknown", "levels", "other_columns", "missing", "labels"),
)
"""The parameters that describe a policy, and have no meaning beside one."""


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a recoding on training rows, and show new rows through it.

    **What it returns is a frame for learning and not a release**: rows stand where they stood, new
    rows are never suppressed, and nothing is verified.  To share a table use `anonymize`.

    Parameters
    ----------
    policy
        A `Policy` or the path of a policy file; `k`, `algorithm` and `target` may be given beside
        it.  Without one the columns are described by the other parameters, as in `policy`.
    quasi_identifiers
        Names, or names with their hierarchies.  All columns without another role if neither they
        nor a policy are given.
    k
        The smallest crowd.  It takes the place of the k of the policy's one k-anonymity, so that
        a grid search can vary it.
    requirements
        What every class must hold.
    algorithm
        An algorithm or the name of one; the policy's if not given.
    target
        What `y` is called, or the column of `X` that is to be predicted.
    sensitive, identifiers, insensitive
        Columns with these roles.  Identifiers are left out of what is returned.
    weights
        By quasi-identifier: how much its loss counts.
    unknown
        What `fit` does about values that a given hierarchy does not list: ``"suppress"`` (if not
        given) shows them as the root, ``"refuse"`` raises; or by quasi-identifier.
    levels
        By quasi-identifier: the lowest and the highest level of its hierarchy to be shown.
    other_columns
        What happens to columns without a role: ``"keep"`` (if not given), ``"drop"``, ``"refuse"``.
    missing
        Texts that stand for a missing cell; the empty one if not given.
    labels
        How regions and classes are written: ``"node"``, ``"grid"``, ``"range"`` or ``"set"``.

    Attributes
    ----------
    recoding_
        The decision.
    facts_
        Its figures on the training rows: records, suppressed, classes, levels ...
    policy_
        The policy it was found under.
    feature_names_in_, n_features_in_
        The columns of the training rows.

    Notes
    -----
    ``fit_transform(X)`` is not ``fit(X).transform(X)``.  The first returns the training rows as a
    release would show them, suppressed ones masked with ``*``, so that a pipeline learns from what
    others would get.  The second recodes rows as new ones, none suppressed, so that each gets an
    answer.  That is the protocol of [1]_: levels come from the training rows alone and are mapped
    to the test rows.

    An unseen value is shown as the lowest released value that covers it, or as ``*``.  Columns that
    the recoding leaves as they are keep their type, and numbers in them are passed on even if they
    are new; all other quasi-identifiers are text.

    Equal records that a clustering deals to different classes are dealt the same way every time.

    References
    ----------
    .. [1] Li, Liu, Baig, Wong: "Information based data anonymization for classification utility",
       Data & Knowledge Engineering 70(12), 2011, doi:10.1016/j.datak.2011.07.001

    Examples
    --------
    >>> import pyarrow as pa
    >>> from incrowd.hierarchies import intervals
    >>> people = pa.table({"age": [31, 34, 38, 52, 57], "pulse": [60, 70, 65, 80, 75]})
    >>> anonymizer = Anonymizer(quasi_identifiers={"age": intervals(10, 20)}, k=2)
    >>> anonymizer.fit_transform(people)["age"].to_pylist()
    ['[30, 40)', '[30, 40)', '[30, 40)', '[50, 60)', '[50, 60)']
    >>> anonymizer.transform(pa.table({"age": [36, 99], "pulse": [61, 62]})).to_pylist()
    [{'age': '[30, 40)', 'pulse': 61}, {'age': '*', 'pulse': 62}]
    """

    def __init__(
        self,
        policy: Policy | str | Path | None = None,
        *,
        quasi_identifiers: Any = None,
        k: int | None = None,
        requirements: Sequence[Requirement] | Requirement | None = None,
        algorithm: Algorithm | str | None = None,
        target: str | None = None,
        sensitive: Any = None,
        identifiers: Sequence[str] | str | None = None,
        insensitive: Sequence[str] | str | None = None,
        weights: Any = None,
        unknown: Any = None,
        levels: Any = None,
        other_columns: str | None = None,
        missing: Sequence[str] | None = None,
        labels: str | None = None,
    ) -> None:
        self.policy = policy
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.requirements = requirements
        self.algorithm = algorithm
        self.target = target
        self.sensitive = sensitive
        self.identifiers = identifiers
        self.insensitive = insensitive
        self.weights = weights
        self.unknown = unknown
        self.levels = levels
        self.other_columns = other_columns
        self.missing = missing
        self.labels = labels

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the recoding of the training rows.

        Parameters
        ----------
        X
            A frame of pandas, Polars or PyArrow, or a two-dimensional array, whose columns are then
            called x0, x1 ...
        y
            The class of each row, for algorithms that look at it.  A missing one is a class of its
            own.

        Raises
        ------
        UnsatisfiableError
            If no recoding of these rows can meet the requirements.
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the recoding, and return the training rows as a release would show them.

        Suppressed rows are masked, with ``*`` in every quasi-identifier, and stay where they are.
        The parameters are those of `fit`.
        """
        source, counted, assignment = self._learn(X, y)
        class_of = counted.deal_in_place(assignment)
        cells = {
            name: Replacement(
                (*assignment.labels[j], ROOT),
                np.append(assignment.label_of[:, j], len(assignment.labels[j]))[class_of],
            )
            for j, name in enumerate(self.recoding_.columns)
            if name not in self._kept
        }
        return self._shown(source, cells)

    def transform(self, X: Any) -> Any:
        """Return new rows, recoded and never suppressed; in the same order, with the same index.

        Parameters
        ----------
        X
            Rows with the columns of the training rows.
        """
        check_is_fitted(self, "recoding_")
        source = self._opened(X, reset=False)
        engine, recoding = in_memory(source), self.recoding_
        codings = code_new_rows(engine, self.policy_, recoding)
        counted = engine.count(codings, carried=(), count=None)
        recoded = recoding.recode(counted.table, [each.hierarchy for each in codings.values()])
        cells = {
            name: Replacement(recoded.labels[j], recoded.label_of[j][counted.tuple_of])
            for j, name in enumerate(recoding.columns)
            if name not in self._kept or source.holds_text(name)
        }
        return self._shown(source, cells)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the columns of what is returned: those of the training rows, identifiers left out.

        Parameters
        ----------
        input_features
            The columns of the training rows, or nothing.
        """
        check_is_fitted(self, "recoding_")
        given = _check_feature_names_in(self, input_features)
        called = dict(zip(self._names_in, given, strict=True))
        return np.array([called[name] for name in self._names_out], dtype=object)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"{super().__repr__(N_CHAR_MAX)}  # shows frames for learning, no releases"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _learn(self, X: Any, y: Any) -> tuple[Features, CountedInMemory, Assignment]:
        source = self._opened(X, reset=True)
        policy, beside = self._with_target(self._policy_for(source.names), source, y)
        algorithm = algorithm_of(policy, self.algorithm)
        run = state_problem(in_memory(source, beside=beside), policy, carries_of(algorithm))
        counted = cast("CountedInMemory", run.counted)
        found = search(run, algorithm)
        refuse_empty(found)
        refuse_oversized(found)
        self.policy_, self.recoding_, self.facts_ = policy, found.recoding, found.facts()
        self._names_in = source.names
        released = run.roles.released_names
        self._names_out = tuple(name for name in released if name in source.names)
        self._blanks = {name: counted.blank(name) for name in found.recoding.columns}
        self._kept = frozenset[str]()
        if not found.assignment.n_suppressed:
            self._kept = self._columns_kept(source, counted, found.problem)
        return source, counted, found.assignment

    def _columns_kept(
        self, source: Features, counted: CountedInMemory, problem: Problem
    ) -> frozenset[str]:
        """Return the columns that need not become text, because each cell is shown as it is."""
        trees = dict(zip(problem.columns, problem.hierarchies, strict=True))
        return frozenset(
            name
            for name in self.recoding_.unchanged()
            if not trees[name].has_unknown
            and (not source.holds_text(name) or counted.spelled_once(name))
        )

    def _opened(self, X: Any, *, reset: bool) -> Features:
        """Take X as a table, with its columns held against those of the training rows."""
        by_name = reset or hasattr(self, "feature_names_in_")
        if is_frame(X) and by_name:
            source = from_frame(X)
            validate_data(self, source.native, reset=reset, skip_check_array=True)
            return source
        _check_rows(X)
        array = validate_data(
            self, X, reset=reset, dtype=None, ensure_all_finite=False, ensure_min_features=1
        )
        names = tuple(f"x{at}" for at in range(array.shape[1])) if reset else self._names_in
        return ArraySource(array, names)

    def _policy_for(self, names: Sequence[str]) -> Policy:
        described = {key: getattr(self, key) for key in _DESCRIBED}
        given = {key: value for key, value in described.items() if value is not None}
        if self.policy is not None:
            policy = policy_of(self.policy, **given)
            return policy if self.k is None else policy.with_k(self.k)
        if self.quasi_identifiers is None:
            given["quasi_identifiers"] = [name for name in names if name not in self._others()]
        unknown = given.pop("unknown", "suppress")
        if not isinstance(unknown, str):
            given["unknown"] = unknown
        policy = policy_of(**{"other_columns": "keep", "k": self.k, **given})
        return _with_unknown(policy, unknown) if isinstance(unknown, str) else policy

    def _others(self) -> set[str]:
        """Return the columns that are described as something else than quasi-identifiers."""
        roles = (self.sensitive, self.identifiers, self.insensitive, self.target)
        listed = [[each] if isinstance(each, str) else each for each in roles]
        return {name for names in listed if isinstance(names, Iterable) for name in names}

    def _with_target(
        self, policy: Policy, source: Features, y: Any
    ) -> tuple[Policy, Features | None]:
        """Return the policy with the target as one of its columns, and y beside the rows."""
        name = policy.target or self.target
        if self.target not in (None, name):
            raise ParameterError(
                f"target is {self.target!r}, and the policy's is {name!r}.",
                hint="give one or the other.",
            )
        others = tuple(each for each in policy.columns if each.role != "target")
        if y is None:
            there = [Column(name, "target")] if name in source.names else []
            return replace(policy, columns=(*others, *there)), None
        if name in source.names:
            raise PolicyError(
                f"X has the target {name!r} among its columns, and y is given beside it.",
                hint="leave the column out of X: a classifier must not see what it predicts.",
            )
        called = name or _free_name(y, source.names)
        beside = column_beside(y, called)
        if beside.n_rows != source.n_rows:
            raise InputError(
                f"X has {source.n_rows:,} rows, and y has {beside.n_rows:,}.",
                hint="pass one class per row.",
            )
        return replace(policy, columns=(*others, Column(called, "target"))), beside

    def _shown(self, source: Features, cells: dict[str, Replacement]) -> Any:
        replaced: dict[str, NewCells] = {}
        for name, new in cells.items():
            blank = self._blanks[name]
            labels = tuple(blank if label is None else label for label in new.labels)
            written = Replacement(labels, new.label_of)
            if name not in self._kept or not _reads_alike(source, name, written):
                replaced[name] = written
        shown = source.in_place(replaced, self._names_out)
        container = _get_output_config("transform", self)["dense"]
        return shown.to_native() if container == "default" else in_container(shown, container)


def _check_rows(X: Any) -> None:
    """Refuse what scikit-learn refuses too, but in messages that quote the cells."""
    array = X if hasattr(X, "ndim") else np.asarray(X)
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {array.ndim}D array instead: rows of columns are needed.",
            hint="Reshape your data: X.reshape(-1, 1) for one column, X.reshape(1, -1) for a row.",
        )
    if np.iscomplexobj(array):
        raise InputError("Complex data not supported.", hint="pass numbers or texts.")


def _reads_alike(source: Features, name: str, new: Replacement) -> bool:
    """Whether each cell of a column is to be written as it is."""
    plain = source.encode(name, missing=())
    pairs = np.unique(np.stack([plain.codes, new.label_of]), axis=1).T.tolist()
    texts = (*plain.texts, None)  # -1 is the last
    return all(texts[before] == new.labels[after] for before, after in pairs)


def _with_unknown(policy: Policy, unknown: Any) -> Policy:
    """Return a policy that treats unlisted values of every quasi-identifier in the same way."""
    columns = [
        replace(each, unknown=unknown) if each.role == "quasi-identifier" else each
        for each in policy.columns
    ]
    return replace(policy, columns=tuple(columns))


def _free_name(y: Any, names: Sequence[str]) -> str:
    """Return what y is called: its own name, unless X has a column of that name."""
    name = getattr(y, "name", None)
    if isinstance(name, str) and name not in names:
        return name
    free = "target"
    while free in names:
        free += "_"
    return free
