"""What all tests share: how hypothesis runs."""

from hypothesis import HealthCheck, Phase, settings

# Explaining a failure takes minutes on tables; shrinking it is enough.
settings.register_profile(
    "incrowd",
    deadline=None,
    phases=[phase for phase in Phase if phase is not Phase.explain],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize=True,
)
settings.load_profile("incrowd")
