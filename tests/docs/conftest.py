"""Examples may register plug-ins; none of them outlives its test."""

from __future__ import annotations

import pytest

from incrowd.metrics import METRICS
from incrowd.requirements import REQUIREMENTS
from incrowd.verify import FORMULAS


@pytest.fixture(autouse=True)
def _registries_stay_as_they_are():
    before = [(registry, dict(registry)) for registry in (METRICS, REQUIREMENTS, FORMULAS)]
    yield
    for registry, entries in before:
        registry.clear()
        registry.update(entries)
