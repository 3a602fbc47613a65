"""One printed value beside ours, and whether the two agree.

Apart from the values so that one rule decides: equal is equal to the last
printed digit, and whatever was resampled may differ by resampling only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["equal", "within noise", "differs"]

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Check:
    """Values that the paper prints together, in its units, and ours."""

    where: str
    """Table or section of the paper."""
    what: str
    printed: tuple[str, ...]
    """As printed; ``<0.001`` is a bound."""
    ours: tuple[float, ...]
    """An int is a count, which is not rounded."""
    how: str
    """Which answers count, and which form of the test."""
    noise: tuple[float, ...] = field(default=())
    """By how much each may differ through resampling; nothing was resampled if
    empty."""
    why: str = ""
    """Why the printed value is not expected to hold; empty where it is."""

    def __post_init__(self) -> None:
        """Refuse columns that do not belong together."""
        lengths = {len(self.printed), len(self.ours)}
        if len(lengths) > 1 or (self.noise and len(self.noise) not in lengths):
            raise ValueError(f"{self.where}, {self.what}: unequal numbers of values")

    @property
    def verdict(self) -> Verdict:
        """Whether all values are printed ones, or could be but for resampling."""
        missed = [_missed(p, o) for p, o in zip(self.printed, self.ours, strict=True)]
        if not any(missed):
            return "equal"
        allowed = self.noise or (0.0,) * len(missed)
        if all(m <= a + _ROUNDING for m, a in zip(missed, allowed, strict=True)):
            return "within noise"
        return "differs"

    @property
    def as_expected(self) -> bool:
        """Whether it holds where it should, and only there."""
        return (self.verdict == "differs") == bool(self.why)

    @property
    def shown(self) -> tuple[str, ...]:
        """Our values with one digit more than was printed; counts as they are."""
        return tuple(
            _digits(p, o) for p, o in zip(self.printed, self.ours, strict=True)
        )


def _missed(printed: str, ours: float) -> float:
    """Return by how much *ours* lies outside what *printed* can stand for."""
    if printed.startswith("<"):
        return 0.0 if ours < float(printed[1:]) else math.inf
    half_digit = 0.0 if isinstance(ours, int) else 0.5 * 10.0 ** -_places(printed)
    over = abs(ours - float(printed)) - half_digit
    return 0.0 if over <= _ROUNDING else over  # NaN is beyond any value


def _places(printed: str) -> int:
    return len(printed.partition(".")[2])


def _digits(printed: str, ours: float) -> str:
    if isinstance(ours, int):
        return str(ours)
    text = f"{ours:.{_places(printed) + 1}f}"
    if float(text):
        return text
    # A p-value far below the printed one is not 0; nor is 0 ever "-0.0".
    return f"{ours:.1e}" if abs(ours) > _ROUNDING else text.lstrip("-")


def known(value: float | None) -> float:
    """Return *value*, or NaN, which equals no printed value, where it is None."""
    return math.nan if value is None else value
