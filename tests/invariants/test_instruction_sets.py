"""The same classes on every processor: with the vector instructions of this one, and without."""

import os
import subprocess
import sys

import pytest

from release_checks import BY_CLASSES

SCRIPT = """
import hashlib, sys
import incrowd as ic
from incrowd.datasets import census

columns = {"age": ic.intervals(5, 10), "sex": ic.suppression(), "country": ic.suppression(),
           "education": ic.suppression(), "marital_status": ic.suppression()}
people = census(1500, seed=4)
for name in sys.argv[1:]:
    for labels in ("node", "range"):
        release = ic.anonymize(people, quasi_identifiers=columns, sensitive=["occupation"], k=4,
                               target="income", labels=labels, other_columns="drop", algorithm=name)
        shown = sorted(zip(*(release.table[column].to_pylist() for column in columns)))
        print(name, labels, hashlib.sha256(repr(shown).encode()).hexdigest())
"""
BARE_LIBRARY = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4,-SSE4_2,-BMI2"


def dispatched():
    """Return the instructions that NumPy would use here beyond those it was built for."""
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__\n"
            "print(*(name for name in __cpu_dispatch__ if __cpu_features__[name]))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.split()


def released(**without):
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *BY_CLASSES],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **without},
    )
    return run.stdout.splitlines()


def test_classes_do_not_depend_on_vector_instructions():
    names = dispatched()
    if not names:
        pytest.skip("NumPy uses no instructions here beyond those it was built for")
    everything = released()
    assert len(everything) == 2 * len(BY_CLASSES)
    bare = released(NPY_DISABLE_CPU_FEATURES=" ".join(names), GLIBC_TUNABLES=BARE_LIBRARY)
    assert bare == everything
