"""The version of incrowd."""

__version__ = "0.1.0"
