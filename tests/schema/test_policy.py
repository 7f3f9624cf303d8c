import math

import pytest

from incrowd.errors import IncrowdError, InputError, PolicyError, VerificationError
from incrowd.hierarchies import suppression
from incrowd.requirements import KAnonymity
from incrowd.schema import (
    ROLES,
    AlgorithmChoice,
    Column,
    InputOptions,
    Policy,
    ReleaseOptions,
)

AGE = Column("age", "quasi-identifier")
SEX = Column("sex", "quasi-identifier", hierarchy=suppression())
NAME = Column("name", "identifier")
ILLNESS = Column("illness", "sensitive")


FIVE = (KAnonymity(5),)


def policy(*columns, requirements=FIVE, **options):
    return Policy(columns=columns or (NAME, AGE, SEX), requirements=requirements, **options)


def refused(build, kind=PolicyError):
    with pytest.raises(kind) as caught:
        build()
    assert "\nHint: " in str(caught.value)
    return caught.value


class TestColumn:
    @pytest.mark.parametrize("role", ["quasi", "Identifier ", "", None, 7, ["sensitive"], True])
    def test_a_role_that_does_not_exist_is_refused_and_the_roles_are_listed(self, role):
        error = refused(lambda: Column("age", role))
        assert "'age'" in error.message
        assert all(repr(known) in error.hint for known in ROLES)

    def test_the_closest_role_is_suggested(self):
        assert (
            "did you mean 'quasi-identifier'?"
            in refused(lambda: Column("age", "quasi_identifer")).hint
        )

    @pytest.mark.parametrize("role", ["identifier", "insensitive", "count", "entity", "target"])
    def test_a_hierarchy_needs_a_role_that_uses_it(self, role):
        error = refused(lambda: Column("x", role, hierarchy=suppression()))
        assert "hierarchy" in error.message
        assert role in error.message

    def test_a_sensitive_column_may_have_a_hierarchy(self):
        assert Column("illness", "sensitive", hierarchy=suppression()).hierarchy is not None

    @pytest.mark.parametrize("weight", [0, -1, math.nan, math.inf, "2", True, None, 10**400])
    def test_weights_are_positive_numbers(self, weight):
        assert "weight" in refused(lambda: Column("a", "quasi-identifier", weight=weight)).message

    def test_a_whole_weight_becomes_a_float(self):
        assert type(Column("a", "quasi-identifier", weight=2).weight) is float

    def test_a_weight_on_a_column_that_is_not_generalised_is_refused(self):
        refused(lambda: Column("a", "insensitive", weight=2))

    @pytest.mark.parametrize(
        "domain", [[1], [1, 2, 3], [2, 1], [1, 1], ["a", "b"], [0, math.inf], 5, "ab", [True, 2]]
    )
    def test_a_domain_is_two_ascending_numbers(self, domain):
        assert "domain" in refused(lambda: Column("a", "quasi-identifier", domain=domain)).message

    def test_a_domain_is_kept_as_floats(self):
        assert Column("a", "quasi-identifier", domain=[0, 120]).domain == (0.0, 120.0)

    @pytest.mark.parametrize("hierarchy", ["auto", {"suppression": True}, 7])
    def test_a_hierarchy_is_a_built_specification(self, hierarchy):
        refused(lambda: Column("a", "quasi-identifier", hierarchy=hierarchy))

    def test_unknown_is_one_of_two(self):
        refused(lambda: Column("a", "quasi-identifier", unknown="keep"))
        assert Column("a", "quasi-identifier", unknown="suppress").unknown == "suppress"

    def test_a_name_is_a_text(self):
        refused(lambda: Column(3, "quasi-identifier"))


