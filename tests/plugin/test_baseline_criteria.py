"""Margins that grow, confidence that falls: recorded, explained, and always shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.store.runfile import load_recorded
from tests.plugin.conftest import Project

UPDATE = "--vdg-update-baseline"
TEST = """
@pytest.mark.vdg(conditions=["original", "black"]{why})
def test_{name}(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(
        vdg_run, vdg_baseline, vdg_margin={margin}{sure}
    )
"""


def claim(
    margin: float, why: str = "", name: str = "kept", sure: float | None = None
) -> str:
    """Return a test of a claim with *margin*, loosened for the reason *why*."""
    said = f", loosened={why!r}" if why else ""
    level = "" if sure is None else f", confidence={sure}"
    return TEST.format(why=said, name=name, margin=margin, sure=level)


def suite(project: Project, *tests: str) -> None:
    """Write a suite of *tests*."""
    head = (
        "import pytest\nfrom pytest_vdg import assert_no_dissociation_regression, "
        "assert_equivalent\n"
    )
    project.suite(head + "".join(tests))


@pytest.fixture
def recorded(project: Project) -> Path:
    """Return a baseline that was recorded with a margin of 20 points."""
    suite(project, claim(0.2))
    project.with_model(UPDATE).assert_outcomes(passed=1)
    return project.path / "vdg_baselines" / "colours.jsonl"


def margins(path: Path) -> list[tuple[float, float | None, str]]:
    """Return margin, what it was, and the reason of each criterion at *path*."""
    return [(c.margin, c.was, c.reason) for c in load_recorded(path).criteria]


def test_recording_keeps_what_was_claimed(recorded: Path) -> None:
    """Assertion, measure, task and margin stand in the file's header."""
    (criterion,) = load_recorded(recorded).criteria
    assert criterion.claim == "assert_no_dissociation_regression"
    assert (criterion.measure, criterion.task) == ("VDG change", None)
    assert (criterion.confidence, criterion.confidence_was) == (0.95, None)
    assert margins(recorded) == [(0.2, None, "")]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_looser_margin_without_a_reason_is_an_error(
    project: Project, recorded: Path, workers: tuple[str, ...]
) -> None:
    """The claim would hold, and yet nothing is judged by it."""
    suite(project, claim(0.3))
    result = project.with_model(*workers, "--junitxml=out.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["E   COULD NOT BE JUDGED: margin loosened from 20.0pp to 30.0pp: assert_*"]
    )
    result.stdout.fnmatch_lines(['E*, say why with @pytest.mark.vdg(loosened="..."*'])
    error = project.junit()["test_kept"].find("error")
    assert error is not None
    assert "margin loosened from 20.0pp to 30.0pp" in error.attrib["message"]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_with_a_reason_it_is_judged_and_shown(
    project: Project, recorded: Path, workers: tuple[str, ...]
) -> None:
    """A property of the test, and a line in the summary of every session."""
    suite(project, claim(0.3, "noisy clips"))
    line = (
        "margin of assert_no_dissociation_regression on colours: "
        "20.0pp -> 30.0pp (noisy clips)"
    )
    for _ in range(2):
        result = project.with_model(*workers, "--junitxml=out.xml")
        result.assert_outcomes(passed=1)
        assert f"vdg: loosened: {line}" in result.outlines
        assert project.properties()["test_kept"]["vdg.loosened"] == line


def test_a_lower_confidence_without_a_reason_is_an_error(
    project: Project, recorded: Path
) -> None:
    """To ask for less evidence lets through what a larger margin would."""
    suite(project, claim(0.2, sure=0.9))
    result = project.with_model(UPDATE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "E   COULD NOT BE JUDGED: confidence loosened from 95% to 90%: assert_*",
            "E*recorded  VDG change: confidence 95%, in the baseline's file",
        ]
    )
    (criterion,) = load_recorded(recorded).criteria
    assert criterion.confidence == 0.95


