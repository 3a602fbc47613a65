"""Runs of a session as reports want them: with what their questions say.

Apart from the session because only a report reads questions; and runs cross
from a worker to its controller as text here, which nothing else needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vdg.reports.results import QuestionText, RunResult
from pytest_vdg.runs import Run
from pytest_vdg.store._parse import parse_run
from pytest_vdg.store.runfile import dump_run

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.slices import Slice
    from pytest_vdg.sessions.asks import Ask
    from pytest_vdg.sessions.session import VdgSession

Compared = Mapping[tuple[str, str], Run]
"""Checkpoint and slice of a run, to the run that it was held against."""


def run_results(session: VdgSession, compared: Compared) -> tuple[RunResult, ...]:
    """Return the runs of *session*, each with its baseline and its questions."""
    return tuple(
        RunResult(
            run=run,
            baseline=compared.get((run.checkpoint, run.slice_name)),
            texts={} if slice_ is None else texts_of(slice_),
            ask={} if ask is None else _plain(ask),
        )
        for run, slice_, ask in session.evaluated
    )


def texts_of(slice_: Slice) -> dict[str, QuestionText]:
    """Return what the questions of *slice_* say, by id."""
    return {
        q.id: QuestionText(
            text=q.text, options=tuple((o.label, o.text) for o in q.options)
        )
        for q in slice_.questions
    }


def _plain(ask: Ask) -> dict[str, object]:
    return {name: value for name, value in asdict(ask).items() if value is not None}


def packed(results: Iterable[RunResult]) -> list[str]:
    """Return *results* as texts, for another process."""
    return [
        json.dumps(
            {
                "run": _text(result.run),
                "baseline": None if result.baseline is None else _text(result.baseline),
                "texts": {k: [t.text, t.options] for k, t in result.texts.items()},
                "ask": dict(result.ask),
            }
        )
        for result in results
    ]


def unpacked(texts: Iterable[str]) -> tuple[RunResult, ...]:
    """Return the results that `packed` made texts of."""
    return tuple(_unpacked(json.loads(text)) for text in texts)


def _text(run: Run) -> str:
    return dump_run(run, full=True).decode("utf-8")


def _unpacked(values: Mapping[str, Any]) -> RunResult:
    baseline = values["baseline"]
    return RunResult(
        run=_run(values["run"]),
        baseline=None if baseline is None else _run(baseline),
        texts={
            key: QuestionText(text=text, options=tuple((a, b) for a, b in options))
            for key, (text, options) in values["texts"].items()
        },
        ask=values["ask"],
    )


def _run(text: str) -> Run:
    return parse_run(text.encode("utf-8"), Path("run of a worker"))


def merged(results: Iterable[RunResult]) -> tuple[RunResult, ...]:
    """Return *results* with those of one run, from several workers, as one."""
    found: dict[tuple[object, ...], RunResult] = {}
    for result in results:
        run = result.run
        ids = tuple(sorted(question.id for question in run.questions))
        prints = run.fingerprint
        same = [sorted(part.items()) for part in (prints.comparable, prints.subject)]
        key = run.checkpoint, run.slice_name, ids, repr(same)
        found[key] = _joined(found[key], result) if key in found else result
    return tuple(found.values())


def _joined(first: RunResult, second: RunResult) -> RunResult:
    """Return both as one, with the cells of both."""
    run = replace(
        first.run,
        conditions=tuple(
            dict.fromkeys((*first.run.conditions, *second.run.conditions))
        ),
        cells={**second.run.cells, **first.run.cells},
    )
    one, other = first.baseline, second.baseline
    wider = max(
        (b for b in (one, other) if b is not None),
        key=lambda b: len(b.conditions),
        default=None,
    )
    return replace(first, run=run, baseline=wider, texts=first.texts or second.texts)
