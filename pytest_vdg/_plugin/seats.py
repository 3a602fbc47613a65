"""``--vdg-spread``: which worker of xdist sits where, and what it does first.

Apart from the scheduling of tests, which stays as it is: before any test runs,
all workers ask the questions of all tests together, and whoever runs the tests
then finds the answers in the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from pytest_vdg.sessions.seat import Seat

FOLDER_INPUT = "vdg_groups"
"""Key in ``workerinput`` of the folder that controller and workers share."""
_SEAT_INPUT = "vdg_seat"
_FIRST_INPUT = "vdg_first"
_SEATS: pytest.StashKey[dict[str, int]] = pytest.StashKey()
"""Seat by worker, on the controller; of those that live."""
_GIVEN: pytest.StashKey[int] = pytest.StashKey()


class Node(Protocol):
    """What we need of a worker as xdist shows it to its controller."""

    config: pytest.Config
    workerinput: dict[str, Any]


def give_seat(node: Node) -> None:
    """Give the worker at *node* the first seat that is free.

    One that takes the place of a dead worker gets its seat, and with it its GPU.
    """
    stash, workers = node.config.stash, int(node.workerinput["workercount"])
    seats = stash.setdefault(_SEATS, {})
    free = sorted(set(range(workers)) - set(seats.values()))
    seats[node.workerinput["workerid"]] = free[0] if free else 0
    stash[_GIVEN] = stash.get(_GIVEN, 0) + 1
    node.workerinput[_SEAT_INPUT] = seats[node.workerinput["workerid"]]
    node.workerinput[_FIRST_INPUT] = stash[_GIVEN] <= workers


def free_seat(node: Node) -> None:
    """Take the seat of the worker at *node*, which ended."""
    node.config.stash.get(_SEATS, {}).pop(node.workerinput["workerid"], None)


def seat_of(config: pytest.Config) -> Seat | None:
    """Return the seat of this process; None where it is no worker of this machine."""
    given: Mapping[str, Any] = getattr(config, "workerinput", {})
    folder = given.get(FOLDER_INPUT)
    if folder is None or not Path(folder).is_dir():
        return None
    return Seat(
        number=given[_SEAT_INPUT], workers=given["workercount"], folder=Path(folder)
    )


def helps(config: pytest.Config) -> bool:
    """Return whether this worker asks along before its tests.

    Not one that took the place of a dead worker: if asking is what kills them,
    it must kill a test in the end, and not one worker after the other.
    """
    return bool(getattr(config, "workerinput", {}).get(_FIRST_INPUT))


@contextmanager
def helping(config: pytest.Config, seat: Seat) -> Iterator[None]:
    """Let the controller know that this worker runs no test yet."""
    mark = _mark(seat.folder, getattr(config, "workerinput", {})["workerid"])
    mark.touch()
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


def was_helping(folder: Path, worker: str) -> bool:
    """Return whether *worker*, which died, had not come to its tests yet."""
    return _mark(folder, worker).exists()


def _mark(folder: Path, worker: str) -> Path:
    return folder / f"{worker}.helps"
