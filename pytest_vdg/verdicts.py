"""What a claim about a run came to: a verdict and the numbers behind it.

Apart from ``assertions`` so that reports can show findings without being able
to make any, and so that a finding crosses a process border as plain values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal


class Verdict(str, Enum):
    """The outcomes of a claim; the value is what people read."""

    PASS = "ok"
    BELOW_FLOOR = "BELOW FLOOR"
    ABOVE_CEILING = "ABOVE CEILING"
    REGRESSION = "REGRESSION"
    DISSOCIATION = "DISSOCIATION"
    INCONCLUSIVE = "INCONCLUSIVE"
    COULD_NOT_BE_JUDGED = "COULD NOT BE JUDGED"

    def __str__(self) -> str:
        """Return the words that people read."""
        return self.value


GRAVITY = (
    Verdict.COULD_NOT_BE_JUDGED,
    Verdict.DISSOCIATION,
    Verdict.REGRESSION,
    Verdict.BELOW_FLOOR,
    Verdict.ABOVE_CEILING,
    Verdict.INCONCLUSIVE,
    Verdict.PASS,
)
"""All verdicts, the gravest first."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One judged claim with everything a reader needs to check it.

    All effects are fractions in [-2, 2]: a change of a difference can exceed
    one. What has a floor shows more use of the video where it is larger, and
    what has a ceiling where it is smaller.
    """

    claim: str
    """Name of the assertion, e.g. ``assert_vdg_above``."""
    verdict: Verdict
    measure: str
    """What was measured, e.g. ``VDG``, ``temporal delta``, ``VDG change``."""
    estimate: float
    low: float
    """Lower end of the two-sided interval at `confidence`."""
    high: float
    """Upper end of the two-sided interval at `confidence`."""
    confidence: float
    bound: float
    """What the evidence was held against: a floor, minus a margin, a ceiling."""
    bound_is: Literal["floor", "ceiling"] = "floor"
    """Whether the claim holds above the bound or below it."""
    n: int
    """Questions judged in every arm of the claim."""
    n_planned: int | None = None
    """Questions that there should have been, where more than `n`."""
    n_videos: int
    """Distinct videos among them; the unit that is independent."""
    smallest_detectable: float
    """Smallest drop below a floor, or rise above a ceiling, that this slice
    would have shown; above 1, it could have shown none."""
    slice_name: str
    checkpoint: str
    task: str | None = None
    """Task the claim was restricted to; None for all."""
    baseline: str | None = None
    accuracies: tuple[tuple[str, float], ...] = ()
    """(condition, accuracy) over the judged questions, in ladder order."""
    message: str = field(repr=False)
    """The whole text; its first line carries verdict, number and n."""

    def __post_init__(self) -> None:
        """Refuse numbers that no one could read as evidence."""
        for name in ("estimate", "low", "high", "bound", "smallest_detectable"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} must be finite, got {getattr(self, name)!r}")
        if self.bound_is not in ("floor", "ceiling"):
            raise ValueError(f"a bound is a floor or a ceiling, got {self.bound_is!r}")
        if not self.message.strip():
            raise ValueError("a finding needs a message: it is all that people see")
        if self.n < 1:
            raise ValueError(f"a finding needs at least one question, got n={self.n}")
        if self.n_planned is not None and self.n_planned <= self.n:
            raise ValueError(f"{self.n} of {self.n_planned} questions were judged")

    @property
    def summary(self) -> str:
        """The first line of the message: all that a CI summary shows."""
        return self.message.splitlines()[0]


_collectors: ContextVar[tuple[list[Finding], ...]] = ContextVar(
    "vdg_collectors", default=()
)


@contextmanager
def collect_findings() -> Iterator[list[Finding]]:
    """Collect what assertions find inside the block, passed or failed.

    Assertions are plain functions that know nothing of pytest; this is how
    the plugin hears of numbers of claims that held.
    """
    found: list[Finding] = []
    token = _collectors.set((*_collectors.get(), found))
    try:
        yield found
    finally:
        _collectors.reset(token)


def publish(finding: Finding) -> None:
    """Hand *finding* to every enclosing `collect_findings` block."""
    for found in _collectors.get():
        found.append(finding)
