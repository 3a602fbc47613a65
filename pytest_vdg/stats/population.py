"""Error of a share when the sample is a good part of all there is.

Apart from `proportion` because there the questions stand for endlessly many
others; here those not asked are all that is unknown.
"""

from __future__ import annotations

import math

from pytest_vdg.stats import _validate


def finite_population_error(*, n: int, population: int, share: float = 0.5) -> float:
    """Return the standard error of a share in a sample without replacement.

    sqrt(p (1 - p) / n * (N - n) / (N - 1)), e.g. of the accuracy of people who
    answered n of a benchmark's N questions.

    Parameters
    ----------
    n : int
        Questions answered, at least 1.
    population : int
        Questions there are, at least *n*.
    share : float
        The accuracy, in [0, 1]; 0.5, the most uncertain, where it is not known.

    Returns
    -------
    float
        0 where all were answered.

    References
    ----------
    TVBench paper, appendix A.2.2. Cochran (1977), Sampling Techniques, 3rd
    edition, section 3.2.

    Examples
    --------
    >>> f"{finite_population_error(n=400, population=2654):.4f}"
    '0.0230'
    """
    some, every = _validate.questions(n), _validate.questions(population, "population")
    if some > every:
        raise ValueError(f"n must not exceed population, got {some} > {every}")
    p = _validate.probability(share, "share")
    if some == every:
        return 0.0
    return math.sqrt(p * (1 - p) / some * (every - some) / (every - 1))
