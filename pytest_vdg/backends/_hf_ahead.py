"""`Ahead`: inputs made in a thread of their own, while the model reads others.

Apart from `Asking`, whose inputs they are, because who may touch what at which
time is decided here: one maker, one batch at a time, whoever asks for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeAlias, TypeVar

from pytest_vdg.backends.protocol import Request

T = TypeVar("T")
Make: TypeAlias = Callable[[Sequence[Request]], T]
MOST_BEGUN = 2
"""Batches that are held before they are asked: one waiting, one in the making."""


class Ahead(Generic[T]):
    """Makes something of batches of requests, at once or ahead of their use."""

    def __init__(self, *, threads: int | None) -> None:
        """Start no thread yet; torch may use *threads* in it, None for its own."""
        self._threads = threads
        self._one_at_a_time = threading.Lock()
        self._begun: list[tuple[Sequence[Request], Future[T]]] = []
        self._pool: ThreadPoolExecutor | None = None

    def begin(self, make: Make[T], requests: Sequence[Request]) -> None:
        """Have *make* called with *requests* from now on, for `of` to ask for later."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(
                1, "vdg-inputs", _limit_threads, (self._threads,)
            )
        self._begun.append((requests, self._pool.submit(self._made, make, requests)))
        del self._begun[:-MOST_BEGUN]

    def of(self, make: Make[T], requests: Sequence[Request]) -> T:
        """Return what *make* makes of *requests*, begun or not.

        What was begun before them is forgotten. *make* is given each time, as this
        would else hold its owner, and keep a model that nobody else has.
        """
        for place, (begun, future) in enumerate(self._begun):
            if _same(begun, requests):
                del self._begun[: place + 1]
                return future.result()
        return self._made(make, requests)

    def forget(self) -> None:
        """Let go of what was begun, and of the thread; none is at work afterwards."""
        for _, future in self._begun:
            future.cancel()
        self._begun.clear()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)

    def _made(self, make: Make[T], requests: Sequence[Request]) -> T:
        with self._one_at_a_time:
            return make(requests)


def _limit_threads(count: int | None) -> None:
    if count is not None:
        import torch

        torch.set_num_threads(count)


def _same(some: Sequence[Request], others: Sequence[Request]) -> bool:
    """Whether both are the very same requests, which are equal to no others."""
    return len(some) == len(others) and all(map(_is, some, others))


def _is(one: Request, other: Request) -> bool:
    return one is other
