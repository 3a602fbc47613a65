"""Tests of the pytest plugin, from outside."""
