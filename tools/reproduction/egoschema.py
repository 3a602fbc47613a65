"""Checks on the 500 questions of EgoSchema."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vdg.outcomes import Paired
from pytest_vdg.stats.categories import destructive_ratio
from pytest_vdg.stats.mcnemar import mcnemar
from tools.reproduction import printed
from tools.reproduction.answers import Published
from tools.reproduction.check import Check, known
from tools.reproduction.pairs import arms, duel
from tools.reproduction.printed import MODELS, OVERALL
from tools.reproduction.video_mme import noise_of, spectrum_of


def gaps(published: Published) -> Iterator[Check]:
    """Tables 4 and S6: accuracies, VDG, its interval, D:C."""
    for model, text in printed.TABLE_4.items():
        paired = arms(published.egoschema[model], OVERALL, "drop")
        ratio = destructive_ratio(gained=paired.treated_only, lost=paired.control_only)
        row = spectrum_of(paired).overall
        noise = noise_of(row)
        yield Check(
            where="Table 4",
            what=f"{MODELS[model]}: original, black, VDG, 95 % interval, D:C",
            printed=tuple(text.split()),
            ours=(
                float(paired.treated.mean()),
                float(paired.control.mean()),
                row.estimate,
                row.low,
                row.high,
                known(ratio.estimate),
            ),
            noise=(0.0, 0.0, 0.0, noise, noise, 0.0),
            how=f"{counted(paired)}; percentile bootstrap",
        )
        yield Check(
            where="Table S6",
            what=f"{MODELS[model]}: D, C, D:C, net loss",
            printed=tuple(printed.TABLE_S6[model].split()),
            ours=(
                ratio.gained,
                ratio.lost,
                known(ratio.estimate),
                ratio.gained - ratio.lost,
            ),
            how=counted(paired),
        )


def counted(paired: Paired) -> str:
    """Say that the valid rows count, and how many there are."""
    return f"valid row of a retry, n {paired.n}"


def contingency(published: Published) -> Iterator[Check]:
    """Table S3: every pair of models on both conditions."""
    runs = published.egoschema
    for (first, second), texts in printed.TABLE_S3.items():
        pairs = duel(runs[first], runs[second])
        for condition, paired, text in zip(
            ("original", "black"), pairs, texts, strict=True
        ):
            yield cells(
                paired,
                where="Table S3",
                what=f"{MODELS[first]} against {MODELS[second]}, {condition}",
                printed=tuple(text.split()),
                how=counted(paired),
            )


def cells(
    paired: Paired,
    *,
    where: str,
    what: str,
    printed: tuple[str, ...],
    how: str,
    why: str = "",
) -> Check:
    """Return a row of a contingency table: b00, b01, b10, b11, chi-square, p."""
    test = mcnemar(
        treated_only=paired.treated_only,
        control_only=paired.control_only,
        method="vdg-paper",
    )
    return Check(
        where=where,
        what=f"{what}: b00, b01, b10, b11, chi-square, p",
        printed=printed,
        ours=(
            paired.neither,
            paired.control_only,
            paired.treated_only,
            paired.both,
            test.statistic or 0.0,
            test.pvalue,
        ),
        how=f"{how}; corrected chi-square",
        why=why,
    )
