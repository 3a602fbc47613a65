"""What a session came to, as every report reads it."""

from __future__ import annotations

import pytest

from pytest_vdg.reports.results import TestResult


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("suite/video/test_a.py::test_sees", "test_a.py::test_sees"),
        ("suite/test_a.py::test_sees[runs/a]", "test_a.py::test_sees[runs/a]"),
        ("vdg-sight::Qwen/Qwen2.5-VL-7B-Instruct",) * 2,
        ("sees",) * 2,
    ],
)
def test_a_short_name_leaves_out_the_folders_of_the_file(name: str, short: str) -> None:
    """And of nothing else: what follows the file tells tests apart."""
    assert TestResult(name=name, outcome="passed").short_name == short
