"""Tests of the benches, and slim versions of what they measure."""
