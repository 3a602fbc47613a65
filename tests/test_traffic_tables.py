"""The traffic paper's tables: blind gap and visual gain as ours compute them.

Every row that the paper prints, through `vdg audit`'s own numbers: accuracies become
runs of ten thousand questions, and what is measured is held against the print.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from pytest_vdg.stats.shortcut import blind_gap, visual_gain


class Row(NamedTuple):
    """One model on one benchmark, in percent; None where nothing is printed."""

    blind: float
    video: float | None
    gap: float
    gain: float | None


# Chance in percent, section B.2 and the caption of Table 4.
CHANCE = {
    "MM-AU": 20.0,
    "TrafficQA": 25.0,
    "AccidentBench": 25.24,
    "VRU-Accident": 25.0,
    "LongVideoBench": 21.12,
    "VideoMME": 25.0,
    "MLVU": 25.0,
}
TABLE_1 = {
    "MM-AU": [
        Row(52.14, 50.35, 32.14, -1.79),
        Row(60.33, 50.88, 40.33, -9.46),
        Row(54.83, 47.86, 34.83, -6.97),
        Row(45.70, 45.45, 25.70, -0.24),
        Row(46.60, None, 26.60, None),
        Row(33.92, None, 13.92, None),
        Row(51.45, None, 31.45, None),
    ],
    "TrafficQA": [
        Row(29.72, 41.95, 4.72, 12.23),
        Row(33.62, 45.67, 8.62, 12.06),
        Row(31.52, 43.53, 6.52, 12.01),
        Row(28.69, 39.70, 3.69, 11.01),
        Row(30.45, None, 5.45, None),
        Row(28.52, None, 3.52, None),
        Row(28.18, None, 3.18, None),
    ],
    "AccidentBench": [
        Row(29.64, 31.68, 4.40, 2.05),
        Row(30.43, 37.76, 5.19, 7.33),
        Row(30.50, 35.18, 5.26, 4.69),
        Row(29.31, 27.59, 4.07, -1.72),
        Row(20.33, None, -4.91, None),
        Row(26.60, None, 1.36, None),
        Row(27.00, None, 1.76, None),
    ],
    "VRU-Accident": [
        Row(50.18, 63.62, 25.18, 13.43),
        Row(42.95, 62.85, 17.95, 19.90),
        Row(44.40, 60.92, 19.40, 16.52),
        Row(50.10, 63.03, 25.10, 12.93),
        Row(42.77, None, 17.77, None),
        Row(31.18, None, 6.18, None),
        Row(44.55, None, 19.55, None),
    ],
}
"""Four VLMs, then three text-only models."""
AVERAGES = {
    "MM-AU": Row(53.25, 48.64, 33.25, -4.62),
    "TrafficQA": Row(30.89, 42.71, 5.89, 11.83),
    "AccidentBench": Row(29.97, 33.05, 4.73, 3.09),
    "VRU-Accident": Row(46.91, 62.61, 21.91, 15.70),
}
TABLE_4 = {
    "LongVideoBench": [
        Row(42.86, 57.97, 21.74, 15.11),
        Row(43.53, 59.84, 22.41, 16.31),
        Row(39.34, 53.03, 18.22, 13.69),
    ],
    "VideoMME": [
        Row(42.70, 64.00, 17.70, 21.30),
        Row(43.77, 64.52, 18.77, 20.75),
        Row(39.07, 53.59, 14.07, 14.52),
    ],
    "MLVU": [
        Row(42.28, 65.69, 17.28, 23.41),
        Row(41.77, 68.06, 16.77, 26.29),
        Row(42.96, 54.52, 17.96, 11.56),
    ],
}
TABLE_5 = {
    "MM-AU": [
        Row(33.13, 38.28, 13.13, 5.14),
        Row(39.23, 41.99, 19.23, 2.75),
        Row(30.38, 37.80, 10.38, 7.42),
        Row(39.35, 45.81, 19.35, 6.46),
        Row(19.50, None, -0.50, None),
        Row(11.60, None, -8.40, None),
        Row(18.66, None, -1.34, None),
    ],
    "VRU-Accident": [
        Row(43.25, 68.81, 18.25, 25.56),
        Row(35.91, 71.65, 10.91, 35.74),
        Row(43.76, 69.25, 18.76, 25.49),
        Row(37.21, 67.39, 12.21, 30.19),
        Row(37.92, None, 12.92, None),
        Row(20.40, None, -4.60, None),
        Row(30.94, None, 5.94, None),
    ],
}
"""The filtered halves; the full ones are Table 1."""
TABLE_7 = {
    "LongVideoBench": [
        Row(39.34, 53.03, 18.22, 13.69),
        Row(38.37, 53.25, 17.25, 14.88),
        Row(38.52, 54.15, 17.04, 15.63),  # printed wrongly: 17.40
    ],
    "VideoMME": [
        Row(39.07, 53.59, 14.07, 14.52),
        Row(34.07, 53.56, 9.07, 19.49),
        Row(33.70, 53.48, 8.70, 19.78),
    ],
    "MLVU": [
        Row(42.96, 54.52, 17.96, 11.56),
        Row(41.36, 46.75, 16.36, 5.39),
        Row(41.15, 46.50, 16.15, 5.35),
    ],
}
# Table 2: video accuracy, blind gap, visual gain, by no filter, LLM-Inspector,
# B-Clean and S-score; its blind accuracy is blind gap plus chance.
TABLE_2 = {
    "MM-AU": [
        (45.45, 25.70, -0.24),
        (31.79, 11.47, 0.32),
        (23.54, -5.02, -19.91),  # printed wrongly: 8.56
        (37.80, 10.38, 7.42),
    ],
    "VRU-Accident": [
        (63.03, 25.10, 12.93),
        (52.80, 12.16, 15.64),
        (52.38, -3.22, -10.65),  # printed wrongly: 30.60
        (69.25, 18.76, 25.49),
    ],
}
# Table 6: video accuracy, blind gap, visual gain of three training stages.
TABLE_6 = {
    "MM-AU": [(47.86, 34.83, -6.97), (50.92, 34.87, -3.95), (51.16, 34.59, -3.43)],
    "MM-AU, grounded": [
        (45.81, 19.35, 6.46),
        (47.37, 24.02, 3.35),
        (46.41, 19.47, 6.94),
    ],
    "VRU-Accident": [
        (60.92, 19.40, 16.52),
        (67.17, 20.28, 21.89),
        (67.28, 20.67, 21.61),
    ],
    "VRU-Accident, grounded": [
        (67.39, 12.21, 30.18),
        (72.63, 20.28, 27.35),
        (67.61, 12.52, 30.09),
    ],
    "TrafficQA": [(43.53, 6.52, 12.01), (47.60, 4.53, 18.07), (47.64, 4.78, 17.86)],
    "AccidentBench": [(35.18, 5.26, 4.68), (35.78, 6.92, 3.62), (35.61, 6.53, 3.84)],
}
N = 10_000
ROUNDED = 0.011
"""Points: printed from unrounded accuracies, so one in the last digit."""


def options_of(benchmark: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return numbers of options whose mean of 1/K is the benchmark's chance."""
    chance = CHANCE[benchmark.partition(",")[0]] / 100
    fewer = int(1 / chance)  # 5, 4, or between the two
    more = fewer + 1
    share = round(N * (chance - 1 / more) / (1 / fewer - 1 / more))
    return np.repeat([fewer, more], [share, N - share])


