"""Metrics of what a release can still teach."""
