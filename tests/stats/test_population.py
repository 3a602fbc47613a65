"""Tests of the error of a sample without replacement."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.stats.population import finite_population_error


def test_the_printed_error_of_tvbenchs_people() -> None:
    """400 of 2,654 questions at worst have an error of .0230, a margin of 4.51 %."""
    # TVBench paper, appendix A.2.2 (whose fraction in between, 2200/2599, is not
    # (2654 - 400)/(2654 - 1); the printed result holds to its digits).
    error = finite_population_error(n=400, population=2654)
    assert f"{error:.4f}" == "0.0230"
    assert f"{100 * 1.96 * error:.1f}" == "4.5"


def test_agrees_with_drawing_without_replacement() -> None:
    """Means of samples from a finite set spread as the formula says."""
    rng = np.random.default_rng(0)
    every = np.arange(60) < 24
    means = [rng.permuted(every)[:20].mean() for _ in range(4000)]
    expected = finite_population_error(n=20, population=60, share=0.4)
    assert np.std(means) == pytest.approx(expected, rel=0.05)


@given(st.integers(1, 500), st.integers(0, 500), st.floats(0, 1))
def test_never_above_that_of_endless_questions(n: int, more: int, share: float) -> None:
    """Knowing part of the whole helps, and knowing all of it leaves no error."""
    found = finite_population_error(n=n, population=n + more, share=share)
    assert 0 <= found <= math.sqrt(share * (1 - share) / n) + 1e-12
    assert finite_population_error(n=n, population=n, share=share) == 0.0


def test_impossible_arguments_are_named() -> None:
    """The error says which argument cannot be, and shows the value."""
    with pytest.raises(ValueError, match="n must not exceed population, got 5 > 4"):
        finite_population_error(n=5, population=4)
    with pytest.raises(ValueError, match="n is 0"):
        finite_population_error(n=0, population=4)
    with pytest.raises(ValueError, match=r"share must lie in \[0, 1\]"):
        finite_population_error(n=1, population=4, share=1.5)
