"""Which cells of a plan were answered before, and what the others will show.

Apart from the runner so that a plan can be shown with what it will cost, by
the very rule that decides which cells are asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from pytest_vdg.benchmarks.schema import Question
from pytest_vdg.engine.identity import RunIdentity
from pytest_vdg.engine.plan import Plan, VideoPlan, shows_video
from pytest_vdg.frames.conditions import Condition, needs_partner
from pytest_vdg.frames.excerpt import Excerpt
from pytest_vdg.runs import CellResult
from pytest_vdg.store.cells import CellStore
from pytest_vdg.store.claims import Claims

CellId = tuple[str, str]
"""Question id and condition."""

Part = tuple[str, Excerpt]
"""Name of a video and what is shown of it."""


def cell_keys(
    plan: Plan, identity: RunIdentity, digests: Mapping[str, str]
) -> dict[CellId, str]:
    """Return the key of each cell of *plan* that has one, in their order.

    *digests* are those of the videos; a cell that shows one without has no key.
    """
    found: dict[CellId, str] = {}
    for video, question, condition in plan.cells():
        key = identity.key(video, question, condition, digests)
        if key is not None:
            found[question.id, str(condition)] = key
    return found


def recall(
    keys: Mapping[CellId, str],
    store: CellStore | None,
    share: Claims | None = None,
) -> dict[CellId, CellResult]:
    """Return the cells whose keys *store* holds; it is asked all at once.

    With *share* also those that failed in another process of this job. What this
    job asked, whichever process it was, is no cached cell.
    """
    if store is None:
        return {}
    held = store.get_many(keys.values())
    if share is not None:
        # Looked at last: a key is noted before its answer is kept.
        asked = share.asked()
        for key in asked.keys() & set(keys.values()):
            failed = asked[key]
            if key in held:
                held[key] = replace(held[key], cached=False)
            elif failed is not None:
                held[key] = failed
    return {cell: held[key] for cell, key in keys.items() if key in held}


def parts_shown(
    video: VideoPlan, question: Question, condition: Condition
) -> Iterator[Part]:
    """Yield the videos, and parts of them, that one cell shows."""
    if not shows_video(condition):
        return
    yield video.video, question.excerpt
    if needs_partner(condition) and video.partner is not None:
        yield video.partner, video.partner_excerpt


def still_shown(plan: Plan, kept: Collection[CellId]) -> set[Part]:
    """Return what cells of *plan* show that are not among *kept*."""
    return {
        part
        for video, question, condition in plan.cells()
        if (question.id, str(condition)) not in kept
        for part in parts_shown(video, question, condition)
    }
