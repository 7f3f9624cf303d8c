"""What releases say about their sensitive columns, held against a loop over the released rows."""

from __future__ import annotations

from collections import Counter, defaultdict

import pyarrow as pa
import pytest

import incrowd as ic
from command_line import POLICY, incrowd, make_people, people
from incrowd.engines.memory.table import MemoryTable
from incrowd.frame import open_source
from incrowd.metrics import SensitiveColumn
from incrowd.release.released_table import ReleasedTable
from naive import measures as naive

NAMES = ("protection", "diversity_l", "diversity_c", "homogeneous_classes")


def table(n=200, *, outliers=False):
    """Return people; outliers are like nobody else, and too many to be dropped."""
    rows = people(n)
    diseases = ["" if at % 17 == 0 else row[4] for at, row in enumerate(rows)]
    alone = range(0, n, 25) if outliers else ()
    return {
        "age": [at * 40 if at in alone else int(row[1]) - 731000 for at, row in enumerate(rows)],
        "sex": [f"x{at}" if at in alone else row[2][-1] for at, row in enumerate(rows)],
        "disease": [text or None for text in diseases],
        "salary": [(at * 37) % 11 for at in range(n)],
        "n": [1 + at % 3 for at in range(n)],
    }


def release_of(data, *, count=False, sensitive=("disease", "salary"), **options):
    names = ["age", "sex", *sensitive, *(["n"] if count else [])]
    return ic.anonymize(
        pa.table({name: data[name] for name in names}),
        quasi_identifiers={"age": ic.intervals(5, 10, 20), "sex": ic.suppression()},
        sensitive=list(sensitive),
        **({"count": "n"} if count else {}),
        **options,
    )


def classes_of(released, name, *, count=False, masked=True):
    """Return the sensitive values of every class, one per record."""
    rows = released.to_pylist()
    classes = defaultdict(list)
    for row in rows:
        key = (row["age"], row["sex"])
        if not (masked and key == ("*", "*")):
            value = None if row[name] is None else str(row[name])
            classes[key] += [value] * (row["n"] if count else 1)
    return list(classes.values())


def expected_of(released, names, **how):
    texts = {
        name: tuple({None if each is None else str(each) for each in released[name].to_pylist()})
        for name in names
    }
    found = {"protection": 0.0, "diversity_l": {}, "diversity_c": {}, "homogeneous_classes": {}}
    for name in names:
        classes = classes_of(released, name, **how)
        column = SensitiveColumn(name, texts[name])
        sums = [naive.s_diversity(column, values, 1.0) for values in classes]
        found["protection"] += sum(sums) / len(sums)
        counted = [sorted(Counter(values).values()) for values in classes]
        several = [counts for counts in counted if len(counts) > 1]
        ratios = [counts[-1] / sum(counts[:-1]) for counts in several]
        found["diversity_l"][name] = sum(map(len, several)) / len(several)
        found["diversity_c"][name] = sum(ratios) / len(ratios)
        found["homogeneous_classes"][name] = 1 - len(several) / len(counted)
    return found


@pytest.mark.parametrize("count", [False, True])
@pytest.mark.parametrize("limit", [0.0, 0.3])
def test_a_release_against_a_loop_over_its_rows(count, limit):
    data = table(outliers=limit > 0)
    release = release_of(data, count=count, k=6, algorithm=ic.Flash(suppression_limit=limit))
    assert (release.facts["suppressed"] > 0) == (limit > 0)
    expected = expected_of(release.table, ("disease", "salary"), count=count)
    for name in NAMES:
        assert release.metric(name) == pytest.approx(expected[name]), name
    assert not set(NAMES) & set(release.metrics)  # only on request


def test_the_random_order_of_the_rows_changes_no_digit():
    releases = [release_of(table(), k=6) for _ in range(3)]
    assert releases[0].table != releases[1].table
    for name in NAMES:
        assert len({str(release.metric(name)) for release in releases}) == 1, name


def test_a_class_of_stars_is_a_class_unless_it_holds_suppressed_records():
    data = {"age": [20, 60], "sex": ["f", "m"], "disease": ["flu", "cold"], "salary": [1, 2]}
    release = release_of(data, k=2, algorithm=ic.Flash(suppression_limit=0.0))
    assert set(release.table["age"].to_pylist()) == {"*"}
    assert release.metric("diversity_l") == {"disease": 2.0, "salary": 2.0}
    assert release.metric("protection") == pytest.approx(0.75 + 0.5)


