"""The ladder: what the first frame, more frames, and their order are worth.

Apart from single differences because the three steps are only a partition of
the visual dependency gap if all four conditions judge the same questions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _validate, counted
from pytest_vdg.stats.paired import PairedDifference


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """Result of `ladder`.

    spatial + diversity + temporal = VDG, exactly in questions
    (``treated_only - control_only``) and so up to rounding in fractions.
    """

    spatial: PairedDifference
    """Single frame minus black: what one picture is worth."""
    diversity: PairedDifference
    """Shuffled minus single frame: what further pictures are worth."""
    temporal: PairedDifference
    """Original minus shuffled: what their order is worth."""
    vdg: PairedDifference
    """Original minus black."""

    @property
    def steps(self) -> tuple[PairedDifference, PairedDifference, PairedDifference]:
        """The three steps from black to original."""
        return self.spatial, self.diversity, self.temporal


def ladder(
    *,
    black: npt.NDArray[np.bool_],
    single_frame: npt.NDArray[np.bool_],
    shuffled: npt.NDArray[np.bool_],
    original: npt.NDArray[np.bool_],
    clusters: Iterable[Hashable],
    confidence: float = 0.95,
    questions: Iterable[Hashable] | None = None,
) -> Ladder:
    """Split the visual dependency gap into its three steps.

    Parameters
    ----------
    black, single_frame, shuffled, original : bool ndarray, shape (n,)
        Whether each question was answered correctly under that condition. Row
        ``i`` of all four is the same question; a question that was not judged
        under one of them must be left out of all.
    clusters : iterable of hashable, length n
        The video of each question. Each step has its own design effect.
    confidence : float
        Of every interval, between 0.5 and 1; not adjusted for the number of
        steps.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    Raises
    ------
    TypeError, ValueError
        When a vector is not boolean, is empty, or differs in length.
    """
    rungs = [
        _validate.correctness(values, name)
        for name, values in (
            ("black", black),
            ("single_frame", single_frame),
            ("shuffled", shuffled),
            ("original", original),
        )
    ]
    lengths = [rung.size for rung in rungs]
    if len(set(lengths)) > 1:
        raise ValueError(
            "black, single_frame, shuffled and original must have equal lengths, "
            f"got {lengths}"
        )
    codes = _validate.cluster_codes(clusters, lengths[0]).tolist()
    asked = None if questions is None else list(questions)

    def step(treated: int, control: int) -> PairedDifference:
        gaps = rungs[treated].astype(np.int64) - rungs[control]
        return counted.difference(gaps, codes, confidence, asked)

    return Ladder(
        spatial=step(1, 0), diversity=step(2, 1), temporal=step(3, 2), vdg=step(3, 0)
    )
