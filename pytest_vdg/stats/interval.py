"""`Interval`: what all estimates have in common, however they were computed.

Apart from the estimates so that whoever judges or shows one needs to know no more.
"""

from __future__ import annotations

from typing import Protocol


class Interval(Protocol):
    """An estimate with its interval, all in its own unit."""

    @property
    def estimate(self) -> float:
        """The point estimate."""

    @property
    def low(self) -> float:
        """Lower end of the two-sided interval."""

    @property
    def high(self) -> float:
        """Upper end of the two-sided interval."""

    @property
    def lower_bound(self) -> float:
        """One-sided lower bound: what a passing claim rests on."""

    @property
    def upper_bound(self) -> float:
        """One-sided upper bound: what evidence against a claim rests on."""
