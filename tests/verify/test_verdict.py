"""Policies against releases: what is checked, what is refused, and what is said."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from incrowd.errors import InputError, ParameterError, PolicyError, VerificationError
from incrowd.requirements import KAnonymity, Monotone
from incrowd.schema import Column, InputOptions, Policy
from incrowd.verify import FORMULAS, Finding, Verdict, formula, verify

TABLE = pa.table(
    {
        "age": ["[20, 30)", "[20, 30)", "[30, 40)", "[30, 40)", "*", "*"],
        "sex": ["f", "f", "m", "m", "*", "*"],
        "disease": ["flu", "cold", "flu", "flu", "cold", "flu"],
    }
)
COLUMNS = (
    Column("age", "quasi-identifier"),
    Column("sex", "quasi-identifier"),
    Column("disease", "sensitive"),
)


def policy(*requirements, columns=COLUMNS, **options) -> Policy:
    return Policy(columns=columns, requirements=list(requirements), **options)


@dataclass(frozen=True)
class Distinct:
    """Every class has at least `least` values of a column; its own formula lets all pass."""

    least: int
    column: str
    on: tuple[str, ...] | None = None

    name: ClassVar[str] = "distinct"
    monotone: ClassVar[Monotone] = Monotone(True, True)
    minimum_size: ClassVar[int] = 1
    compiled: ClassVar[None] = None

    @property
    def carried(self):
        return (self.column,)

    def violating(self, sizes, histograms):
        return np.zeros(len(sizes), dtype=bool)

    def implies(self, other):
        return True

    def resolved(self, quasi_identifiers):
        return replace(self, on=self.on or quasi_identifiers)

    def check_reachable(self, table):
        pass

    def describe(self):
        return f"{self.least} values of {self.column}"

    def to_policy(self):
        return {}

    @classmethod
    def from_policy(cls, value, on):
        return cls(value, on)


@pytest.fixture
def distinct_formula(monkeypatch):
    monkeypatch.setitem(FORMULAS, "distinct", None)  # so that it is taken out again

    @formula("distinct")
    def too_few(parameters, classes):
        values = classes.distributions[parameters["column"]].class_of
        return np.bincount(values, minlength=len(classes.sizes)) < parameters["least"]


def test_every_requirement_is_counted_on_its_own_columns():
    table = pa.table({"age": ["1", "1", "1", "2"], "sex": ["f", "f", "m", "m"]})
    verdict = verify(
        table,
        policy(
            KAnonymity(2),
            KAnonymity(2, on="sex"),
            KAnonymity(3, on="age"),
            KAnonymity(1, on=("sex", "age")),
            columns=COLUMNS[:2],
        ),
    )
    found = [
        (each.holds, each.classes, each.smallest_class, each.violating_records)
        for each in verdict.findings
    ]
    assert found == [(False, 3, 1, 2), (True, 2, 2, 0), (False, 2, 1, 1), (True, 3, 1, 0)]
    assert verdict.findings[1].columns == ("sex",)
    assert verdict.findings[0].parameters == {"k": 2}
    assert not verdict.passed


def test_implied_requirements_are_counted_too():
    verdict = verify(TABLE, policy(KAnonymity(2), KAnonymity(2, on="age"), KAnonymity(2)))
    assert [each.holds for each in verdict.findings] == [True] * 3


def test_a_wrong_formula_of_the_requirement_does_not_pass(monkeypatch):
    monkeypatch.setattr(KAnonymity, "violating", lambda self, sizes, _: sizes < 0)
    monkeypatch.setattr(KAnonymity, "implies", lambda self, other: True)
    monkeypatch.setattr(KAnonymity, "resolved", lambda self, _: replace(self, on=("sex",)))
    assert not verify(TABLE, policy(KAnonymity(3), KAnonymity(1))).passed


def test_masked_records_are_a_class_like_any_other():
    verdict = verify(TABLE, policy(KAnonymity(2)))
    assert (verdict.passed, verdict.masked, verdict.findings[0].classes) == (True, 2, 3)
    one_less = verify(TABLE.slice(0, 5), policy(KAnonymity(2)))
    assert (one_less.passed, one_less.masked) == (False, 1)


def test_half_masked_records_are_not_masked():
    table = pa.table({"age": ["*", "*"], "sex": ["f", None]})
    assert verify(table, policy(KAnonymity(1), columns=COLUMNS[:2])).masked == 0


def test_masked_records_of_a_compressed_table_are_summed():
    table = pa.table({"age": ["1", "*"], "n": [3, 2**33]})
    columns = (COLUMNS[0], Column("n", "count"))
    verdict = verify(table, policy(KAnonymity(3), columns=columns))
    assert (verdict.masked, verdict.rows, verdict.records) == (2**33, 2, 2**33 + 3)


@pytest.mark.parametrize("k", [7, 2**40, 2**63 - 1])
def test_a_k_beyond_the_table_fails(k):
    assert not verify(TABLE, policy(KAnonymity(k))).passed


def test_a_quasi_identifier_that_no_requirement_needs_may_be_absent():
    verdict = verify(TABLE.drop_columns(["sex"]), policy(KAnonymity(2, on="age")))
    assert (verdict.passed, verdict.masked) == (True, 2)


def test_a_column_that_the_recount_needs_must_be_there():
    with pytest.raises(PolicyError, match="no column 'sex'"):
        verify(TABLE.drop_columns(["sex"]), policy(KAnonymity(2)))
    columns = (*COLUMNS, Column("n", "count"))
    with pytest.raises(PolicyError, match="no column 'n'"):
        verify(TABLE, policy(KAnonymity(2), columns=columns))


@pytest.mark.parametrize("role", ["identifier", "entity"])
def test_forbidden_columns_fail(role):
    columns = (*COLUMNS[:2], Column("disease", role))
    with pytest.raises(VerificationError, match="may not be released: 'disease'") as caught:
        verify(TABLE, policy(KAnonymity(1), columns=columns))
    assert caught.value.verdict["passed"] is False
    assert caught.value.exit_code == 1


def test_undeclared_columns():
    columns = COLUMNS[:2]
    assert verify(TABLE, policy(KAnonymity(2), columns=columns, other_columns="keep")).passed
    with pytest.raises(VerificationError, match="disease"):
        verify(TABLE, policy(KAnonymity(2), columns=columns, other_columns="drop"))
    with pytest.raises(PolicyError, match="no role"):
        verify(TABLE, policy(KAnonymity(2), columns=columns))


def test_the_index_that_pandas_hides_in_a_parquet_file_is_a_column(tmp_path):
    frame = pd.DataFrame({"age": ["1", "1"]}, index=["Ann", "Bob"])
    frame.to_parquet(tmp_path / "r.parquet")
    with pytest.raises(PolicyError, match="no role"):
        verify(tmp_path / "r.parquet", policy(KAnonymity(2), columns=COLUMNS[:1]))


def test_a_requirement_without_a_formula_is_never_passed():
    with pytest.raises(VerificationError, match="distinct cannot be recounted") as caught:
        verify(TABLE, policy(KAnonymity(1), Distinct(1, "disease")))
    assert caught.value.verdict["passed"] is False


@pytest.mark.usefixtures("distinct_formula")
def test_a_formula_sees_how_carried_values_are_spread():
    verdict = verify(TABLE, policy(Distinct(2, "disease"), Distinct(2, "disease", on=("sex",))))
    for finding in verdict.findings:
        assert (finding.classes, finding.violating_classes, finding.violating_records) == (3, 1, 2)
    assert verdict.findings[0].parameters == {"least": 2, "column": "disease"}


def test_a_distribution_counts_records_and_missing_cells(monkeypatch):
    seen = {}

    def keep(parameters, classes):
        spread = classes.distributions["disease"]
        seen.update(
            sizes=classes.sizes.tolist(),
            entries=list(
                zip(spread.class_of.tolist(), spread.value.tolist(), spread.records, strict=True)
            ),
        )
        return np.zeros(len(classes.sizes), dtype=bool)

    monkeypatch.setitem(FORMULAS, "distinct", keep)
    table = pa.table(
        {
            "age": ["2", "1", "1", "2", "1"],
            "disease": ["flu", None, "cold", "flu", "cold"],
            "n": [1, 2, 4, 8, 16],
        }
    )
    columns = (COLUMNS[0], COLUMNS[2], Column("n", "count"))
    verify(table, policy(Distinct(1, "disease"), columns=columns))
    assert seen["sizes"] == [9, 22]  # classes by first appearance
    assert seen["entries"] == [(0, 0, 9), (1, -1, 2), (1, 1, 20)]


@pytest.mark.parametrize("answer", [False, np.zeros(1, dtype=bool), np.zeros(3), None])
def test_a_formula_that_does_not_answer_by_class_is_refused(answer, monkeypatch):
    monkeypatch.setitem(FORMULAS, "k_anonymity", lambda parameters, classes: answer)
    with pytest.raises(VerificationError, match="does not say which classes"):
        verify(TABLE, policy(KAnonymity(2)))


def test_a_promise_about_a_column_that_is_never_released_cannot_be_verified(monkeypatch):
    monkeypatch.setitem(FORMULAS, "distinct", lambda parameters, classes: classes.sizes < 0)
    columns = (*COLUMNS, Column("person", "entity"))
    with pytest.raises(VerificationError, match="'person', which is not in the released table"):
        verify(TABLE, policy(Distinct(2, "person"), columns=columns))


def test_a_policy_file_and_the_separator_it_names(tmp_path):
    (tmp_path / "policy.toml").write_text(
        'input.separator = "^"\n[columns.age]\nrole = "quasi-identifier"\n'
        "[columns.sex]\nrole = 'quasi-identifier'\n[[requirements]]\nk_anonymity = 2\n",
        encoding="utf-8",
    )
    (tmp_path / "r.csv").write_text("age^sex\n1^f\n1^f\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("age,sex\n1,f\n1,f\n", encoding="utf-8")
    assert verify(tmp_path / "r.csv", tmp_path / "policy.toml").passed
    assert verify(str(tmp_path / "s.csv"), str(tmp_path / "policy.toml"), separator=",").passed


def test_the_encoding_of_the_input_is_not_that_of_the_release(tmp_path):
    (tmp_path / "r.csv").write_bytes("age,sex\né,f\né,f\n".encode())
    (tmp_path / "s.csv").write_bytes("age,sex\né,f\né,f\n".encode("latin-1"))
    given = policy(KAnonymity(2), columns=COLUMNS[:2], input=InputOptions(encoding="latin-1"))
    assert verify(tmp_path / "r.csv", given).passed
    with pytest.raises(InputError, match="not UTF-8"):
        verify(tmp_path / "s.csv", given)
    assert verify(tmp_path / "s.csv", given, encoding="latin-1").passed


def test_what_was_sniffed_is_said(tmp_path):
    (tmp_path / "r.csv").write_text("age;sex\n1;f\n", encoding="utf-8")
    verdict = verify(tmp_path / "r.csv", policy(KAnonymity(1), columns=COLUMNS[:2]))
    assert any("sniffed" in note for note in verdict.notes)


@pytest.mark.parametrize(
    "nothing", [TABLE.slice(0, 0), TABLE.slice(0, 0).to_pandas(), b"age", 5, None, [["a"]]]
)
def test_no_table_is_no_pass(nothing):
    with pytest.raises(InputError):
        verify(nothing, policy(KAnonymity(1)))


@pytest.mark.parametrize("content", ["", "age,sex,disease\n"])
def test_a_file_without_records_is_no_pass(content, tmp_path):
    (tmp_path / "r.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        verify(tmp_path / "r.csv", policy(KAnonymity(1)))


@pytest.mark.parametrize("wrong", [None, 5, {"columns": {}}, KAnonymity(5)])
def test_no_policy_is_no_pass(wrong):
    with pytest.raises(ParameterError, match="is no policy"):
        verify(TABLE, wrong)


def test_a_missing_policy_file_is_refused(tmp_path):
    with pytest.raises(PolicyError, match="cannot be read"):
        verify(TABLE, tmp_path / "absent.toml")


def test_a_column_without_texts_is_refused():
    table = pa.table({"age": [[1], [2]]})
    with pytest.raises(InputError, match="'age'"):
        verify(table, policy(KAnonymity(1), columns=COLUMNS[:1]))


def test_progress_is_told_each_column():
    told = []

    class Teller:
        def start(self, task, *, total=None, detail=""):
            told.append((task, total))

        def update(self, done, *, best=None, bound=None):
            told.append(done)

        def finish(self):
            told.append("finished")

    verify(TABLE, policy(KAnonymity(2)), progress=Teller())
    assert told == [("verify", None), ("verify", 2), 1, 2, "finished"]


def test_the_verdict_as_plain_data():
    verdict = verify(TABLE, policy(KAnonymity(2), KAnonymity(3, on="sex")))
    assert json.loads(json.dumps(verdict.to_json())) == {
        "passed": False,
        "records": 6,
        "rows": 6,
        "masked": 2,
        "requirements": [
            {
                "requirement": "k_anonymity",
                "description": "2-anonymity",
                "columns": ["age", "sex"],
                "parameters": {"k": 2},
                "holds": True,
                "classes": 3,
                "smallest_class": 2,
                "violating_classes": 0,
                "violating_records": 0,
                "measure": "k",
                "reached": 2,
                "worst_class": 2,
            },
            {
                "requirement": "k_anonymity",
                "description": "3-anonymity on sex",
                "columns": ["sex"],
                "parameters": {"k": 3},
                "holds": False,
                "classes": 3,
                "smallest_class": 2,
                "violating_classes": 3,
                "violating_records": 6,
                "measure": "k",
                "reached": 2,
                "worst_class": 2,
            },
        ],
        "not_checked": [],
        "notes": [],
    }


def test_the_verdict_in_words():
    verdict = verify(TABLE.slice(0, 5), policy(KAnonymity(2), KAnonymity(1, on="sex")))
    assert str(verdict) == (
        "failed: 5 records, 1 masked\n"
        "2-anonymity is broken by 1 class with 1 record: the smallest of 3 classes has 1 record\n"
        "1-anonymity on sex holds: the smallest of 3 classes has 1 record"
    )
    assert repr(verdict).startswith("Verdict(passed=False, ")


def test_no_cell_value_in_any_word():
    secret = "Xanthippe"
    table = pa.table({"age": [secret, "1"], "sex": [secret, secret], "disease": [secret, None]})
    verdict = verify(table, policy(KAnonymity(2)))
    with pytest.raises(VerificationError) as caught:
        verdict.raise_if_failed()
    said = [str(verdict), repr(verdict), json.dumps(verdict.to_json()), repr(caught.value)]
    assert not any(secret in text for text in said)
    assert caught.value.verdict == verdict.to_json()
    assert "2-anonymity is broken by 2 classes with 2 records" in str(caught.value)


def test_a_passed_verdict_raises_nothing():
    verify(TABLE, policy(KAnonymity(2))).raise_if_failed()


def test_a_verdict_of_nothing_is_not_passed():
    empty = {"description": "", "columns": (), "parameters": {}, "smallest_class": 0}
    finding = Finding(requirement="", classes=0, violating_classes=0, violating_records=0, **empty)
    assert not finding.holds
    assert not Verdict(records=5, rows=5, masked=0, findings=()).passed
    assert not Verdict(records=0, rows=0, masked=0, findings=(finding,)).passed


def test_a_verdict_cannot_be_called_passed():
    with pytest.raises(TypeError):
        Verdict(passed=True, records=1, rows=1, masked=0, findings=())
