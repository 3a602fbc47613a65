"""Tests of single commands of `vdg`; `test_cli` holds what they share."""
