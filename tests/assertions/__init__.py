"""Tests of `pytest_vdg.assertions`: claims about runs."""
