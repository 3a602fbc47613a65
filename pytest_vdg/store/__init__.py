"""Answers on disk: cells asked before, and runs kept as baselines."""
