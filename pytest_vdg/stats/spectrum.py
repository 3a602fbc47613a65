"""The spectrum: the visual dependency gap of each task, as one family of claims.

Apart from single gaps because twenty tasks are twenty chances to be wrong, so
that their p-values are adjusted together.
"""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs, _validate, counted
from pytest_vdg.stats.bootstrap import (
    bootstrap_mean,
    percentile_interval,
    video_bootstrap,
)
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.paired import PairedDifference

SpectrumMethod = Literal["score", "bootstrap", "vdg-paper"]


@dataclass(frozen=True, kw_only=True)
class SpectrumRow:
    """One task of a `Spectrum`, or all of them; differences are fractions."""

    group: str
    estimate: float
    """Accuracy under the treated condition minus that under the control."""
    low: float
    """Lower end of the two-sided interval."""
    high: float
    """Upper end of the two-sided interval."""
    lower_bound: float
    """One-sided lower bound."""
    upper_bound: float
    """One-sided upper bound."""
    n: int
    """Questions; where some were asked several times, askings."""
    n_videos: int
    both: int
    """Questions right under both conditions."""
    treated_only: int
    """Questions right under the treated condition only."""
    control_only: int
    """Questions right under the control condition only."""
    neither: int
    """Questions right under neither condition."""
    design_effect: float
    """Of the differences over videos (see `clusters.design_effect`)."""
    pvalue: float
    """McNemar's exact test, each question once (see `counted.signs`)."""
    adjusted_pvalue: float
    """After Holm over all groups; that of all together is not adjusted."""

    @property
    def treated_accuracy(self) -> float:
        """Share of questions right under the treated condition."""
        return (self.both + self.treated_only) / self.n

    @property
    def control_accuracy(self) -> float:
        """Share of questions right under the control condition."""
        return (self.both + self.control_only) / self.n


@dataclass(frozen=True, kw_only=True)
class Spectrum:
    """Result of `spectrum`."""

    rows: tuple[SpectrumRow, ...]
    """One a group, from the largest estimate to the smallest; equals by name."""
    overall: SpectrumRow
    """All questions together, under the group name "overall"."""
    confidence: float
    """Of each interval, not adjusted for the number of groups."""
    method: SpectrumMethod

    def row(self, group: str) -> SpectrumRow:
        """Return the row of *group*."""
        for row in self.rows:
            if row.group == group:
                return row
        raise KeyError(f"no group {group!r}; there are {[r.group for r in self.rows]}")


