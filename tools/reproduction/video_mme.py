"""Checks on the 600 questions of Video-MME."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_vdg.outcomes import Paired, pair
from pytest_vdg.stats.categories import categories, destructive_ratio
from pytest_vdg.stats.dissociation import joint_bootstrap_share
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.spectrum import Spectrum, SpectrumRow, spectrum
from tools.reproduction import printed
from tools.reproduction.answers import Published
from tools.reproduction.check import Check, known
from tools.reproduction.noise import of_percentiles, of_share
from tools.reproduction.pairs import POLICY, arms, duel
from tools.reproduction.printed import MODELS, OVERALL, TASKS

SEED = 42
RESAMPLES = 2000
ROWS = (*TASKS, OVERALL)


def spectrum_of(paired: Paired) -> Spectrum:
    """Return the gaps of *paired* with the paper's intervals."""
    return spectrum(
        treated=paired.treated,
        control=paired.control,
        groups=paired.tasks,
        videos=paired.video_ids,
        method="vdg-paper",
        resamples=RESAMPLES,
        seed=SEED,
    )


def noise_of(row: SpectrumRow) -> float:
    """Return how exact both ends of the row's interval are."""
    return of_percentiles(row.low, row.high, resamples=RESAMPLES)


def gaps(published: Published) -> Iterator[Check]:
    """Table 1: VDG and its interval, and that all but one task have one."""
    found = {
        model: spectrum_of(pair(run, control="black"))
        for model, run in published.video_mme.items()
    }
    for task in ROWS:
        for model, text in zip(MODELS, printed.TABLE_1[task], strict=True):
            all_tasks = found[model]
            row = all_tasks.overall if task == OVERALL else all_tasks.row(task)
            noise = noise_of(row)
            yield Check(
                where="Table 1",
                what=f"{MODELS[model]}, {task}: VDG, 95 % interval",
                printed=tuple(text.split()),
                ours=(row.estimate, row.low, row.high),
                noise=(0.0, noise, noise),
                how=(
                    f"{POLICY['drop']}, n {row.n}, +{row.treated_only}"
                    f"/-{row.control_only}; percentile bootstrap"
                ),
            )
    visual = [t for t in TASKS if t != "Temporal Reasoning"]
    yield Check(
        where="Table 1",
        what="largest p of a task other than Temporal Reasoning",
        printed=("<0.01",),
        ours=(max(of.row(t).pvalue for of in found.values() for t in visual),),
        how=f"{POLICY['drop']}; exact McNemar",
    )


def four_categories(published: Published) -> Iterator[Check]:
    """Table S4 and section 4.3: categories I to IV."""
    pooled = np.zeros(4)
    for task in ROWS:
        for model, text in zip(MODELS, printed.TABLE_S4[task], strict=True):
            paired = arms(published.video_mme[model], task, "wrong")
            found = categories(treated=paired.treated, control=paired.control)
            counts = np.array(
                [found.sighted_only, found.both, found.blind_only, found.neither]
            )
            if task == OVERALL:
                pooled += counts
            yield Check(
                where="Table S4",
                what=f"{MODELS[model]}, {task}: categories I, II, III, IV",
                printed=tuple(text.split()),
                ours=tuple(counts / found.n),
                how=f"{POLICY['wrong']}, n {found.n}",
            )
    yield Check(
        where="Section 4.3",
        what="three models together: categories I, II, III, IV, percent",
        printed=("31", "30", "6", "32"),
        ours=tuple(100 * pooled / pooled.sum()),
        how=f"{POLICY['wrong']}, n {pooled.sum():.0f}",
    )


def ratios(published: Published) -> Iterator[Check]:
    """Section 4.3: the destructive ratio."""
    for model, text in (("qwen2vl", "4.25"), ("llava", "7.3")):
        paired = arms(published.video_mme[model], OVERALL, "drop")
        found = destructive_ratio(gained=paired.treated_only, lost=paired.control_only)
        yield Check(
            where="Section 4.3",
            what=f"{MODELS[model]}: D:C",
            printed=(text,),
            ours=(known(found.estimate),),
            how=f"{POLICY['drop']}, {found.gained}:{found.lost}",
        )


def dissociation(published: Published) -> Iterator[Check]:
    """Section 4.2: InternVL2 against Qwen2-VL on their common questions."""
    runs = published.video_mme
    original, black = duel(runs["internvl2"], runs["qwen2vl"])
    how = f"{POLICY['drop']}, n {original.n}"
    yield Check(
        where="Section 4.2",
        what="InternVL2 and Qwen2-VL, original: accuracies, percent",
        printed=("60.3", "64.4"),
        ours=(100 * original.treated.mean(), 100 * original.control.mean()),
        how=how,
    )
    row = spectrum_of(original).overall
    noise = 100 * noise_of(row)
    yield Check(
        where="Section 4.2",
        what="their difference, 95 % interval, points",
        printed=("-4.0", "-8.6", "0.4"),
        ours=(100 * row.estimate, 100 * row.low, 100 * row.high),
        noise=(0.0, noise, noise),
        how=f"{how}; percentile bootstrap",
    )
    for name, paired, text in (
        ("original", original, "0.0906"),
        ("black", black, "0.0008"),
    ):
        first, second = paired.treated_only, paired.control_only
        corrected = mcnemar(treated_only=first, control_only=second, method="vdg-paper")
        exact = mcnemar(treated_only=first, control_only=second).pvalue
        yield Check(
            where="Section 4.2, Table 2",
            what=f"the same, {name}: McNemar's p",
            printed=(text,),
            ours=(corrected.pvalue,),
            how=f"{how}, {table(paired)}; corrected chi-square (exact: {exact:.5f})",
        )
    yield from _shares(original, black)


def table(paired: Paired) -> str:
    """Both wrong / control only / treated only / both right."""
    return "/".join(
        str(n)
        for n in (
            paired.neither,
            paired.control_only,
            paired.treated_only,
            paired.both,
        )
    )


def _shares(original: Paired, black: Paired) -> Iterator[Check]:
    reliable, joint = (
        joint_bootstrap_share(
            first_original=original.treated,
            second_original=original.control,
            first_black=black.treated,
            second_black=black.control,
            videos=original.question_ids,
            seed=SEED,
            alpha_black=alpha,
            method="vdg-paper",
        )
        for alpha in (0.01, 0.05)
    )
    # The paper's joint condition is one-sided: black differs, original does not.
    # Ours is either one alone; as (one alone) = original + black - 2 both,
    # black without original is half of black - original + one alone.
    one_way = (joint.black - joint.original + joint.joint) / 2
    seeds = "; the paper's loop with seeds 42, 0, 1:"
    for what, text, share, theirs in (
        (
            "resamples with p < .01 on black, percent",
            "79",
            reliable.black,
            "79, 79, 78",
        ),
        (
            "with p > .05 on original, p < .05 on black, percent",
            "50",
            one_way,
            "50, 54, 57",
        ),
    ):
        yield Check(
            where="Section 4.2",
            what=what,
            printed=(text,),
            ours=(100 * share,),
            noise=(100 * of_share(share, joint.resamples),),
            how=(
                f"{POLICY['drop']}, n {original.n}; corrected chi-square in "
                f"{joint.resamples:,} resamples of questions{seeds} {theirs}"
            ),
        )
