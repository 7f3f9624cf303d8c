"""What crosses the border between Python and the kernels has a type, on both sides."""

import re
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[2] / "src" / "incrowd" / "kernels"
STUB = (KERNELS / "_kernels.pyi").read_text("utf-8")
BINDINGS = sorted(KERNELS.rglob("*binding.*pp"))


def test_the_stub_leaves_no_type_open():
    assert not re.search(r"\bAny\b|\bobject\b", STUB)


@pytest.mark.parametrize("path", BINDINGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_binding_takes_what_it_must_parse(path):
    """Columns are built by named methods; lists hold arrays and nothing else."""
    taken = re.findall(r"nb::(?:list|tuple|dict|handle|args|kwargs) \w+\s*[,)]", path.read_text())
    assert not taken


def test_every_bound_class_and_kernel_is_in_the_stub():
    source = "".join(path.read_text("utf-8") for path in BINDINGS)
    source += (KERNELS / "csv" / "binding.cpp").read_text("utf-8")
    bound = re.findall(r'nb::class_<[\w:]+>(?: \w+)?\(module, "(\w+)"', source)
    bound += re.findall(r'(?:define\(module, |module\.def\()"(\w+)"', source)
    assert set(bound) == set(re.findall(r"^(?:class|def) (\w+)", STUB, flags=re.MULTILINE))
