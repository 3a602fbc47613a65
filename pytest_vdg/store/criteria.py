"""`Criterion`: how much a baseline's tests allow to be lost, kept in its file.

Apart from findings because it outlives the run: a margin that is widened later
is held against the one that was recorded, whoever widens it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

Key = tuple[str, str, str | None]
"""Claim, measure and task: what makes two criteria the same one."""

_SAME = 1e-9


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One claim against a baseline, and the loss that it accepts."""

    claim: str
    """Name of the assertion, e.g. ``assert_no_dissociation_regression``."""
    measure: str
    """What was measured, e.g. ``VDG change``."""
    task: str | None = None
    margin: float
    """The loss that is acceptable; a fraction in [0, 1]."""
    was: float | None = None
    """The margin before it was first loosened; None where it never was."""
    reason: str = ""
    """Why it was loosened."""

    def __post_init__(self) -> None:
        """Refuse what no claim can be held to."""
        for name in ("claim", "measure"):
            if not getattr(self, name):
                raise ValueError(f"a criterion needs a {name}")
        for name, value in (("margin", self.margin), ("was", self.was)):
            if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
                raise ValueError(f"{name} must lie in [0, 1], got {value!r}")

    @property
    def key(self) -> Key:
        """What it is found by."""
        return self.claim, self.measure, self.task

    def looser_than(self, margin: float) -> bool:
        """Return whether this accepts a larger loss than *margin* did."""
        return self.margin > margin + _SAME

    def after(self, before: Criterion) -> Criterion:
        """Return what to record where *before* was recorded of the same claim.

        A looser one without a reason changes nothing. Where one is looser with a
        reason, the margin before it was first loosened stays to be seen.
        """
        if self.looser_than(before.margin):
            if not self.reason:
                return before
            was = before.margin if before.was is None else before.was
            return replace(self, was=was)
        if before.looser_than(self.margin):
            return replace(self, was=None, reason="")  # tightened: nothing to explain
        return before


def to_record(criterion: Criterion) -> dict[str, Any]:
    """Return *criterion* as JSON values; fields that hold nothing are left out."""
    record: dict[str, Any] = {
        "claim": criterion.claim,
        "measure": criterion.measure,
        "task": criterion.task,
        "margin": float(criterion.margin),
    }
    if criterion.was is not None:
        record["was"] = float(criterion.was)
    if criterion.reason:
        record["reason"] = criterion.reason
    return record


def from_record(record: Mapping[str, Any]) -> Criterion:
    """Return the criterion that `to_record` wrote.

    Raises ``ValueError``, ``KeyError`` or ``TypeError`` on anything else.
    """
    texts = ("claim", "measure", "reason")
    for name in texts:
        if not isinstance(record.get(name, ""), str):
            raise TypeError(f"{name} must be text, got {record[name]!r}")
    for name in ("margin", "was"):
        value = record.get(name, 0.0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{name} must be a number, got {value!r}")
    task = record.get("task")
    if task is not None and not isinstance(task, str):
        raise TypeError(f"task must be text or null, got {task!r}")
    return Criterion(**record)
