"""What a verdict does to its test, seen from outside."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

CLOSE_CALL = """
import pytest
from pytest_vdg import assert_vdg_above

@pytest.mark.vdg
def test_close(vdg_run):
    assert_vdg_above(vdg_run, 0.45)
"""


def test_a_claim_that_holds_is_listed(project: Project) -> None:
    """A model that looks passes, and one header and one row tell its numbers."""
    result = project.with_model()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*= vdg =*",
            "vdg: checkpoint=any@* backend=scripted* slices=colours:24",
            "slice/task*n*orig*black*value*bound*MDE*verdict",
            "colours*24*1.00*.500*+50.0*ok",
        ]
    )


def test_a_failed_claim_leads_with_its_verdict(project: Project) -> None:
    """Terminal and JUnit begin with the verdict, its number, bound and n."""
    result = project.with_model("--junitxml=out.xml", backend="blind")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E *BELOW FLOOR VDG +0.0pp*", "FAILED *::test_sees - BELOW FLOOR VDG*"]
    )
    result.stdout.no_fnmatch_line("*_explain.ClaimFailed*")
    failure = project.junit()["test_sees"].find("failure")
    assert failure is not None
    first = failure.attrib["message"].splitlines()[0]
    assert first.startswith("BELOW FLOOR VDG +0.0pp [")
    assert "floor +20.0pp" in first
    assert "n=24" in first


@pytest.mark.parametrize(
    ("policy", "outcomes", "code"),
    [
        ("fail", {"failed": 1}, 1),
        ("warn", {"passed": 1, "warnings": 1}, 0),
        ("skip", {"skipped": 1}, 0),
    ],
)
def test_an_undecided_claim_does_what_the_ini_says(
    project: Project, policy: str, outcomes: dict[str, int], code: int
) -> None:
    """INCONCLUSIVE fails, warns or skips, and stands in the table in any case."""
    project.suite(CLOSE_CALL)
    # Our own session turns warnings into errors; a user's usually does not.
    options = ("-o", f"vdg_inconclusive={policy}", "-rs", "-W", "default")
    result = project.with_model(*options)
    result.assert_outcomes(**outcomes)
    assert result.ret == code
    result.stdout.fnmatch_lines(["colours*24*+45.0*INCONCLUSIVE"])
    if policy == "skip":
        result.stdout.fnmatch_lines(["SKIPPED*test_suite.py:4: INCONCLUSIVE*"])


def test_an_unknown_policy_is_a_usage_error(project: Project) -> None:
    """A misspelt ``vdg_inconclusive`` stops the session with code 4."""
    result = project.with_model("-o", "vdg_inconclusive=ignore")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*vdg_inconclusive must be one of fail, warn, skip*"])


def test_a_dropped_video_is_an_error_and_no_verdict(project: Project) -> None:
    """A backend that loses the video gives an error, not a VDG of zero."""
    result = project.with_model("--junitxml=out.xml", backend="dropped")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: *", "*ERROR *COULD NOT BE*"])
    result.stdout.no_fnmatch_line("*VDG*CI]*")
    error = project.junit()["test_sees"].find("error")
    assert error is not None
    assert "COULD NOT BE JUDGED: " in error.attrib["message"].splitlines()[0]


def test_what_cannot_be_judged_in_the_body_is_an_error_too(project: Project) -> None:
    """The verdict decides and not the phase: asked by hand, it is an <error>."""
    project.suite(
        "def test_by_hand(vdg):\n"
        "    vdg.evaluate(conditions=['original', 'black'])\n"
        "def test_fine():\n"
        "    pass\n"
    )
    result = project.with_model("--junitxml=out.xml", backend="dropped")
    result.assert_outcomes(passed=1, errors=1)
    case = project.junit()["test_by_hand"]
    assert case.find("error") is not None
    assert case.find("failure") is None
    assert project.properties()["test_by_hand"]["vdg.verdict"] == "COULD NOT BE JUDGED"


def test_the_model_is_not_asked_again_for_what_failed(project: Project) -> None:
    """Two tests of a slice that cannot be judged cost one evaluation."""
    project.suite(
        "import pytest\n"
        "@pytest.mark.parametrize('i', range(2))\n"
        "def test_run(vdg_run, i):\n"
        "    pass\n"
    )
    result = project.with_model("--vdg-no-cache", backend="dropped")
    result.assert_outcomes(errors=2)
    assert project.loaded() == ["any"]


def test_a_user_still_gets_the_whole_traceback(project: Project) -> None:
    """``--full-trace`` shows where in the package it was raised."""
    result = project.with_model("--full-trace", backend="dropped")
    result.stdout.fnmatch_lines(["*consumption.py*"])


def test_native_tracebacks_keep_the_lines_of_a_message(project: Project) -> None:
    """Under ``--tb=native`` what could not be judged is told line by line."""
    result = project.with_model("--tb=native", backend="dropped")
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: *", "E   Check that the*"])
