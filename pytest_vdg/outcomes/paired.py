"""What a pair holds: the same questions, right or wrong in two ways of asking.

Apart from the joining because everybody reads pairs and only ``join`` makes them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from pytest_vdg.outcomes.extent import Extent
from pytest_vdg.runs import Outcome

Missing = Literal["drop", "wrong"]
"""What becomes of a question without a reply."""


@dataclass(frozen=True, kw_only=True)
class Excluded:
    """A question that left a pair, and the cell that made it leave."""

    question_id: str
    condition: str
    outcome: Outcome
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class Unmatched:
    """What one condition alone came to, over its own questions."""

    correct: int
    n: int
    """Its own judged questions; also those without a reply if these are wrong."""

    @property
    def accuracy(self) -> float:
        """Correct over `n`, in [0, 1]."""
        return self.correct / self.n


@dataclass(frozen=True, eq=False, kw_only=True)
class Paired:
    """Correctness of the same questions in two ways of asking.

    Two conditions of one run, or one condition of two runs. ``unparsed``
    counts as not correct; what leaves the pair is listed in `excluded`.
    """

    treated_name: str
    control_name: str
    question_ids: tuple[str, ...]
    asked_ids: tuple[str, ...]
    """Id of the question that each is an order of; its own where it is none."""
    video_ids: tuple[str, ...]
    tasks: tuple[str, ...]
    treated: npt.NDArray[np.bool_]
    """Shape ``(n,)``: correct under the treated condition (the real video)."""
    control: npt.NDArray[np.bool_]
    """Shape ``(n,)``: correct under the control condition; same questions."""
    excluded: tuple[Excluded, ...]
    missing: Missing = "drop"
    """What became of cells without a reply."""
    counted_wrong: tuple[Excluded, ...] = ()
    """Cells without a reply that stayed in the pair as not correct."""
    treated_alone: Unmatched
    """The treated condition over its own questions, matched or not."""
    control_alone: Unmatched
    """The control condition over its own questions, matched or not."""

    @property
    def n(self) -> int:
        """Questions judged in both, each order of one by itself."""
        return len(self.question_ids)

    @property
    def extent(self) -> Extent:
        """Distinct questions and videos among them."""
        return Extent.of(self.asked_ids, self.video_ids)

    @property
    def n_videos(self) -> int:
        """Distinct videos among them."""
        return len(set(self.video_ids))

    @property
    def both(self) -> int:
        """Questions right under both."""
        return int(np.sum(self.treated & self.control))

    @property
    def treated_only(self) -> int:
        """Questions right under the treated condition only."""
        return int(np.sum(self.treated & ~self.control))

    @property
    def control_only(self) -> int:
        """Questions right under the control condition only."""
        return int(np.sum(~self.treated & self.control))

    @property
    def neither(self) -> int:
        """Questions right under neither."""
        return int(np.sum(~self.treated & ~self.control))

    @property
    def unmatched_difference(self) -> float:
        """Treated minus control accuracy, each over its own questions.

        The difference that is printed where nothing is paired. Where it is
        not `differences`' mean, which questions are missing decides.
        """
        return self.treated_alone.accuracy - self.control_alone.accuracy

    @property
    def differences(self) -> npt.NDArray[np.int64]:
        """Treated minus control for each question, in {-1, 0, 1}."""
        return self.treated.astype(np.int64) - self.control.astype(np.int64)

    def kept(self, ids: Collection[str]) -> Paired:
        """Return the pairs of *ids* only, in the present order."""
        where = [i for i, q in enumerate(self.question_ids) if q in ids]
        if len(where) == self.n:
            return self
        wrong = tuple(e for e in self.counted_wrong if e.question_id in ids)
        return replace(self.at(where), counted_wrong=wrong)

    def at(self, where: Sequence[int]) -> Paired:
        """Return the questions at *where*, in that order, with all that is theirs."""
        chosen = np.array(where, dtype=np.intp)
        return replace(
            self,
            question_ids=tuple(self.question_ids[i] for i in where),
            asked_ids=tuple(self.asked_ids[i] for i in where),
            video_ids=tuple(self.video_ids[i] for i in where),
            tasks=tuple(self.tasks[i] for i in where),
            treated=self.treated[chosen],
            control=self.control[chosen],
        )
