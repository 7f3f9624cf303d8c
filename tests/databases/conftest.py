import pytest

import postgres_server


@pytest.fixture(scope="session")
def postgres():
    missing = postgres_server.why_not()
    if missing:
        pytest.skip(missing)
    server = postgres_server.Server()
    yield server
    server.stop()
