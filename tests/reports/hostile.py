"""Results whose every text tries to be something else than text.

Apart from the tests because the page is looked at as text, and in a browser.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytest_vdg.reports.album import Album, Pictures, Shown
from pytest_vdg.reports.results import QuestionText, Results, RunResult, TestResult
from pytest_vdg.runs import AskedQuestion, Run
from tests.reports.build import FLOOR, REGRESSION
from tests.reports.made import results

NASTY = (
    "</script><script>document.title='owned'</script>"
    "<img src=x onerror=\"document.title='owned'\"> {{ 7 * 7 }} ${7*7} $\\frac{a}$ & "
    "\"'` \u2028\u2029\x00\x1b[31m \u202egnp.exe \ud800 \u4f60\u597d \U0001f600 --> ]]>"
    " https://example.org/x.png"
)
"""Ends scripts and comments, runs on error, breaks lines of JSON, turns text round."""


def hostile() -> Results:
    """Return results that say `NASTY` wherever anything can be said."""
    plain = results()
    (result,) = plain.runs
    run = _hostile_run(result.run)
    baseline = replace(run, checkpoint=f"old{NASTY}")
    finding = replace(
        FLOOR,
        measure=NASTY,
        task=NASTY,
        slice_name=run.slice_name,
        checkpoint=run.checkpoint,
        baseline=NASTY,
        claim=NASTY,
        message=NASTY,
    )
    tests = tuple(
        TestResult(
            name=f"{NASTY}{i}",
            outcome=outcome,
            message=NASTY,
            findings=findings,
            loosened=(NASTY,),
        )
        for i, (outcome, findings) in enumerate(
            (
                ("passed", (finding,)),
                ("failed", (replace(REGRESSION, message=NASTY),)),
                ("error", ()),
                ("skipped", ()),
            )
        )
    )
    texts = {
        q.id: QuestionText(text=NASTY, options=tuple((n, NASTY) for n in q.labels))
        for q in run.questions
    }
    return replace(
        plain,
        command=NASTY,
        created=NASTY,
        tests=tests,
        runs=(
            RunResult(run=run, baseline=baseline, texts=texts, pictures=_pictures(run)),
        ),
        notes=(NASTY,),
        faults=(NASTY,),
    )


def _hostile_run(run: Run) -> Run:
    asked = {q.id: _hostile_question(q) for q in run.questions}
    cells = {
        (asked[q].id, c): replace(
            cell,
            question_id=asked[q].id,
            reply=NASTY,
            reason=NASTY,
            probabilities=dict.fromkeys(asked[q].labels, 0.25),
        )
        for (q, c), cell in run.cells.items()
    }
    return replace(
        run,
        checkpoint=NASTY,
        slice_name=NASTY,
        questions=tuple(asked.values()),
        cells=cells,
    )


def _hostile_question(question: AskedQuestion) -> AskedQuestion:
    return replace(
        question,
        id=f"{question.id}/{NASTY}#?%",
        video=f"{question.video}{NASTY}",
        task=f"{question.task}{NASTY}",
    )


def _pictures(run: Run) -> Pictures:
    """Return a picture a cell, but for some that have a reason instead."""
    album = Album()
    cells = {}
    for place, key in enumerate(run.cells):
        frame = np.full((1, 24, 24, 3), place % 200, np.uint8)
        shown = album.shown(frame, [0.5])
        cells[key] = shown if place % 5 else Shown(reason=NASTY)
    return Pictures(cells=cells, images=album.images)