class TestPolicy:
    def test_columns_by_role_come_in_policy_order(self):
        built = policy(
            SEX,
            NAME,
            AGE,
            ILLNESS,
            Column("income", "target"),
            Column("person", "entity"),
        )
        assert built.quasi_identifiers == ("sex", "age")
        assert built.sensitive == ("illness",)
        assert built.identifiers == ("name",)
        assert (built.target, built.entity, built.count) == ("income", "person", None)
        assert policy(AGE, Column("n", "count")).count == "n"
        assert built.names_with("identifier", "entity") == ("name", "person")
        assert built.column("sex") is SEX

    def test_absent_single_roles_are_none(self):
        built = policy()
        assert (built.target, built.entity, built.count) == (None, None, None)

    def test_a_column_that_is_not_there_is_an_error_with_the_closest_name(self):
        assert "did you mean 'age'?" in refused(lambda: policy().column("agee")).hint

    def test_a_column_twice_is_refused(self):
        assert "twice" in refused(lambda: policy(AGE, AGE)).message

    def test_a_column_with_two_roles_is_refused_and_both_are_named(self):
        message = refused(lambda: policy(AGE, Column("age", "sensitive"))).message
        assert "'quasi-identifier'" in message
        assert "'sensitive'" in message

    @pytest.mark.parametrize("role", ["count", "target", "entity"])
    def test_some_roles_are_given_once(self, role):
        message = refused(lambda: policy(AGE, Column("a", role), Column("b", role))).message
        assert role in message

    def test_without_quasi_identifier_there_is_nothing_to_do(self):
        assert "quasi-identifier" in refused(lambda: policy(NAME)).message

    def test_without_requirement_nothing_is_promised(self):
        refused(lambda: policy(requirements=()))

    @pytest.mark.parametrize("requirements", [None, KAnonymity(5), [5], ["k_anonymity"], "abc"])
    def test_requirements_are_a_list_of_requirements(self, requirements):
        refused(lambda: policy(requirements=requirements))

    @pytest.mark.parametrize("name", ["zip", "name", "agee"])
    def test_a_requirement_is_on_quasi_identifiers(self, name):
        message = refused(lambda: policy(requirements=[KAnonymity(5, on=("age", name))])).message
        assert "requirement 1" in message
        assert repr(name) in message

    @pytest.mark.parametrize("value", ["ignore", None, 1, ["drop"]])
    def test_other_columns_is_one_of_three(self, value):
        assert "other_columns" in refused(lambda: policy(other_columns=value)).message

    @pytest.mark.parametrize("section", ["algorithm", "input", "release"])
    def test_sections_have_their_own_classes(self, section):
        assert section in refused(lambda: policy(**{section: {"order": "keep"}})).message

    def test_implied_requirements_are_set_apart(self):
        narrow, wide = KAnonymity(3, on=("age",)), KAnonymity(5)
        kept, dropped = policy(requirements=[narrow, wide]).requirements_resolved()
        assert kept == (KAnonymity(5, on=("age", "sex")),)
        assert dropped == ((narrow, kept[0]),)

    def test_a_carried_column_must_be_one_that_is_never_generalised(self):
        class Diverse(KAnonymity):
            carried = ("age",)

        message = refused(lambda: policy(requirements=[Diverse(2)])).message
        assert "'age'" in message
        Diverse.carried = ("illness",)
        assert policy(AGE, ILLNESS, requirements=[Diverse(2)]).sensitive == ("illness",)
        assert "'illness'" in refused(lambda: policy(AGE, requirements=[Diverse(2)])).message


class TestOptions:
    @pytest.mark.parametrize("key", ["separator", "hierarchy_separator"])
    @pytest.mark.parametrize("value", ["", ";;", "\n", '"', 5])
    def test_a_separator_is_one_character(self, key, value):
        assert key in refused(lambda: InputOptions(**{key: value})).message

    @pytest.mark.parametrize("encoding", ["utf-9", "hex", "", "a\0b", "\ud800", 7, None])
    def test_an_encoding_is_known_and_of_text(self, encoding):
        assert "encoding" in refused(lambda: InputOptions(encoding=encoding)).message

    @pytest.mark.parametrize("missing", ["?", 5, [1], None, [["?"]]])
    def test_missing_is_a_list_of_texts(self, missing):
        refused(lambda: InputOptions(missing=missing))

    def test_missing_texts_are_not_in_the_message(self):
        assert "secret" not in str(refused(lambda: InputOptions(missing=["secret", 1])))

    @pytest.mark.parametrize("key", ["order", "suppressed", "labels"])
    def test_release_options_are_choices(self, key):
        assert key in refused(lambda: ReleaseOptions(**{key: "any"})).message

    def test_an_algorithm_has_a_name_and_parameters(self):
        for name in ("", 5, None, ["flash"]):
            refused(lambda name=name: AlgorithmChoice(name))
        for parameters in (5, [1], {5: 1}, {"name": "ola"}):
            refused(lambda parameters=parameters: AlgorithmChoice("flash", parameters))

    def test_parameters_are_copied(self):
        parameters = {"suppression_limit": 0.05}
        choice = AlgorithmChoice("flash", parameters)
        parameters["suppression_limit"] = 1.0
        assert choice.parameters == {"suppression_limit": 0.05}


