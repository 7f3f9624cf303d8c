"""A new algorithm, requirement, metric or builder is one file and one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import SOURCE, Ran
from toy_plugins import GROUPS, MODULES, install

CELLS = [("S3CRET-anna", "f"), ("S3CRET-alma", "f"), ("S3CRET-bert", "m"), ("S3CRET-bill", "m")]
POLICY = """
[columns.name]
role = "quasi-identifier"
hierarchy = { initials = 8 }

[columns.sex]
role = "quasi-identifier"

[[requirements]]
at_least = 3

[algorithm]
name = "steps"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table, a policy, and the toys beside it."""
    made = tmp_path_factory.mktemp("toys")
    rows = "\n".join(",".join(cells) for cells in CELLS * 2)
    (made / "people.csv").write_text(f"name,sex\n{rows}\n", encoding="utf-8")
    (made / "policy.toml").write_text(POLICY, encoding="utf-8")
    install(made / "site", MODULES, GROUPS, "toys")
    return made


SESSION = """
import json, sys
from command_line import incrowd
ran = [incrowd(*command) for command in json.loads(sys.argv[1])]
print(json.dumps([(each.code, each.out, each.err) for each in ran]))
"""


def python(folder, *arguments: str) -> Ran:
    """Run Python where the packages in the folder are installed."""
    path = os.pathsep.join(map(str, [SOURCE, Path(__file__).parents[1], folder / "site"]))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        timeout=120,
    )
    ran = Ran(done.returncode, done.stdout, done.stderr.decode())
    assert "S3CRET" not in ran.err, ran.err
    return ran


def incrowd(folder, *commands: tuple[str, ...]) -> list[Ran]:
    """Run commands one after the other, in a process that has the toys."""
    ran = python(folder, "-c", SESSION, json.dumps(commands))
    assert ran.code == 0, ran.err
    done = [Ran(code, out.encode(), err) for code, out, err in ran.json]
    assert not any("S3CRET" in each.err or "Traceback" in each.err for each in done)
    return done


ANONYMIZE = ("anonymize", "people.csv", "-p", "policy.toml", "-o", "released.csv", "--json", "-")
BUILD = ("hierarchy", "build", "people.csv", "--column", "name")
COMPARE = ("compare", "people.csv", "--qi", "name,sex", "-k", "2", "--metrics",
           "loss,largest_class", "--json", "-", "--algorithms")  # fmt: skip
BUILT_IN = ("anonymize", "people.csv", "--qi", "name,sex", "-k", "2", "-o", "-")


def test_all_four_work_together_through_a_policy_file(folder):
    verify = ("verify", "released.csv", "-p", "policy.toml")
    made, checked = incrowd(folder, ANONYMIZE, verify)
    assert made.code == 0, made.err
    assert made.json["algorithm"] == "steps"
    assert made.json["metrics"]["largest_class"] == 4
    assert "S3CRET-a.." in (folder / "released.csv").read_text("utf-8")
    assert checked.code == 0, checked.err
    assert "at least 3 holds" in checked.out + checked.err


def test_they_work_from_python(folder):
    script = (
        "import incrowd as ic\n"
        "from toys.few import AtLeast\n"
        "release = ic.anonymize('people.csv', quasi_identifiers={'name': {'initials': 8},\n"
        "    'sex': ic.suppression()}, requirements=[AtLeast(3)], algorithm='steps')\n"
        "print(release.metric('largest_class'), release.facts['smallest_class'])\n"
        "print(*('steps' in ic.algorithms(), 'at_least' in ic.requirements(),\n"
        "        'largest_class' in ic.metrics()))\n"
    )
    ran = python(folder, "-c", script)
    assert ran.out.split("\n")[:2] == ["4 4", "True True True"], ran.err


def test_the_command_line_knows_them(folder):
    listed, shown, told, built, wrong, compared = incrowd(
        folder,
        ("algorithms", "--json", "-"),
        ("algorithms",),
        ("hierarchy", "build", "--help"),
        (*BUILD, "--initials", "8"),
        (*BUILD, "--initials", "x"),
        (*COMPARE, "steps(width=2),flash"),
    )
    [toy] = [each for each in listed.json if each["name"] == "steps"]
    assert toy["parameters"] == {"width": 1}
    assert toy["about"].startswith("Climb all columns together")
    assert "steps" in shown.out
    assert "So many letters stay." in told.out
    assert "S3CRET-b.." in built.out
    assert (wrong.code, "--initials" in wrong.err) == (2, True)
    assert [each["metrics"]["largest_class"] for each in compared.json["results"]] == [2, 2]


def broken(folder, made, **changes: tuple[str, str]):
    """Install the toys with modules that are wrong; return where."""
    modules = dict(MODULES)
    for module, (before, after) in changes.items():
        assert before in modules[module]
        modules[module] = modules[module].replace(before, after)
    groups = {group: line.replace("toys.", "broken.") for group, line in GROUPS.items()}
    install(made / "site", modules, groups, "broken")
    for name in ("people.csv", "policy.toml"):
        (made / name).write_text((folder / name).read_text("utf-8"), encoding="utf-8")
    return made


@pytest.mark.parametrize("module", MODULES)
def test_one_that_cannot_be_loaded_stops_nobody_who_does_not_ask_for_it(folder, tmp_path, module):
    first = MODULES[module].strip().splitlines()[0]
    made = broken(folder, tmp_path, **{module: (first, "raise OSError('S3CRET')\n" + first)})
    asked, usual, listed, build = incrowd(
        made, ANONYMIZE, BUILT_IN, ("algorithms",), (*BUILD, "--masking")
    )
    if module == "largest":  # nobody asks for it by name
        assert asked.code == 0
        assert "note: the metric 'largest_class' of package 'broken' raised OSError" in asked.err
    else:
        assert asked.code == 2
        assert f"of package 'broken' raised OSError ({module}.py, line " in asked.err
    assert usual.code == listed.code == build.code == 0
    assert "flash" in listed.out
    # `auto` has looked for what serves its purpose before
    assert ("note: the algorithm 'steps' of package 'br" in usual.err) == (module == "steps")
    assert ("note: the hierarchy 'initials' of package" in build.err) == (module == "initials")


RAISE = "        raise KeyError('S3CRET')\n"
FAULTS = {
    "solve raises": ("steps", "        lattice =", f"{RAISE}        lattice ="),
    "solve returns a pair": ("steps", "return lattice.", "return 1, lattice."),
    "violating raises": ("few", "        return sizes", f"{RAISE}        return sizes"),
    "violating says one thing of all": ("few", "return sizes <", "return False and sizes <"),
    "violating counts": ("few", "return sizes < self.k", "return 0 * sizes"),
    "describe raises": ("few", "return f", "return 1 / 0, f"),
    "build raises": ("initials", "        return hierarchy", f"{RAISE}        return hierarchy"),
    "build returns rows": ("initials", "hierarchy_from_rows(", "list("),
    "from_policy raises": ("initials", "return cls(value)", "return cls(**value)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_the_plug_in_and_passes_on_none_of_its_words(folder, tmp_path, fault):
    module, before, after = FAULTS[fault]
    [ran] = incrowd(broken(folder, tmp_path, **{module: (before, after)}), ANONYMIZE)
    assert ran.code == 2, ran.err
    assert "of package 'broken'" in ran.err
    assert not (tmp_path / "released.csv").exists()


@pytest.mark.parametrize("after", ["1 / 0", "classes.sizes[:1] < 0"])
def test_a_formula_that_does_not_answer_lets_nothing_pass(folder, tmp_path, after):
    made = broken(folder, tmp_path, few=('classes.sizes < parameters["k"]', after))
    [ran] = incrowd(made, ANONYMIZE)
    assert ran.code == 1
    assert "formula of at_least" in ran.err
    assert not (made / "released.csv").exists()


@pytest.mark.parametrize("after", ["1 / 0", "'S3CRET'"])
def test_a_metric_without_a_figure_is_left_out_unless_it_is_asked_for(folder, tmp_path, after):
    made = broken(folder, tmp_path, largest=("int(outcome.assignment.class_sizes.max())", after))
    [usual] = incrowd(made, BUILT_IN)
    assert usual.code == 0
    assert "note: the metric 'largest_class' of package 'broken'" in usual.err
    script = "import incrowd as ic; ic.anonymize('people.csv', quasi_identifiers=['name'], k=2, "
    asked = python(made, "-c", f"{script}other_columns='drop').metric('largest_class')")
    assert "PluginError: the metric 'largest_class' of package 'broken'" in asked.err


def test_a_comparison_goes_on_without_what_is_broken(folder, tmp_path):
    made = broken(
        folder,
        tmp_path,
        steps=("        lattice =", f"{RAISE}        lattice ="),
        largest=("int(outcome.assignment.class_sizes.max())", "1 / 0"),
    )
    [ran] = incrowd(made, (*COMPARE, "steps,flash"))
    toy, flash = ran.json["results"]
    assert "the algorithm 'steps' of package 'broken' raised KeyError" in toy["reason"]
    assert set(flash["metrics"]) == {"loss"}
    assert "note: the metric 'largest_class'" in ran.err


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        ("steps", '"steps"', '"flash"'),
        ("few", '"at_least"\n', '"k_anonymity"\n'),
        ("few", 'formula("at_least")', 'formula("k_anonymity")'),
        ("largest", "def largest_class", "def loss"),
        ("initials", '"initials"', '"intervals"'),
    ],
)
def test_nobody_takes_the_place_of_another(folder, tmp_path, module, before, after):
    made = broken(folder, tmp_path, **{module: (before, after)})
    asked, usual = incrowd(made, ANONYMIZE, BUILT_IN)
    assert usual.code == 0, usual.err
    said = asked.err + usual.err
    assert "and so has" in said, said
