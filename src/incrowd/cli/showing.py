"""``incrowd demo``: a made-up census, before and after."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

from incrowd.cli.declared import Option
from incrowd.cli.options import say
from incrowd.cli.progress import progress_for


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
    program, people = _program(), shlex.quote(f"{folder}/people.csv")
    policy, recoding = (
        shlex.quote(f"{folder}/{name}") for name in ("policy.toml", "recoding.json")
    )
    print()
    print(f"{folder}/ holds people.csv, policy.toml, hierarchies/ and the releases. Next:")
    print(f"  {program} inspect {people}")
    print(f"  {program} explain {people} --recoding {recoding}")
    print(f"  {program} anonymize {people} -p {policy} -o best.csv -a auto --purpose general")


def _program() -> str:
    """Return what calls this program: its name where a shell finds it, else how it was called."""
    called = Path(sys.argv[0])
    found = shutil.which("incrowd")
    if called.name != "incrowd" or (found is not None and Path(found).samefile(called)):
        return "incrowd"
    near = called.is_relative_to(Path.cwd())
    return shlex.quote(str(called.relative_to(Path.cwd()) if near else called))


def _uniques(sizes: Any) -> int:
    return int((sizes == 1).sum())
