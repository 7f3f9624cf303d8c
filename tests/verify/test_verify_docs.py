"""The page about the recount says what happens."""

from __future__ import annotations

import re
from pathlib import Path

from incrowd.verify import FORMULAS

PAGE = (Path(__file__).parents[2] / "docs" / "verify.md").read_text(encoding="utf-8")


def test_the_examples_run(monkeypatch, capsys):
    monkeypatch.setitem(FORMULAS, "minimum_share", None)  # taken out again afterwards
    example, persons, own_formula, sizes = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    outputs = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    for code, output in zip((example, persons), outputs, strict=True):
        exec(code, names)
        assert capsys.readouterr().out == output
    exec(own_formula, names)
    assert FORMULAS["minimum_share"] is names["too_small_a_share"]
    code, comment = sizes.strip().split("#")
    assert repr(eval(code, names)) == comment.strip()
