"""Holm's adjustment, for when several claims are tested at once.

Apart from the tests so that a family is named by whoever asks: which claims
belong together is a decision, not a computation.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_vdg.stats import _validate


def holm(pvalues: Mapping[str, float]) -> dict[str, float]:
    """Adjust *pvalues* so that the whole family errs no more often than one.

    Parameters
    ----------
    pvalues : mapping of str to float
        Raw p-values in [0, 1] by the name of the claim; at least one.

    Returns
    -------
    dict
        Adjusted p-values under the same names in the same order: never below
        the raw ones, never above 1, and in the same ranking.

    Raises
    ------
    ValueError
        For an empty family, or a value that is no probability.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65-70.

    Examples
    --------
    >>> holm({"action": 0.01, "count": 0.04, "order": 0.03})
    {'action': 0.03, 'count': 0.06, 'order': 0.06}
    """
    if not pvalues:
        raise ValueError("nothing to compare: the family of p-values is empty")
    raw = {name: _validate.probability(p, name) for name, p in pvalues.items()}
    adjusted: dict[str, float] = {}
    running = 0.0
    for rank, name in enumerate(sorted(raw, key=raw.__getitem__)):
        running = max(running, min(1.0, (len(raw) - rank) * raw[name]))
        adjusted[name] = running
    return {name: adjusted[name] for name in raw}
