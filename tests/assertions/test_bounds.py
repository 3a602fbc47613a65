"""An interval moved by a number that is known exactly."""

from __future__ import annotations

import pytest

from pytest_vdg.assertions._bounds import Bounds, less


def test_an_interval_less_a_known_number_is_moved() -> None:
    """Each end keeps its side and its distance to the others."""
    interval = Bounds(
        estimate=0.1, low=0.0, high=0.3, lower_bound=0.02, upper_bound=0.25
    )
    other = less(interval, 0.25)
    assert (other.estimate, other.low, other.high) == pytest.approx(
        (-0.15, -0.25, 0.05)
    )
    assert (other.lower_bound, other.upper_bound) == pytest.approx((-0.23, 0.0))
