"""Under ``make sanitize`` the kernels are the instrumented ones, and not those installed beside."""

import ctypes
import os
from pathlib import Path

import pytest

from incrowd.kernels import _kernels

SITE = os.environ.get("INCROWD_SANITIZED")
pytestmark = pytest.mark.skipif(SITE is None, reason="only under make sanitize")


def test_the_kernels_come_from_the_sanitized_build():
    assert Path(_kernels.__file__).is_relative_to(SITE)


def test_the_kernels_are_instrumented():
    kernels = Path(_kernels.__file__).read_bytes()
    assert b"__asan_report_load" in kernels
    assert b"__ubsan_handle" in kernels
    assert hasattr(ctypes.CDLL(None), "__asan_init")
