"""Metrics of what a release still gives away."""
