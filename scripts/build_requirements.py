"""Print what pyproject.toml says a build needs, one requirement per line."""

import tomllib
from pathlib import Path

pyproject = Path(__file__).parents[1] / "pyproject.toml"
print(*tomllib.loads(pyproject.read_text("utf-8"))["build-system"]["requires"], sep="\n")
