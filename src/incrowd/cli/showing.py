"""``incrowd algorithms`` and ``incrowd demo``."""

import time
from pathlib import Path
from typing import Annotated, Any, get_args

from incrowd.cli.declared import Option
from incrowd.cli.options import JsonFlag, say, write_json
from incrowd.cli.progress import progress_for


def algorithms(json_to: JsonFlag = None) -> None:
    """List the algorithms, their families and parameters."""
    from incrowd.algorithms import list_algorithms, parameters_of, said_by

    listed = [
        {
            "name": name,
            "family": cls.family,
            "about": (cls.__doc__ or "").strip().splitlines()[0],
            "looks_at": _roles_looked_at(cls),
            "honours": said_by(cls, "honours"),
            "parameters": parameters_of(cls),
        }
        for name, cls in sorted(list_algorithms().items(), key=lambda each: _place(*each))
    ]
    if json_to is not None:
        write_json(listed, json_to)
        return
    widths = {key: max(len(each[key]) for each in listed) for key in ("name", "family")}
    margin = " " * (sum(widths.values()) + 2)
    for entry in listed:
        parameters = ", ".join(f"{key}={value!r}" for key, value in entry["parameters"].items())
        head = (entry[key].ljust(width) for key, width in widths.items())
        print(*head, entry["about"])
        if entry["looks_at"]:
            print(f"{margin}looks at columns with the role: {', '.join(entry['looks_at'])}")
        print(f"{margin}meets requirements on sensitive values {entry['honours']}")
        if parameters:
            print(f"{margin}{parameters}")


def _roles_looked_at(cls: Any) -> list[str]:
    """Return the roles that every such search looks at, whatever its parameters."""
    from incrowd.algorithms import said_by

    declared = said_by(cls, "carries")
    return list(declared) if isinstance(declared, tuple) else []


def _place(name: str, cls: Any) -> tuple[int, str, str]:
    """Return where an algorithm is listed: by family, those of families we do not have last."""
    from incrowd.algorithms.base import Family

    families = get_args(Family)
    known = cls.family in families
    return (families.index(cls.family) if known else len(families), cls.family, name)


def demo(
    folder: Annotated[Path, Option("--folder", help="Where the demonstration's files go.")] = Path(
        "incrowd-demo"
    ),
    rows: Annotated[int, Option("--rows", help="How many people.", min=100)] = 30_000,
    k: Annotated[int, Option("--k", "-k", help="Smallest class allowed.", min=1)] = 5,
) -> None:
    """Anonymize a made-up census.

    30,000 people in; the verified release, its recoding and a before and after out.
    """
    from incrowd.datasets import census_policy, write_census, write_census_hierarchies
    from incrowd.frame import write_text
    from incrowd.release import anonymize_file
    from incrowd.schema import load_policy

    people = folder / "people.csv"
    write_census_hierarchies(folder / "hierarchies")  # makes the folders
    say(f"making {rows:,} people ...")
    write_census(people, rows, seed=1)
    write_text(folder / "policy.toml", census_policy(k))
    policy = load_policy(folder / "policy.toml")
    start = time.perf_counter()
    release = anonymize_file(
        people,
        folder / "released.csv",
        policy,
        recoding=folder / "recoding.json",
        progress=progress_for(quiet=False),
    )
    _print_demo(release, folder, time.perf_counter() - start)


def _print_demo(release: Any, folder: Path, seconds: float) -> None:
    from incrowd.verify import recount_classes

    columns = list(release.recoding.columns)
    before = recount_classes(folder / "people.csv", columns)
    after = recount_classes(folder / "released.csv", columns)
    facts, metrics = release.facts, release.metrics
    print()
    print(f"{'':<34}{'before':>12}{'after':>12}")
    print(f"{'records':<34}{int(before.sum()):>12,}{int(after.sum()):>12,}")
    print(f"{'unique on the quasi-identifiers':<34}{_uniques(before):>12,}{_uniques(after):>12,}")
    print(f"{'smallest class':<34}{int(before[0]):>12,}{int(after[0]):>12,}")
    print(f"{'classes':<34}{len(before):>12,}{len(after):>12,}")
    print(f"{'loss':<34}{0:>12}{metrics['loss']:>12.4f}")
    print()
    proven = "proven optimal" if facts["optimal"] else "not proven optimal"
    print(f"{facts['suppressed']:,} records masked; {proven} by counting {facts['checked']:,} of")
    searched = release.seconds["search"]
    print(f"{facts['nodes']:,} nodes; {seconds:.2f} s in all, {searched:.3f} s of it the search.")
    print()
    for line in release.recoding.explain():
        print(f"  {line}")
    for line in release.verdict.lines():
        print(line)
    print()
    print(f"{folder}/: people.csv in, released.csv out; policy.toml, hierarchies/, recoding.json")


def _uniques(sizes: Any) -> int:
    return int((sizes == 1).sum())
