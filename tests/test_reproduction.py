"""The VDG paper's numbers come out of our code, and the page says so honestly.

Numbers are the paper's ("Accuracy Without Grounding", 2026; its tables are
named), or counts of its published answers (github.com/JaeLee18/
accuracy-without-grounding, commit aa927ef, MIT). The counts stand here so that
the claims are tested without the files; where these are, the whole page is made
from them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pytest_vdg.stats.agreement import agreement, shared_core
from pytest_vdg.stats.categories import destructive_ratio
from pytest_vdg.stats.dissociation import joint_bootstrap_share
from pytest_vdg.stats.enrichment import enrichment
from pytest_vdg.stats.equivalence import tost_paired
from pytest_vdg.stats.mcnemar import mcnemar
from pytest_vdg.stats.positions import share_explained_by_mode
from pytest_vdg.stats.spectrum import spectrum
from pytest_vdg.stats.stability import rank_agreement, split_half
from pytest_vdg.stats.tiers import tier
from tests.realdata import real
from tools.reproduce import PAGE, main
from tools.reproduction import arithmetic, noise
from tools.reproduction.answers import Published
from tools.reproduction.check import Check

TASKS = (
    "Attribute Perception",
    "Object Recognition",
    "OCR Problems",
    "Action Recognition",
    "Action Reasoning",
    "Temporal Reasoning",
)

# Questions right on the original only, on black only, and valid in both (the
# missing dropped); then Table 1's VDG, to one digit more than it prints, and
# its interval. Rows as TASKS, columns Qwen2-VL, LLaVA-Video, InternVL2.
TABLE_1 = {
    "qwen2vl": [
        (46, 6, 100, 0.400, (0.28, 0.52)),
        (34, 9, 100, 0.250, (0.13, 0.37)),
        (31, 5, 81, 0.321, (0.20, 0.44)),
        (25, 4, 100, 0.210, (0.12, 0.31)),
        (23, 5, 80, 0.225, (0.11, 0.34)),
        (11, 11, 86, 0.000, (-0.11, 0.11)),
    ],
    "llava": [
        (49, 3, 100, 0.460, (0.35, 0.56)),
        (51, 3, 100, 0.480, (0.37, 0.59)),
        (39, 6, 100, 0.330, (0.21, 0.44)),
        (33, 1, 100, 0.320, (0.22, 0.41)),
        (21, 5, 100, 0.160, (0.07, 0.25)),
        (19, 11, 100, 0.080, (-0.03, 0.19)),
    ],
    "internvl2": [
        (45, 7, 100, 0.380, (0.26, 0.50)),
        (40, 2, 100, 0.380, (0.28, 0.48)),
        (31, 8, 100, 0.230, (0.11, 0.34)),
        (28, 3, 100, 0.250, (0.15, 0.35)),
        (23, 5, 100, 0.180, (0.08, 0.28)),
        (16, 7, 100, 0.090, (0.00, 0.18)),
    ],
}

# The same overall.
OVERALL = {
    "qwen2vl": (170, 40, 547, 0.2377, (0.190, 0.285)),
    "llava": (212, 29, 600, 0.305, (0.26, 0.35)),
    "internvl2": (183, 32, 600, 0.2517, (0.21, 0.297)),
}

# InternVL2 and Qwen2-VL on original, then on black clips, over the 547
# questions valid for both: right (1) or not, and how many questions.
FOUR_ARMS = {
    "0000": 100, "0001": 20, "0010": 5, "0011": 4,
    "0100": 40, "0101": 30, "0110": 6, "0111": 12,
    "1000": 34, "1001": 7, "1010": 16, "1011": 9,
    "1100": 90, "1101": 48, "1110": 34, "1111": 92,
}  # fmt: skip

# Sum of the three models' VDG, -3 to 3, over the 547 questions valid for all.
SUMS = {
    "Attribute Perception": (0, 3, 4, 20, 31, 23, 19),
    "Object Recognition": (0, 2, 5, 30, 24, 21, 18),
    "OCR Problems": (0, 0, 7, 21, 27, 18, 8),
    "Action Recognition": (0, 1, 4, 46, 22, 19, 8),
    "Action Reasoning": (1, 1, 8, 33, 19, 10, 8),
    "Temporal Reasoning": (0, 4, 11, 42, 23, 5, 1),
}

# VDG (-1, 0, 1) of the first model by that of the second, over all 600, the
# missing counted wrong; then Pearson's correlation and percent of equal VDG.
BY_QUESTION = {
    "Qwen2-VL, LLaVA-Video": (
        [[9, 33, 12], [18, 255, 103], [2, 71, 97]], 0.293, 60.2,
    ),
    "Qwen2-VL, InternVL2": (
        [[4, 43, 7], [22, 268, 86], [6, 74, 90]], 0.274, 60.3,
    ),
    "LLaVA-Video, InternVL2": (
        [[5, 24, 0], [21, 257, 81], [6, 104, 102]], 0.303, 60.7,
    ),
}  # fmt: skip

BoolArray = npt.NDArray[np.bool_]


def pairs(gained: int, lost: int, n: int) -> tuple[BoolArray, BoolArray]:
    """Return correctness on original and black clips with these counts."""
    scores = np.repeat([1, -1, 0], [gained, lost, n - gained - lost])
    return scores > 0, scores < 0


@pytest.mark.parametrize("model", TABLE_1)
def test_gaps_by_task(model: str) -> None:
    """Table 1: each gap is the printed one; intervals agree within resampling."""
    arms = [pairs(*row[:3]) for row in TABLE_1[model]]
    groups = np.repeat(TASKS, [row[2] for row in TABLE_1[model]])
    found = spectrum(
        treated=np.concatenate([treated for treated, _ in arms]),
        control=np.concatenate([control for _, control in arms]),
        groups=groups.tolist(),
        videos=range(groups.size),
        method="vdg-paper",
    )
    for task, (_, _, n, gap, interval) in zip(TASKS, TABLE_1[model], strict=True):
        row = found.row(task)
        assert (row.estimate, row.n) == (pytest.approx(gap, abs=5e-4), n)
        # Ends move in steps of 1/n, and are printed to .01.
        assert (row.low, row.high) == pytest.approx(interval, abs=0.016)
        assert (row.pvalue < 0.01) is (task != "Temporal Reasoning")
    gained, lost, n, gap, interval = OVERALL[model]
    overall = found.overall
    assert (overall.treated_only, overall.control_only, overall.n) == (gained, lost, n)
    assert overall.estimate == pytest.approx(gap, abs=5e-5)
    assert (overall.low, overall.high) == pytest.approx(interval, abs=0.006)


@pytest.mark.parametrize(
    ("gained", "lost", "printed"),
    [
        (170, 40, "4.25"),  # section 4.3, Qwen2-VL on Video-MME
        (212, 29, "7.3"),  # and LLaVA-Video
        (150, 18, "8.3"),  # Tables 4 and S6, EgoSchema: Qwen2-VL
        (167, 13, "12.8"),  # LLaVA-Video
        (159, 18, "8.8"),  # InternVL2
    ],
)
def test_destructive_ratios(gained: int, lost: int, printed: str) -> None:
    """D:C is questions right with the video only over right without it only."""
    places = len(printed.partition(".")[2])
    estimate = destructive_ratio(gained=gained, lost=lost).estimate
    assert estimate is not None
    assert f"{estimate:.{places}f}" == printed


@pytest.mark.parametrize(
    ("first_only", "second_only", "corrected", "exact"),
    [
        (66, 88, 0.0906, 0.0903),  # Table 2, Video-MME, original
        (61, 105, 0.00085, 0.00079),  # and black
        (85, 69, 0.227, None),  # Table S3, EgoSchema: InternVL2, Qwen2-VL
        (68, 61, 0.597, None),
        (95, 52, 0.0005, None),  # InternVL2, LLaVA-Video
        (74, 47, 0.018, None),  # Qwen2-VL, LLaVA-Video
    ],
)
def test_mcnemar_is_the_corrected_chi_square(
    first_only: int, second_only: int, corrected: float, exact: float | None
) -> None:
    """The paper's p values are those of `vdg-paper`; exact ones are close by."""
    counts = (first_only, second_only)
    digits = len(f"{corrected:g}") - 2
    paper = mcnemar(
        treated_only=counts[0], control_only=counts[1], method="vdg-paper"
    ).pvalue
    assert round(paper, digits) == corrected
    if exact is not None:
        ours = mcnemar(treated_only=counts[0], control_only=counts[1]).pvalue
        assert round(ours, len(f"{exact:g}") - 2) == exact


