"""Tests of audits: benchmarks judged by panels of models."""
