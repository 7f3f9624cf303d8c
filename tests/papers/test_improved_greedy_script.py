"""The script that repeats the experiments of the Improved Greedy paper still runs."""

import pytest

from paper_scripts import SHARED, cells, experiments_in, run, strangers, tables_of

FARS = SHARED / "fars" / "fars_int.csv"


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """All experiments at one place: what was measured."""
    if not FARS.exists():
        pytest.skip("needs the table fars, which is not part of this project")
    folder = tmp_path_factory.mktemp("improved_greedy")
    done = run("improved_greedy", "--quick", "--output", folder)
    assert done.returncode == 0, done.stderr
    return experiments_in(folder / "improved_greedy.json")


def test_losses_and_times_are_told_of_five_searches(quick):
    assert list(quick) == ["adult", "fars", "columns"]
    for losses, times in quick.values():
        assert len(losses["header"]) == len(times["header"]) == 6
        for figures in losses["figures"]:
            assert 0 < figures["iloss_mean"] <= 8
            assert figures["nodes"] <= figures["lattice"] + 1


def test_no_search_loses_less_than_flash(quick):
    for table in tables_of({name: parts[:1] for name, parts in quick.items()}).values():
        _, *rows = cells(table).values()
        for row in rows:
            losses = [float(cell.split()[0]) for cell in row]
            assert min(losses) == losses[-1]


def test_every_mark_of_the_page_names_a_table_of_the_script(quick):
    assert strangers("improved-greedy.md", quick) == []