def test_the_joint_share_of_the_dissociation() -> None:
    """Section 4.2: p < .01 on black in 79 % of resamples, joint in 50 %."""
    table = np.array([[c == "1" for c in cell] for cell in FOUR_ARMS])
    arms = np.repeat(table, list(FOUR_ARMS.values()), axis=0)
    assert (arms[:, 0] & ~arms[:, 1]).sum() == 66
    assert (~arms[:, 2] & arms[:, 3]).sum() == 105
    reliable, joint = (
        joint_bootstrap_share(
            first_original=arms[:, 0],
            second_original=arms[:, 1],
            first_black=arms[:, 2],
            second_black=arms[:, 3],
            videos=range(547),
            seed=0,
            alpha_black=alpha,
            method="vdg-paper",
        )
        for alpha in (0.01, 0.05)
    )
    # Two shares of 1,000 resamples differ by 2 points (standard error). The
    # paper's loop gives 50, 54 and 57 % with its seed 42, 0 and 1.
    assert reliable.black == pytest.approx(0.79, abs=0.06)
    one_way = (joint.black - joint.original + joint.joint) / 2
    assert one_way == pytest.approx(0.50, abs=0.07)


def test_ranks_of_tasks() -> None:
    """Section 4.1: Spearman .771, .667, .928 over six tasks, mean .789."""
    found = rank_agreement(
        {
            model: {
                t: (b - c) / n for t, (b, c, n, *_) in zip(TASKS, rows, strict=True)
            }
            for model, rows in TABLE_1.items()
        }
    )
    rounded = [round(rho, 3) for rho in found.pairs.values() if rho is not None]
    assert rounded == [0.771, 0.667, 0.928]
    assert found.mean == pytest.approx(0.789, abs=5e-4)


