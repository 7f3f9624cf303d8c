"""The outcome of a comparison, as a table for people, as CSV and as JSON."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from incrowd.charts import curves
from incrowd.compare.settings import Settings, settings_from
from incrowd.errors import InputError, ParameterError
from incrowd.html_tables import lines, page, table
from incrowd.metrics import find_metric
from incrowd.metrics.utility.classification import Score
from incrowd.version import __version__

_SCORES = (
    *("accuracy", "accuracy_std", "balanced_accuracy"),
    *("balanced_accuracy_std", "auc", "auc_std"),
)
_SHOWN = {"balanced_accuracy": "balanced", **dict.fromkeys(_SCORES[1::2], "+-")}


@dataclass(frozen=True)
class Result:
    """One algorithm at one k.

    Parameters
    ----------
    algorithm, k
        Who ran, and what was asked for.
    classes, suppressed, dropped, metrics
        Of the release of the whole table; None and empty if there is none.
    seconds
        Of the search.
    scores
        What classifiers reach; empty if there is no target.
    notes
        What the reader should know.
    reason
        Why there are no figures, or no scores; None if all is there.
    """

    algorithm: str
    k: int
    classes: int | None = None
    suppressed: int | None = None
    dropped: int | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    scores: tuple[Score, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def worked(self) -> bool:
        """Whether all was measured."""
        return self.reason is None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Algorithms x k, and x classifiers where there is a target.

    Parameters
    ----------
    settings
        What was compared.
    input
        Names and sizes of the table and of the hierarchy files; no cell, and no hash of any.
    baselines
        What classifiers reach on the original, and what is reached without learning.
    results
        By algorithm and k.
    notes
        What the reader should know.
    version
        Of incrowd.
    """

    settings: Settings
    input: Mapping[str, Any]
    baselines: tuple[Score, ...]
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()
    version: str = __version__

    @property
    def worked(self) -> bool:
        """Whether at least one algorithm did what it was asked for."""
        return any(each.worked for each in self.results)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per algorithm, k and classifier; the baselines come first."""
        rows = [
            {"algorithm": each.table, "k": None,
             **self._release(None), **_scored(each), "reason": None}
            for each in self.baselines
        ]  # fmt: skip
        for result in self.results:
            about = {"algorithm": result.algorithm, "k": result.k, **self._release(result)}
            scored = [_scored(each) for each in result.scores] or [self._unscored()]
            rows += [{**about, **each, "reason": result.reason} for each in scored]
        return rows

    def _release(self, result: Result | None) -> dict[str, Any]:
        figures: dict[str, Any] = {}
        for name in self.settings.metrics:
            if not self._by_size(name):
                found = None if result is None else result.metrics.get(name)
                figures |= self._spread(name, found)
        if result is None:
            return dict.fromkeys(("classes", "suppressed", *figures, "seconds"))
        return {
            "classes": result.classes,
            "suppressed": result.suppressed,
            **figures,
            "seconds": result.seconds,
        }

    def _spread(self, name: str, found: Any) -> dict[str, Any]:
        """Return a metric, or its figures of each column under names such as ``nmi_change[age]``.

        The same names in every row: those of all columns that any result has a figure of.
        """
        told = [each.metrics[name] for each in self.results if name in each.metrics]
        columns = dict.fromkeys(key for each in told if isinstance(each, Mapping) for key in each)
        if not columns:
            return {name: found}
        return {f"{name}[{column}]": (found or {}).get(column) for column in columns}

    def _by_size(self, name: str) -> bool:
        """Whether a metric is a distribution over sizes: it stands in the JSON alone."""
        known = {column.name for column in self.settings.policy.columns}
        told = [each.metrics.get(name) for each in self.results]
        return any(isinstance(each, Mapping) and not known >= set(each) for each in told)

    def _about_metrics(self) -> list[str]:
        """Return which metrics have no figure in the table, for whom, and why."""
        notes = []
        for name in self.settings.metrics:
            if self._by_size(name):
                notes.append(f"{name} is told by size, and stands in the JSON (--json) alone.")
            without = [
                f"{each.algorithm}, k = {each.k}"
                for each in self.results
                if each.classes is not None and self._lacks(each, name)
            ]
            if without:
                why = find_metric(name).meaning or "where it can be computed"
                notes.append(f"{name} has a figure only {why}; it lacks for {'; '.join(without)}.")
        return notes

    def _lacks(self, result: Result, name: str) -> bool:
        """Whether a result has no figure of a metric, or of one of its columns."""
        if self._by_size(name):
            return name not in result.metrics
        return None in self._spread(name, result.metrics.get(name)).values()

    def _unscored(self) -> dict[str, Any]:
        return dict.fromkeys(("classifier", *_SCORES)) if self.settings.examination else {}

    def to_text(self) -> str:
        """Return a table for people."""
        rows = self.rows()
        names = [name for name in rows[0] if any(row[name] is not None for row in rows)]
        cells = [[_shown(name, row[name]) for name in names] for row in rows]
        header = [_SHOWN.get(name, name) for name in names]
        lines = _aligned([header, *cells], [name in _WORDS for name in names])
        return "\n".join([*lines, *(f"note: {each}" for each in self.all_notes())])

    def _repr_html_(self) -> str:
        rows = self.rows()
        names = [name for name in rows[0] if any(row[name] is not None for row in rows)]
        cells = [[_shown(name, row[name]) for name in names] for row in rows]
        heads = [_SHOWN.get(name, name) for name in names]
        return page(table(heads, cells), lines(self.all_notes()))

    def plot(self, metric: str = "loss") -> Any:
        """Return a chart of a metric against k, a line for each algorithm, by Altair."""
        if metric not in self.settings.metrics:
            raise ParameterError(
                f"{metric!r} is none of the metrics that were compared.",
                hint=f"take one of {', '.join(self.settings.metrics)}, or compare again with it.",
            )
        rows = [
            {"k": each.k, metric: each.metrics[metric], "algorithm": each.algorithm}
            for each in self.results
            if isinstance(each.metrics.get(metric), int | float)
        ]
        return curves(rows, "k", metric, "algorithm")

    def all_notes(self) -> list[str]:
        """Return the notes of the comparison, of its metrics and of each result."""
        of_results = [
            f"{each.algorithm}, k = {each.k}: {note}"
            for each in self.results
            for note in each.notes
        ]
        return [*self.notes, *self._about_metrics(), *of_results]

    def to_csv(self) -> str:
        """Return the rows as a CSV file; figures in full."""
        rows = self.rows()
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, the settings included; no cell of the table."""
        return {
            "version": self.version,
            "input": dict(self.input),
            "settings": self.settings.to_dict(),
            "baselines": [each.to_dict() for each in self.baselines],
            "results": [
                {**asdict(each), "metrics": dict(each.metrics),
                 "scores": [score.to_dict() for score in each.scores]}
                for each in self.results
            ],
            "notes": list(self.notes),
        }  # fmt: skip

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        try:
            found = json.loads(text)
            return cls(
                settings_from(found["settings"]),
                dict(found["input"]),
                tuple(Score(**each) for each in found["baselines"]),
                tuple(_result(each) for each in found["results"]),
                tuple(found["notes"]),
                str(found["version"]),
            )
        except (json.JSONDecodeError, RecursionError, KeyError, TypeError, AttributeError):
            raise InputError(
                "this is no comparison.",
                hint="give the unchanged JSON that `incrowd compare --json` wrote.",
            ) from None


def _result(found: dict[str, Any]) -> Result:
    scores = tuple(Score(**each) for each in found["scores"])
    return Result(**{**found, "scores": scores, "notes": tuple(found["notes"])})


def _scored(score: Score) -> dict[str, Any]:
    of_score = score.to_dict()
    return {"classifier": score.classifier, **{name: of_score[name] for name in _SCORES}}


_WORDS = ("algorithm", "classifier", "reason")


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "" if name in _WORDS else "-"
    if name == "seconds":
        return f"{value:.3f}"
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("\n", " ")


def _aligned(rows: Sequence[Sequence[str]], left: Sequence[bool]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in rows
    ]
