"""Tests of `pytest_vdg.frames`."""