def test_a_lower_confidence_with_a_reason_is_judged_and_shown(
    project: Project, recorded: Path
) -> None:
    """In every summary, and in the file when it is recorded anew."""
    suite(project, claim(0.2, "few clips", sure=0.9))
    result = project.with_model(UPDATE)
    result.assert_outcomes(passed=1)
    line = "confidence of assert_no_dissociation_regression on colours: 95% -> 90%"
    assert f"vdg: loosened: {line} (few clips)" in result.outlines
    (criterion,) = load_recorded(recorded).criteria
    assert (criterion.confidence, criterion.confidence_was) == (0.9, 0.95)
    assert criterion.reason == "few clips"
    suite(project, claim(0.2, sure=0.9))  # the reason is in the file now
    assert f"vdg: loosened: {line} (few clips)" in project.with_model().outlines


def test_a_higher_confidence_needs_no_reason(project: Project, recorded: Path) -> None:
    """More evidence explains itself."""
    suite(project, claim(0.25, "noisy clips", sure=0.97))
    result = project.with_model(UPDATE)
    assert "confidence of" not in result.stdout.str()
    (criterion,) = load_recorded(recorded).criteria
    assert (criterion.confidence, criterion.confidence_was) == (0.97, None)


def test_a_confidence_that_no_file_recorded_is_held_against_the_default(
    project: Project, recorded: Path
) -> None:
    """A baseline of before is read, and a level below the usual one is shown."""
    text = recorded.read_text(encoding="utf-8")
    assert '"confidence":0.95' in text
    recorded.write_text(text.replace(',"confidence":0.95', ""), encoding="utf-8")
    suite(project, claim(0.2, sure=0.9))
    result = project.with_model()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["vdg: loosened: confidence of *: default 95% -> 90% (no reason given)"]
    )


def test_the_same_margin_needs_no_reason(project: Project, recorded: Path) -> None:
    """Nor does a smaller one."""
    for margin in (0.2, 0.18):
        suite(project, claim(margin))
        result = project.with_model()
        result.assert_outcomes(passed=1)
        assert "loosened" not in result.stdout.str()


def test_a_failed_claim_stays_a_failure(project: Project, recorded: Path) -> None:
    """Evidence against even the larger margin is worth more than the question why."""
    suite(project, claim(0.3))
    result = project.with_model(backend="blind")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*DISSOCIATION*"])


def test_a_margin_that_was_let_go_as_undecided_needs_a_reason(
    project: Project, recorded: Path
) -> None:
    """``vdg_inconclusive = warn`` is no way around it."""
    suite(project, claim(0.2), claim(0.25, name="more"))
    result = project.with_model("-o", "vdg_inconclusive=warn")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["E*margin loosened from 20.0pp to 25.0pp*"])


def test_recorded_anew_it_keeps_what_it_was_and_why(
    project: Project, recorded: Path
) -> None:
    """The file tells of the first margin, and so does every later summary."""
    suite(project, claim(0.3, "noisy clips"))
    project.with_model(UPDATE, "--vdg-seed=1").assert_outcomes(passed=1)
    assert margins(recorded) == [(0.3, 0.2, "noisy clips")]
    suite(project, claim(0.3))  # the reason is in the file now
    result = project.with_model("--vdg-seed=1")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["vdg: loosened: *20.0pp -> 30.0pp (noisy clips)"])
    suite(project, claim(0.4, "again"))
    project.with_model(UPDATE, "--vdg-seed=1").assert_outcomes(passed=1)
    assert margins(recorded) == [(0.4, 0.2, "again")]


def test_recording_anew_is_no_way_around_a_reason(
    project: Project, recorded: Path
) -> None:
    """Without one the old margin stays in the file, and the test is an error."""
    suite(project, claim(0.3))
    result = project.with_model(UPDATE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["E*margin loosened from 20.0pp to 30.0pp*"])
    assert margins(recorded) == [(0.2, None, "")]


def test_tightened_it_is_recorded_without_a_word(
    project: Project, recorded: Path
) -> None:
    """A smaller margin explains itself."""
    suite(project, claim(0.18))
    project.with_model(UPDATE).assert_outcomes(passed=1)
    assert margins(recorded) == [(0.18, None, "")]


def test_criteria_of_tests_that_did_not_run_stay(
    project: Project, recorded: Path
) -> None:
    """An update with ``-k`` forgets no margin."""
    other = (
        '\n@pytest.mark.vdg(conditions=["original", "black"])\n'
        "def test_other(vdg_run, vdg_baseline):\n"
        "    assert_equivalent(vdg_run, vdg_baseline, 0.25)\n"
    )
    suite(project, claim(0.2), other)
    project.with_model(UPDATE, "-k", "other").assert_outcomes(passed=1, deselected=1)
    assert sorted(m for m, _, _ in margins(recorded)) == [0.2, 0.25]


