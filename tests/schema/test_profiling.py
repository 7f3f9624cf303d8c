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
        typed = name in self.kinds
        return Encoded(
            np.array(codes, np.int32), tuple(texts), self.kinds.get(name, kind), typed=typed
        )


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
        assert "counted in persons" in found.reason

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


class TestCells:
    """What cells look like decides where names do not."""

    @pytest.mark.parametrize(
        ("pattern", "cells"),
        [
            ("e-mail address", ["ann@x.org", "bob@y.net"]),
            ("URL", ["https://x.org/1", "www.y.net"]),
            ("IP address", ["10.0.0.1", "192.168.7.31"]),
            ("IP address", ["fe80::1", "2001:db8::7310"]),
            ("IBAN", ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"]),
            ("card number", ["4111 1111 1111 1111", "5500-0000-0000-0004"]),
            ("phone number", ["+49 341 97-123", "(0341) 97123"]),
            ("social security number", ["078-05-1120", "219-09-9999"]),
            ("UUID", ["123e4567-e89b-12d3-a456-426614174000"]),
            ("free text", ["she came at night with her son", "was sent home after one day alone"]),
        ],
    )
    def test_what_names_or_reaches_a_person_is_dropped(self, pattern, cells):
        found = profile(Memory(x=[*cells] * 10 if pattern != "free text" else cells)).columns[0]
        assert found.pattern == pattern
        found = profile(Memory(x=[*cells, None], sex=["f", "m", "f"][: len(cells) + 1])).columns[0]
        assert found.role == "identifier"
        assert found.reason

    @pytest.mark.parametrize(
        "cells", [["4103", "4109"], ["2020-01-02"], ["1.2.3"], ["P10", "P11"], ["a b", "c"]]
    )
    def test_what_looks_like_nothing(self, cells):
        assert profile(Memory(x=cells * 5)).columns[0].pattern is None

    def test_codes_of_diseases_are_sensitive(self):
        table = Memory(code=["I50.01", "J18.9", "A41"] * 10, sex=["f", "m"] * 15)
        assert profile(table).columns[0].role == "sensitive"

    def test_exact_amounts_are_ranges_and_others_sensitive(self):
        exact = [f"{i}.{i % 90 + 10}" for i in range(100)]
        assert role_of("cost", exact) == "quasi-identifier"
        assert role_of("x", exact) == "quasi-identifier"
        assert role_of("cost", ["10.50", "20.50"] * 50) == "sensitive"

    def test_nine_in_ten_will_do(self):
        mails = ["a@b.org"] * 9
        assert profile(Memory(x=[*mails, "none"])).columns[0].pattern == "e-mail address"
        assert profile(Memory(x=[*mails[1:], "none", "no"])).columns[0].pattern is None


SAFE_HARBOR = {
    1: "last_name", 2: "zip_code", 3: "date_of_birth", 4: "telephone", 5: "fax_number",
    6: "email", 7: "ssn", 8: "medical_record_number", 9: "health_plan_number",
    10: "account_number", 11: "license_no", 12: "license_plate", 13: "device_serial",
    14: "url", 15: "ip_address", 16: "fingerprint", 17: "photo_file", 18: "uuid",
}  # fmt: skip


@pytest.mark.parametrize("number", SAFE_HARBOR)
def test_no_class_of_safe_harbor_is_kept(number):
    """Sixteen are dropped; places and dates are generalised."""
    name = SAFE_HARBOR[number]
    found = profile(Memory(**{name: [f"v{i}" for i in range(30)], "sex": ["f", "m"] * 15}))
    assert found.columns[0].safe_harbor == number
    expected = "quasi-identifier" if number in (2, 3) else "identifier"
    assert found.columns[0].role == expected
    told = {each.number: columns for each, columns in found.safe_harbor()}
    assert told[number] == (name,)
    assert len(told) == 18


class TestCombinations:
    rows = st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=25)

    @given(rows=rows)
    def test_they_are_those_of_a_plain_count(self, rows):
        names = ["age", "sex", "zip", "city"]
        table = dict(zip(names, zip(*rows, strict=True), strict=True))
        found = profile(Memory(**table))
        for each in found.combinations:
            counts = Counter(zip(*(table[name] for name in each.columns), strict=True))
            alone = sum(count == 1 for count in counts.values())
            assert each.unique_share == pytest.approx(alone / len(rows))
        shares = [each.unique_share for each in found.combinations if len(each.columns) == 2]
        assert shares == sorted(shares, reverse=True)
        assert len(shares) <= 3


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
        assert stated["born"]["hierarchy"] == {"dates": ["month", "year", "decade"]}
        assert stated["education"]["hierarchy"] == "auto"
        assert "hierarchy" not in stated["name"]

    def test_it_holds_no_value(self):
        text = starting_policy(profile(people()))
        for secret in ("person 1", "degree", "flu", "ZH", "text 9"):
            assert secret not in text

    def test_it_reads_and_mends_what_it_found(self):
        source = Memory(
            born=[*["31.12.1960", "3.4.1961"] * 100, "unknown"],
            zip=["04103", "4103", "D-04103"] * 67,
            sex=["F", "M", "w"] * 67,
            ill=["I50.01", "i5001", "J18.9"] * 67,
            mixed=[str(i % 60) for i in range(195)] + ["x"] * 6,
        )
        stated = tomllib.loads(starting_policy(profile(source)))["columns"]
        assert stated["born"]["dates"] == "day-first"
        assert stated["born"]["unknown"] == "suppress"
        assert (stated["zip"]["remove"], stated["zip"]["pad"]) == (["D-"], 5)
        assert "clean" not in stated["sex"]  # it would name values
        assert (stated["ill"]["remove"], stated["ill"]["case"]) == (["."], "upper")
        assert "intervals" in stated["mixed"]["hierarchy"]
        text = starting_policy(profile(source))
        assert "# clean = " in text
        for secret in ("4103", "I50", "unknown,", "31.12"):
            assert secret not in text

    def test_what_can_be_read_in_two_ways_is_marked(self):
        text = starting_policy(profile(Memory(born=["03.04.2020", "05.06.2021"] * 5)))
        assert 'dates = "day-first"  # or another way' in text

    @pytest.mark.parametrize(
        ("cells", "hierarchy"),
        [
            (["19601231", "20040229"], {"dates": ["month", "year", "decade"]}),
            (["1960-12", "2004-02"], {"dates": ["year", "decade"], "format": "%Y-%m"}),
            (["31 Dec 1960", "29 Feb 2004"],
             {"dates": ["month", "year", "decade"], "format": "%d %b %Y"}),
            (["31.12.60", "29.02.04"], "auto"),  # of which century nobody can tell
        ],
    )  # fmt: skip
    def test_dates_that_are_written_in_yet_another_way(self, cells, hierarchy):
        source = Memory(born=[*cells, cells[0].replace("12", "11").replace("31", "30")] * 10)
        source.cells["born"] = [each.replace("Dec", "Nov") if at % 3 == 2 else each
                                for at, each in enumerate(source.cells["born"])]  # fmt: skip
        stated = tomllib.loads(starting_policy(profile(source)))["columns"]["born"]
        assert stated["hierarchy"] == hierarchy

    def test_sensitive_amounts_that_can_be_read_in_two_ways_stay_as_they_are(self):
        text = starting_policy(profile(Memory(age=["30"] * 30, income=["1,234", "5,678"] * 15)))
        stated = tomllib.loads(text)["columns"]["income"]
        assert stated == {"role": "sensitive"}

    @pytest.mark.parametrize(
        ("cells", "said"),
        [
            (["31.12.1960", "3.4.1961"], {"dates": "day-first"}),
            (["1960-12-31T08:15", "1961-03-04 09:30"], {}),
            (["12,5", "7,25"], {"decimal": ","}),
        ],
    )
    def test_it_runs_where_two_per_cent_are_odd(self, cells, said):
        text = starting_policy(profile(Memory(born=[*cells * 147, *["?!", "x"] * 3])))
        stated = tomllib.loads(text)["columns"]["born"]
        assert stated.pop("role") == "quasi-identifier"
        assert {"dates", "intervals"} & {*stated.pop("hierarchy")}
        assert stated == {"unknown": "suppress", **said}

    def test_sensitive_columns_have_a_requirement(self):
        source = people()
        text = starting_policy(profile(source))
        assert '# l_diversity = { l = 2, column = "Krankheit" }' in text  # it has two values
        source.cells["Krankheit"] = ["flu", "cold", "cough", "ache"] * 25
        stated = tomllib.loads(starting_policy(profile(source)))
        assert {"l_diversity": {"l": 2, "column": "Krankheit"}} in stated["requirements"]

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
