"""Dissociation of two models: accuracy differs and blindness not, or the reverse.

Apart from the tests it is made of because it is a claim about two conditions at
once: that better answers and more looking are not the same thing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_vdg.stats import _inputs
from pytest_vdg.stats._resampling import FloatArray
from pytest_vdg.stats.bootstrap import video_bootstrap
from pytest_vdg.stats.holm import holm
from pytest_vdg.stats.mcnemar import Method, mcnemar


@dataclass(frozen=True, kw_only=True)
class Discordance:
    """Answers of two models to the same questions under one condition."""

    first_only: int
    """Questions that the first model only answered correctly."""
    second_only: int
    """Questions that the second model only answered correctly."""


@dataclass(frozen=True, kw_only=True)
class Dissociation:
    """One pair of models of `dissociations`."""

    original: Discordance
    """Copied from the input."""
    black: Discordance
    """Copied from the input."""
    p_original: float
    """McNemar's p-value on the original clips."""
    p_black: float
    """McNemar's p-value on black clips."""
    adjusted_original: float
    """`p_original` after Holm over all tests of the family."""
    adjusted_black: float
    """`p_black` after Holm over all tests of the family."""
    alpha: float

    @property
    def dissociated(self) -> bool:
        """Whether exactly one of the two differences is reliable after Holm.

        That the other is not is absence of evidence: `equivalence` tells
        whether it was shown to be small.
        """
        return (self.adjusted_original < self.alpha) != (
            self.adjusted_black < self.alpha
        )


def dissociations(
    pairs: Mapping[str, tuple[Discordance, Discordance]],
    *,
    alpha: float = 0.05,
    method: Method = "exact",
) -> dict[str, Dissociation]:
    """Test each pair of models on original and on black clips.

    Parameters
    ----------
    pairs : mapping of str to (original, black)
        The two `Discordance` of each pair of models, by the name of the pair.
        All 2 * len(pairs) tests are one family.
    alpha : float
        Below it an adjusted p-value is reliable; between 0 and 1/2.
    method : {"exact", "mid-p", "vdg-paper"}
        Of McNemar's test.

    References
    ----------
    VDG paper, section 3.3.

    Examples
    --------
    >>> found = dissociations(
    ...     {
    ...         "InternVL2 against Qwen2-VL": (
    ...             Discordance(first_only=66, second_only=88),
    ...             Discordance(first_only=61, second_only=105),
    ...         )
    ...     }
    ... )["InternVL2 against Qwen2-VL"]
    >>> f"{found.p_original:.4f} {found.p_black:.5f} {found.dissociated}"
    '0.0903 0.00079 True'
    """
    _inputs.alpha(alpha)
    raw: dict[tuple[str, str], float] = {}
    for name, arms in pairs.items():
        for arm, counted in zip(("original", "black"), arms, strict=True):
            raw[name, arm] = mcnemar(
                treated_only=counted.first_only,
                control_only=counted.second_only,
                method=method,
            ).pvalue
    order = list(raw)
    adjusted = holm({str(i): raw[test] for i, test in enumerate(order)})
    by_test = {test: adjusted[str(i)] for i, test in enumerate(order)}
    return {
        name: Dissociation(
            original=original,
            black=black,
            p_original=raw[name, "original"],
            p_black=raw[name, "black"],
            adjusted_original=by_test[name, "original"],
            adjusted_black=by_test[name, "black"],
            alpha=alpha,
        )
        for name, (original, black) in pairs.items()
    }


@dataclass(frozen=True, kw_only=True)
class BootstrapShare:
    """Result of `joint_bootstrap_share`; shares of resamples in [0, 1]."""

    original: float
    """In which the models differ reliably on the original clips."""
    black: float
    """In which they differ reliably on black clips."""
    joint: float
    """In which exactly one of the two differences is reliable."""
    alpha_original: float
    alpha_black: float
    resamples: int
    seed: int


def joint_bootstrap_share(
    *,
    first_original: npt.NDArray[np.bool_],
    second_original: npt.NDArray[np.bool_],
    first_black: npt.NDArray[np.bool_],
    second_black: npt.NDArray[np.bool_],
    videos: Iterable[Hashable],
    seed: int,
    resamples: int = 1000,
    alpha_original: float = 0.05,
    alpha_black: float = 0.01,
    method: Method = "exact",
) -> BootstrapShare:
    """Return in how many resamples of the videos a dissociation holds.

    How easily another sample of as many videos would have shown it. It is no
    p-value, and not adjusted: a true dissociation holds in about half of the
    resamples where the sample was just large enough to show it.

    Parameters
    ----------
    first_original, second_original, first_black, second_black : bool ndarray, (n,)
        Whether each question was answered correctly by the first and by the
        second model, on original and on black clips. Row ``i`` of all four is
        the same question.
    videos : iterable of hashable, length n
        The video of each question; videos are resampled.
    seed : int
        See `bootstrap.video_bootstrap`.
    resamples : int
        At least 1.
    alpha_original, alpha_black : float
        Below it the difference on these clips is reliable; between 0 and 1/2.
        The VDG paper states the .01; .05 is inferred, being the level at which
        its published answers give the joint share that it prints.
    method : {"exact", "mid-p", "vdg-paper"}
        Of McNemar's test.
    """
    one, two, one_blind, two_blind = _inputs.paired(
        first_original=first_original,
        second_original=second_original,
        first_black=first_black,
        second_black=second_black,
    )
    _inputs.alpha(alpha_original, "alpha_original")
    _inputs.alpha(alpha_black, "alpha_black")
    original_cells = one & ~two, two & ~one
    black_cells = one_blind & ~two_blind, two_blind & ~one_blind
    counts = video_bootstrap(
        np.column_stack([*original_cells, *black_cells]),
        videos,
        seed=seed,
        resamples=resamples,
        statistic=lambda sums, _: sums,
    ).astype(np.int64)
    original = _pvalues(counts[:, :2], method) < alpha_original
    black = _pvalues(counts[:, 2:], method) < alpha_black
    return BootstrapShare(
        original=float(original.mean()),
        black=float(black.mean()),
        joint=float((original != black).mean()),
        alpha_original=alpha_original,
        alpha_black=alpha_black,
        resamples=resamples,
        seed=seed,
    )


def _pvalues(counts: npt.NDArray[np.int64], method: Method) -> FloatArray:
    """Return McNemar's p-value of each row of (first only, second only)."""
    tables, where = np.unique(counts, axis=0, return_inverse=True)
    found = [
        mcnemar(treated_only=b, control_only=c, method=method).pvalue
        for b, c in tables.tolist()
    ]
    return np.array(found)[where.ravel()]
