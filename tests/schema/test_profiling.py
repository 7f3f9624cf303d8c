import tomllib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError, ParameterError
from incrowd.frame.source import Encoded, Tally
from incrowd.schema import load_policy, policy_from_mapping, profile, starting_policy
from incrowd.schema.name_hints import hint_of
from incrowd.schema.starting import toml_key
from incrowd.texts import is_number


class Memory:
    """A table of texts; as much of a source as a profile needs."""

    def __init__(self, **columns):
        self.cells = columns
        self.names = tuple(columns)
        self.n_rows = len(next(iter(columns.values()), ()))
        self.kinds = {}

    def tally(self, names, *, count=None):
        return Tally(self, np.ones(self.n_rows, np.int64))

    def encode(self, name, *, missing=("",)):
        texts, codes = {}, []
        for cell in self.cells[name]:
            absent = cell is None or cell in missing
            codes.append(-1 if absent else texts.setdefault(cell, len(texts)))
        kind = "number" if texts and all(map(is_number, texts)) else "text"
        return Encoded(np.array(codes, np.int32), tuple(texts), self.kinds.get(name, kind))


def people(n=100):
    return Memory(
        id=[str(1000 + i) for i in range(n)],
        name=[f"person {i % 60}" for i in range(n)],
        age=[str(20 + i % 50) for i in range(n)],
        sex=["f" if i % 2 else "m" for i in range(n)],
        zip=[f"{8000 + i % 30:05d}" for i in range(n)],
        Krankheit=["flu" if i % 3 else "cold" for i in range(n)],
        canton=["ZH"] * n,
        education=["" if i % 10 == 0 else f"degree {i % 7}" for i in range(n)],
        remark=[f"text {i}" for i in range(n)],
    )


