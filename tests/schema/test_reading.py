import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import IncrowdError, ParameterError, PolicyError
from incrowd.hierarchies import spec_from_policy
from incrowd.requirements import REQUIREMENTS, KAnonymity
from incrowd.schema import (
    ROLES,
    AlgorithmChoice,
    Column,
    InputOptions,
    Policy,
    ReleaseOptions,
    load_policy,
    policy_from_mapping,
)
from incrowd.schema.reading import COLUMN_KEYS, INPUT_KEYS, POLICY_KEYS, RELEASE_KEYS

GOOD = """
other_columns = "drop"

[input]
separator = ";"
missing = ["", "?"]

[columns.age]
role = "quasi-identifier"
hierarchy = { suppression = true }
weight = 2
domain = [0, 120]

[columns."salary class"]
role = "sensitive"

[[requirements]]
k_anonymity = 5
on = ["age"]

[algorithm]
name = "flash"
suppression_limit = 0.05

[release]
order = "keep"
"""


def loaded(tmp_path: Path, text: str | bytes) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_policy(path)


def refused(build, kind=PolicyError):
    with pytest.raises(kind) as caught:
        build()
    assert "\nHint: " in str(caught.value)
    return caught.value


def mapping(**changes):
    stated = {
        "columns": {"age": {"role": "quasi-identifier"}, "sex": {"role": "sensitive"}},
        "requirements": [{"k_anonymity": 5}],
    }
    return stated | changes


def test_a_whole_file_is_read(tmp_path):
    policy = loaded(tmp_path, GOOD)
    assert policy.other_columns == "drop"
    assert policy.quasi_identifiers == ("age",)
    assert policy.column("age").weight == 2.0
    assert policy.column("age").domain == (0.0, 120.0)
    assert policy.column("age").hierarchy.to_policy() == {"suppression": True}
    assert policy.column("salary class").hierarchy is None
    assert policy.requirements == (KAnonymity(5, on=("age",)),)
    assert policy.algorithm == AlgorithmChoice("flash", {"suppression_limit": 0.05})
    assert policy.input == InputOptions(separator=";", missing=("", "?"))
    assert policy.release == ReleaseOptions(order="keep")


def test_defaults_are_those_of_the_classes():
    policy = policy_from_mapping(mapping())
    assert policy.other_columns == "refuse"
    assert policy.algorithm == AlgorithmChoice("auto")
    assert policy.input == InputOptions()
    assert policy.release == ReleaseOptions()


def test_a_byte_order_mark_is_skipped(tmp_path):
    assert loaded(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()) == loaded(tmp_path, GOOD)


def test_hierarchy_files_are_relative_to_the_policy(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "age.csv").write_text("1;*\n2;*\n")
    text = GOOD.replace("{ suppression = true }", '"age.csv"')
    monkeypatch.chdir(tmp_path)
    assert loaded(tmp_path / "there", text).column("age").hierarchy is not None


class TestFiles:
    @pytest.mark.parametrize("name", ["absent.toml", "", "a\0b", "absent/policy.toml"])
    def test_a_file_that_cannot_be_read(self, tmp_path, name):
        refused(lambda: load_policy(str(tmp_path / name)))

    def test_not_utf8(self, tmp_path):
        assert "UTF-8" in refused(lambda: loaded(tmp_path, GOOD.encode("utf-16"))).message

    def test_a_syntax_error_has_its_line(self, tmp_path):
        error = refused(lambda: loaded(tmp_path, '[columns.age]\nrole = "x\n'))
        assert "policy.toml" in error.message
        assert "line 2" in error.message
        assert "line 2" in error.hint

    def test_a_column_described_twice_has_its_line(self, tmp_path):
        error = refused(lambda: loaded(tmp_path, GOOD + '\n[columns.age]\nrole = "target"\n'))
        assert "twice" in error.message
        assert "line " in error.message

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\0",
            "x = " + "[" * 100_000,
            "x = " + "{a=" * 50_000,
            ".".join("a" * 2_000) + " = 1",
            "k = " + "9" * 5_000,
            "k = 0x" + "f" * 5_000,
            "[[columns]]\nrole = 'x'",
            "columns = 1979-05-27T07:32:00Z",
            "[requirements]\nk_anonymity = 5",
            "other_columns = nan",
            GOOD.replace("k_anonymity = 5", "k_anonymity = 0x" + "f" * 5_000),
            GOOD.replace("weight = 2", "weight = 0x" + "f" * 5_000),
            GOOD.replace("weight = 2", "weight = nan"),
        ],
        ids=range(14),
    )
    def test_hostile_text_is_refused_with_a_hint(self, tmp_path, text):
        refused(lambda: loaded(tmp_path, text), IncrowdError)


