import pytest
from hypothesis import HealthCheck, settings

# A busy machine or a sanitizer makes examples slow, not wrong.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the kernel tests: everything in tests/kernels/, and files called test_*_kernels.py."""
    for item in items:
        if item.path.parent.name == "kernels" or item.path.stem.endswith("_kernels"):
            item.add_marker(pytest.mark.kernel)
