"""Processes of one job that share a plan: nothing is asked twice, nothing is left.

The other process is played in this one; what really runs side by side is tested
with the plugin, which is where it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from pytest_vdg.backends.protocol import Prompt
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.benchmarks.slices import Slice
from pytest_vdg.engine.progress import Progress
from pytest_vdg.engine.runner import contribute, evaluate
from pytest_vdg.errors import BackendError
from pytest_vdg.frames.clip import Clip
from pytest_vdg.runs import Outcome
from pytest_vdg.store.cells import CellStore
from pytest_vdg.store.claims import Claims
from tests.engine.examples import SETTINGS, look, model, slice_of

BOTH = ("original", "black")


class Beside(Claims):
    """Claims of a process that another one works beside."""

    def __init__(self, folder: Path) -> None:
        """Let the other one do nothing yet."""
        super().__init__(folder, workers=2)
        self.meanwhile: Callable[[], None] = lambda: None
        """What the other one does before a video is taken here."""
        self.taken: set[str] = set()
        """Videos that the other one holds, until they are waited for."""
        self.waited: list[str] = []

    def take(self, name: str, *, wait: bool = False) -> bool:
        """Let the other one do what it does, then take *name* if it is free."""
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        if any(video in name for video in self.taken):
            if not wait:
                return False
            self.waited.append(name)
            self.taken.clear()
        return super().take(name, wait=wait)


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Beside]:
    """Return the claims of this process, of a job that nobody began."""
    folder = tmp_path / "job"
    folder.mkdir()
    with closing(Beside(folder)) as made:
        yield made


@contextmanager
def other_process(
    beside: Beside, store: CellStore
) -> Iterator[tuple[Claims, CellStore]]:
    """Give the claims and the store of another process of the same job."""
    with (
        closing(Claims(beside.folder, workers=2)) as claims,
        closing(CellStore(store.path.parent)) as answers,
    ):
        yield claims, answers


def test_what_was_answered_meanwhile_is_not_asked(
    clips: Path, questions: list[Question], store: CellStore, beside: Beside
) -> None:
    """Answers that came after the plan was made are taken in, failures included.

    They were given in this very job, so none of them is told as cached.
    """

    def stumble(prompt: Prompt, clip: Clip | None) -> dict[str, float]:
        if "(q2)" in prompt.text:
            raise BackendError("out of memory")
        return look(prompt, clip)

    def meanwhile() -> None:
        part = slice_of(clips, [q for q in questions if q.video == "b.mp4"])
        with other_process(beside, store) as (claims, answers):
            other = model(answer=stumble)
            evaluate(part, other, BOTH, SETTINGS, store=answers, share=claims)

    beside.meanwhile = meanwhile
    asked, told = model(), list[Progress]()
    run = evaluate(
        slice_of(clips, questions),
        asked,
        BOTH,
        SETTINGS,
        store=store,
        share=beside,
        progress=told.append,
    )
    # Five questions; two of them, q1 and q2, are about b.mp4.
    assert asked.calls == 3 * 2
    assert (told[-1].done, told[-1].to_ask) == (10, 0)
    assert run.cached_cells == 0
    failed = {key for key, c in run.cells.items() if c.outcome is Outcome.FAILED}
    assert failed == {("q2", condition) for condition in BOTH}
    assert run.cells["q2", "black"].reason == "out of memory"


def test_whoever_helps_waits_for_nobody(
    light: Slice, store: CellStore, beside: Beside
) -> None:
    """It asks about the videos that are free, and leaves the others to their owner."""
    beside.taken = {"c.mp4"}
    helper = model()
    contribute(light, helper, BOTH, SETTINGS, store=store, share=beside)
    assert beside.waited == []
    # a.mp4 has one question and b.mp4 two.
    assert helper.calls == store.count() == 3 * 2


def test_whoever_needs_the_run_waits_for_the_rest(
    light: Slice, store: CellStore, beside: Beside
) -> None:
    """What another one holds comes in the end: it died here, so it is asked."""
    beside.taken = {"c.mp4"}
    asked = model()
    run = evaluate(light, asked, BOTH, SETTINGS, store=store, share=beside)
    assert ["c.mp4" in name for name in beside.waited] == [True]
    assert asked.calls == 10
    assert run == evaluate(light, model(), BOTH, SETTINGS)