class TestKeys:
    @pytest.mark.parametrize(
        ("change", "where", "closest"),
        [
            ({"colums": {}}, "the policy", "columns"),
            ({"input": {"seperator": ";"}}, "input", "separator"),
            ({"release": {"ordr": "keep"}}, "release", "order"),
            ({"columns": {"age": {"rol": "target"}}}, "'age'", "role"),
            ({"requirements": [{"k-anonymity": 5}]}, "requirement 1", "k_anonymity"),
        ],
    )
    def test_an_unknown_key_is_refused_with_the_closest_one(self, change, where, closest):
        error = refused(lambda: policy_from_mapping(mapping(**change)))
        assert where in error.message
        assert f"did you mean {closest!r}?" in error.hint

    @pytest.mark.parametrize("section", ["columns", "input", "release", "algorithm"])
    @pytest.mark.parametrize("value", [None, 5, "text", [], [{}], True])
    def test_a_section_is_a_table(self, section, value):
        message = refused(lambda: policy_from_mapping(mapping(**{section: value}))).message
        assert section in message

    def test_a_column_needs_a_role(self):
        error = refused(lambda: policy_from_mapping(mapping(columns={"age": {}})))
        assert "'age' has no role" in error.message
        assert all(repr(role) in error.hint for role in ROLES)

    def test_the_column_of_a_broken_hierarchy_is_named(self):
        entry = {"role": "quasi-identifier", "hierarchy": {"intervals": [4, 6]}}
        error = refused(lambda: policy_from_mapping(mapping(columns={"age": entry})), IncrowdError)
        assert "'age'" in error.message


class TestRequirements:
    @pytest.mark.parametrize("k", [0, -3, 2.5, "five", True, None, [], {"k": 5}, 10**30])
    def test_a_bad_k_names_the_entry(self, k):
        entries = [{"k_anonymity": 2}, {"k_anonymity": k}]
        error = refused(lambda: policy_from_mapping(mapping(requirements=entries)), ParameterError)
        assert error.message.startswith("requirement 2: ")

    def test_a_k_too_long_to_print_is_refused(self):
        for k in (10**5000, -(10**5000)):
            entries = [{"k_anonymity": k}]
            refused(
                lambda entries=entries: policy_from_mapping(mapping(requirements=entries)),
                ParameterError,
            )

    @pytest.mark.parametrize(
        "entry", [{}, {"on": ["age"]}, {"secrecy": 5}, 5, None, "k_anonymity", {5: 5}]
    )
    def test_an_entry_names_one_known_requirement(self, entry):
        error = refused(lambda: policy_from_mapping(mapping(requirements=[entry])))
        assert "requirement 1" in error.message
        assert "'k_anonymity'" in error.hint or "texts" in error.hint

    def test_an_entry_with_two_requirements_is_refused(self, monkeypatch):
        monkeypatch.setitem(REQUIREMENTS, "other", KAnonymity)
        entry = {"k_anonymity": 5, "other": 5}
        assert (
            "several" in refused(lambda: policy_from_mapping(mapping(requirements=[entry]))).message
        )

    @pytest.mark.parametrize("on", ["age", [1], 5, {"age": 1}])
    def test_on_is_a_list_of_names(self, on):
        entry = {"k_anonymity": 5, "on": on}
        assert (
            "on of requirement 1"
            in refused(lambda: policy_from_mapping(mapping(requirements=[entry]))).message
        )

    def test_on_is_not_empty(self):
        entry = {"k_anonymity": 5, "on": []}
        refused(lambda: policy_from_mapping(mapping(requirements=[entry])), ParameterError)

    @pytest.mark.parametrize("value", [None, 5, {}, "k_anonymity", {"k_anonymity": 5}])
    def test_requirements_are_a_list(self, value):
        hint = refused(lambda: policy_from_mapping(mapping(requirements=value))).hint
        assert "[[requirements]]" in hint

    def test_a_registered_requirement_plugs_in(self, monkeypatch):
        class Table(KAnonymity):
            name = "table_form"

            @classmethod
            def from_policy(cls, value, on):
                return cls(value["k"], on)

        monkeypatch.setitem(REQUIREMENTS, "table_form", Table)
        policy = policy_from_mapping(mapping(requirements=[{"table_form": {"k": 3}}]))
        assert policy.requirements == (Table(3),)


