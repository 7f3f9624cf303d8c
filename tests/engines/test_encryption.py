"""Whether DuckDB can encrypt its temporary files without a download: docs/engines.md says no."""

import duckdb
import pytest

from incrowd.engines.duckdb.connection import _SETTINGS


def test_temporary_files_cannot_be_encrypted_without_an_extension(tmp_path):
    """Once this fails, encryption can be turned on for good."""
    settings = {**_SETTINGS, "temp_file_encryption": True, "memory_limit": "50MB", "threads": 1,
                "temp_directory": str(tmp_path)}  # fmt: skip
    connection = duckdb.connect(":memory:", config=settings)
    with pytest.raises(duckdb.Error, match="httpfs"):
        connection.execute(
            "CREATE TEMP TABLE large AS SELECT repeat('y' || i, 9) AS a FROM range(1000000) t(i)"
        )
    connection.close()


def test_no_extension_is_installed_or_loaded_by_itself():
    assert _SETTINGS["autoinstall_known_extensions"] is False
    assert _SETTINGS["autoload_known_extensions"] is False
