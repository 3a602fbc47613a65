"""Tests that ask one checkpoint over all routes, from outside."""
