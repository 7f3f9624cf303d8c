import re
from pathlib import Path

import pytest

from incrowd.requirements import REQUIREMENTS
from incrowd.schema import ROLES, load_policy
from incrowd.schema.reading import COLUMN_KEYS, INPUT_KEYS, POLICY_KEYS, RELEASE_KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "key",
    [*POLICY_KEYS, *COLUMN_KEYS, *INPUT_KEYS, *RELEASE_KEYS, *REQUIREMENTS, *ROLES, "on", "any"],
)
def test_every_key_and_role_has_a_row(key):
    assert f"| `{key}` |" in PAGE


def test_the_full_example_is_a_policy(tmp_path):
    [example] = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "education.csv").write_text("primary;*\nsecondary;*\n")
    (tmp_path / "policy.toml").write_text(example, encoding="utf-8")
    policy = load_policy(tmp_path / "policy.toml")
    assert policy.quasi_identifiers == ("age", "sex", "zip", "education", "admitted")
    kept, dropped = policy.requirements_resolved()
    assert (len(kept), len(dropped)) == (3, 0)


def test_every_key_of_a_column_or_an_option_is_in_the_example():
    [example] = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    for key in (*COLUMN_KEYS, *INPUT_KEYS, *RELEASE_KEYS):
        assert re.search(rf"^{key} = ", example, flags=re.MULTILINE), key
