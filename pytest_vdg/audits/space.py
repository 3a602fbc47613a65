"""The diagnostic space: where a benchmark lies between its text and its video.

Apart from the pictures because a place is numbers: blind gap, visual gain and
accuracy, each with its interval, and where filtering moves it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vdg.audits.measures import Measures


@dataclass(frozen=True, kw_only=True)
class Place:
    """One circle of the traffic paper's Figure 1; all are fractions."""

    name: str
    blind_gap: tuple[float, float, float]
    """Estimate, lower and upper end of its interval."""
    visual_gain: tuple[float, float, float]
    accuracy: float
    """With the video: the size of the circle."""
    n: int
    """Questions."""
    moved_to: Place | None = None
    """Where it lies after filtering."""


def place(
    measures: Measures, name: str, *, filtered: Measures | None = None
) -> Place | None:
    """Return where *measures* lie; None where a gap or the gain was not measured.

    *filtered* are the same model's, on the questions that a filter leaves.
    """
    blind, gain = measures.blind, measures.gain
    video = measures.above.get("original")
    if blind is None or gain is None or video is None:
        return None
    return Place(
        name=name,
        blind_gap=(blind.estimate, blind.low, blind.high),
        visual_gain=(gain.estimate, gain.low, gain.high),
        accuracy=video.accuracy,
        n=measures.n,
        moved_to=None if filtered is None else place(filtered, f"{name}, filtered"),
    )
