"""Tests of `pytest_vdg.stats`, one file a module."""
