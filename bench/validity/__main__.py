"""``python -m bench.validity``: measure all, write the page's tables and picture.

Apart from what is measured because this only shares it out among processes
and puts the results in their places.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeVar

from bench.validity import report, verdict_tables
from bench.validity.bootstrapped import (
    SIZES as BOOTSTRAP_SIZES,
)
from bench.validity.bootstrapped import (
    bootstrap_cell,
    bootstrap_measures,
)
from bench.validity.claims import ClaimCell, claim_cell
from bench.validity.coverage import exact_cells, simulated_cell
from bench.validity.edges import all_claims
from bench.validity.grid import CHANGE, INDEPENDENT, SHAPES, SIZES, Cell, measures
from bench.validity.losses import LossCell, loss_cell, truths
from bench.validity.picture import draw_cells
from bench.validity.planned import PlanCell, plan_cell, plans
from bench.validity.resampled import SOURCES, Resampled, load, resample

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "validity.md"
PICTURE = ROOT / "docs" / "pictures" / "validity-coverage.png"
SLICE = 100
"""Questions of the smaller slices of published answers."""

Item = TypeVar("Item")


def main() -> None:
    """Measure, write ``docs/validity.md`` and its picture."""
    parser = argparse.ArgumentParser(prog="python -m bench.validity")
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--replicates", type=int, default=4000)
    parser.add_argument("--claims", type=int, default=600, metavar="REPLICATES")
    parser.add_argument(
        "--real-data",
        type=Path,
        default=os.environ.get("VDG_REAL_DATA"),
        help="folder that holds vdg_annotations/; its table is kept without one",
    )
    given = parser.parse_args()
    with ProcessPoolExecutor(given.processes) as pool:
        blocks, cells = _measure(pool, given)
    draw_cells(cells, PICTURE)
    # Of all processes, so that a busy machine tells the same.
    spent = [resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN]
    minutes = sum(resource.getrusage(who).ru_utime for who in spent) / 60
    blocks["how"] = (
        f"Seed {given.seed}, {given.replicates} slices a simulated cell, "
        f"{given.claims} runs an assertion, {len(cells)} cells of intervals; "
        f"{minutes:.1f} minutes of processor time."
    )
    PAGE.write_text(report.put(PAGE.read_text("utf-8"), blocks), "utf-8")
    sys.stdout.write(f"{blocks['how']}\nwritten: {PAGE}, {PICTURE}\n")


def _measure(
    pool: ProcessPoolExecutor, given: argparse.Namespace
) -> tuple[dict[str, str], list[Cell]]:
    ask = partial(_ask, pool, seed=given.seed)
    claimed = ask(_claimed, range(len(list(all_claims()))), given.claims)
    # A promise is held to 3 points, so that its errors must be a fraction of one.
    planned = ask(_planned, range(len(list(plans()))), 3 * given.replicates)
    lost = ask(_lost, product(range(len(SHAPES)), SIZES), given.replicates)
    simulated = ask(_simulated, product(range(len(SHAPES)), SIZES), given.replicates)
    drawn = ask(
        _bootstrapped, product(range(len(SHAPES)), BOOTSTRAP_SIZES), given.claims
    )
    parts = [*_all(simulated), *_all(drawn)]
    cells = [*exact_cells(), *(cell for part in parts for cell in part)]
    losses = [cell for part in _all(lost) for cell in part]
    promises = _all(planned)
    blocks = {
        "short": report.in_short(cells, losses, promises),
        "coverage": report.coverage_table(cells),
        "outside": report.counts_outside(cells),
        "outside-list": report.list_outside(cells),
        "bounds": verdict_tables.bounds_table(cells),
        "losses": verdict_tables.losses_table(losses),
        "claims": verdict_tables.claims_table(_all(claimed)),
        "plans": verdict_tables.plans_table(promises),
    }
    if given.real_data is not None:
        real = ask(_real, ((given.real_data, i) for i in range(len(SOURCES))), 2000)
        blocks["real"] = verdict_tables.real_table(
            [c for part in _all(real) for c in part]
        )
    return blocks, cells


def _ask(
    pool: ProcessPoolExecutor,
    measure: Callable[..., Item],
    places: Iterable[object],
    replicates: int,
    *,
    seed: int,
) -> list[Future[Item]]:
    return [pool.submit(measure, place, replicates, seed) for place in places]


def _all(futures: Iterable[Future[Item]]) -> list[Item]:
    return [future.result() for future in futures]


# Truths hold functions, which do not cross to another process: places do.


def _simulated(place: tuple[int, int], replicates: int, seed: int) -> list[Cell]:
    shape, n = SHAPES[place[0]], place[1]
    return [
        simulated_cell(measure, shape, n, replicates=replicates, seed=seed)
        for measure in measures()
        # With one question a video, the others are summed exactly.
        if shape.name != INDEPENDENT or measure.method is CHANGE
    ]


def _bootstrapped(place: tuple[int, int], replicates: int, seed: int) -> list[Cell]:
    shape, n = SHAPES[place[0]], place[1]
    if shape.harsh:
        return []
    return [
        bootstrap_cell(measure, shape, n, replicates=replicates, seed=seed)
        for measure in bootstrap_measures()
    ]


def _lost(place: tuple[int, int], replicates: int, seed: int) -> list[LossCell]:
    shape, n = SHAPES[place[0]], place[1]
    return [
        loss_cell(truth, shape, n, replicates=replicates, seed=seed)
        for truth in truths()
    ]


def _claimed(place: int, replicates: int, seed: int) -> ClaimCell:
    claim = list(all_claims())[place]
    return claim_cell(claim, replicates=replicates, seed=seed)


def _planned(place: int, replicates: int, seed: int) -> PlanCell:
    return plan_cell(list(plans())[place], replicates=replicates, seed=seed)


def _real(place: tuple[Path, int], replicates: int, seed: int) -> list[Resampled]:
    folder, source = place[0] / "vdg_annotations", SOURCES[place[1]]
    paired = load(folder, source)
    return [
        resample(paired, source, questions=n, replicates=replicates, seed=seed)
        for n in (SLICE, None)
    ]


if __name__ == "__main__":
    main()
