"""A session's results made by hand, for tests of the reports that tell of all.

Apart from the findings beside it because a report wants tests, runs and texts too.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_vdg.reports.results import QuestionText, Results, RunResult, TestResult
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import make_run
from tests.reports.build import ACCURACY, FLOOR, REGRESSION

NASTY = (
    "a | b\r\n<details><img src=x onerror=y> @octocat #1 `x` www.evil.com "
    "https://evil.com *b* __c__ ~~s~~ [l](u) $x$ ]]> \\ &amp; <!-- "
    "\x1b[31m\x00\ud800\u202e"
    "\n::error::gotcha ##[add-mask]x\n</pre></code>|\n# head \U0001f600 \u5f71\u7247"
)
"""What a reply, a name or a reason may hold, all at once."""
TASKS = ("colour", "a|b @team")
NOW = make_run(
    {
        "original": "CCCW" * 6,
        "black": "CWCU" * 6,
        "shuffled": "CCWW" * 6,
        "single_frame": "CWUW" * 6,
    },
    tasks=TASKS,
    checkpoint="/models/qwen",
    slice_name="videomme",
)
THEN = make_run(
    {"original": "CCCC" * 6, "black": "WWCW" * 6},
    tasks=TASKS,
    checkpoint="old",
    slice_name="videomme",
)
TEXTS = {
    q.id: QuestionText(text=NASTY, options=tuple((x, NASTY) for x in q.labels))
    for q in NOW.questions
}
SEES = TestResult(
    name="tests/test_a.py::test_sees",
    outcome="passed",
    file="tests/test_a.py",
    line=3,
    seconds=1.25,
    findings=(FLOOR, ACCURACY),
)
REGRESSED = TestResult(
    name="tests/test_a.py::test_regressed",
    outcome="failed",
    message=REGRESSION.message,
    file="tests/test_a.py",
    line=9,
    seconds=0.5,
    findings=(REGRESSION,),
    loosened=("margin of x on videomme: 5.0pp -> 8.0pp (noise)",),
)
LOST = TestResult(
    name=f"tests/test_a.py::test_lost[{NASTY}]",
    outcome="error",
    message=f"COULD NOT BE JUDGED: 3 of 24 failed {NASTY}",
    file="tests/test_a.py",
    line=20,
)
SKIPPED = TestResult(
    name="tests/test_b.py::test_later", outcome="skipped", message="not today"
)
UNDECIDED = replace(
    FLOOR, verdict=Verdict.INCONCLUSIVE, message="INCONCLUSIVE VDG +18.6pp [12, 25]"
)
LET_PASS = replace(SEES, name="tests/test_a.py::test_close", findings=(UNDECIDED,))
RESULTS = Results(
    origin="pytest",
    created="2026-11-30T08:00:00+00:00",
    command="pytest -m vdg",
    tests=(SEES, REGRESSED, LOST, SKIPPED),
    runs=(RunResult(run=NOW, baseline=THEN, texts=TEXTS),),
    notes=("no answer: videomme black 6 unparsed of 24",),
    asked=96,
)
