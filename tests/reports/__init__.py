"""Tests of `pytest_vdg.reports`: what people read."""
