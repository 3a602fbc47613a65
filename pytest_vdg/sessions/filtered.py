"""Whether a run is of a model that chose its questions: what people must hear.

Apart from the panel, which says it of an audit, because a test on a filtered slice
is green or red by the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from pytest_vdg.errors import VdgError

if TYPE_CHECKING:
    from pytest_vdg.config.settings import Settings
    from pytest_vdg.runs import Run

_FILTERED = (
    "slice {slice}: {name} took part in the filter that left these questions, which "
    "removed what it happened to answer: without the video it is right too seldom "
    "here, and its gaps lie too high. Judge models that did not"
)


def filter_notes(run: Run, drawn: Mapping[str, object]) -> tuple[str, ...]:
    """Return what to say of *run*, whose slice came about as *drawn* tells."""
    if not ("models" in drawn or "before" in drawn):
        return ()
    from pytest_vdg.audits.origin import took_part_as
    from pytest_vdg.audits.panel import known_weights

    weights = known_weights(run)
    if not took_part_as(drawn, names=(run.checkpoint,), weights=weights):
        return ()
    return (_FILTERED.format(slice=run.slice_name, name=run.checkpoint),)


def stored_notes(run: Run, settings: Settings, name: str) -> tuple[str, ...]:
    """Return the same of a stored *run* on slice *name* of ``vdg.yaml``.

    Its benchmark need not be here: the file that pins the slice tells; nothing
    where there is none.
    """
    spec = settings.config.slices.get(name)
    if spec is None or spec.pinned is None:
        return ()
    from pytest_vdg.benchmarks.pinned import read_pinned

    with suppress(VdgError):  # whoever asks the slice itself is told
        return filter_notes(run, read_pinned(spec.pinned).drawn)
    return ()
