"""How a filtered slice came about, as it stands in the slice's file.

Apart from the filters because a file is read by people years later: which models
with which weights, which threshold, which score of every question, so that the
choice can be checked without a model.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_vdg.audits.filters import Filtered
from pytest_vdg.audits.panel import Panel
from pytest_vdg.benchmarks.pinned import PinnedSlice

_DIGITS = 6


def origin(panel: Panel, found: Filtered) -> dict[str, object]:
    """Return what `Slice.drawn` says of a slice that *found* left.

    Of a filter by S ``scores`` holds T, V and S of every scored question, those
    that were removed, too.
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
    scores = found.scores
    if scores is not None:
        columns = scores.textual, scores.visual, scores.score
        made["scores"] = {
            question: [round(float(column[i]), _DIGITS) for column in columns]
            for i, question in enumerate(scores.ids)
        }
    return made


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
    wanted = {q for q, (_, _, s) in scores.items() if s <= tau + 10**-_DIGITS}
    sure = {q for q, (_, _, s) in scores.items() if s <= tau - 10**-_DIGITS}
    held = {row["id"] for row in pinned.rows}
    return [
        *(
            f"{q!r} is in it, and its score is above {tau}"
            for q in sorted(held - wanted)
        ),
        *(
            f"{q!r} is not in it, and its score is not above {tau}"
            for q in sorted(sure - held)
        ),
    ]
