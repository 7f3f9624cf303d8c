"""A hook for MkDocs: a folder in the navigation stands for all its pages.

So a page about a new algorithm is found without a line in ``mkdocs.yml``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Put the pages of a folder where the navigation names the folder."""
    config["nav"] = [expanded(entry, Path(config["docs_dir"])) for entry in config["nav"]]
    config["nav"] = [entry for entry in config["nav"] if entry]
    return config


def expanded(entry: dict[str, Any], docs: Path) -> dict[str, Any]:
    """Return an entry with its folder replaced by pages, ``index.md`` first; {} if it has none."""
    [(title, target)] = entry.items()
    if not (isinstance(target, str) and target.endswith("/")):
        return entry
    pages = sorted((docs / target).glob("*.md"), key=lambda page: (page.stem != "index", page.stem))
    return {title: [page.relative_to(docs).as_posix() for page in pages]} if pages else {}
