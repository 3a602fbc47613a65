"""The fixtures: asked once, restricted to what the test named, by hand too."""

from __future__ import annotations

import shutil

import pytest

from tests.plugin.conftest import CLIPS, Project

CLAIM = """
import shutil

import pytest
from pytest_vdg import assert_accuracy_above
"""


def test_the_union_of_conditions_is_asked_once(project: Project) -> None:
    """Each test sees its own conditions, and the model is asked for all at once."""
    project.pytester.makeconftest(
        "import pytest_vdg.engine.runner as runner\n"
        "real = runner.evaluate\n"
        "def counted(slice_, backend, conditions, *args, **kwargs):\n"
        "    print('asked for', *conditions)\n"
        "    return real(slice_, backend, conditions, *args, **kwargs)\n"
        "runner.evaluate = counted\n"
        "def pytest_unconfigure():\n"
        "    runner.evaluate = real\n"
    )
    project.suite(
        CLAIM + "@pytest.mark.vdg(conditions=['original', 'black'])\n"
        "def test_one(vdg_run):\n"
        "    assert_accuracy_above(vdg_run, 0.1)\n"
        "    assert vdg_run.conditions == ('original', 'black')\n"
        "@pytest.mark.vdg(conditions=['text_only', 'original'])\n"
        "def test_two(vdg_run):\n"
        "    assert vdg_run.conditions == ('text_only', 'original')\n"
    )
    result = project.with_model("-s", "--vdg-no-cache")
    result.assert_outcomes(passed=2)
    asked = [line for line in result.outlines if "asked for" in line]
    assert [line.partition("asked for ")[2] for line in asked] == [
        "original black text_only"
    ]


def test_by_hand_all_is_open_to_the_test(project: Project) -> None:
    """``vdg.evaluate`` takes a name or a slice, a part of it, and conditions."""
    project.suite(
        CLAIM + "from pytest_vdg import load_benchmark, take\n"
        "def test_by_hand(vdg):\n"
        "    both = ['original', 'black']\n"
        "    run = vdg.evaluate('colours', questions=6, conditions=both)\n"
        "    assert len(run.questions) == 6\n"
        "    assert_accuracy_above(run, 0.1)\n"
        "    benchmark = load_benchmark('plain', 'data/questions.jsonl')\n"
        "    slice_ = take(benchmark, questions=4)\n"
        "    assert len(vdg.evaluate(slice_, conditions=['black']).questions) == 4\n"
        "    with pytest.raises(TypeError, match='take'):\n"
        "        vdg.evaluate(slice_, questions=2)\n"
        "    with pytest.raises(TypeError, match='Slice'):\n"
        "        vdg.evaluate(8)\n"
        "def test_wrong(vdg):\n"
        "    vdg.evaluate('colors')\n"
    )
    result = project.with_model()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["E   ConfigError: *no slice 'colors'*'colours'?"])


def test_a_session_fixture_of_the_user_may_build_on_vdg(project: Project) -> None:
    """``vdg`` has the scope of the session, so one run can feed many tests."""
    project.suite(
        CLAIM + "@pytest.fixture(scope='session')\n"
        "def run(vdg):\n"
        "    return vdg.evaluate(conditions=['original'])\n"
        "@pytest.mark.parametrize('task', ['colour', 'shade'])\n"
        "def test_task(run, task):\n"
        "    assert_accuracy_above(run, 0.1, task=task)\n"
    )
    project.with_model().assert_outcomes(passed=2)


def test_the_model_is_made_and_not_loaded(project: Project) -> None:
    """``vdg_model`` is the backend; asking for it loads nothing."""
    project.suite(
        "def test_model(vdg_model, vdg_slice):\n"
        "    assert vdg_model.name == 'any'\n"
        "    assert len(vdg_slice.questions) == 24\n"
    )
    project.with_model().assert_outcomes(passed=1)
    assert project.loaded() == []


def test_a_built_in_slice_needs_no_entry(project: Project) -> None:
    """``slice="sight"`` works without a ``vdg.yaml``, and is what no name means."""
    (project.path / "vdg.yaml").unlink()
    project.suite(
        "import pytest\n"
        "@pytest.mark.vdg(slice='sight', questions=8)\n"
        "def test_named(vdg_slice):\n"
        "    assert len(vdg_slice.questions) == 8\n"
        "def test_default(vdg_slice):\n"
        "    assert vdg_slice.name == 'sight'\n"
    )
    project.with_model().assert_outcomes(passed=2)


