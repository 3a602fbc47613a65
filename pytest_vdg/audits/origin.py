"""How a filtered slice came about, as it stands in the slice's file.

Apart from the filters because a file is read by people years later: which models
with which weights, which threshold, which score of every question, so that the
choice can be checked without a model.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from pytest_vdg.audits.filters import Filtered
from pytest_vdg.audits.panel import Member, Panel
from pytest_vdg.benchmarks.pinned import PinnedSlice

_DIGITS = 6


def origin(
    panel: Panel, found: Filtered, *, before: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Return what `Slice.drawn` says of a slice that *found* left.

    Of a filter by S ``scores`` holds T, V and S of every scored question, those
    that were removed, too. *before* is what it said of the slice that was filtered:
    of one that a filter had left its models are kept, as they may not judge.
    """
    made: dict[str, object] = {
        "filter_of": panel.slice_name,
        "by": found.by,
        "tau": found.tau,
        "questions": found.kept,
        "of": len(panel.questions),
        "models": {
            m.name: {"kind": m.kind, "weights": m.weights}
            for m in panel.members
            if m.name in found.used
        },
    }
    if before is not None and "models" in before:
        made["before"] = {k: v for k, v in before.items() if k != "scores"}
    scores = found.scores
    if scores is not None:
        columns = scores.textual, scores.visual, scores.score
        made["scores"] = {
            question: [round(float(column[i]), _DIGITS) for column in columns]
            for i, question in enumerate(scores.ids)
        }
    return made


def took_part(drawn: Mapping[str, object], members: Sequence[Member]) -> list[str]:
    """Return the names of *members* that a filter heard which left a slice.

    *drawn* is of the slice. A model is known by its weights; by its name where
    those of one of the two are not known. Those of an earlier filter come last.
    """
    heard = [
        member.name
        for member in members
        if took_part_as(
            {**drawn, "before": None},
            names=(member.name, member.run.checkpoint),
            weights=member.weights,
        )
    ]
    before = drawn.get("before")
    earlier = took_part(before, members) if isinstance(before, Mapping) else []
    return list(dict.fromkeys((*heard, *earlier)))


def took_part_as(
    drawn: Mapping[str, object], *, names: Collection[str], weights: str
) -> bool:
    """Return whether one model took part, that has these *names* and *weights*.

    *weights* are empty where they are not known.
    """
    models, before = drawn.get("models"), drawn.get("before")
    for name, told in models.items() if isinstance(models, Mapping) else ():
        own = told.get("weights") if isinstance(told, Mapping) else None
        if weights and isinstance(own, str) and own:
            if own == weights:
                return True
        elif name in names:
            return True
    if not isinstance(before, Mapping):
        return False
    return took_part_as(before, names=names, weights=weights)


def faults(pinned: PinnedSlice) -> list[str]:
    """Return where a slice's file contradicts what it says of how it was made.

    Empty where every question in it has a score of at most tau, and none that has
    is missing. Raises ``ValueError`` for a slice that no filter by S made.
    """
    scores, tau = pinned.drawn.get("scores"), pinned.drawn.get("tau")
    if not isinstance(scores, Mapping) or not isinstance(tau, (int, float)):
        raise ValueError(  # noqa: TRY004 - a file's content, no argument's type
            f"slice {pinned.name!r} was not made by a filter of S"
        )
    known = {q: s for q, of in scores.items() if (s := _score(of)) is not None}
    wanted = {q for q, s in known.items() if s <= tau + 10**-_DIGITS}
    sure = {q for q, s in known.items() if s <= tau - 10**-_DIGITS}
    held = {row["id"] for row in pinned.rows}
    return [
        *(f"{q!r} has no T, V and S" for q in sorted(scores.keys() - known.keys())),
        *(f"{q!r} is in it, and has no score" for q in sorted(held - scores.keys())),
        *(
            f"{q!r} is in it, and its score is above {tau}"
            for q in sorted(held & known.keys() - wanted)
        ),
        *(
            f"{q!r} is not in it, and its score is not above {tau}"
            for q in sorted(sure - held)
        ),
    ]


def _score(parts: object) -> float | None:
    """Return S of what stands for a question; None where that is no T, V and S."""
    if not isinstance(parts, list) or len(parts) != 3:
        return None
    found = [p for p in parts if isinstance(p, (int, float)) and math.isfinite(p)]
    return float(found[2]) if len(found) == 3 else None
