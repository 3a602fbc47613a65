"""False verdicts, promises and published answers, as tables.

Apart from the report of intervals because verdicts have a level each, where
intervals have one band for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.validity.claims import ClaimCell
from bench.validity.grid import Cell
from bench.validity.losses import LossCell
from bench.validity.planned import TOLERANCE, PlanCell
from bench.validity.report import DRAWN, FROM, HARSH, KINDS, kind, percent, table
from bench.validity.resampled import FLOOR, Resampled


def bounds_table(cells: Sequence[Cell]) -> str:
    """Return the largest shares of wrong verdicts at a floor, from n = 50 on."""
    rows = []
    for method in DRAWN[:2]:
        for name in KINDS:
            chosen = [
                c
                for c in cells
                if c.method == method and kind(c) == name and c.n >= FROM
            ]
            over = [c for c in chosen if _worse(c) > 0.055 + 2 * _bound_error(c)]
            worst = max(chosen, key=_worse)
            rows.append(
                [
                    f"{method} above a floor",
                    name,
                    _most(chosen, "above"),
                    _most(chosen, "below"),
                    f"{len(over)} of {len(chosen)}",
                    f"{worst.setting}; {worst.shape}; n={worst.n}",
                ]
            )
    head = ["claim", "slices", "passes", "fails", "cells over 5.5", "worst"]
    return table(head, rows)


def _worse(cell: Cell) -> float:
    return max(cell.bounds.above, cell.bounds.below)


def _bound_error(cell: Cell) -> float:
    return 0.0 if cell.exact else cell.bounds.error_of(0.05)


def _most(cells: Sequence[Cell], side: str) -> str:
    return _spread([getattr(c.bounds, side) for c in cells])


def _spread(shares: Sequence[float]) -> str:
    middle = sorted(shares)[len(shares) // 2]
    return f"median {percent(middle)}, most {percent(max(shares))}"


def losses_table(cells: Sequence[LossCell]) -> str:
    """Return the largest shares of wrong verdicts about a loss."""
    rows = []
    for lost, what in (
        (False, "nothing lost: called a regression"),
        (True, "the margin lost: passes"),
    ):
        for name in ("ordinary", "harsh"):
            chosen = [
                c
                for c in cells
                if bool(c.lost) is lost
                and c.n >= FROM
                and (c.shape in HARSH) is (name == "harsh")
            ]
            worst = max(chosen, key=lambda c: c.error)
            shares = [c.error for c in chosen]
            level = chosen[0].level
            over = [
                c for c in chosen if c.error > level + 2 * c.verdicts.error_of(level)
            ]
            rows.append(
                [
                    what,
                    name,
                    percent(level),
                    _spread(shares),
                    f"{len(over)} of {len(chosen)}",
                    f"{worst.setting}; {worst.shape}; n={worst.n}",
                ]
            )
    head = ["truth and error", "slices", "level", "share", "cells over it", "worst"]
    return table(head, rows)


def claims_table(cells: Sequence[ClaimCell]) -> str:
    """Return the verdicts of the public assertions."""
    rows = [
        [
            f"`{c.name}`",
            c.truth,
            str(c.n),
            _against(c.verdicts.above, c.may_pass, c.verdicts.replicates),
            _against(c.verdicts.below, c.may_fail, c.verdicts.replicates),
        ]
        for c in cells
    ]
    head = ["assertion", "truth", "n", "passes", "fails"]
    return table(head, rows)


def _against(share: float, allowed: float | None, replicates: int | None) -> str:
    if allowed is None or allowed == 1:
        return f"{percent(share)} (right)"
    error = (allowed * (1 - allowed) / (replicates or 1)) ** 0.5
    text = f"{percent(share)} of {percent(allowed)}"
    # Three, as half a hundred shares are looked at.
    return f"**{text}**" if share > allowed + 3 * error else text


def plans_table(cells: Sequence[PlanCell]) -> str:
    """Return promised and found power."""
    rows = [
        [
            c.claim,
            c.setting,
            c.layout,
            str(c.n),
            percent(c.promised),
            f"{percent(c.found.above)} ± {percent(c.found.error_of(c.found.above))}",
            f"**{100 * c.off:+.1f}**"
            if abs(c.off) > TOLERANCE
            else f"{100 * c.off:+.1f}",
        ]
        for c in cells
    ]
    head = ["claim", "truth", "slice", "n planned", "promised", "found", "off"]
    return table(head, rows)


def _off(cell: PlanCell) -> str:
    text = f"{100 * cell.off:+.1f}"
    return f"**{text}**" if abs(cell.off) > TOLERANCE else text


def real_table(cells: Sequence[Resampled]) -> str:
    """Return what the claims come to on published answers."""
    rows = [
        [
            f"{c.model}, {c.benchmark}",
            f"{c.n} on {c.videos}",
            f"{100 * c.gap:+.1f}",
            f"{percent(c.alarms)} (n {c.half_questions:.0f})",
            f"{c.slice_questions:.0f}",
            percent(c.held),
            f"{percent(c.passed_own)} / {percent(c.failed_own)}",
            percent(c.passed),
            percent(c.caught),
        ]
        for c in cells
    ]
    head = [
        "answers",
        "questions on videos",
        "gap",
        "false alarms, half against half",
        "slices of",
        "interval holds the gap",
        "passes / fails at the gap",
        f"passes at {FLOOR:.2f}",
        "blinded: caught",
    ]
    return table(head, rows)