def test_several_slices_must_be_named(project: Project) -> None:
    """Where the file names two, a marker that names none is a usage error."""
    (project.path / "vdg.yaml").write_text(
        "slices:\n  one: {benchmark: sight}\n  two: {benchmark: sight-leaky}\n",
        encoding="utf-8",
    )
    result = project.with_model()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: which slice? vdg.yaml names one, two*"])


def test_answers_are_kept_unless_told_otherwise(project: Project) -> None:
    """The second run loads no model; without the cache it does."""
    project.with_model().assert_outcomes(passed=1)
    result = project.with_model()
    result.stdout.fnmatch_lines(["vdg: 48 of 48 cells from cache"])
    assert project.loaded() == ["any"]
    result = project.with_model("--vdg-no-cache")
    result.stdout.no_fnmatch_line("*from cache")
    assert project.loaded() == ["any", "any"]


def test_a_rerun_test_counts_once(project: Project) -> None:
    """Running a test again in one session replaces its findings."""
    project.pytester.makeconftest(
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    for report in runtestprotocol(item, nextitem=nextitem, log=False):\n"
        "        item.ihook.pytest_runtest_logreport(report=report)\n"
        "    return True\n"
    )
    result = project.with_model()
    result.assert_outcomes(passed=1)
    rows = [line for line in result.outlines if line.startswith("colours ")]
    assert len(rows) == 1


def test_a_limit_keeps_the_seed_of_the_marker(project: Project) -> None:
    """``--vdg-questions`` takes the beginning of the slice that was asked for."""
    project.suite("""
        import pytest
        from pathlib import Path
        from pytest_vdg.benchmarks.registry import load_benchmark
        from pytest_vdg.benchmarks.slices import take

        @pytest.mark.vdg(seed=3, questions=12)
        def test_part(vdg_slice):
            whole = load_benchmark("plain", Path("data/questions.jsonl"))
            assert vdg_slice.ids == take(whole, questions=4, seed=3).ids
        """)
    result = project.with_model("--vdg-questions", "4")
    result.stdout.fnmatch_lines(["*1 passed*"])


def test_equal_questions_about_other_videos_are_asked_anew(project: Project) -> None:
    """Two slices of one name and digest are two where their videos differ."""
    shutil.copytree(project.path / "data", project.path / "mixed")
    for number in range(CLIPS):
        other = project.path / "data" / f"{(number + 1) % CLIPS:02}.mp4"
        shutil.copy(other, project.path / "mixed" / f"{number:02}.mp4")
    project.suite("""
        from pathlib import Path
        from pytest_vdg import assert_vdg_above
        from pytest_vdg.benchmarks.registry import load_benchmark
        from pytest_vdg.benchmarks.slices import take

        def test_both(vdg):
            runs = []
            for folder in ("data", "mixed"):
                whole = load_benchmark("plain", Path(folder, "questions.jsonl"))
                part = take(whole, name="same")
                runs.append(vdg.evaluate(part, conditions=["original", "black"]))
            assert [run.counts("original").correct for run in runs] == [24, 0]
            assert_vdg_above(runs[0], 0.2)
        """)
    project.with_model().assert_outcomes(passed=1)


def test_a_condition_that_means_nothing_costs_no_other_claim(project: Project) -> None:
    """With one frame a clip there is no order, but black is still black."""
    project.config("sampling: {frames: 1}")
    project.suite(
        """
        import pytest
        from pytest_vdg import assert_temporal_delta, assert_vdg_above

        BOTH = ["original", "black", "shuffled"]

        @pytest.mark.vdg(slice="colours", conditions=BOTH)
        def test_sees(vdg_run):
            assert_vdg_above(vdg_run, 0.1)

        @pytest.mark.vdg(slice="colours", conditions=BOTH)
        def test_order(vdg_run):
            assert_temporal_delta(vdg_run, 0.1)
        """
    )
    result = project.with_model()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*COULD NOT BE JUDGED: no question of slice colours*"])
