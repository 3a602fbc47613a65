"""Sessions in which nothing was judged, and when that is red."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project


def test_without_checkpoint_tests_are_skipped_and_counted(project: Project) -> None:
    """The reason tells what to give, and nothing is read or written."""
    before = project.files()
    result = project.run("-rs")
    result.assert_outcomes(skipped=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "vdg: 1 vdg test skipped: no checkpoint to test (give --vdg-checkpoint,*",
            "SKIPPED*test_suite.py*no checkpoint to test*",
        ]
    )
    assert project.files() == before


def test_a_baseline_is_not_recorded_of_nothing(project: Project) -> None:
    """Who asks for it must not read a green session as a baseline written."""
    project.suite(
        """
        import pytest

        @pytest.mark.vdg(slice="colours")
        def test_regression(vdg_run, vdg_baseline):
            pass
        """
    )
    result = project.run("--vdg-update-baseline")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--vdg-update-baseline: no checkpoint to test (*"])


def test_a_fixture_asked_for_late_skips_as_well(project: Project) -> None:
    """``request.getfixturevalue`` is no way around."""
    project.suite("def test_late(request):\n    request.getfixturevalue('vdg_run')\n")
    project.run().assert_outcomes(skipped=1)


def test_a_name_like_ours_is_not_ours(project: Project) -> None:
    """A parameter or fixture of the user's own never costs a test its run."""
    project.suite(
        """
        import pytest

        @pytest.fixture
        def vdg_run():
            return 1

        @pytest.mark.parametrize("vdg", [2])
        def test_own(vdg_run, vdg):
            assert (vdg_run, vdg) == (1, 2)
        """
    )
    project.run().assert_outcomes(passed=1)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_required_session_is_red_when_tests_are_skipped(
    project: Project, workers: tuple[str, ...]
) -> None:
    """A nightly job that lost its checkpoint must not look green."""
    result = project.run("-o", "vdg_required=true", *workers)
    result.assert_outcomes(skipped=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["vdg: FAILED, vdg_required: 1 vdg test skipped*"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_session_that_judged_nothing_is_red(
    project: Project, workers: tuple[str, ...]
) -> None:
    """Tests that ran with a model and made no claim prove nothing."""
    project.suite("def test_silent(vdg_run):\n    pass\ndef test_other():\n    pass\n")
    result = project.with_model(*workers)
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["vdg: FAILED, nothing was judged: 1 vdg test ran*"])


def test_one_claim_is_enough_unless_all_are_required(project: Project) -> None:
    """A silent test beside a claim is told, and red where ``vdg_required`` is set."""
    project.suite(
        "from pytest_vdg import assert_accuracy_above\n"
        "def test_silent(vdg_run):\n    pass\n"
        "def test_claim(vdg_run):\n    assert_accuracy_above(vdg_run, 0.1)\n"
    )
    result = project.with_model()
    assert result.ret == pytest.ExitCode.OK
    told = "vdg: 1 vdg test passed without a claim (test_suite.py::test_silent)"
    result.stdout.fnmatch_lines([told])
    result = project.with_model("-o", "vdg_required=true")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.no_fnmatch_line(told)
    result.stdout.fnmatch_lines(
        ["vdg: FAILED, vdg_required: 1 vdg test made no claim*"]
    )


def test_a_claim_about_a_stored_run_needs_no_fixture(project: Project) -> None:
    """The marker alone puts a claim in the table; a plain test's stays its own."""
    project.suite(
        "import pytest\n"
        "from pytest_vdg import assert_accuracy_above, load_run, save_run\n"
        "def test_save(vdg_run):\n    save_run(vdg_run, 'kept.jsonl')\n"
        "def test_plain():\n    assert_accuracy_above(load_run('kept.jsonl'), 0.1)\n"
        "@pytest.mark.vdg\n"
        "def test_marked():\n    assert_accuracy_above(load_run('kept.jsonl'), 0.2)\n"
    )
    project.with_model().assert_outcomes(passed=3)
    result = project.run("-k", "plain or marked")
    result.assert_outcomes(passed=2, deselected=1)
    rows = [line for line in result.outlines if line.startswith("colours ")]
    assert len(rows) == 1
    assert "+20" in rows[0] or ".200" in rows[0]


def test_required_means_that_expected_failures_are_judged(project: Project) -> None:
    """An error that ``xfail`` swallows is no verdict; a failed claim is one."""
    project.suite("""
        import pytest
        from pytest_vdg import assert_vdg_above

        @pytest.mark.xfail
        @pytest.mark.vdg(conditions=["original", "black"])
        def test_known(vdg_run):
            assert_vdg_above(vdg_run, 0.2)
        """)
    required = ("-o", "vdg_required=true")
    judged = project.with_model(*required, backend="blind")
    judged.assert_outcomes(xfailed=1)
    assert judged.ret == pytest.ExitCode.OK
    unjudged = project.with_model(*required, backend="dropped")
    unjudged.assert_outcomes(xfailed=1)
    assert unjudged.ret == pytest.ExitCode.TESTS_FAILED
    unjudged.stdout.fnmatch_lines(["vdg: FAILED*expected*no verdict (*test_known)"])


KEY = """
from pytest_vdg import assert_balanced_key, assert_vdg_above

def test_key(vdg_slice):
    assert_balanced_key(vdg_slice, 0.5)

def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_claim_about_questions_needs_no_checkpoint(
    project: Project, workers: tuple[str, ...]
) -> None:
    """It is judged and stands in the table; the test beside it is skipped."""
    project.suite(KEY)
    result = project.run(*workers)
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["colours *key share of *ok*"])
    result.stdout.fnmatch_lines(["vdg: 1 vdg test skipped: no checkpoint to test*"])
    assert project.loaded() == []


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_skewed_key_is_red_without_a_checkpoint(
    project: Project, workers: tuple[str, ...]
) -> None:
    """Three labels cannot be shown to be within a tenth of a point of their share."""
    project.suite(KEY.replace("0.5", "0.001"))
    result = project.run("-k", "key", "-o", "vdg_required=true", *workers)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*INCONCLUSIVE key share of*"])


def test_a_claim_about_questions_minds_no_missing_checkpoint(project: Project) -> None:
    """A benchmark's key can be judged where the models of its file are not."""
    project.config("checkpoint: not/here")
    project.suite(KEY)
    project.run("-k", "key").assert_outcomes(passed=1, deselected=1)


def test_questions_need_no_model_in_a_dry_run(project: Project) -> None:
    """What it would ask is nothing, and not for want of a checkpoint."""
    project.suite(KEY)
    result = project.run("--vdg-dry-run")
    result.stdout.fnmatch_lines(
        [
            "1 vdg test asks nothing: no checkpoint to test*",
            "1 vdg test asks no model: about questions only",
        ]
    )


def test_a_model_behind_a_fixture_of_ones_own_is_needed(project: Project) -> None:
    """Questions and, by way of another fixture, a run: skipped as before."""
    project.suite(
        "import pytest\n"
        "@pytest.fixture\n"
        "def mine(vdg_run):\n    return vdg_run\n"
        "def test_both(vdg_slice, mine):\n    pass\n"
    )
    project.run().assert_outcomes(skipped=1)
