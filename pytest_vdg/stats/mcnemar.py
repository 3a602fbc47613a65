"""McNemar's test: were the answers that changed, changed in both directions alike?

Apart from the interval because it answers another question, and because the
papers report it: verdicts rest on intervals, p-values are shown beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from scipy.special import bdtrc, chdtrc

from pytest_vdg.stats import _validate

Alternative = Literal["two-sided", "greater", "less"]
Method = Literal["exact", "mid-p", "vdg-paper"]


@dataclass(frozen=True, kw_only=True)
class McNemarResult:
    """Result of `mcnemar`."""

    pvalue: float
    """In [0, 1]; 1.0 when no question is discordant."""
    treated_only: int
    """Questions right under the treated condition only (copied)."""
    control_only: int
    """Questions right under the control condition only (copied)."""
    alternative: Alternative
    method: Method
    statistic: float | None
    """Chi-square with one degree of freedom for ``vdg-paper``, else None."""

    @property
    def discordant(self) -> int:
        """Questions right under one condition only: all that is tested."""
        return self.treated_only + self.control_only


def mcnemar(
    *,
    treated_only: int,
    control_only: int,
    alternative: Alternative = "two-sided",
    method: Method = "exact",
) -> McNemarResult:
    """Test whether the treated condition is right as often as the control.

    Parameters
    ----------
    treated_only, control_only : int
        Questions right under one condition only.
    alternative : {"two-sided", "greater", "less"}
        "greater": the treated condition is right *more* often.
    method : {"exact", "mid-p", "vdg-paper"}
        "exact" is the binomial test. "mid-p" counts the observed table half,
        which removes most of the exact test's caution (Fagerland, Lydersen &
        Laake 2013). "vdg-paper" is the chi-square with continuity correction,
        (|b - c| - 1)² / (b + c), two-sided, as the paper's code computes it:
        at b = c it is 1/(b + c), not 0. Use it to reproduce, not to judge.

    Notes
    -----
    All three take questions for independent. With several questions a video
    they are approximate: the interval with a design effect is not.

    References
    ----------
    McNemar (1947), Psychometrika 12:153-157. Fagerland, Lydersen & Laake
    (2013), BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> mcnemar(treated_only=8, control_only=1).pvalue  # 20 of 512 ways
    0.0390625
    """
    b = _validate.count(treated_only, "treated_only")
    c = _validate.count(control_only, "control_only")
    _require_known(alternative, get_args(Alternative), "alternative")
    _require_known(method, get_args(Method), "method")
    if method == "vdg-paper" and alternative != "two-sided":
        raise ValueError(
            "method 'vdg-paper' is two-sided only, got alternative "
            f"{alternative!r}. Use method='exact' or 'mid-p'"
        )
    statistic: float | None = None
    if b + c == 0:
        # No question speaks for either side, whatever the side asked for.
        pvalue = 1.0
    elif method == "vdg-paper":
        statistic = (abs(b - c) - 1) ** 2 / (b + c)
        pvalue = float(chdtrc(1, statistic))
    else:
        pvalue = _binomial(b, c, alternative, own_weight=_OWN_WEIGHT[method])
    return McNemarResult(
        pvalue=pvalue,
        treated_only=b,
        control_only=c,
        alternative=alternative,
        method=method,
        statistic=statistic,
    )


# How much of the observed table's own probability counts as "as extreme".
_OWN_WEIGHT: dict[str, float] = {"exact": 1.0, "mid-p": 0.5}


def _require_known(value: str, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


def _binomial(b: int, c: int, alternative: Alternative, *, own_weight: float) -> float:
    if alternative == "greater":
        return _upper_tail(b, b + c, own_weight)
    if alternative == "less":
        return _upper_tail(c, b + c, own_weight)
    return min(1.0, 2 * _upper_tail(max(b, c), b + c, own_weight))


def _upper_tail(k: int, n: int, own_weight: float) -> float:
    """Return P(X > k) + own_weight * P(X = k) for X ~ Binomial(n, 1/2)."""
    above = float(bdtrc(k, n, 0.5)) if k < n else 0.0
    at_least = float(bdtrc(k - 1, n, 0.5)) if k > 0 else 1.0
    return above + own_weight * (at_least - above)
