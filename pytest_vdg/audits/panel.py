"""`Panel`: the runs of several models on one slice, joined by question id.

Apart from the numbers because what does not fit is refused here once: another
key, other questions, or one model under two names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from pytest_vdg.backends.protocol import UNKNOWN_WEIGHTS
from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.errors import NotComparable, did_you_mean
from pytest_vdg.outcomes.columns import COUNTED, among, column
from pytest_vdg.runs import AskedQuestion, Outcome, Run

Kind = Literal["video", "text"]
"""Whether a model can be shown a video at all."""
ORIGINAL, TEXT_ONLY = "original", "text_only"
CONDITIONS = (
    ORIGINAL,
    TEXT_ONLY,
    "black",
    "single_frame",
    "shuffled",
    "reversed",
)
"""What a video model is asked under; a text model is asked ``text_only``."""
BoolArray = npt.NDArray[np.bool_]


def known_weights(run: Run) -> str:
    """Return the digest of the weights of *run*; empty where it is not known."""
    weights = run.fingerprint.subject.get("weights", "")
    return "" if weights == UNKNOWN_WEIGHTS else weights


@dataclass(frozen=True, kw_only=True)
class Member:
    """One model of a panel, and its answers."""

    run: Run
    kind: Kind = "video"
    named: str = ""
    """What it is called; by default as its run calls it."""

    def __post_init__(self) -> None:
        """Refuse a kind that there is not, and a run that lacks what it takes."""
        if self.kind not in get_args(Kind):
            hint = did_you_mean(str(self.kind), get_args(Kind))
            raise ValueError(f"kind must be video or text, got {self.kind!r}.{hint}")
        needed = [TEXT_ONLY] if self.kind == "text" else [ORIGINAL, TEXT_ONLY]
        self.run.require(*needed)

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.named or self.run.checkpoint

    @property
    def weights(self) -> str:
        """Digest of its weights; empty where it is not known."""
        return known_weights(self.run)

    def condition(self, base: str) -> str | None:
        """Return the condition that stands for *base*, e.g. with an argument.

        None where there is none. Of a text model only ``text_only`` counts.
        """
        if self.kind == "text" and base != TEXT_ONLY:
            return None
        if base in self.run.conditions:
            return base
        variants = (c for c in self.run.conditions if c.split(":", 1)[0] == base)
        return next(variants, None)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """Questions judged under several conditions, by one model or by several.

    Of several models each question stands once for each of them, under one name
    in `asked`, so that intervals count it once.
    """

    right: Mapping[str, BoolArray]
    """By condition, shape ``(n,)``: whether each was answered correctly."""
    options: npt.NDArray[np.int64]
    videos: tuple[str, ...]
    asked: tuple[str, ...]

    @property
    def n(self) -> int:
        """Rows: as many as questions where one model was asked."""
        return len(self.asked)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Models that answered the same questions, at least one.

    Raises `NotComparable` naming what does not fit, and ``ValueError`` for two
    members of one name.
    """

    members: tuple[Member, ...]
    slice_name: str
    texts: tuple[Question, ...] = field(default=(), repr=False)
    """The benchmark's own questions; empty where they are not at hand."""
    notes: tuple[str, ...] = ()
    """What people should hear of how it came about."""
    filtered_before: tuple[str, ...] = ()
    """Names of members that took part in a filter which left these questions."""

    def __post_init__(self) -> None:
        """Refuse what does not fit together."""
        if not self.members:
            raise ValueError("a panel needs a model at least")
        names = [member.name for member in self.members]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two models of a panel are called {twice[0]!r}")
        _require_one_model_each(self.members)
        first = self.members[0]
        for member in self.members[1:]:
            _require_same(first, member)
        known = {q.id: q for q in self.texts}
        other = [
            q.id
            for q in first.run.questions
            if known and (q.id not in known or known[q.id].answer != q.answer)
        ]
        if other:
            raise NotComparable(
                f"slice {self.slice_name!r}: {len(other)} questions of the runs are "
                f"not those of the benchmark (first: {', '.join(other[:3])})"
            )

    @property
    def questions(self) -> tuple[AskedQuestion, ...]:
        """The questions, in the order of the first model's run."""
        return self.members[0].run.questions

    @property
    def tasks(self) -> tuple[str, ...]:
        """Task names in order of first appearance."""
        return self.members[0].run.tasks

    def of(self, kind: Kind) -> tuple[Member, ...]:
        """Return the members of one *kind*."""
        return tuple(member for member in self.members if member.kind == kind)

    def member(self, name: str) -> Member:
        """Return the member called *name*, or raise ``ValueError``."""
        for member in self.members:
            if member.name == name:
                return member
        names = [member.name for member in self.members]
        raise ValueError(
            f"no model of the panel is {name!r}." + did_you_mean(name, names)
        )

    def column(self, member: Member, condition: str) -> npt.NDArray[np.uint8]:
        """Return what became of each of `questions`, see `outcomes.columns`."""
        return column(member.run, condition)[self._places(member)]

    def _places(self, member: Member) -> Sequence[int]:
        return self._order[member.name]

    @cached_property
    def _order(self) -> Mapping[str, list[int]]:
        """Where in each member's run the panel's questions stand."""
        ids = [q.id for q in self.questions]
        found = {}
        for member in self.members:
            places = {q.id: row for row, q in enumerate(member.run.questions)}
            found[member.name] = [places[i] for i in ids]
        return found

    def rows(
        self,
        conditions: Sequence[str],
        *,
        members: Sequence[Member] | None = None,
        keep: BoolArray | None = None,
    ) -> Rows | None:
        """Return the questions judged under all *conditions*.

        Parameters
        ----------
        conditions
            Names without arguments.
        members
            Whose; by default all.
        keep : bool ndarray, shape (n,)
            Which of `questions`; by default all.

        Returns
        -------
        Rows or None
            None where one of the members was judged so on no question, as one
            that lacks a condition: the mean of the others is not that of all.
        """
        wanted = np.ones(len(self.questions), dtype=bool) if keep is None else keep
        parts = []
        for member in self.members if members is None else members:
            specs = [member.condition(name) for name in conditions]
            if None in specs:
                return None
            found = [self.column(member, spec) for spec in specs if spec is not None]
            judged = wanted.copy()
            for each in found:
                judged &= among(each, COUNTED["drop"])
            where = np.flatnonzero(judged)
            if not len(where):
                return None
            parts.append((where, [among(c, [Outcome.CORRECT])[where] for c in found]))
        places = [i for where, _ in parts for i in where.tolist()]
        chosen = [self.questions[i] for i in places]
        return Rows(
            right={
                name: np.concatenate([right[k] for _, right in parts])
                for k, name in enumerate(conditions)
            },
            options=np.array([len(q.labels) for q in chosen]),
            videos=tuple(q.video for q in chosen),
            asked=tuple(q.question for q in chosen),
        )

    def of_task(self, task: str | None) -> BoolArray:
        """Return which of `questions` are of *task*; all where it is None."""
        return np.array([task is None or q.task == task for q in self.questions])


