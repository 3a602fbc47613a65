"""`Criterion`: how much a baseline's tests allow to be lost, kept in its file.

Apart from findings because it outlives the run: a margin that is widened later,
or a confidence that is lowered, is held against what was recorded, whoever does it.
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
    confidence: float | None = None
    """Of the bounds that the claim rests on, in (0, 1); None where it is not known,
    as in files of versions that did not record it."""
    confidence_was: float | None = None
    """The confidence before it was first lowered; None where it never was."""
    reason: str = ""
    """Why it was loosened."""

    def __post_init__(self) -> None:
        """Refuse what no claim can be held to."""
        for name in ("claim", "measure"):
            if not getattr(self, name):
                raise ValueError(f"a criterion needs a {name}")
        for name in ("margin", "was"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
                raise ValueError(f"{name} must lie in [0, 1], got {value!r}")
        for name in ("confidence", "confidence_was"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise ValueError(f"{name} must lie in (0, 1), got {value!r}")

    @property
    def key(self) -> Key:
        """What it is found by."""
        return self.claim, self.measure, self.task

    @property
    def first_margin(self) -> float:
        """The margin before it was first loosened."""
        return self.margin if self.was is None else self.was

    @property
    def first_confidence(self) -> float | None:
        """The confidence before it was first lowered."""
        return self.confidence if self.confidence_was is None else self.confidence_was

    def wider_than(self, margin: float) -> bool:
        """Return whether this accepts a larger loss than *margin* did."""
        return self.margin > margin + _SAME

    def less_sure_than(self, confidence: float | None) -> bool:
        """Return whether this asks for less evidence than *confidence* did."""
        if self.confidence is None or confidence is None:
            return False
        return self.confidence < confidence - _SAME

    def looser_than(self, other: Criterion) -> bool:
        """Return whether this lets something through that *other* does not."""
        return self.wider_than(other.margin) or self.less_sure_than(other.confidence)

    def after(self, before: Criterion) -> Criterion:
        """Return what to record where *before* was recorded of the same claim.

        What is looser without a reason stays as it was. What is looser with one
        is recorded, and what it was before it was first loosened stays to be seen.
        """
        margin, was = self._margin_after(before)
        confidence, confidence_was = self._confidence_after(before)
        reason = before.reason
        if self.reason and self.looser_than(before):
            reason = self.reason
        elif before.looser_than(self) and was is None and confidence_was is None:
            reason = ""  # tightened: nothing to explain
        return replace(
            self,
            margin=margin,
            was=was,
            confidence=confidence,
            confidence_was=confidence_was,
            reason=reason,
        )

    def _margin_after(self, before: Criterion) -> tuple[float, float | None]:
        if self.wider_than(before.margin) and self.reason:
            return self.margin, before.first_margin
        if before.wider_than(self.margin):
            return self.margin, None
        return before.margin, before.was

    def _confidence_after(self, before: Criterion) -> tuple[float | None, float | None]:
        if before.confidence is None:
            return self.confidence, None
        if self.less_sure_than(before.confidence) and self.reason:
            return self.confidence, before.first_confidence
        if before.less_sure_than(self.confidence):
            return self.confidence, None
        return before.confidence, before.confidence_was


def to_record(criterion: Criterion) -> dict[str, Any]:
    """Return *criterion* as JSON values; fields that hold nothing are left out."""
    record: dict[str, Any] = {
        "claim": criterion.claim,
        "measure": criterion.measure,
        "task": criterion.task,
        "margin": float(criterion.margin),
    }
    for name in ("was", "confidence", "confidence_was"):
        value = getattr(criterion, name)
        if value is not None:
            record[name] = float(value)
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
    for name in ("margin", "was", "confidence", "confidence_was"):
        value = record.get(name, 0.0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{name} must be a number, got {value!r}")
    task = record.get("task")
    if task is not None and not isinstance(task, str):
        raise TypeError(f"task must be text or null, got {task!r}")
    return Criterion(**record)
