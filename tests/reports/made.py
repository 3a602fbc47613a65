"""Results of every kind, drawn at random or made by hand, for tests of reports.

Apart from `build`, whose findings are shown without runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from pytest_vdg.reports.results import QuestionText, Results, RunResult, TestResult
from pytest_vdg.runs import AskedQuestion, Caps, CellResult, Fingerprint, Outcome, Run
from pytest_vdg.verdicts import Finding, Verdict
from tests.assertions.build import make_run
from tests.reports.build import CEILING, FLOOR, REGRESSION

TEXT = st.text(max_size=12)
NAME = st.text(min_size=1, max_size=8)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHARE = st.floats(min_value=0, max_value=1)
LABELS = ("A", "B", "\u00e9")


def results() -> Results:
    """Return results with a run, its baseline, and a test of each outcome."""
    cells = {
        "original": "CCCCCCUW",
        "black": "CWCWWWWF",
        "single_frame": "CCWWCWCW",
        "shuffled": "CCCWCWCN",
        "text_only": "CWWWWWCW",
    }
    run = make_run(cells, per_video=2, tasks=("colour", "order"), created="2026-03-01")
    texts = {
        q.id: QuestionText(text=f"What is {q.id}?", options=(("A", "red"), ("B", "x")))
        for q in run.questions
    }
    old = replace(run, checkpoint="old")
    tests = (
        TestResult(name="t.py::ok", outcome="passed", findings=(FLOOR,), seconds=0.25),
        TestResult(
            name="t.py::bad",
            outcome="failed",
            message=REGRESSION.message,
            file="t.py",
            line=3,
            findings=(REGRESSION, CEILING),
            loosened=("margin of x: 5.0pp -> 8.0pp (why)",),
        ),
        TestResult(name="t.py::lost", outcome="error", message="COULD NOT ...\nwhy"),
        TestResult(name="t.py::later", outcome="skipped", message="no checkpoint"),
    )
    return Results(
        origin="pytest",
        created="2026-03-01T12:00:00+00:00",
        command="pytest -q",
        tests=tests,
        runs=(RunResult(run=run, baseline=old, texts=texts),),
        notes=("a note",),
        asked=30,
        cached=10,
    )


def questions() -> st.SearchStrategy[AskedQuestion]:
    """Draw a question; its id is only of this draw."""
    return st.builds(
        AskedQuestion,
        id=TEXT,
        video=TEXT,
        task=NAME,
        labels=st.just(LABELS),
        answer=st.sampled_from(LABELS),
        digest=TEXT,
        video_digest=TEXT,
    )


def cells() -> st.SearchStrategy[dict[str, Any]]:
    """Draw all of a cell but its place."""
    count = st.integers(min_value=0, max_value=99)
    chances = st.dictionaries(st.sampled_from(LABELS), SHARE)
    return st.fixed_dictionaries(
        {
            "outcome": st.sampled_from(Outcome),
            "choice": st.none() | st.sampled_from(LABELS),
            "reply": st.none() | TEXT,
            "probabilities": st.none() | chances,
            "label_mass": st.none() | SHARE,
            "reason": st.none() | TEXT,
            "frames_seen": count,
            "visual_tokens": count,
            "times_s": st.lists(FINITE, max_size=3).map(tuple),
            "reader": st.none() | TEXT,
            "input_digest": st.none() | TEXT,
            "prompt_tokens": count,
            "seconds": st.none() | FINITE,
            "cached": st.booleans(),
        }
    )


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Draw a run of a few questions, some of them orders of one."""
    asked = draw(st.lists(questions(), max_size=3, unique_by=lambda q: q.id))
    if asked and draw(st.booleans()):
        turned = [replace(asked[0], id=f"{asked[0].id}@{i}", of="x") for i in (0, 1)]
        asked = [*turned, *(q for q in asked[1:] if q.id != "x")]
        asked = list({q.id: q for q in asked}.values())
    known = ["original", "black", "text_only", "shuffled", "single_frame:middle"]
    conditions = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    table = {
        (q.id, c): CellResult(question_id=q.id, condition=c, **draw(cells()))
        for q in asked
        for c in conditions
    }
    texts = st.dictionaries(NAME, TEXT, max_size=2)
    return Run(
        checkpoint=draw(TEXT),
        slice_name=draw(TEXT),
        questions=tuple(asked),
        conditions=tuple(conditions),
        cells=table,
        fingerprint=Fingerprint(
            comparable=draw(texts), subject=draw(texts), informative=draw(texts)
        ),
        caps=Caps(failed=draw(SHARE), unparsed_difference=draw(SHARE)),
        planned=draw(st.none() | st.dictionaries(NAME, st.integers(1, 9), max_size=2)),
        created=draw(TEXT),
    )


def findings() -> st.SearchStrategy[Finding]:
    """Draw a finding."""
    return st.builds(
        Finding,
        claim=NAME,
        verdict=st.sampled_from(Verdict),
        measure=TEXT,
        estimate=FINITE,
        low=FINITE,
        high=FINITE,
        confidence=SHARE,
        bound=FINITE,
        bound_is=st.sampled_from(["floor", "ceiling"]),
        n=st.integers(1, 99),
        n_planned=st.none() | st.integers(100, 200),
        n_videos=st.integers(0, 99),
        smallest_detectable=FINITE,
        slice_name=TEXT,
        checkpoint=TEXT,
        task=st.none() | TEXT,
        baseline=st.none() | TEXT,
        accuracies=st.dictionaries(TEXT, SHARE, max_size=2).map(
            lambda found: tuple(found.items())
        ),
        message=st.text(min_size=1, max_size=20).filter(
            lambda text: bool(text.strip())
        ),
    )


def test_results() -> st.SearchStrategy[TestResult]:
    """Draw what a test came to."""
    return st.builds(
        TestResult,
        name=TEXT,
        outcome=st.sampled_from(["passed", "failed", "error", "skipped"]),
        message=TEXT,
        file=st.none() | TEXT,
        line=st.none() | st.integers(1, 999),
        seconds=st.floats(min_value=0, allow_infinity=False),
        findings=st.lists(findings(), max_size=2).map(tuple),
        loosened=st.lists(TEXT, max_size=2).map(tuple),
    )


test_results.__test__ = False  # type: ignore[attr-defined]


@st.composite
def run_results(draw: st.DrawFn) -> RunResult:
    """Draw a run with its baseline, its texts, and how it was asked for."""
    run = draw(runs())
    ids = [*(q.id for q in run.questions), "not come to"]
    said = st.builds(
        QuestionText,
        text=TEXT,
        options=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple),
    )
    ask = st.fixed_dictionaries(
        {},
        optional={
            "slice": NAME,
            "conditions": st.just(("original", "black")),
            "questions": st.integers(1, 9),
            "seed": st.integers(),
        },
    )
    return RunResult(
        run=run,
        baseline=draw(st.none() | runs()),
        texts=draw(st.dictionaries(st.sampled_from(ids), said)),
        ask=draw(ask),
    )


def any_results() -> st.SearchStrategy[Results]:
    """Draw results."""
    lines = st.lists(TEXT, max_size=2).map(tuple)
    return st.builds(
        Results,
        origin=st.sampled_from(["pytest", "vdg run", "vdg watch", "training"]),
        created=TEXT,
        command=TEXT,
        tests=st.lists(test_results(), max_size=2).map(tuple),
        runs=st.lists(run_results(), max_size=2).map(tuple),
        notes=lines,
        faults=lines,
        asked=st.integers(0, 99),
        cached=st.integers(0, 99),
    )
