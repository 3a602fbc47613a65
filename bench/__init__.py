"""Measurements that no test asserts: speed, memory, and whether verdicts are right."""
