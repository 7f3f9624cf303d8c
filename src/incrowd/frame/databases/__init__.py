"""Tables in databases: where they are, how they are read, and how one is filled."""

from incrowd.frame.databases.address import (
    DatabaseTable as DatabaseTable,
    database as database,
    file_behind as file_behind,
)
