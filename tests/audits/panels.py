"""Small panels written by hand, for tests of audits.

Apart from the tests so that a panel reads as a table of letters or of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_vdg.audits.panel import Kind, Member, Panel
from pytest_vdg.runs import Run
from tests.assertions.build import LABELS, make_run

SURE, EVEN = (1.0, 0.0, 0.0, 0.0), (0.25, 0.25, 0.25, 0.25)


def member(
    name: str,
    cells: Mapping[str, str],
    *,
    kind: Kind = "video",
    chances: Mapping[str, Sequence[Sequence[float]]] | None = None,
    weights: str = "",
    **how: object,
) -> Member:
    """Return a model whose *cells* are letters, with *chances* of A to D if given."""
    given = chances and {
        condition: [dict(zip(LABELS, row, strict=True)) for row in rows]
        for condition, rows in chances.items()
    }
    run: Run = make_run(cells, checkpoint=name, probabilities=given, **how)  # type: ignore[arg-type]
    if weights:
        subject = {"checkpoint": name, "weights": weights}
        run = replace(run, fingerprint=replace(run.fingerprint, subject=subject))
    return Member(run=run, kind=kind)


def panel(*members: Member) -> Panel:
    """Return the panel of *members* on a slice without texts."""
    return Panel(members=members, slice_name="sight")


def answering(chances: Sequence[Sequence[float]], *, only: str = "") -> dict[str, str]:
    """Return letters that fit *chances* of A to D on questions q0, q1, ...

    The key of question ``i`` is ``LABELS[i % 4]``; a tie counts as wrong.
    """
    letters = ""
    for i, row in enumerate(chances):
        best = max(range(4), key=row.__getitem__)
        alone = sum(p == row[best] for p in row) == 1
        letters += "C" if best == i % 4 and alone else "W"
    return {only: letters}


def text_model(name: str, chances: Sequence[Sequence[float]], **how: object) -> Member:
    """Return a text model with these probabilities."""
    return member(
        name,
        answering(chances, only="text_only"),
        kind="text",
        chances={"text_only": chances},
        **how,  # type: ignore[arg-type]
    )


def video_model(
    name: str,
    seen: Sequence[Sequence[float]],
    blind: Sequence[Sequence[float]],
    **how: object,
) -> Member:
    """Return a video model with these probabilities with the video and without."""
    return member(
        name,
        answering(seen, only="original") | answering(blind, only="text_only"),
        chances={"original": seen, "text_only": blind},
        **how,  # type: ignore[arg-type]
    )