def test_halves_of_the_questions() -> None:
    """Section 5.2: split-half .847, from .486 to 1, over 1,000 halves."""
    counts = [n for task in TASKS for n in SUMS[task]]
    values = np.repeat(np.tile(np.arange(-3, 4), len(TASKS)), counts) / 3
    groups = [t for t in TASKS for _ in range(sum(SUMS[t]))]
    assert len(groups) == 547
    found = split_half(values=values, groups=groups, seed=0)
    assert found.mean == pytest.approx(0.847, abs=0.02)
    # Spearman over six tasks moves in steps of 2/35.
    assert found.low == pytest.approx(0.486, abs=2 / 35 + 5e-4)
    assert found.high == 1.0


def test_the_core_of_all_three_models() -> None:
    """Section 4.1: 62 of 600 questions, 10.3 %, need the video for all three."""
    everyone = sum(SUMS[task][-1] for task in TASKS)
    assert everyone == 62
    # The three of a question that is not in the core differ somewhere.
    scores = np.ones((3, 600), dtype=int)
    scores[2, everyone:] = 0
    share = shared_core(scores).all_gain
    assert (share.successes, round(100 * share.estimate, 1)) == (62, 10.3)


@pytest.mark.parametrize("name", BY_QUESTION)
def test_what_is_called_spearman_is_pearson(name: str) -> None:
    """Table S14: .274 is Pearson's; equal VDG is found in about 60 %, not 64 %."""
    table, pearson, percent = BY_QUESTION[name]
    cells = [(i - 1, j - 1) for i in range(3) for j in range(3)]
    scores = np.repeat(np.array(cells), np.ravel(table), axis=0)
    found = agreement(first=scores[:, 0], second=scores[:, 1])
    assert found.same.n == 600
    assert found.pearson is not None
    assert round(found.pearson, 3) == pearson
    assert round(100 * found.same.estimate, 1) == percent


@pytest.mark.parametrize(
    ("right", "mode_in_key", "percent"),
    # Right on black, and how often the model's most frequent label is the key,
    # of 600. Qwen2-VL and LLaVA-Video answer B most, InternVL2 A.
    [(236, 175, 29), (231, 175, 31), (192, 141, -21)],
)
def test_what_one_label_explains(right: int, mode_in_key: int, percent: int) -> None:
    """Table S5, overall: 29, 31, -21 percent of above-chance accuracy."""
    share = share_explained_by_mode(
        accuracy=right / 600, chance=0.25, mode_share=mode_in_key / 600
    )
    assert share is not None
    assert round(100 * share) == percent