def spectrum(
    *,
    treated: npt.NDArray[np.bool_],
    control: npt.NDArray[np.bool_],
    groups: Iterable[str],
    videos: Iterable[Hashable],
    confidence: float = 0.95,
    method: SpectrumMethod = "score",
    resamples: int = 2000,
    seed: int = 0,
    questions: Iterable[Hashable] | None = None,
) -> Spectrum:
    """Estimate the gap of each group and test all groups as one family.

    Parameters
    ----------
    treated, control : bool ndarray, shape (n,)
        Whether each question was answered correctly under each condition. Row
        ``i`` of both is the same question.
    groups : iterable of str, length n
        The task of each question.
    videos : iterable of hashable, length n
        The video of each question.
    confidence : float
        Of each interval and each one-sided bound.
    method : {"score", "bootstrap", "vdg-paper"}
        "score": Tango's interval with a design effect. "bootstrap":
        `bootstrap_mean` over videos. "vdg-paper": percentiles over resampled
        *questions*, as the paper's tables have them; to reproduce, not to
        judge. Where no resample differs it is the score interval.
    resamples, seed : int
        For the last two. Each group draws from *seed* and its own name, so
        that no group's interval depends on which others there are.
    questions : iterable of hashable, length n, optional
        Which question each row is an asking of, see `clusters.design_effect`.

    Examples
    --------
    >>> found = spectrum(
    ...     treated=np.array([True, True, True, False]),
    ...     control=np.array([False, False, True, False]),
    ...     groups=["colour", "colour", "order", "order"],
    ...     videos="abcd",
    ... )
    >>> [(row.group, row.estimate) for row in found.rows]
    [('colour', 1.0), ('order', 0.0)]
    """
    sighted, blind = _inputs.paired(treated=treated, control=control)
    if method not in get_args(SpectrumMethod):
        known = ", ".join(get_args(SpectrumMethod))
        raise ValueError(f"method must be one of {known}, got {method!r}")
    names, codes = _inputs.group_codes(groups, sighted.size)
    scores = sighted.astype(np.int64) - blind.astype(np.int64)
    clusters = _validate.cluster_codes(videos, sighted.size, "videos")
    asked = np.array(
        _validate.cluster_codes(
            _inputs.clusters_or_none(questions, sighted.size), sighted.size, "questions"
        )
    )
    units = np.column_stack([clusters, asked])
    settings = _Settings(confidence, method, resamples, seed)
    rows = []
    for i, name in enumerate(names):
        members = codes == i
        both = int(np.sum(sighted & blind & members))
        rows.append(_row(name, scores[members], units[members], both, settings))
    adjusted = holm({row.group: row.pvalue for row in rows})
    rows = [replace(row, adjusted_pvalue=adjusted[row.group]) for row in rows]
    both = int(np.sum(sighted & blind))
    return Spectrum(
        rows=tuple(sorted(rows, key=lambda row: (-row.estimate, row.group))),
        overall=_row("overall", scores, units, both, settings),
        confidence=confidence,
        method=method,
    )


@dataclass(frozen=True)
class _Settings:
    confidence: float
    method: SpectrumMethod
    resamples: int
    seed: int


def _row(
    group: str,
    scores: npt.NDArray[np.int64],
    units: npt.NDArray[np.intp],
    both: int,
    settings: _Settings,
) -> SpectrumRow:
    clusters, asked = units.T.tolist()
    score = counted.difference(scores, clusters, settings.confidence, asked)
    gained, lost = score.treated_only, score.control_only
    low, high, lower, upper = _limits(group, scores, (clusters, asked), settings, score)
    better, worse = counted.signs(scores, asked)
    pvalue = mcnemar(treated_only=better, control_only=worse).pvalue
    return SpectrumRow(
        group=group,
        estimate=score.estimate,
        low=low,
        high=high,
        lower_bound=lower,
        upper_bound=upper,
        n=scores.size,
        n_videos=len(set(clusters)),
        both=both,
        treated_only=gained,
        control_only=lost,
        neither=scores.size - gained - lost - both,
        design_effect=score.design_effect,
        pvalue=pvalue,
        adjusted_pvalue=pvalue,
    )


def _limits(
    group: str,
    scores: npt.NDArray[np.int64],
    units: tuple[Sequence[Hashable], Sequence[Hashable]],
    settings: _Settings,
    score: PairedDifference,
) -> tuple[float, float, float, float]:
    """Return low, high, lower and upper bound by the wanted method."""
    clusters, asked = units
    confidence, resamples = settings.confidence, settings.resamples
    name = f"{settings.seed} {group}".encode("utf-8", "surrogatepass")
    seed = zlib.crc32(name)
    found = score.low, score.high, score.lower_bound, score.upper_bound
    if settings.method == "bootstrap":
        mean = bootstrap_mean(
            scores,
            clusters,
            seed=seed,
            resamples=resamples,
            confidence=confidence,
            questions=asked,
        )
        found = mean.low, mean.high, mean.lower_bound, mean.upper_bound
    elif settings.method == "vdg-paper":
        drawn = video_bootstrap(scores, asked, seed=seed, resamples=resamples)
        ends = percentile_interval(drawn[:, 0], confidence=confidence)
        if ends.low < ends.high:
            found = ends.low, ends.high, ends.lower_bound, ends.upper_bound
    return found