def measured(benchmark: str, blind: float, video: float | None) -> tuple[float, float]:
    """Return blind gap and visual gain, in points, of such accuracies."""
    text = np.arange(N) < round(100 * blind)
    gap = blind_gap(correct=text, options=options_of(benchmark))
    if video is None:
        return 100 * gap.estimate, np.nan
    seen = np.arange(N) < round(100 * video)
    gain = visual_gain(video=seen, text_only=text)
    return 100 * gap.estimate, 100 * gain.estimate


ROWS = [
    (f"{table} {benchmark} {i}", benchmark, row)
    for table, parts in (
        ("table 1", TABLE_1),
        ("table 4", TABLE_4),
        ("table 5", TABLE_5),
        ("table 7", TABLE_7),
    )
    for benchmark, rows in parts.items()
    for i, row in enumerate(rows)
]
GAPS = [
    (f"{table} {benchmark} {i}", benchmark, cells)
    for table, parts in (("table 2", TABLE_2), ("table 6", TABLE_6))
    for benchmark, rows in parts.items()
    for i, cells in enumerate(rows)
]


def test_what_is_printed_holds_but_for_two_errors() -> None:
    """86 rows of six tables; Table 7 has one wrong gap, Table 2 one rule's gains."""
    wrong = {}
    for name, benchmark, row in ROWS:
        gap, gain = measured(benchmark, row.blind, row.video)
        if abs(gap - row.gap) > ROUNDED:
            wrong[name, "gap"] = round(gap, 2)
        if row.gain is not None and abs(gain - row.gain) > ROUNDED:
            wrong[name, "gain"] = round(gain, 2)
    for name, benchmark, (video, gap, gain) in GAPS:
        blind = gap + CHANCE[benchmark.partition(",")[0]]
        _, found = measured(benchmark, blind, video)
        if abs(found - gain) > ROUNDED:
            wrong[name, "gain"] = round(found, 2)
    assert wrong == {
        ("table 7 LongVideoBench 2", "gap"): 17.4,
        ("table 2 MM-AU 2", "gain"): 8.56,
        ("table 2 VRU-Accident 2", "gain"): 30.6,
    }
    assert len(ROWS) + len(GAPS) == 86


@pytest.mark.parametrize(
    ("benchmark", "whole"), [("MM-AU", 45.45), ("VRU-Accident", 63.03)]
)
def test_where_the_wrong_gains_come_from(benchmark: str, whole: float) -> None:
    """B-Clean's gain subtracts accuracy on all questions, of those that it keeps."""
    video, _, printed = TABLE_2[benchmark][2]
    exact = {"MM-AU": -21.91, "VRU-Accident": -10.65}
    assert video - whole == pytest.approx(exact[benchmark])
    assert abs(printed - (video - whole)) < 2.1  # VRU to the digit


@pytest.mark.parametrize("benchmark", sorted(AVERAGES))
def test_the_average_is_that_of_the_video_models(benchmark: str) -> None:
    """Text-only models take no part in it."""
    rows = [row for row in TABLE_1[benchmark] if row.video is not None]
    means = [np.mean([getattr(row, name) for row in rows]) for name in Row._fields]
    assert means == pytest.approx(list(AVERAGES[benchmark]), abs=ROUNDED)


def test_the_filtered_column_is_the_filtered_table() -> None:
    """Table 2 by S-score is LLaVA-OneVision's row of Table 5."""
    for benchmark, rows in TABLE_2.items():
        llava = TABLE_5[benchmark][2]
        assert rows[3] == (llava.video, llava.gap, llava.gain)
