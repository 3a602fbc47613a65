"""Tests of McNemar's test in its three forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as reference

from pytest_vdg.stats.mcnemar import Alternative, Method, mcnemar

counts = st.integers(0, 300)
methods = st.sampled_from(["exact", "mid-p", "vdg-paper"])
one_sided_methods = st.sampled_from(["exact", "mid-p"])


def test_matches_a_count_by_hand() -> None:
    """Nine fair coins fall this unevenly in 20 of 512 ways."""
    # 2 tails * (C(9, 8) + C(9, 9)) / 2**9 = 2 * (9 + 1) / 512
    assert mcnemar(treated_only=8, control_only=1).pvalue == pytest.approx(20 / 512)


def test_mid_p_counts_the_observed_table_half() -> None:
    """Of the same coins, the nine ways to fall exactly so count half."""
    # 2 tails * (C(9, 8)/2 + C(9, 9)) / 2**9 = 11 / 512
    result = mcnemar(treated_only=8, control_only=1, method="mid-p")
    assert result.pvalue == pytest.approx(11 / 512)


# Fagerland, Lydersen & Laake, Statistical Analysis of Contingency Tables
# (2017), ch. 8, Cavo 2012: their R package contingencytables prints
# "The McNemar mid-P test: P = 0.034690".
def test_mid_p_agrees_with_a_textbook() -> None:
    """The mid-p of 6 against 16 discordant patients is the printed one."""
    result = mcnemar(treated_only=6, control_only=16, method="mid-p")
    assert result.pvalue == pytest.approx(0.034690, abs=5e-7)


@given(counts, counts)
def test_exact_agrees_with_statsmodels(b: int, c: int) -> None:
    """The exact form is the binomial test of statsmodels."""
    expected = reference([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert mcnemar(treated_only=b, control_only=c).pvalue == pytest.approx(expected)


@given(counts, counts.filter(bool))
def test_the_paper_form_agrees_with_statsmodels(b: int, c: int) -> None:
    """The paper's form is the corrected chi-square of statsmodels."""
    expected = reference([[0, b], [c, 0]], exact=False, correction=True)
    result = mcnemar(treated_only=b, control_only=c, method="vdg-paper")
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.pvalue == pytest.approx(expected.pvalue)


# The VDG paper, InternVL2 against Qwen2-VL on Video-MME, 547 questions valid
# for both; recomputed from its published answers in test_published_answers.py.
@pytest.mark.parametrize(
    ("qwen_only", "internvl_only", "corrected", "exact"),
    [(88, 66, 0.0906, 0.0903), (105, 61, 0.00085, 0.00079)],
    ids=["original", "black"],
)
def test_reproduces_the_paper(
    qwen_only: int, internvl_only: int, corrected: float, exact: float
) -> None:
    """Both p-values of the paper's dissociation follow from its counts."""
    digits = 5 if exact < 0.01 else 4
    as_printed = mcnemar(
        treated_only=qwen_only, control_only=internvl_only, method="vdg-paper"
    )
    assert round(as_printed.pvalue, digits) == corrected
    ours = mcnemar(treated_only=qwen_only, control_only=internvl_only)
    assert round(ours.pvalue, digits) == exact


def test_the_paper_form_is_not_zero_at_equality() -> None:
    """At b = c the correction overshoots to 1/(b + c), and is kept as it is."""
    result = mcnemar(treated_only=11, control_only=11, method="vdg-paper")
    assert result.statistic == pytest.approx(1 / 22)


@pytest.mark.parametrize("method", ["exact", "mid-p", "vdg-paper"])
def test_identical_answers_are_no_evidence(method: Method) -> None:
    """Without a discordant question p is 1, in every form."""
    result = mcnemar(treated_only=0, control_only=0, method=method)
    assert (result.pvalue, result.discordant) == (1.0, 0)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("method", ["exact", "mid-p"])
def test_identical_answers_are_no_evidence_for_either_side(
    method: Method, alternative: Alternative
) -> None:
    """Without a discordant question no direction is likelier."""
    result = mcnemar(
        treated_only=0, control_only=0, method=method, alternative=alternative
    )
    assert result.pvalue == 1.0


@given(counts, counts, one_sided_methods)
def test_swapping_conditions_swaps_the_alternatives(
    b: int, c: int, method: Method
) -> None:
    """Which condition is called treated is a label: it only mirrors the test."""
    one = mcnemar(treated_only=b, control_only=c, method=method, alternative="greater")
    other = mcnemar(treated_only=c, control_only=b, method=method, alternative="less")
    assert one.pvalue == other.pvalue


@given(counts, counts, methods)
def test_two_sided_does_not_know_the_labels(b: int, c: int, method: Method) -> None:
    """A two-sided p-value is the same when the conditions are swapped."""
    one = mcnemar(treated_only=b, control_only=c, method=method)
    other = mcnemar(treated_only=c, control_only=b, method=method)
    assert one.pvalue == other.pvalue
    assert 0 <= one.pvalue <= 1


@given(counts, counts)
def test_mid_p_is_less_cautious_than_exact(b: int, c: int) -> None:
    """Counting the observed table half can only lower the p-value."""
    exact = mcnemar(treated_only=b, control_only=c).pvalue
    assert mcnemar(treated_only=b, control_only=c, method="mid-p").pvalue <= exact


def test_greater_means_the_treated_condition_is_better() -> None:
    """With more questions right under treated only, "greater" is the small one."""
    greater = mcnemar(treated_only=41, control_only=12, alternative="greater")
    less = mcnemar(treated_only=41, control_only=12, alternative="less")
    assert greater.pvalue < 0.001
    assert less.pvalue > 0.999


def test_the_paper_form_has_no_sides() -> None:
    """A chi-square cannot be one-sided; the error says what can."""
    with pytest.raises(ValueError, match=r"two-sided only.*Use method='exact'"):
        mcnemar(
            treated_only=1, control_only=0, method="vdg-paper", alternative="greater"
        )


def test_unknown_names_are_refused() -> None:
    """A misspelt method or alternative is an error that lists the known."""
    with pytest.raises(ValueError, match="method must be one of exact, mid-p"):
        mcnemar(treated_only=1, control_only=0, method="midp")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alternative must be one of two-sided"):
        mcnemar(
            treated_only=1,
            control_only=0,
            alternative="larger",  # type: ignore[arg-type]
        )