def test_enrichment_needs_other_cells_than_printed() -> None:
    """Footnote 4: OR 3.76, p .006 are those of 11/7/155/371, one-sided."""
    needed = enrichment(
        flipped_marked=11,
        flipped_other=7,
        stable_marked=155,
        stable_other=371,
        alternative="greater",
    )
    assert needed.odds_ratio == pytest.approx(3.76, abs=5e-3)
    assert round(needed.pvalue, 3) == 0.006
    as_printed = enrichment(
        flipped_marked=11, flipped_other=7, stable_marked=87, stable_other=439
    )
    assert as_printed.odds_ratio == pytest.approx(7.93, abs=5e-3)


def test_equivalence_on_mvbench_is_not_shown() -> None:
    """Section 4.2 prints TOST p = .031; 59 and 67 of 452 give .105."""
    # (.05 * 452 - 8 - ½) / sqrt(126 or so) = 1.25 standard deviations.
    found = tost_paired(treated_only=59, control_only=67, n=452, margin=0.05)
    assert found.outcome == "inconclusive"
    assert max(found.p_lower, found.p_upper) == pytest.approx(0.105, abs=5e-4)


@pytest.mark.parametrize(
    ("gap", "name"), [(0.282, "middle"), (0.264, "middle"), (0.308, "high")]
)
def test_tiers_of_egoschema(gap: float, name: str) -> None:
    """Section 5.1: two of three models in the predicted tier, one above it."""
    assert tier(gap) == name


NOTHING = Published(video_mme={}, egoschema={}, remarks=())


def test_the_arithmetic_of_twenty_models_holds() -> None:
    """Tables 6 and 7: printed differences are those of printed accuracies, to .001."""
    checks = [*arithmetic.gaps(NOTHING), *arithmetic.ladders(NOTHING)]
    assert len(checks) == 20 + 16
    assert {check.verdict for check in checks} == {"equal", "within noise"}


def test_values_that_contradict_one_another_are_said_to() -> None:
    """What the paper prints of MVBench does not follow from what it prints."""
    checks = list(arithmetic.elsewhere(NOTHING))
    assert checks
    assert all(check.verdict == "differs" and check.why for check in checks)


def compared(
    printed: str, ours: float, *, noise: Sequence[float] = (), why: str = ""
) -> Check:
    """Return the check of one value."""
    return Check(
        where="Table 1",
        what="VDG",
        printed=(printed,),
        ours=(ours,),
        how="missing dropped",
        noise=tuple(noise),
        why=why,
    )


@pytest.mark.parametrize(
    ("printed", "ours", "shown", "verdict"),
    [
        ("0.24", 0.2377, "0.238", "equal"),
        ("0.23", 0.225, "0.225", "equal"),  # a half may be rounded either way
        ("0.22", 0.225, "0.225", "equal"),
        ("0.24", 0.2451, "0.245", "differs"),
        ("62", 62, "62", "equal"),
        ("62", 63, "63", "differs"),  # a count is not rounded
        ("79", 79.2, "79.2", "equal"),
        ("<0.001", 2.1e-6, "2.1e-06", "equal"),
        ("<0.001", 0.002, "0.0020", "differs"),
        ("0.00", -0.0, "0.000", "equal"),
        ("0.006", 4.1e-5, "4.1e-05", "differs"),
        ("0.24", float("nan"), "nan", "differs"),
        ("<0.001", float("nan"), "nan", "differs"),
    ],
)
def test_equal_is_to_the_last_printed_digit(
    printed: str, ours: float, shown: str, verdict: str
) -> None:
    """A value is the printed one where it rounds to it, and nothing else is."""
    check = compared(printed, ours)
    assert (check.shown, check.verdict) == ((shown,), verdict)


def test_only_what_was_resampled_may_differ() -> None:
    """Noise is granted value by value, beyond the rounding."""
    assert compared("0.50", 0.512, noise=[0.01]).verdict == "within noise"
    assert compared("0.50", 0.516, noise=[0.01]).verdict == "differs"
    assert compared("0.50", float("nan"), noise=[0.01]).verdict == "differs"
    both = Check(
        where="Table 1",
        what="VDG and an end",
        printed=("0.50", "0.40"),
        ours=(0.512, 0.40),
        how="",
        noise=(0.0, 0.05),
    )
    assert both.verdict == "differs"


def test_a_surprise_in_either_direction_is_one() -> None:
    """A value that fails to hold, or fails to fail, is not as expected."""
    assert compared("0.24", 0.24).as_expected
    assert compared("0.24", 0.30, why="rounded").as_expected
    assert not compared("0.24", 0.30).as_expected
    assert not compared("0.24", 0.24, why="rounded").as_expected


