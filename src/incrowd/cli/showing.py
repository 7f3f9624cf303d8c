"""``incrowd demo``: a made-up census, before and after."""

import time
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