names = st.text(max_size=8)
hierarchies = st.sampled_from(["auto", {"suppression": True}])


@st.composite
def columns(draw):
    def column(name: str, role: str) -> Column:
        options = {}
        if role in ("quasi-identifier", "sensitive"):
            if draw(st.booleans()):
                options["hierarchy"] = spec_from_policy(draw(hierarchies), folder=Path())
            options["unknown"] = draw(st.sampled_from(["refuse", "suppress"]))
        if role == "quasi-identifier":
            if draw(st.booleans()):
                low = draw(st.floats(-1e9, 1e9))
                options["domain"] = (low, low + draw(st.floats(1, 1e9)))
            options["weight"] = draw(st.floats(0.01, 100))
        return Column(name, role, **options)

    distinct = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    many = ["identifier", "quasi-identifier", "sensitive", "insensitive"]
    roles = ["quasi-identifier", *(draw(st.sampled_from(many)) for _ in distinct[1:])]
    return tuple(column(name, role) for name, role in zip(distinct, roles, strict=True))


@st.composite
def policies(draw):
    described = draw(columns())
    keys = [column.name for column in described if column.role == "quasi-identifier"]
    on = st.none() | st.lists(st.sampled_from(keys), min_size=1, unique=True).map(tuple)
    value = st.integers() | st.floats(allow_nan=False) | st.booleans() | names
    return Policy(
        columns=described,
        requirements=draw(
            st.lists(st.builds(KAnonymity, st.integers(1, 2**63 - 1), on), min_size=1, max_size=3)
        ),
        other_columns=draw(st.sampled_from(["refuse", "drop", "keep"])),
        algorithm=AlgorithmChoice(
            draw(names.filter(bool)),
            draw(st.dictionaries(names.filter(lambda key: key != "name"), value, max_size=3)),
        ),
        input=InputOptions(
            separator=draw(st.sampled_from([None, ";", ",", "\t"])),
            missing=draw(st.lists(names, max_size=3)),
            encoding=draw(st.sampled_from(["utf-8", "latin-1"])),
        ),
        release=ReleaseOptions(
            order=draw(st.sampled_from(["shuffle", "keep"])),
            suppressed=draw(st.sampled_from(["mask", "drop"])),
            labels=draw(st.sampled_from(["node", "grid", "range", "set"])),
        ),
    )


@given(policy=policies())
def test_a_policy_survives_its_mapping(policy):
    assert policy_from_mapping(policy.to_mapping()) == policy


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | names
    | st.just(datetime.date(2020, 2, 29))
    | st.sampled_from([*ROLES, "auto", "refuse", "drop", "age", "k_anonymity"])
)
keys = st.sampled_from(
    [*POLICY_KEYS, *COLUMN_KEYS, *INPUT_KEYS, *RELEASE_KEYS, *REQUIREMENTS, "on", "name", "age"]
)
nested = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keys | names, inner, max_size=4)
        | st.dictionaries(st.integers(), inner, max_size=1)
    ),
    max_leaves=12,
)


def error_of(build, *arguments):
    try:
        build(*arguments)
    except IncrowdError as error:
        return error
    return None


def assert_read_or_refused(value):
    error = error_of(policy_from_mapping, value)
    assert error is None or error.hint


@given(value=nested)
def test_a_random_value_is_read_or_refused(value):
    assert_read_or_refused(value)


@given(key=st.sampled_from(POLICY_KEYS), value=nested)
def test_a_policy_with_one_random_section_is_read_or_refused(key, value):
    assert_read_or_refused(mapping(**{key: value}))


@given(key=st.sampled_from(COLUMN_KEYS), value=nested)
def test_a_column_with_one_random_key_is_read_or_refused(key, value):
    entry = {"role": "quasi-identifier", key: value}
    assert_read_or_refused(mapping(columns={"age": entry, "sex": {"role": "sensitive"}}))


@given(key=st.sampled_from([*REQUIREMENTS, "on"]), value=nested)
def test_a_requirement_with_one_random_key_is_read_or_refused(key, value):
    assert_read_or_refused(mapping(requirements=[{"k_anonymity": 5, key: value}]))


@given(text=st.text(max_size=40), at=st.integers(0, len(GOOD)))
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, text, at):
    damaged = GOOD[:at] + text + GOOD[at:]
    path = tmp_path_factory.getbasetemp() / "damaged.toml"
    path.write_bytes(damaged.encode("utf-8", "surrogatepass"))
    error = error_of(load_policy, path)
    assert error is None or error.hint
