"""The marker: merged, checked before anything is loaded, and selectable."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

ALONE: tuple[str, ...] = ()
WORKERS = ("-n", "2")


@pytest.mark.parametrize(
    ("keywords", "told", "workers"),
    [
        ("conditionz=['original']", "no keyword 'conditionz'. Did you mean*", ALONE),
        (
            "conditionz=['original']",
            "no keyword 'conditionz'. Did you mean*",
            WORKERS,
        ),
        ("conditions='original'", "conditions must be a list of conditions", ALONE),
        ("conditions=['originalz']", "originalz", ALONE),
        ("slice='colors'", "no slice 'colors'*Did you mean 'colours'?", ALONE),
        ("slice='colors'", "no slice 'colors'*Did you mean 'colours'?", WORKERS),
        ("questions='8'", "questions must be a whole number above 0, got '8'", ALONE),
        ("questions=0", "questions must be a whole number above 0, got 0", ALONE),
        ("questions=True", "questions must be a whole number above 0, got T*", ALONE),
        ("questions=10000", "10000 questions were asked", ALONE),
        ("seed=False", "seed must be a whole number, got False", ALONE),
        ("tasks=[]", "tasks must be a task or a list of tasks, got *", ALONE),
        ("loosened=' '", "loosened must be the reason for a larger *", ALONE),
        ("tasks=['colors']", "no task 'colors'", ALONE),
        ("checkpoint=8", "checkpoint must be a folder or a hub id, got 8", ALONE),
        ("'colours'", "keywords only*slice='colours'", ALONE),
    ],
)
def test_a_wrong_marker_stops_the_session(
    project: Project, keywords: str, told: str, workers: tuple[str, ...]
) -> None:
    """Exit code 4 and what was probably meant, before a model is made."""
    project.suite(
        "import pytest\n"
        f"@pytest.mark.vdg({keywords})\n"
        "def test_run(vdg_run):\n    pass\n"
        "def test_other():\n    pass\n"
    )
    result = project.with_model(*workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{told}*"])
    assert project.loaded() == []


def test_the_nearest_marker_wins(project: Project) -> None:
    """Function over class over module, keyword by keyword."""
    project.suite(
        "import pytest\n"
        "pytestmark = pytest.mark.vdg(slice='colours', conditions=['original'])\n"
        "@pytest.mark.vdg(tasks='shade')\n"
        "class TestShade:\n"
        "    @pytest.mark.vdg(conditions=['black', 'original'])\n"
        "    def test_function(self, vdg_run, vdg_slice):\n"
        "        assert vdg_run.conditions == ('black', 'original')\n"
        "        assert vdg_run.tasks == vdg_slice.tasks == ('shade',)\n"
        "        assert vdg_run.slice_name == 'colours-shade'\n"
        "@pytest.mark.vdg(questions=1)\n"
        "def test_one(vdg_slice):\n"
        "    assert len(vdg_slice.questions) == 1\n"
        "def test_module(vdg_run):\n"
        "    assert vdg_run.conditions == ('original',)\n"
        "    assert len(vdg_run.questions) == 24\n"
        "from pytest_vdg import assert_accuracy_above\n"
        "def test_claim(vdg_run):\n"
        "    assert_accuracy_above(vdg_run, 0.5)\n"
    )
    project.with_model().assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("vdg", {"test_marked", "test_fixture"}),
        ("not vdg", {"test_plain"}),
    ],
)
def test_selecting_is_pytests(
    project: Project, expression: str, names: set[str]
) -> None:
    """``-m vdg`` finds marked tests and those that only ask for a fixture."""
    project.suite(
        "import pytest\n"
        "@pytest.mark.vdg\n"
        "def test_marked():\n    pass\n"
        "def test_fixture(vdg):\n    pass\n"
        "def test_plain():\n    pass\n"
    )
    result = project.run("-m", expression, "--collect-only", "-q")
    listed = {line.split("::")[1] for line in result.outlines if "::" in line}
    assert listed == names


def test_what_is_deselected_needs_no_configuration(project: Project) -> None:
    """A broken ``vdg.yaml`` is no concern of ``-m "not vdg"``."""
    (project.path / "vdg.yaml").write_text("conditionz: [original]\n", encoding="utf-8")
    project.suite("def test_run(vdg_run):\n    pass\ndef test_plain():\n    pass\n")
    project.run("-m", "not vdg").assert_outcomes(passed=1, deselected=1)
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *vdg.yaml:1: unknown key 'conditionz'*"])
