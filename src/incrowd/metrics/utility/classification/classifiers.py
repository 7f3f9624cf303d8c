"""The classifiers that a release is measured with, each by its name."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.errors import MissingDependencyError, ParameterError
from incrowd.metrics.utility.classification.encoding import Features
from incrowd.metrics.utility.classification.matrices import OneHot, ordinal
from incrowd.metrics.utility.classification.naive_bayes import NaiveBayes
from incrowd.texts import did_you_mean

PRUNING = 3.0  # records whose impurity a split must save: else a tree learns them by heart
MOST_COLUMNS_SQUARED = 1_000  # Newton's method takes a matrix of columns x columns
MOST_CATEGORIES = 255  # that gradient boosting takes as such
STEPS = 1_000


class _Learner(ABC):
    """An estimator of scikit-learn, given the features as it takes them."""

    by_record = False
    """Whether equal records must be told one by one, and not once with a weight."""

    def __init__(self, seed: int) -> None:
        self.converged = True  # whether the last fit ended before its steps did
        self._seed = seed
        self._estimator: Any = None
        self._n_classes = 0

    def fit(self, features: Features, classes: Codes, weights: Floats, n_classes: int) -> None:
        """Train the estimator on rows that each stand for as many records as their weight."""
        from sklearn.exceptions import ConvergenceWarning

        matrix = self._learned(features, weights)
        self._n_classes = n_classes
        self._estimator = self._built(features, n_classes)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self._estimator.fit(matrix, classes, sample_weight=weights)
        self.converged = not any(issubclass(each.category, ConvergenceWarning) for each in said)

    def scores(self, features: Features) -> Floats:
        """Return what speaks for each class: ``(rows, classes)``, the largest wins.

        That is the estimator's decision function or probabilities; -inf for unseen classes.
        """
        matrix = self._matrix(features)
        if hasattr(self._estimator, "decision_function"):
            found = self._estimator.decision_function(matrix)
            if found.ndim == 1:
                found = np.stack([-found, found], axis=1)
        else:
            found = self._estimator.predict_proba(matrix)
        of_class = np.full((features.n_rows, self._n_classes), -np.inf)
        of_class[:, self._estimator.classes_] = found
        return of_class

    def _learned(self, features: Features, weights: Floats) -> Any:
        return self._matrix(features)

    def _matrix(self, features: Features) -> Any:
        return ordinal(features)

    @abstractmethod
    def _built(self, features: Features, n_classes: int) -> Any:
        """Return the estimator, not trained yet."""


class DecisionTree(_Learner):
    """A decision tree over ordered codes, pruned."""

    def _learned(self, features: Features, weights: Floats) -> Any:
        self._records = float(weights.sum())
        return self._matrix(features)

    def _built(self, features: Features, n_classes: int) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        alpha = PRUNING / self._records
        return DecisionTreeClassifier(ccp_alpha=alpha, random_state=self._seed)


class GradientBoosting(_Learner):
    """Boosted trees over histograms.

    They count rows where they set bins and prune leaves, so that weights would not do.  One
    thread: threads that wait for a busy machine are several times slower.
    """

    by_record = True

    def fit(self, features: Features, classes: Codes, weights: Floats, n_classes: int) -> None:
        """Train the estimator."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1):
            super().fit(features, classes, weights, n_classes)

    def _built(self, features: Features, n_classes: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        categories = [0 < each.n_categories <= MOST_CATEGORIES for each in features.columns]
        return HistGradientBoostingClassifier(
            categorical_features=categories or None,
            early_stopping=False,
            random_state=self._seed,
        )


class _Linear(_Learner):
    def _learned(self, features: Features, weights: Floats) -> Any:
        self._one_hot = OneHot.learn(features, weights)
        return self._matrix(features)

    def _matrix(self, features: Features) -> Any:
        return self._one_hot.matrix(features)


class LogisticRegression(_Linear):
    """Logistic regression, for several classes as one model."""

    def _built(self, features: Features, n_classes: int) -> Any:
        from sklearn.linear_model import LogisticRegression

        few = self._one_hot.n_columns <= MOST_COLUMNS_SQUARED and n_classes == 2
        solver = "newton-cholesky" if few else "lbfgs"
        return LogisticRegression(solver=solver, max_iter=STEPS)


class LinearSVM(_Linear):
    """A linear support vector machine, one per class against the others."""

    def _built(self, features: Features, n_classes: int) -> Any:
        from sklearn.svm import LinearSVC

        return LinearSVC(dual=False, max_iter=STEPS, random_state=self._seed)


class RadialSVM(_Linear):
    """A support vector machine with a radial kernel, on a sample of the training records.

    Its time grows with the square of the records, so it sees no more than `sample` of them.
    """

    by_record = True

    def __init__(self, seed: int, sample: int) -> None:
        super().__init__(seed)
        self._sample = sample

    def fit(self, features: Features, classes: Codes, weights: Floats, n_classes: int) -> None:
        """Train on a sample."""
        if features.n_rows > self._sample:
            drawn = np.random.default_rng(self._seed).permutation(features.n_rows)[: self._sample]
            features, classes, weights = features.take(drawn), classes[drawn], weights[drawn]
        if len(np.unique(classes)) == 1:  # a rare class may be out of the sample
            self._constant(features, int(classes[0]), n_classes)
            return
        super().fit(features, classes, weights, n_classes)

    def _constant(self, features: Features, only: int, n_classes: int) -> None:
        from sklearn.dummy import DummyClassifier

        self._learned(features, np.ones(features.n_rows))
        self._n_classes = n_classes
        matrix = np.zeros((features.n_rows, 1))
        self._estimator = DummyClassifier().fit(matrix, np.full(features.n_rows, only))

    def _built(self, features: Features, n_classes: int) -> Any:
        from sklearn.svm import SVC

        return SVC(random_state=self._seed)


class OnlyClass:
    """Where there is one class, there is nothing to learn."""

    by_record = False
    converged = True

    def fit(self, features: Features, classes: Codes, weights: Floats, n_classes: int) -> None:
        """Learn nothing."""

    def scores(self, features: Features) -> Floats:
        """Return that the only class is right."""
        return np.ones((features.n_rows, 1))


Classifier = _Learner | NaiveBayes | OnlyClass

CLASSIFIERS: Mapping[str, Callable[[int, int], Classifier]] = {
    "decision-tree": lambda seed, _: DecisionTree(seed),
    "logistic-regression": lambda seed, _: LogisticRegression(seed),
    "svm": lambda seed, _: LinearSVM(seed),
    "svm-rbf": RadialSVM,
    "naive-bayes": lambda *_: NaiveBayes(),
    "gradient-boosting": lambda seed, _: GradientBoosting(seed),
}
DEFAULT_CLASSIFIERS = (
    *("decision-tree", "logistic-regression", "svm"),
    *("naive-bayes", "gradient-boosting"),
)


def check_classifiers(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names if each is a classifier that can be run here; raise otherwise."""
    if isinstance(names, str) or not len(names):
        raise ParameterError(
            "classifiers are given as a list of one name or more.",
            hint=f"there are {', '.join(CLASSIFIERS)}.",
        )
    for name in names:
        if name not in CLASSIFIERS:
            raise ParameterError(
                f"there is no classifier called {name!r}.",
                hint=f"{did_you_mean(name, CLASSIFIERS)}There are {', '.join(CLASSIFIERS)}.",
            )
    if find_spec("sklearn") is None:
        raise MissingDependencyError(
            "classifiers need scikit-learn, which is not installed.",
            hint="pip install 'incrowd[ml]', or ask for no classifiers.",
        )
    return tuple(dict.fromkeys(names))