def test_classes_of_one_value_are_counted_beside():
    data = {"age": [20, 20, 60, 60], "sex": ["f"] * 4, "disease": ["flu"] * 3 + ["cold"]}
    release = release_of(data, sensitive=("disease",), k=2, algorithm="flash")
    assert release.metric("homogeneous_classes") == {"disease": 0.5}
    assert release.metric("diversity_l") == {"disease": 2.0}
    assert release.metric("diversity_c") == {"disease": 1.0}
    alike = release_of(data | {"disease": ["flu"] * 4}, sensitive=("disease",), k=2)
    assert alike.metric("homogeneous_classes") == {"disease": 1.0}
    assert alike.metric("diversity_l") is None
    assert alike.metric("diversity_c") is None


def test_a_release_without_sensitive_columns_says_nothing_of_them():
    release = release_of(table(), sensitive=(), k=5)
    assert [release.metric(name) for name in NAMES] == [None] * 4


def test_a_hierarchy_makes_values_near():
    diseases = ["flu", "cold", "cancer", "hiv"]
    data = {"age": [20, 20, 60, 60], "sex": ["f"] * 4, "disease": diseases}
    policy = ic.policy(
        quasi_identifiers={"age": ic.intervals(5), "sex": ic.suppression()},
        sensitive={"disease": ic.groups({"lungs": ["flu", "cold"], "rest": ["cancer", "hiv"]})},
        k=2,
    )
    release = ic.anonymize(pa.table(data), policy)
    assert release.facts["classes"] == 2
    assert release.metric("protection") == pytest.approx((1 + 0.75) / 2)


def test_sensitive_columns_are_not_read_unless_asked(monkeypatch):
    read = []
    encode = type(open_source(pa.table({"a": [1]}))).encode

    def noting(self, name, **how):
        read.append(name)
        return encode(self, name, **how)

    monkeypatch.setattr(type(open_source(pa.table({"a": [1]}))), "encode", noting)
    release = release_of(table(), k=5)
    _ = release.metrics
    before = read.count("salary")
    release.metric("protection")
    release.metric("diversity_c")
    assert before == 0
    assert read.count("salary") == 2  # to tell distinct rows apart, and to name what they say


@pytest.mark.parametrize("suppressed", ["mask", "drop"])
def test_measuring_a_file_says_the_same(tmp_path, suppressed):
    policy = POLICY + f'[release]\nsuppressed = "{suppressed}"\n'
    make_people(tmp_path, policy=policy)
    data, out = tmp_path / "people.csv", tmp_path / "out.csv"
    chosen = ic.load_policy(tmp_path / "policy.toml")
    release = ic.anonymize_file(data, out, chosen)
    assert release.facts["suppressed"] > 0
    measured = ic.measure_release(out, data, chosen)["metrics"]
    for name in NAMES:
        assert measured[name] == pytest.approx(release.metric(name)), name
    assert measured["kl_divergence"] == pytest.approx(release.metric("kl_divergence"))
    assert "utility" not in measured  # which record became which is not known
    assert release.metric("utility") > 0


def test_queries_from_the_command_line(tmp_path):
    make_people(tmp_path)
    data, policy, out = (tmp_path / name for name in ("people.csv", "policy.toml", "out.csv"))
    assert incrowd("anonymize", data, "-p", policy, "-o", out, "-q").code == 0
    flags = ("--original", data, "-p", policy, "--query-columns", "age,sex")
    more = ("--selectivity", "0.2", "--queries", "300", "--seed", "4")
    ran = incrowd("measure", out, *flags, *more, "--json", "-")
    assert ran.code == 0, ran.err
    assert "query_error" in ran.err
    source = ic.load_policy(policy)
    workload = ic.Workload(columns=["age", "sex"], selectivity=0.2, n_queries=300, seed=4)
    again = ic.measure_release(out, data, source, workload=workload)
    assert ran.json["query_error"] == pytest.approx(again["query_error"], rel=1e-12)
    release = ic.anonymize(data, policy)
    assert ran.json["query_error"] == pytest.approx(ic.query_error(release, workload), rel=1e-9)
    silent = incrowd("measure", out, *flags[:4], *more)
    assert silent.code == 2
    assert "--query-columns" in silent.err
    assert incrowd("measure", out, *flags[:4], "--query-columns", "agee").code == 2


def test_new_rows_of_a_recoding_have_no_hierarchies_to_compare_with(tmp_path):
    release = release_of(table(), k=5)
    again = ic.apply_recoding(release.recoding, pa.table(table()).drop(["n"]))
    assert again.metric("protection") is None


def test_spreads_of_a_table_that_is_all_masked():
    policy = ic.policy(quasi_identifiers={"age": ic.suppression()}, sensitive=["disease"], k=1)
    source = MemoryTable(open_source(pa.table({"age": ["*", "*"], "disease": ["flu", None]})))
    (hidden,) = ReleasedTable.read(source, policy, masked=True).sensitive()
    assert len(hidden.class_sizes) == 0
    (shown,) = ReleasedTable.read(source, policy, masked=False).sensitive()
    assert shown.class_sizes.tolist() == [2]
    assert shown.histogram.count.tolist() == [1, 1]
