"""What all tests share: how hypothesis runs, and which tests are the kernels'."""

import pytest
from hypothesis import HealthCheck, Phase, settings

# A busy machine or a sanitizer makes examples slow, not wrong.  Explaining a failure takes minutes
# on tables; shrinking it is enough.
settings.register_profile(
    "incrowd",
    deadline=None,
    phases=[phase for phase in Phase if phase is not Phase.explain],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize=True,
)
settings.load_profile("incrowd")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the kernel tests: everything in tests/kernels/, and files called test_*_kernels.py."""
    for item in items:
        if item.path.parent.name == "kernels" or item.path.stem.endswith("_kernels"):
            item.add_marker(pytest.mark.kernel)
