"""What the planned runs of a session will cost, as values and as a table.

Apart from the session because nothing is asked here, and from the engine
because one table is about several checkpoints and slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vdg import spelling
from pytest_vdg.errors import VdgError
from pytest_vdg.sessions.asks import about_slice
from pytest_vdg.sessions.judging import endings_told
from pytest_vdg.sessions.session import VdgSession

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.engine.costs import ConditionCost, RunCost

UNKNOWN = "unknown"
"""Where nothing was measured; never a guess."""


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What is planned: runs with their cost, and why others have none."""

    runs: tuple[RunCost, ...]
    """In the order in which they were planned."""
    faults: tuple[str, ...]
    """Why a run that is needed could not be planned."""


def planned_costs(session: VdgSession, *, also: Sequence[str] = ()) -> Costs:
    """Return what the runs planned in *session* will cost.

    No weights are loaded, nothing is fetched and no video is decoded. What is
    wrong with one run does not hide the others. *also* says what was found
    wrong earlier.
    """
    runs: list[RunCost] = []
    faults = list(also)
    for planned in session.planned:
        found = _cost(session, *planned, earlier=runs)
        if isinstance(found, str):
            faults.append(found)
        else:
            runs.append(found)
    return Costs(runs=tuple(runs), faults=tuple(faults))


def _cost(
    session: VdgSession,
    checkpoint: str,
    slice_: Slice,
    conditions: Sequence[str],
    *,
    earlier: Sequence[RunCost],
) -> RunCost | str:
    """Return what one run will cost, or why that cannot be known."""
    from pytest_vdg.engine.costs import run_cost

    settings = session.settings.run_settings()
    known: frozenset[str] = frozenset().union(*(run.keys for run in earlier))
    try:
        with endings_told(), about_slice(slice_.name):
            backend = session.new_backend(checkpoint, fetch=False)
            try:
                return run_cost(
                    slice_,
                    backend,
                    conditions,
                    settings,
                    store=session.store,
                    earlier=known,
                )
            finally:
                backend.close()
    except VdgError as error:
        said = str(error)
        return said if repr(slice_.name) in said else f"slice {slice_.name!r}: {said}"


def cost_lines(costs: Costs) -> list[str]:
    """Return a table of each checkpoint, what the words mean, and the faults."""
    from pytest_vdg.reports._format import wrapped

    lines: list[str] = []
    checkpoints = dict.fromkeys((run.checkpoint, run.weights) for run in costs.runs)
    for name, weights in checkpoints:
        runs = [r for r in costs.runs if (r.checkpoint, r.weights) == (name, weights)]
        told = dict.fromkeys(f"memory: {run.memory}" for run in runs if run.memory)
        lines += [*_headed(name, weights), *told, *_table(runs), ""]
    lines += [line for run in costs.runs for line in _unreadable(run)]
    lines += [f"could not be planned: {fault}" for fault in costs.faults]
    return [*lines, *(x for note in _notes(costs) for x in wrapped(note, later="  "))]


def _headed(name: str, weights: str) -> list[str]:
    from pytest_vdg.reports._format import plain

    digest = weights.rpartition(":")[2][:8].strip()
    return [f"checkpoint {plain(name, 60)}" + (f"@{digest}" if digest else "")]


def _table(runs: Sequence[RunCost]) -> list[str]:
    from pytest_vdg.reports._format import fitted, plain

    heads = "slice", "condition", "cells", "cached", "to ask", "videos"
    rows: list[Sequence[str]] = [(*heads, "tokens", "time")]
    for run in runs:
        name = plain(run.slice_name, 40)
        parts = run.conditions
        for part in parts if len(parts) == 1 else (*parts, run.together):
            rows.append((name, *_row(part)))
            name = ""
    if len(runs) > 1:
        rows.append(("all slices", *_row_of_all(runs)))
    return fitted(rows, align="llrrrrrr", keys=2)


def _row(cost: ConditionCost) -> tuple[str, ...]:
    return (
        cost.condition,
        str(cost.cells),
        str(cost.cached),
        str(cost.to_ask),
        str(len(cost.videos)),
        UNKNOWN if cost.tokens is None else f"{cost.tokens:,}",
        UNKNOWN if cost.seconds is None else spelling.duration(cost.seconds),
    )


def _row_of_all(runs: Sequence[RunCost]) -> tuple[str, ...]:
    """Return the sum over slices; a video of two of them is decoded twice."""
    wholes = [run.together for run in runs]
    tokens = [whole.tokens for whole in wholes]
    seconds = [whole.seconds for whole in wholes]
    return (
        "",
        str(sum(w.cells for w in wholes)),
        str(sum(w.cached for w in wholes)),
        str(sum(w.to_ask for w in wholes)),
        str(sum(len(w.videos) for w in wholes)),
        UNKNOWN if None in tokens else f"{sum(t or 0 for t in tokens):,}",
        UNKNOWN
        if None in seconds
        else spelling.duration(sum(s or 0.0 for s in seconds)),
    )


def _unreadable(run: RunCost) -> list[str]:
    from pytest_vdg.reports._format import plain

    if not run.unreadable:
        return []
    first, number = plain(run.unreadable[0], 60), len(run.unreadable)
    what = "video cannot" if number == 1 else "videos cannot"
    return [f"slice {run.slice_name!r}: {number} {what} be read (first: {first})"]


def _notes(costs: Costs) -> list[str]:
    if not costs.runs:
        return []
    notes = [
        "videos: to decode. time: of the model's answers, without loading and decoding"
    ]
    encodings = sum(run.together.encodings for run in costs.runs)
    if encodings:
        notes.append(
            f"compressed: {spelling.count(encodings, 'encoding')}, each of all frames "
            "of a video: about ten times the work of decoding them"
        )
    shared = sum(run.shared for run in costs.runs)
    if shared:
        notes.append(
            f"cached: {shared} of these cells are asked by another run of this plan"
        )
    wholes = [run.together for run in costs.runs]
    if any(None in (whole.tokens, whole.seconds) for whole in wholes):
        notes.append(
            f"{UNKNOWN}: of this checkpoint, asked so, no answer is kept to measure it "
            "by"
        )
    return notes
