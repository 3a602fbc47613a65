"""What it costs the process that plans to have actors of a Ray cluster ask.

    python -m bench.executor [--cells 4000] [--actors 1 2 4]

The scripted model of `bench.scale`, which costs nothing, on a cluster of this machine.
*Driver* is CPU time of the planning process a cell: digests, looking up and looking at
videos, sending lots, checking and keeping what comes back, and what Ray takes there.
*Here* is the same without actors, and without the model's answers.
*Out* and *back* are bytes a cell of what is sent, pickled, and *kept* of the store's
file. Cells a second are bounded
by this machine's cores, which the actors share with the driver; nothing is asserted.
Apart from the tests because a machine's speed is no claim about the code.
"""

from __future__ import annotations

import argparse
import os
import pickle
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.scale import CONDITIONS, Model, slice_of
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.hands import Lots
from pytest_vdg.engine.pace import Pace
from pytest_vdg.engine.plan import make_plan
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.sessions.actors import Actors
from pytest_vdg.sessions.crew import Crew
from pytest_vdg.sessions.hand import Hand
from pytest_vdg.sessions.ray_cluster import RayCluster, RaySettings, require_ray
from pytest_vdg.store.cells import CellStore

BACKEND = "python:bench.executor:make"
SETTINGS = RunSettings(sampling=Sampling(frames=8))


def make(**_: object) -> Model:
    """Return the model that costs nothing."""
    return Model()


def on_ray(slice_: Slice, store: CellStore, actors: int) -> tuple[float, float]:
    """Return wall and CPU seconds of the driver, without those until all are loaded."""
    cluster = RayCluster(RaySettings(actors=actors, cpus_per_actor=1), on_cpu=True)
    team = Actors(cluster, BACKEND, {})
    crew = Crew(team)
    try:
        team.fill()
        while not all(member.loaded for member in team.members):
            team.step()
        began, cpu = time.perf_counter(), time.process_time()
        evaluate(slice_, crew, CONDITIONS, SETTINGS, store=store, hands=crew)
        return time.perf_counter() - began, time.process_time() - cpu
    finally:
        crew.close()


def here(slice_: Slice, store: CellStore) -> tuple[float, float]:
    """Return wall and CPU seconds of a run of this process, without the answers."""
    model = Model()
    began, cpu = time.perf_counter(), time.process_time()
    evaluate(slice_, model, CONDITIONS, SETTINGS, store=store)
    return time.perf_counter() - began, time.process_time() - cpu - model.cpu


def sent(slice_: Slice) -> tuple[float, float]:
    """Return bytes a cell that go to an actor, and come back."""
    plan = make_plan(slice_, CONDITIONS, seed=0)
    lots = Lots(plan, {}, SETTINGS, pace=Pace(), until=None)
    hand, out, back, cells = Hand(BACKEND, {}), 0, 0, 0
    for _ in range(5):
        lot = lots.take(4)
        if lot is None:
            break
        answer = hand.answer(lot)
        out += len(pickle.dumps(lot))
        back += len(pickle.dumps(answer))
        cells += lot.plan.total
    hand.close()
    return out / cells, back / cells


def rows(cells: int, actors: list[int], folder: Path) -> Iterator[str]:
    """Yield the lines of the table, each as soon as it is measured."""
    slice_ = slice_of(folder, cells, 10)
    out, back = sent(slice_)
    yield f"{cells} cells; out {out:.0f} bytes a cell, back {back:.0f}"
    yield f"{'actors':>6} {'whole':>8} {'cells/s':>8} {'driver':>10} {'kept':>8}"
    for number in (0, *actors):
        store = CellStore(folder / f"answers-{number}")
        took = on_ray(slice_, store, number) if number else here(slice_, store)
        store.close()
        wall, cpu = took
        yield (
            f"{number or 'here':>6} {wall:>7.1f}s {cells / wall:>8.0f} "
            f"{1000 * cpu / cells:>8.2f}ms {store.path.stat().st_size / cells:>7.0f}B"
        )


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=4_000)
    parser.add_argument("--actors", type=int, nargs="+", default=[1, 2, 4])
    given = parser.parse_args()
    ray = require_ray()
    ray.init(
        address="local",
        num_cpus=max(given.actors),
        include_dashboard=False,
        log_to_driver=False,
    )
    machine = platform.processor() or platform.machine()
    sys.stdout.write(f"{machine}, {os.cpu_count()} cores, Ray {ray.__version__}\n")
    with tempfile.TemporaryDirectory() as name:
        for line in rows(given.cells, given.actors, Path(name)):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    ray.shutdown()


if __name__ == "__main__":
    main()