def role_of(name, cells, kind=None):
    source = Memory(**{name: cells, "sex": ["f", "m"] * (len(cells) // 2)})
    if kind:
        source.kinds[name] = kind
    return profile(source).columns[0].role


class TestProfile:
    def test_counts_of_a_column(self):
        found = profile(Memory(sex=["f", "f", "m", "", None], age=["1", "1", "1", "1", "1"]))
        sex = found.columns[0]
        assert sex.n_distinct == 2
        assert sex.missing_share == pytest.approx(0.4)
        assert sex.unique_share == pytest.approx(0.2)
        assert found.columns[1].kind == "number"

    def test_a_single_missing_cell_is_unique_too(self):
        found = profile(Memory(sex=["f", "f", "m", "m", ""]))
        assert found.columns[0].unique_share == pytest.approx(0.2)
        assert found.smallest_class == 1

    def test_other_texts_can_be_missing(self):
        column = profile(Memory(sex=["f", "?", "f", "m"]), missing=("", "?")).columns[0]
        assert column.n_distinct == 2
        assert column.missing_share == pytest.approx(0.25)

    def test_roles_of_a_usual_table(self):
        roles = {column.name: column.role for column in profile(people()).columns}
        assert roles == {
            "id": "identifier",
            "name": "identifier",
            "age": "quasi-identifier",
            "sex": "quasi-identifier",
            "zip": "quasi-identifier",
            "Krankheit": "sensitive",
            "canton": "insensitive",
            "education": "quasi-identifier",
            "remark": "identifier",
        }

    @pytest.mark.parametrize("n", [5, 100])
    def test_known_quasi_identifiers_stay_so_when_every_value_is_unique(self, n):
        cells = [f"{i:05d}" for i in range(2 * n)]
        assert role_of("zip", cells) == "quasi-identifier"
        assert role_of("visited", cells, "date") == "quasi-identifier"

    def test_a_repeated_id_of_a_person_is_an_entity(self):
        assert role_of("patient_id", [str(i // 4) for i in range(100)]) == "entity"
        assert role_of("patient_id", [str(i) for i in range(100)]) == "identifier"

    @pytest.mark.parametrize("n", [6, 100])
    def test_one_repeated_person_is_enough_and_the_reason_says_what_follows(self, n):
        ids = ["p0", *(f"p{i}" for i in range(n - 1))]
        found = profile(Memory(patient_id=ids, sex=["f", "m"] * (n // 2))).columns[0]
        assert found.role == "entity"
        assert "refused" in found.reason

    def test_a_few_different_numbers_are_no_identifier(self):
        assert role_of("hours", ["1", "2", "3", "4"]) == "quasi-identifier"

    def test_every_suggestion_has_a_reason(self):
        assert all(column.reason for column in profile(people()).columns)

    def test_a_table_of_names_alone_still_has_a_quasi_identifier(self):
        found = profile(Memory(name=["a", "b"], email=["a@b", "b@a"]))
        assert len(found.quasi_identifiers) == 1

    @pytest.mark.parametrize("source", [Memory(), Memory(age=[])])
    def test_an_empty_table_is_refused(self, source):
        with pytest.raises(InputError, match="Hint"):
            profile(source)

    cells = st.sampled_from(["a", "b", "c", ""])

    @given(rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=30))
    def test_the_joint_risk_is_that_of_a_plain_count(self, rows):
        ages, sexes, zips = zip(*rows, strict=True)
        found = profile(Memory(age=ages, sex=sexes, zip=zips))
        places = [["age", "sex", "zip"].index(name) for name in found.quasi_identifiers]
        counts = Counter(tuple(row[place] for place in places) for row in rows)
        assert found.n_tuples == len(counts)
        assert found.smallest_class == min(counts.values())
        unique = sum(count == 1 for count in counts.values())
        assert found.unique_share == pytest.approx(unique / len(rows))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("E-Mail", "identifier"),
        ("Telefonnummer", "identifier"),
        ("Prénom", "identifier"),
        ("Straße", "identifier"),
        ("homeAddress", "identifier"),
        ("Last Name", "identifier"),
        ("Geburtsdatum", "quasi-identifier"),
        ("date_de_naissance", "quasi-identifier"),
        ("AGE", "quasi-identifier"),
        ("PLZ", "postcode"),
        ("Code postal", "postcode"),
        ("diagnosis_2", "sensitive"),
        ("salary-class", "sensitive"),
        ("disease name", "sensitive"),
        ("city_name", "quasi-identifier"),
        ("Name", "name"),
        ("customer-id", "person id"),
        ("language", None),
        ("automobile", None),
        ("", None),
        ("年齢", None),
    ],
)
def test_what_a_name_hints_at(name, hint):
    assert hint_of(name) == hint


class TestStartingPolicy:
    def test_it_is_a_policy_for_the_table(self, tmp_path):
        source = people()
        path = tmp_path / "policy.toml"
        path.write_text(starting_policy(profile(source), k=7), encoding="utf-8")
        policy = load_policy(path)
        assert policy.requirements[0].k == 7
        assert policy.check(source.names).dropped_names == ("id", "name", "remark")

    def test_hierarchies_follow_the_kind(self):
        source = people()
        source.cells |= {"born": [f"d{i % 9}" for i in range(100)]}
        source.names += ("born",)
        source.kinds["born"] = "date"
        stated = tomllib.loads(starting_policy(profile(source)))["columns"]
        assert stated["sex"]["hierarchy"] == {"suppression": True}
        assert stated["age"]["hierarchy"] == "auto"
        assert stated["zip"]["hierarchy"] == {"masking": True}
        assert stated["born"]["hierarchy"] == {"dates": ["month", "year"]}
        assert stated["education"]["hierarchy"] == "auto"
        assert "hierarchy" not in stated["name"]

    def test_it_holds_no_value(self):
        text = starting_policy(profile(people()))
        for secret in ("person 1", "degree", "flu", "ZH", "text 9"):
            assert secret not in text

    @pytest.mark.parametrize("k", [0, 2.5, True])
    def test_a_bad_k_is_refused(self, k):
        with pytest.raises(ParameterError, match="Hint"):
            starting_policy(profile(people()), k=k)

    names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    odd = st.sampled_from(['a"b', "a\nrole = 'x'", "#", "a.b", "]", "\x7f", "\x00", "", "\\", "é"])

    @given(
        names=st.lists(names | odd, min_size=1, max_size=6, unique=True),
        n=st.integers(1, 40),
        data=st.data(),
    )
    def test_any_table_gets_a_policy_that_fits_it(self, names, n, data):
        column = st.integers(1, 40).map(lambda distinct: [str(i % distinct) for i in range(n)])
        source = Memory(**{name: data.draw(column) for name in names})
        for name in names:
            source.kinds[name] = data.draw(st.sampled_from(["text", "number", "date", "boolean"]))
        policy = policy_from_mapping(tomllib.loads(starting_policy(profile(source))))
        assert policy.check(source.names).names == tuple(names)

    @given(name=names | odd)
    def test_a_key_reads_back_as_the_name(self, name):
        assert tomllib.loads(f"{toml_key(name)} = 1") == {name: 1}
