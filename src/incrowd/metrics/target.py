"""The column that classifiers will predict, as searches and metrics see it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A column that is never generalised, and whose values are classes to be told apart.

    Parameters
    ----------
    name
        Its name.
    texts
        Its classes by carried code; None is a missing cell, and a class of its own.
    """

    name: str
    texts: tuple[str | None, ...]

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.texts)
