"""How well a filter finds planted flaws: precision and recall where the truth is known.

`sight-leaky` says of each question which flaw it carries; `sight` has none. Both
are asked as if they were one benchmark of 408 questions, and what each filter
removes is held against the truth. The panel: checkpoints of the example suite, and
two text-only models of words (``tools/sight/wordy.py``). Apart from the tests
because it is a table to look at, not a claim; ``python -m bench.audit`` takes a
minute on a laptop.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_vdg._commands._arguments import Folder, Where, settings_of
from pytest_vdg.audits.filters import RULES, By, comparison, filtered, sweeps
from pytest_vdg.audits.measures import Measures, measure
from pytest_vdg.audits.panel import ORIGINAL, TEXT_ONLY, BoolArray, Panel
from pytest_vdg.audits.space import place
from pytest_vdg.errors import CouldNotBeJudged
from pytest_vdg.reports import drawing
from pytest_vdg.reports.audit_lines import table_lines
from pytest_vdg.reports.audit_pictures import sweep_figure
from pytest_vdg.reports.filter_lines import comparison_table
from pytest_vdg.reports.space_picture import space_figure
from pytest_vdg.runs import Run
from pytest_vdg.sessions.panel import PanelAsk, run_panel

log = logging.getLogger(__name__)

CHECKPOINTS = Path(__file__).parents[1] / "example_suite" / "checkpoints"
FLAWED, CLEAN = "sight-leaky", "sight"
WORDY = ("wordy-0", "wordy-1")
FLAWS = ("answer_named", "one_fits", "skewed_key")
TAUS = (-0.2, 0.0, 0.1, 0.2, 0.4)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a filter removed, by what the removed questions carry."""

    removed: Mapping[str, int]
    """By flaw; of questions without one under ``none``."""
    there: Mapping[str, int]

    @property
    def precision(self) -> float | None:
        """Flawed among the removed; None where none was removed."""
        every = sum(self.removed.values())
        return (every - self.removed.get("none", 0)) / every if every else None

    def recall(self, *flaws: str) -> float:
        """Return the removed share of what carries one of *flaws*; by default any."""
        wanted = flaws or FLAWS
        have = sum(self.there[f] for f in wanted)
        return sum(self.removed.get(f, 0) for f in wanted) / have


def panels(checkpoints: Sequence[str], *, cache: str | None = None) -> dict[str, Panel]:
    """Ask *checkpoints* and two models of words both benchmarks."""
    where = Where(
        device="cpu",
        no_cache=cache is None,
        cache_dir=None if cache is None else Folder(cache),
    )
    found = {}
    for name in (FLAWED, CLEAN):
        ask = PanelAsk(
            models=tuple(str(CHECKPOINTS / each) for each in checkpoints),
            text_models=WORDY,
            slice=name,
            text_backend="python:tools.sight.wordy:make_wordy",
            conditions=(ORIGINAL, TEXT_ONLY),
        )
        found[name] = run_panel(settings_of(where), ask)
    return found


def held_against_truth(
    asked: Mapping[str, Panel], by: By, *, tau: float, without: str | None
) -> Found:
    """Return what the rule removes of both benchmarks, by flaw.

    *without* is the one model of the panel that may not filter.
    """
    removed: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for panel in asked.values():
        flaws = {q.id: str(q.extra.get("flaw", "none")) for q in panel.texts}
        there.update(flaws.values())
        found = filtered(panel, by, tau=tau, judge=without)
        removed.update(flaws[i] for i in found.removed)
    return Found(removed=dict(removed), there=dict(there))


def table(asked: Mapping[str, Panel]) -> list[str]:
    """Return a row for each filter and panel, as Markdown."""
    lines = [
        "| filter | by | removed | precision | recall | named | one fits | skewed |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    kinds: list[tuple[str, str | None]] = [
        ("grounded, collapsed, words", None),
        ("collapsed, words", "grounded"),
        ("grounded, words", "collapsed"),
    ]
    settings: list[tuple[By, float]] = [("shortcut", tau) for tau in TAUS]
    settings += [("inspector", 0.0), ("bclean", 0.0)]
    for named, without in kinds:
        for by, tau in settings:
            if by == "inspector" and without is not None:
                continue  # it hears text models only: the same in every panel
            try:
                found = held_against_truth(asked, by, tau=tau, without=without)
            except CouldNotBeJudged:
                continue
            rule = f"S <= {tau:g}" if by == "shortcut" else RULES[by]
            lines.append(_row(rule, named, found))
    return lines


def _row(rule: str, named: str, found: Found) -> str:
    precision = "-" if found.precision is None else f"{found.precision:.2f}"
    recalls = [found.recall(), *(found.recall(f) for f in FLAWS)]
    cells = [
        rule,
        named,
        str(sum(found.removed.values())),
        precision,
        *(f"{r:.2f}" for r in recalls),
    ]
    return f"| {' | '.join(cells)} |"


def merged(asked: Mapping[str, Panel]) -> Panel:
    """Return the panels as one of all their questions, as of one benchmark."""
    parts = list(asked.values())
    first = parts[0]
    return Panel(
        members=tuple(
            replace(member, run=_joined([p.member(member.name).run for p in parts]))
            for member in first.members
        ),
        slice_name=" and ".join(asked),
    )


def _joined(runs: Sequence[Run]) -> Run:
    """Return *runs* of one model as one; the clips of each benchmark are its own."""
    return replace(
        runs[0],
        slice_name=" and ".join(run.slice_name for run in runs),
        questions=tuple(
            replace(q, video=f"{run.slice_name}/{q.video}")
            for run in runs
            for q in run.questions
        ),
        cells={key: cell for run in runs for key, cell in run.cells.items()},
    )


def draw(asked: Mapping[str, Panel], folder: Path, judge: str) -> None:
    """Write the diagnostic space and the sweep; log the traffic paper's table.

    The space has each benchmark, both as one, and an arrow to what LLM-Inspector
    leaves of that: it hears text models only, so that the mean of the video models
    may say where it lies. The sweep and the table are *judge*'s, of both as one.
    """
    whole = merged(asked)
    places = [place(_mean(panel), name) for name, panel in asked.items()]
    left = filtered(whole, "inspector")
    after = place(_mean(whole, left.keep), "LLM-Inspector")
    both = place(_mean(whole), whole.slice_name)
    assert both is not None
    shown = [p for p in places if p is not None]
    with drawing.drawing():
        space = space_figure([*shown, replace(both, moved_to=after)])
        sweep = sweep_figure(sweeps(whole, judge))
        for name, figure in (("space", space), ("sweep", sweep)):
            (folder / f"audit-{name}.png").write_bytes(drawing.png(figure))
    for line in table_lines(comparison_table(comparison(whole, judge))):
        log.info(line)


def _mean(panel: Panel, keep: BoolArray | None = None) -> Measures:
    return measure(panel, panel.of("video"), who="mean", keep=keep)


def main() -> None:
    """Write the table, and pictures where they are wanted."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--cache-dir", help="where answers are kept (default: nowhere)")
    parser.add_argument("--pictures", type=Path, help="folder to draw to")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    asked = panels(("grounded", "collapsed"), cache=given.cache_dir)
    for line in table(asked):
        log.info(line)
    if given.pictures is not None:
        draw(asked, given.pictures, "collapsed")


if __name__ == "__main__":
    main()