def test_of_two_margins_the_smaller_is_recorded_and_that_is_told(
    project: Project,
) -> None:
    """Who records both is told at once that the larger one will be asked why."""
    suite(project, claim(0.3, name="loose"), claim(0.2, name="tight"))
    result = project.with_model(UPDATE)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["vdg: *claimed with margins of 20.0pp and 30.0pp*"])
    path = project.path / "vdg_baselines" / "colours.jsonl"
    assert margins(path) == [(0.2, None, "")]


def test_of_two_confidences_the_higher_is_recorded(project: Project) -> None:
    """With one margin; and who claims both is told of the other."""
    low = claim(0.2, name="low", sure=0.9)
    suite(project, low, claim(0.2, name="high"))
    result = project.with_model(UPDATE)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["vdg: *claimed with confidences of 95% and 90%*"])
    (criterion,) = load_recorded(
        project.path / "vdg_baselines" / "colours.jsonl"
    ).criteria
    assert criterion.confidence == 0.95


def test_a_rerun_counts_once(project: Project, recorded: Path) -> None:
    """Two runs of one test show one line, and record one criterion."""
    suite(project, claim(0.3, "noisy clips"))
    project.pytester.makeconftest(
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    for report in runtestprotocol(item, nextitem=nextitem, log=False):\n"
        "        item.ihook.pytest_runtest_logreport(report=report)\n"
        "    return True\n"
    )
    result = project.with_model(UPDATE)
    result.assert_outcomes(passed=1)
    assert len([li for li in result.outlines if "vdg: loosened:" in li]) == 1
    assert margins(recorded) == [(0.3, 0.2, "noisy clips")]


@pytest.mark.parametrize(
    ("why", "told"), [("", "no reason given"), ("small slice", "small slice")]
)
def test_looser_than_the_default_is_shown(
    project: Project, recorded: Path, why: str, told: str
) -> None:
    """Where none was ever recorded, the assertion's own margin is the measure."""
    lines = recorded.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [li for li in lines if not li.startswith('{"criteria"')]
    recorded.write_text("".join(kept).replace('"version":2', '"version":1'))
    suite(project, claim(0.2, why))
    result = project.with_model()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [f"vdg: loosened: *on colours: default 5.0pp -> 20.0pp ({told})"]
    )


def test_a_candidate_carries_its_criteria(project: Project, recorded: Path) -> None:
    """Promoted, a run is held to what it was held to in its session."""
    suite(project, claim(0.3, "noisy clips"))
    project.with_model()
    candidate = project.path / ".vdg/last-run/candidates/colours.jsonl"
    assert margins(candidate) == [(0.3, 0.2, "noisy clips")]


@pytest.mark.parametrize("value", ["''", "'  '", "3", "None", "['a']"])
def test_a_reason_is_words(project: Project, value: str) -> None:
    """An empty reason is none."""
    suite(project, claim(0.2).replace('"black"]', f'"black"], loosened={value}'))
    result = project.with_model()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *loosened must be the reason for a larger *"])


OTHER = """
@pytest.mark.vdg(conditions=["original", "black"])
def test_two(vdg_run, vdg_baseline, vdg):
    assert_no_dissociation_regression(vdg_run, vdg_baseline, vdg_margin=0.2)
    own = vdg.evaluate(tasks=["colour"], conditions=["original", "black"])
    assert_no_dissociation_regression(own, own, vdg_margin={margin})
"""


def test_claims_about_other_slices_are_not_held_to_a_baseline(
    project: Project, recorded: Path
) -> None:
    """A test may compare runs of its own making, by margins of their own."""
    suite(project, OTHER.format(margin=0.4))
    result = project.with_model("-o", "vdg_inconclusive=warn")
    result.assert_outcomes(passed=1)
    suite(project, OTHER.format(margin=0.1))
    project.with_model(UPDATE, "-o", "vdg_inconclusive=warn")
    assert margins(recorded) == [(0.2, None, "")]