def test_columns_must_belong_together() -> None:
    """Two printed values beside one of ours are a mistake of ours."""
    with pytest.raises(ValueError, match="unequal numbers of values"):
        Check(where="", what="", printed=("1", "2"), ours=(1,), how="")
    with pytest.raises(ValueError, match="unequal numbers of values"):
        Check(where="", what="", printed=("1",), ours=(1,), how="", noise=(0.0, 0.0))


def test_noise_is_that_of_two_resamplings() -> None:
    """Three standard errors of a difference, checked against resampling itself."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(2, 400, 2000))
    ends = np.percentile(means, 2.5, axis=2)
    apart = float((ends[0] - ends[1]).std())
    low, high = -1.96, 1.96
    assert noise.of_percentiles(low, high, resamples=2000) == pytest.approx(
        3 * apart, rel=0.12
    )
    apart = float((means.mean(axis=2)[0] - means.mean(axis=2)[1]).std())
    assert noise.of_mean(1.0, 2000) == pytest.approx(3 * apart, rel=0.12)
    shares = (means > 0.8416).mean(axis=2)  # 20 % of a normal distribution
    apart = float((shares[0] - shares[1]).std())
    assert noise.of_share(0.2, 2000) == pytest.approx(3 * apart, rel=0.12)


def made_rows(rng: random.Random, conditions: Sequence[str]) -> list[dict[str, object]]:
    """Return answers of one model to six questions a task, in a random order."""
    rows = [
        {
            "question_id": f"{task}-{i}",
            "videoID": f"{task}-{i // 2}",
            "task_type": task,
            "condition": condition,
            "ground_truth": "ABCD"[i % 4],
            "prediction": rng.choice("ABCD"),
        }
        for task in TASKS
        for i in range(6)
        for condition in conditions
    ]
    rng.shuffle(rows)
    return rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of the paper's form with invented answers of three models."""
    rng = random.Random(0)
    (tmp_path / "full_study").mkdir()
    (tmp_path / "egoschema").mkdir()
    crf = [f"crf{n}" for n in (18, 23, 28, 33, 38)]
    for model in ("qwen2vl", "llava", "internvl2"):
        files = {
            f"full_study/{model}_results.json": ["original", *crf],
            f"full_study/{model}_black_results.json": ["black"],
            f"egoschema/{model}_egoschema_results.json": ["original", "black"],
        }
        for name, conditions in files.items():
            rows = made_rows(rng, conditions)
            (tmp_path / name).write_text(json.dumps(rows), encoding="utf-8")
    return tmp_path


def test_other_answers_are_not_said_to_reproduce(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Invented answers give a page too, one that says that they do not agree."""
    page = tmp_path / "page.md"
    assert main([str(folder), "--page", str(page)]) == 1
    text = page.read_text(encoding="utf-8")
    assert "**not expected**" in text
    assert "Table S4, Qwen2-VL-7B, OCR Problems" in caplog.text
    # Which machine the page was made on is nobody's business.
    assert str(tmp_path) not in text


def test_dirty_files_are_remarked_on(folder: Path, tmp_path: Path) -> None:
    """An unreadable further condition is said, without the folder's name."""
    (folder / "full_study" / "llava_singleframe_results.json").write_bytes(b"\0" * 99)
    page = tmp_path / "page.md"
    main([str(folder), "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    assert (
        "- Video-MME, LLaVA-Video-7B: full_study/llava_singleframe_results.json: all "
        "of its 99 bytes are NUL."
    ) in text
    assert str(tmp_path) not in text


def test_a_folder_without_the_answers_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong folder is named, and no page is written."""
    page = tmp_path / "page.md"
    with pytest.raises(SystemExit) as caught:
        main([str(tmp_path), "--page", str(page)])
    assert caught.value.code == 2
    assert "qwen2vl_results.json cannot be read" in capsys.readouterr().err
    assert not page.exists()


def test_the_committed_page_is_what_the_published_answers_give(tmp_path: Path) -> None:
    """All that should hold holds, all that should not does not; the page says so."""
    folder = real("vdg_annotations")
    page = tmp_path / "page.md"
    assert main([str(folder), "--page", str(page)]) == 0
    made = page.read_text(encoding="utf-8")
    assert str(folder) not in made
    # If this fails alone: python -m tools.reproduce FOLDER, and review the change.
    assert made == PAGE.read_text(encoding="utf-8")
