"""Division: few videos at a time, each in one process, all of them in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.engine.division import Division, share

CELLS = st.lists(st.integers(0, 9), min_size=1, max_size=12)
"""Cells to ask about each video."""


class Board:
    """Claims of several processes in one, and the cells that nobody answered."""

    def __init__(self, cells: Sequence[int]) -> None:
        """Nothing is taken or answered, and there are no processes."""
        self.videos: list[Any] = [
            SimpleNamespace(name=f"v{i}", path=Path()) for i in range(len(cells))
        ]
        self.left = {v.name: n for v, n in zip(self.videos, cells, strict=True)}
        self.asked = dict.fromkeys(self.left, 0)
        self.owner: dict[str, int] = {}
        self.processes: dict[int, Process] = {}


class Process:
    """One process of a board, and its claims as `Claims` has them."""

    def __init__(
        self, board: Board, number: int, workers: int, most: int, *, whole: bool
    ) -> None:
        """Know what is left as it was when the plan was made, and begin."""
        self.board, self.number, self.workers = board, number, workers
        self.known = dict(board.left)
        self.mine: Sequence[Any] = ()
        self.seen: list[str] = []
        found = Division(
            claims=self,  # type: ignore[arg-type]
            name=lambda video: video.name,  # type: ignore[attr-defined]
            unknown=lambda video: self.known[video.name],  # type: ignore[attr-defined]
            renew=self.renew,
            most=most,
        )
        self.turns: Iterator[Sequence[Any]] = found.turns(board.videos, whole=whole)
        board.processes[number] = self

    def renew(self, video: Any) -> None:  # noqa: ANN401
        """Hear what others have answered."""
        self.known[video.name] = self.board.left[video.name]

    def step(self) -> bool:
        """Ask what was taken, and take more; tell whether there was any."""
        for video in self.mine:
            self.board.asked[video.name] += self.known[video.name]
            self.known[video.name] = self.board.left[video.name] = 0
        some = next(self.turns, None)
        self.mine = some or ()
        self.seen += [video.name for video in self.mine]
        return some is not None

    def take(self, name: str, *, wait: bool = False) -> bool:
        """Take *name* if it is free; while this one waits, its owner goes on."""
        owner = self.board.owner
        assert not wait or self.number not in owner.values()
        while wait and owner.get(name, self.number) != self.number:
            self.board.processes[owner[name]].step()
        return owner.setdefault(name, self.number) == self.number

    def release(self) -> None:
        """Give all back."""
        mine = [n for n, owner in self.board.owner.items() if owner == self.number]
        for name in mine:
            del self.board.owner[name]


@given(
    cells=CELLS,
    workers=st.integers(1, 4),
    most=st.integers(1, 20),
    whole=st.booleans(),
    data=st.data(),
)
def test_whatever_the_order_each_cell_is_asked_once(
    cells: list[int], workers: int, most: int, whole: bool, data: st.DataObject
) -> None:
    """Processes that work in any interleaving ask all there is, and nothing twice.

    A process that needs the *whole* run gets every video once, whoever asked.
    """
    board = Board(cells)
    for number in range(workers):
        Process(board, number, workers, most, whole=whole and number == 0)
    working = set(board.processes)
    while working:
        number = data.draw(st.sampled_from(sorted(working)))
        if not board.processes[number].step():
            working.remove(number)
    assert list(board.asked.values()) == cells
    assert board.owner == {}
    if whole:
        assert sorted(board.processes[0].seen) == sorted(board.left)


@given(cells=CELLS, workers=st.integers(1, 4), most=st.integers(1, 20))
def test_no_turn_holds_more_than_asked_for(
    cells: list[int], workers: int, most: int
) -> None:
    """But for the last video of it, after which there is no room for more."""
    board = Board(cells)
    process = Process(board, 0, workers, most, whole=True)
    while process.step():
        named = [video.name for video in process.mine[:-1]]
        assert sum(board.left[name] for name in named) < most
    assert sorted(process.seen) == sorted(board.left)


@given(ahead=st.integers(0, 10**6), workers=st.integers(1, 64))
def test_a_turn_leaves_work_to_the_others(ahead: int, workers: int) -> None:
    """However much may be taken at a time, nobody takes more than a fair share."""
    assert share(ahead, workers=workers, most=10**9) <= max(1, ahead / workers)