def _require_one_model_each(members: Sequence[Member]) -> None:
    """Refuse one model under two names: it would be heard twice."""
    seen: dict[tuple[str, Kind], str] = {}
    for member in members:
        key = (member.weights, member.kind)
        if member.weights and key in seen:
            raise NotComparable(
                f"{seen[key]!r} and {member.name!r} are one model (weights "
                f"{member.weights[:23]}): it would count twice. Name it once"
            )
        seen[key] = member.name


def _require_same(first: Member, other: Member) -> None:
    """Refuse two runs that do not hold the same questions."""
    ours = {q.id: q for q in first.run.questions}
    theirs = {q.id: q for q in other.run.questions}
    common = ours.keys() & theirs.keys()
    faults = {
        f"are only in the run of {first.name!r}": ours.keys() - theirs.keys(),
        f"are only in the run of {other.name!r}": theirs.keys() - ours.keys(),
        "have another key or other labels": {
            q
            for q in common
            if (ours[q].labels, ours[q].answer) != (theirs[q].labels, theirs[q].answer)
        },
        "have another text": {
            q for q in common if not _alike(ours[q].digest, theirs[q].digest)
        },
        "are about another video": {
            q for q in common if ours[q].video != theirs[q].video
        },
        "are of another task": {q for q in common if ours[q].task != theirs[q].task},
    }
    told = [
        f"{len(ids)} questions {what} (first: {', '.join(sorted(ids)[:3])})"
        for what, ids in faults.items()
        if ids
    ]
    if told:
        raise NotComparable(
            f"the runs of {first.name!r} and {other.name!r} are not on the same "
            "questions:\n  " + "\n  ".join(told) + "\nAsk both the same slice"
        )


def _alike(one: str, other: str) -> bool:
    return not (one and other) or one == other
