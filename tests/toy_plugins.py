"""A package of another author: one toy of each kind, in one file each."""

from __future__ import annotations

from pathlib import Path

MODULES = {
    "steps": '''
from dataclasses import dataclass
from typing import ClassVar
from incrowd.algorithms.full_domain import Lattice
from incrowd.recoding import Found

@dataclass(frozen=True, kw_only=True)
class Steps:
    """Climb all columns together until the table can be released."""

    name: ClassVar[str] = "steps"
    family: ClassVar[str] = "toys"
    width: int = 1

    def solve(self, problem, progress=None):
        lattice = Lattice(problem, objective="loss", suppression_limit=0.0)
        node = lattice.bottom
        while lattice.suppressed(node):
            node = tuple(min(at + self.width, top) for at, top in zip(node, lattice.top))
        return lattice.recoding(node, Found(self.name))
''',
    "few": '''
from dataclasses import dataclass
from typing import ClassVar
from incrowd.requirements import KAnonymity, requirement
from incrowd.verify import formula

@requirement
@dataclass(frozen=True)
class AtLeast(KAnonymity):
    """Every class holds so many records: k-anonymity under another name."""

    name: ClassVar[str] = "at_least"
    compiled: ClassVar[None] = None

    def violating(self, sizes, histograms):
        return sizes < self.k

    def describe(self):
        return f"at least {self.k}"

@formula("at_least")
def too_few(parameters, classes):
    return classes.sizes < parameters["k"]
''',
    "largest": '''
from incrowd.metrics.base import metric

@metric(better="lower", bounds=(1.0, None))
def largest_class(outcome):
    """Records of the largest class."""
    return int(outcome.assignment.class_sizes.max())
''',
    "initials": '''
from dataclasses import dataclass
from typing import ClassVar
from incrowd.hierarchies import Flag, builder, hierarchy_from_rows

@builder
@dataclass(frozen=True)
class Initials:
    """The first letters of a text, then the root."""

    letters: int = 1
    key: ClassVar[str] = "initials"
    options: ClassVar[tuple] = ()
    flag: ClassVar[Flag] = Flag("So many letters stay.", "NUMBER", int)

    @classmethod
    def from_policy(cls, value, options, folder):
        return cls(value)

    def build(self, texts, *, column):
        return hierarchy_from_rows([(text, text[: self.letters] + "..", "*") for text in texts])

    def to_policy(self):
        return {self.key: self.letters}
''',
}
"""The modules of the package by name."""

GROUPS = {
    "algorithms": "steps = toys.steps:Steps",
    "requirements": "at_least = toys.few:AtLeast",
    "metrics": "largest_class = toys.largest:largest_class",
    "hierarchies": "initials = toys.initials:Initials",
}
"""One line of each kind."""


def install(folder: Path, modules: dict[str, str], groups: dict[str, str], name: str) -> None:
    """Lay a package and what its installation would leave into a folder of ``sys.path``."""
    package = name.replace("-", "_")
    (folder / package).mkdir(parents=True)
    for module, text in {"__init__": "", **modules}.items():
        (folder / package / f"{module}.py").write_text(text, encoding="utf-8")
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"[incrowd.{group}]\n{line}\n" for group, line in groups.items()]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
