"""Options, variables, ini keys and the file: who is listened to."""

from __future__ import annotations

import pytest

from pytest_vdg.config.switches import OUTPUTS, SWITCHES
from tests.plugin.conftest import Project

SHOW = """
def test_show(request, vdg):
    where = vdg.settings.where[NAME]
    print(f"{where.value} by {where.source}")
"""


def _shown(project: Project, name: str, *args: str) -> str:
    """Return the value of *name* and its source, as a test sees it."""
    project.suite(f"NAME = {name!r}\n{SHOW}")
    result = project.run("-s", "-q", *args)
    return next(line for line in result.outlines if " by " in line).lstrip(".")


def test_command_line_over_environment_over_file_over_ini(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place is heard only where those before it are silent."""
    ini = ("-o", "vdg_seed=4", "-o", "vdg_checkpoint=a/b")
    assert _shown(project, "seed", *ini) == "4 by ini"
    project.config("seed: 3")
    assert _shown(project, "seed", *ini) == "3 by file"
    monkeypatch.setenv("VDG_SEED", "2")
    assert _shown(project, "seed", *ini) == "2 by environment"
    assert _shown(project, "seed", "--vdg-seed=1", *ini) == "1 by command line"
    assert _shown(project, "seed", "--vdg-seed=9", "--vdg-seed=1", *ini).startswith(
        "1 "
    )


def test_a_marker_wins_over_file_but_not_over_the_command_line(
    project: Project,
) -> None:
    """The checkpoint of a marker stands unless someone says otherwise by hand."""
    project.config("checkpoint: of-file\nbackend: python:stub:sighted")
    project.suite(
        "import pytest\n"
        "from pytest_vdg import assert_accuracy_above\n"
        "@pytest.mark.vdg(checkpoint='of-marker')\n"
        "def test_run(vdg_run):\n"
        "    assert_accuracy_above(vdg_run, 0.5)\n"
    )
    project.run("--vdg-no-cache").assert_outcomes(passed=1)
    project.run("--vdg-no-cache", "--vdg-checkpoint=of-hand").assert_outcomes(passed=1)
    assert project.loaded() == ["of-marker", "of-hand"]


def test_every_option_has_an_ini_twin(project: Project) -> None:
    """All but those whose twins would make a suite that tests nothing."""
    text = project.run("--help").stdout.str()
    options = {word.strip(",=") for word in text.split() if word.startswith("--vdg-")}
    options = {option.split("=")[0] for option in options}
    alone = {"--vdg-update-baseline", "--vdg-dry-run"}
    assert options == {s.option for s in (*SWITCHES, *OUTPUTS)} | alone
    for switch in (*SWITCHES, *OUTPUTS):
        assert f"  {switch.ini} " in text
    for name in ("vdg_required", "vdg_inconclusive"):
        assert name in text


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--vdg-checkpoint=models/groundet"], "*Did you mean 'grounded'?"),
        (["--vdg-checkpoint=./nowhere/x"], "*The path exists up to *"),
        (["--vdg-checkpoint=models/file.txt"], "*is a file. Give the folder*"),
        (["--vdg-checkpoint="], "*--vdg-checkpoint is empty*"),
        (["--vdg-questions=0", "--vdg-checkpoint=a/b"], "*above 0, got '0'*"),
        (
            ["--vdg-seed=x", "--vdg-checkpoint=a/b"],
            "*--vdg-seed must be a whole number*",
        ),
        (["--vdg-config=no.yaml", "--vdg-checkpoint=a/b"], "*no.yaml*is not there*"),
    ],
)
def test_a_wrong_option_is_a_usage_error(
    project: Project, args: list[str], told: str
) -> None:
    """Exit code 4 at once, naming what came and what lies there instead."""
    (project.path / "models" / "grounded").mkdir(parents=True)
    (project.path / "models" / "file.txt").touch()
    project.suite("def test_other():\n    pass\n")
    result = project.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {told}"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_checkpoint_of_the_file_is_checked_when_needed(
    project: Project, workers: tuple[str, ...]
) -> None:
    """What the file names and is not there is a usage error, with workers too."""
    project.config("checkpoint: ./gone")
    result = project.run(*workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: checkpoint './gone' (vdg.yaml: checkpoint) *"])
    project.run("-m", "not vdg", *workers).assert_outcomes(
        **({} if workers else {"deselected": 1})
    )


def test_a_hub_id_is_no_path(project: Project) -> None:
    """``org/name`` is left to the hub unless a folder ``org`` lies here."""
    assert _shown(project, "checkpoint", "--vdg-checkpoint=Qwen/Qwen2-VL") == (
        "Qwen/Qwen2-VL by command line"
    )
    (project.path / "Qwen").mkdir()
    result = project.run("--vdg-checkpoint=Qwen/Qwen2-VL")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_the_file_nearest_to_the_tests_is_read(project: Project) -> None:
    """A suite in a folder of a larger project brings its own ``vdg.yaml``."""
    inner = project.path / "suite"
    inner.mkdir()
    (project.path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (inner / "vdg.yaml").write_text(
        "seed: 7\ncheckpoint: a/b\nbackend: python:stub:sighted\n", encoding="utf-8"
    )
    (inner / "test_inner.py").write_text(
        "def test_seed(vdg):\n    assert vdg.settings.seed == 7\n"
        "    assert vdg.settings.cache_dir.parent.name == 'suite'\n"
        "    import pytest; pytest.fail('reached')\n",
        encoding="utf-8",
    )
    result = project.run("suite")
    result.stdout.fnmatch_lines(["*reached*"])


def test_a_quick_look_asks_fewer_questions(project: Project) -> None:
    """``--vdg-questions`` cuts every slice, and more than exist is no error."""
    project.suite(
        "from pytest_vdg import assert_accuracy_above\n"
        "def test_n(vdg_run):\n"
        "    assert_accuracy_above(vdg_run, 0.1)\n"
        "    assert len(vdg_run.questions) == 6\n"
    )
    project.with_model("--vdg-questions=6").assert_outcomes(passed=1)
    result = project.with_model("--vdg-questions=600")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 24 == 6*"])


def test_an_option_that_hides_the_ini_file_is_refused(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The value of ``--option PATH`` counts as a path of tests for pytest."""
    checkpoint = tmp_path_factory.mktemp("elsewhere")
    project.pytester.makeini("[pytest]\nvdg_required = true\n")
    backend = ("--vdg-backend", "python:stub:sighted")
    misled = project.run(*backend, "--vdg-checkpoint", checkpoint)
    assert misled.ret == pytest.ExitCode.USAGE_ERROR
    misled.stderr.fnmatch_lines([f"*Write: --vdg-checkpoint={checkpoint}"])
    for words in ((f"--vdg-checkpoint={checkpoint}",), ("--vdg-checkpoint", "data")):
        project.run(*backend, *words).assert_outcomes(passed=1)
    named = project.run(*backend, "--vdg-checkpoint", checkpoint, "test_suite.py")
    named.assert_outcomes(passed=1)


def test_answers_stay_in_a_project_without_ini_file(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A checkpoint elsewhere does not move cache and baselines to ``/``."""
    checkpoint = tmp_path_factory.mktemp("elsewhere")
    (project.path / "vdg.yaml").unlink()
    project.suite(f"""
        def test_places(vdg):
            assert str(vdg.settings.cache_dir) == {str(project.path / ".vdg")!r}
            assert vdg.settings.baseline_dir.parent == vdg.settings.cache_dir.parent
        """)
    result = project.run("--vdg-checkpoint", checkpoint, "--vdg-backend", "any")
    result.stdout.fnmatch_lines(["*1 passed*"])


def test_settings_that_lie_deeper_than_what_was_run_are_told(project: Project) -> None:
    """Plain ``pytest`` above a suite with its own ``vdg.yaml`` does not read it."""
    inner = project.path / "suite"
    inner.mkdir()
    (inner / "test_inner.py").write_text(
        "def test_inner(vdg_run): assert vdg_run\n", encoding="utf-8"
    )
    (inner / "vdg.yaml").write_text("seed: 3\n", encoding="utf-8")
    result = project.run()
    result.stdout.fnmatch_lines(["vdg: suite/vdg.yaml was not read: *pytest suite,*"])
    for words in (["suite"], ["--vdg-config=suite/vdg.yaml"]):
        assert "was not read" not in project.run(*words).stdout.str()
