"""The hot loops, compiled.

Each kernel takes and returns arrays of one stated dtype, releases the GIL, keeps no state between
calls and has a slow, obvious twin in ``tests/naive.py``.  Nothing else imports the compiled module.
"""

from incrowd.kernels._kernels import CsvReader, csv_cells_per_record, format_csv_rows, group

__all__ = ["CsvReader", "csv_cells_per_record", "format_csv_rows", "group"]
