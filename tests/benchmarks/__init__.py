"""Tests of questions, slices, prompts and answers."""
