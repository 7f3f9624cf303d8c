"""``incrowd algorithms`` and ``incrowd demo``."""

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
    """Anonymize a made-up census, twice.

    30,000 people in; two verified releases out: one to publish, and one that keeps the most.
    """
    from incrowd.datasets import census_policy, write_census, write_census_hierarchies
    from incrowd.frame import write_text
    from incrowd.schema import load_policy

    people = folder / "people.csv"
    write_census_hierarchies(folder / "hierarchies")  # makes the folders
    say(f"making {rows:,} people ...")
    write_census(people, rows, seed=1)
    write_text(folder / "policy.toml", census_policy(k))
    policy = load_policy(folder / "policy.toml")
    published = _demo_release(folder, policy, "released.csv", recoding=folder / "recoding.json")
    kept = _demo_release(folder, policy, "detailed.csv", algorithm="local-search")
    _print_demo(published, kept, folder)


def _demo_release(folder: Path, policy: Any, name: str, **how: Any) -> Any:
    from incrowd.release import anonymize_file

    progress = progress_for(quiet=False)
    return anonymize_file(folder / "people.csv", folder / name, policy, progress=progress, **how)


def _print_demo(published: Any, kept: Any, folder: Path) -> None:
    from incrowd.verify import recount_classes

    columns = list(published.recoding.columns)
    names = ("people.csv", "released.csv", "detailed.csv")
    sizes = [recount_classes(folder / name, columns) for name in names]
    losses = [0.0, published.metrics["loss"], kept.metrics["loss"]]
    print()
    _print_row("", "before", "to publish", "most detail")
    _print_row("records", *(f"{int(each.sum()):,}" for each in sizes))
    _print_row("unique on the quasi-identifiers", *(f"{_uniques(each):,}" for each in sizes))
    _print_row("smallest class", *(f"{int(each[0]):,}" for each in sizes))
    _print_row("classes", *(f"{len(each):,}" for each in sizes))
    _print_row("loss (0 nothing, 1 everything)", *(f"{each:.4f}" for each in losses))
    _print_search(published)
    print(f"To publish: {folder}/released.csv, by {published.facts['algorithm']}.")
    print("  Every column has one set of values, which a table or a report can use, and which")
    print("  recoding.json applies to later rows. The rarest people decide for all:")
    for line in published.recoding.explain():
        print(f"    {line}")
    print(f"Most detail: {folder}/detailed.csv, by {kept.facts['algorithm']}.")
    print("  The same promise for the same people, and far less lost: for counts, statistics and")
    print("  learning. Each class is as exact as its own people allow, so a column shows wide and")
    print("  narrow values side by side; it cannot be applied to later rows.")
    for line in published.verdict.lines():
        print(line)
    _print_next(folder)


def _print_row(title: str, *cells: str) -> None:
    print(f"{title:<34}" + "".join(f"{cell:>13}" for cell in cells))


def _print_search(release: Any) -> None:
    facts = release.facts
    proven = "proven optimal" if facts["optimal"] else "not proven optimal"
    print()
    print(
        f"{facts['suppressed']:,} records masked to publish; {proven} by counting "
        f"{facts['checked']:,} of {facts['nodes']:,} nodes in {release.seconds['search']:.3f} s."
    )


def _print_next(folder: Path) -> None:
    policy = f"-p {folder}/policy.toml"
    print()
    print(f"{folder}/ holds people.csv, policy.toml, hierarchies/ and the releases. Next:")
    print(f"  incrowd explain {folder}/people.csv --recoding {folder}/recoding.json")
    print(f"  incrowd anonymize {folder}/people.csv {policy} -o best.csv -a auto --purpose general")


def _uniques(sizes: Any) -> int:
    return int((sizes == 1).sum())
