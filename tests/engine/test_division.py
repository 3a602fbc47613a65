"""Division: few videos at a time, each in one process, all of them in the end."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.engine.division import Division


class Board:
    """Claims of several processes in one; nobody ever has to wait here."""

    def __init__(self) -> None:
        """Nothing is taken."""
        self.owner: dict[str, int] = {}


class Place:
    """One process' view of a board, as `Claims` shows it."""

    def __init__(self, board: Board, number: int, workers: int) -> None:
        """Be process *number*."""
        self.board, self.number, self.workers = board, number, workers

    def take(self, name: str, *, wait: bool = False) -> bool:
        """Take *name* if it is free; waiting is for its owner's release."""
        assert not wait or name not in self.board.owner
        return self.board.owner.setdefault(name, self.number) == self.number

    def release(self) -> None:
        """Give all back."""
        mine = [n for n, owner in self.board.owner.items() if owner == self.number]
        for name in mine:
            del self.board.owner[name]


def division(place: Place, left: dict[str, int], most: int) -> Division:
    """Return the division of one process over videos with *left* cells each."""

    def unknown(video: Any) -> int:  # noqa: ANN401
        return left[video.name]

    return Division(
        claims=place,  # type: ignore[arg-type]
        name=lambda video: video.name,  # type: ignore[attr-defined]
        unknown=unknown,
        renew=lambda video: None,
        most=most,
    )


@given(
    cells=st.lists(st.integers(0, 9), min_size=1, max_size=12),
    workers=st.integers(1, 4),
    most=st.integers(1, 20),
    data=st.data(),
)
def test_whatever_the_order_each_cell_is_asked_once(
    cells: list[int], workers: int, most: int, data: st.DataObject
) -> None:
    """Processes that help in any interleaving ask all there is, and nothing twice."""
    videos = [SimpleNamespace(name=f"v{i}", path=Path()) for i in range(len(cells))]
    left = {video.name: n for video, n in zip(videos, cells, strict=True)}
    board, asked = Board(), dict.fromkeys(left, 0)
    turns = {
        number: division(Place(board, number, workers), left, most).turns(
            videos,  # type: ignore[arg-type]
            whole=False,
        )
        for number in range(workers)
    }
    while turns:
        number = data.draw(st.sampled_from(sorted(turns)))
        some = next(turns[number], None)
        if some is None:
            del turns[number]
            continue
        for video in some:
            name = video.name  # type: ignore[attr-defined]
            asked[name] += left[name]
            left[name] = 0
    assert asked == {v.name: n for v, n in zip(videos, cells, strict=True)}
    assert board.owner == {}


@given(
    cells=st.lists(st.integers(0, 9), min_size=1, max_size=12),
    workers=st.integers(1, 4),
    most=st.integers(1, 20),
)
def test_whoever_needs_the_whole_run_gets_every_video_once(
    cells: list[int], workers: int, most: int
) -> None:
    """No turn holds more than asked for, but for the last video of it."""
    videos = [SimpleNamespace(name=f"v{i}", path=Path()) for i in range(len(cells))]
    left = {video.name: n for video, n in zip(videos, cells, strict=True)}
    seen: list[str] = []
    whole = division(Place(Board(), 0, workers), left, most)
    for some in whole.turns(videos, whole=True):  # type: ignore[arg-type]
        names = [video.name for video in some]  # type: ignore[attr-defined]
        assert sum(left[name] for name in names[:-1]) < max(most, 1)
        seen += names
    assert sorted(seen) == sorted(left)