class TestCheck:
    def test_fates_come_in_table_order(self):
        person, shoe = Column("person", "entity"), Column("shoe", "insensitive")
        roles = policy(SEX, NAME, AGE, ILLNESS, person, shoe).check(
            ["shoe", "name", "illness", "age", "sex", "person"]
        )
        assert roles.released_names == ("shoe", "illness", "age", "sex")
        assert roles.generalised_names == ("age", "sex")
        assert roles.with_fate("kept") == ("shoe", "illness")
        assert roles.dropped_names == ("name", "person")
        assert roles.role_of["illness"] == "sensitive"

    def test_columns_without_a_role_are_refused_by_name(self):
        error = refused(lambda: policy().check(["name", "age", "sex", "zip"]))
        assert "'zip'" in error.message
        assert "other_columns" in error.hint

    @pytest.mark.parametrize(("value", "fate"), [("drop", "dropped"), ("keep", "kept")])
    def test_other_columns_are_dropped_or_kept(self, value, fate):
        roles = policy(other_columns=value).check(["zip", "name", "age", "sex"])
        assert roles.fate_of["zip"] == fate
        assert roles.undeclared_names == ("zip",)

    def test_a_column_that_the_table_lacks_is_refused_with_the_closest_name(self):
        error = refused(lambda: policy().check(["name", "Age", "sex"]))
        assert "'age'" in error.message
        assert "did you mean 'Age'?" in error.hint

    def test_many_columns_are_not_all_listed(self):
        names = ["name", "age", "sex", *(f"gene{i}" for i in range(1000))]
        assert "and 990 more" in refused(lambda: policy().check(names)).message

    def test_two_columns_of_one_name_are_refused(self):
        refused(lambda: policy().check(["name", "age", "sex", "age"]), InputError)


class TestCheckReleased:
    @pytest.mark.parametrize("name", ["name", "person"])
    def test_identifiers_and_entities_break_the_promise(self, name):
        built = policy(NAME, AGE, Column("person", "entity"), other_columns="keep")
        error = refused(lambda: built.check_released(["age", name]), VerificationError)
        assert error.verdict["forbidden_columns"] == [name]

    def test_columns_that_should_have_been_dropped_break_the_promise(self):
        built = policy(other_columns="drop")
        assert refused(
            lambda: built.check_released(["age", "sex", "zip"]), VerificationError
        ).verdict["forbidden_columns"] == ["zip"]

    def test_an_identifier_is_found_before_an_undeclared_column(self):
        refused(lambda: policy().check_released(["name", "zip"]), VerificationError)

    def test_undeclared_columns_are_refused_or_kept(self):
        assert "'zip'" in refused(lambda: policy().check_released(["age", "sex", "zip"])).message
        assert policy(other_columns="keep").check_released(["age", "sex", "zip"]).with_fate(
            "kept"
        ) == ("zip",)

    def test_the_columns_of_the_requirements_must_be_there(self):
        assert "'sex'" in refused(lambda: policy().check_released(["age"])).message
        narrow = policy(requirements=[KAnonymity(5, on=("age",))])
        assert narrow.check_released(["age"]).generalised_names == ("age",)

    def test_the_count_must_be_there(self):
        built = policy(AGE, Column("n", "count"))
        assert "'n'" in refused(lambda: built.check_released(["age"])).message

    def test_a_sensitive_column_may_be_absent_unless_a_requirement_needs_it(self):
        class Diverse(KAnonymity):
            carried = ("illness",)

        assert policy(AGE, ILLNESS).check_released(["age"]).released_names == ("age",)
        built = policy(AGE, ILLNESS, requirements=[Diverse(2)])
        assert "'illness'" in refused(lambda: built.check_released(["age"])).message


def test_errors_are_of_one_tree():
    assert issubclass(PolicyError, IncrowdError)
    assert refused(lambda: policy(NAME)).exit_code == 2
