"""``--vdg-sight``: a session that begins with the sight check of its checkpoints."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg import cli
from tests.commands.test_sight import MODELS
from tests.plugin.conftest import SUITE, Project
from tests.plugin.test_dry_run import rows

FEW = "24"
"""Questions of the quicker checks: enough for both verdicts."""
MORE = """

def known():
    import os
    import pickle
    from pathlib import Path

    return pickle.loads(Path(os.environ["VDG_TEST_TABLE"]).read_bytes())


def counted(**settings):
    import stub

    table = known()

    def asked(prompt, clip):
        stub._note_ask(prompt, clip)
        stub._meet()
        return answered(prompt, clip, table)

    return ScriptedBackend(asked, name="counted")


def broken(**settings):
    raise RuntimeError("the licence server is down")


def ends(**settings):
    raise SystemExit(0)


def breaks_in_words(**settings):
    from pathlib import Path

    table = known()
    name = Path(settings["checkpoint"]).name

    def asked(prompt, clip):
        if clip is None and name == "last":
            raise RuntimeError("no video, no answer")
        return answered(prompt, clip, table)

    return ScriptedBackend(asked, name=name)


def by_name(**settings):
    from pathlib import Path

    name = Path(settings["checkpoint"]).name
    table = {} if "blind" in name else known()
    return ScriptedBackend(lambda p, c: answered(p, c, table), name=name)
"""
OWN = """
import pytest
from pytest_vdg import assert_accuracy_above

def test_plain():
    pass

@pytest.mark.vdg(slice="sight", questions=14, conditions=["original", "black"])
def test_own(vdg_run):
    assert_accuracy_above(vdg_run, 0.01)
"""
"""A test of another's, and one that any checkpoint passes."""


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of the answers, which each model would work out anew."""
    models: dict[str, Any] = {}
    exec(MODELS, models)
    path = tmp_path_factory.mktemp("sight") / "table.pickle"
    path.write_bytes(pickle.dumps(models["known"]()))
    return path


@pytest.fixture
def seen(project: Project, table: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project with models of the sight check's questions."""
    (project.path / "seen_models.py").write_text(MODELS + MORE, encoding="utf-8")
    monkeypatch.setenv("VDG_TEST_TABLE", str(table))
    project.pytester.makeconftest("")  # workers find the models beside it
    project.suite(OWN)
    return project


def by(project: Project, model: str, *more: str) -> pytest.RunResult:
    """Run pytest with the check of *model*, over few questions."""
    return project.run(
        "--vdg-sight",
        "--vdg-checkpoint=any",
        f"--vdg-backend=python:seen_models:{model}",
        f"--vdg-questions={FEW}",
        *more,
    )


def askers(project: Project) -> list[str]:
    """Return who asked each cell, in the order in which they were asked."""
    lines = (project.path / "asked.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines]


def order(result: pytest.RunResult) -> list[str]:
    """Return the node ids of a verbose run, in the order in which they ended."""
    words = (line.split() for line in result.outlines if "[" in line and "::" in line)
    return [word for line in words for word in line if "::" in word]


WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])


@WORKERS
def test_a_folder_without_tests_is_enough(
    seen: Project, workers: tuple[str, ...]
) -> None:
    """One test, named after the checkpoint, passes with both findings; code 0."""
    (seen.path / "test_suite.py").unlink()
    result = by(seen, "sighted", "--junitxml=out.xml", "-v", *workers)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    assert "vdg-sight::any" in order(result)
    found = seen.properties()["any"]
    assert found["vdg.claim"] == "assert_vdg_above"
    assert found["vdg.2.claim"] == "assert_accuracy_above"
    assert {found["vdg.verdict"], found["vdg.2.verdict"]} == {"ok"}
    assert found["vdg.run.slice"] == f"sight-{FEW}"
    assert seen.junit()["any"].attrib["classname"] == "vdg-sight"
    table = [line for line in result.outlines if line.startswith(f"sight-{FEW} ")]
    assert [line.split()[-1] for line in table] == ["ok", "ok"]


@WORKERS
def test_it_comes_first_whatever_is_selected(
    seen: Project, workers: tuple[str, ...]
) -> None:
    """Neither ``-k`` nor ``-m`` takes it away; each test that is left runs after it."""
    for select in (("-k", "plain"), ("-m", "vdg")):
        result = by(seen, "sighted", "-v", *select, *workers)
        result.assert_outcomes(passed=2)
        # A test of another's is another worker's.
        ended = [n for n in order(result) if not (workers and "plain" in n)]
        assert ended[0] == "vdg-sight::any"
        assert ended.count("vdg-sight::any") == 1


@WORKERS
def test_who_does_not_see_fails_with_the_verdict_and_the_rest_runs(
    seen: Project, workers: tuple[str, ...]
) -> None:
    """The first line is the deciding claim's; other tests stand on their own."""
    result = by(seen, "blind", "--junitxml=out.xml", "-vv", *workers)
    result.assert_outcomes(failed=1, passed=2)
    message = seen.junit()["any"].find("failure").attrib["message"]  # type: ignore[union-attr]
    assert message.startswith("BELOW FLOOR VDG +0.0pp [")
    assert "  sight     DOES NOT SEE, by two claims about 24" in message
    result.stdout.fnmatch_lines(
        ["*_ sight check: any _*", "E   BELOW FLOOR VDG +0.0pp*"]
    )
    result.stdout.fnmatch_lines(["FAILED vdg-sight::any - BELOW FLOOR VDG +0.0pp*"])
    assert "sight_step.py" not in result.stdout.str()


def test_exitfirst_makes_a_gate_of_it(seen: Project) -> None:
    """With ``-x`` nothing else is asked of a checkpoint that does not see."""
    result = by(seen, "blind", "-x")
    result.assert_outcomes(failed=1)


@WORKERS
def test_what_cannot_be_judged_is_an_error(
    seen: Project, workers: tuple[str, ...]
) -> None:
    """As in a fixture: raised in the setup, whether of ours or of a backend's code."""
    result = by(seen, "dropped", "-k", "plain", "--junitxml=out.xml", *workers)
    result.assert_outcomes(errors=1, passed=1)
    error = seen.junit()["any"].find("error")
    assert error is not None
    assert "COULD NOT BE JUDGED: " in error.attrib["message"]
    result = by(seen, "broken", "-k", "plain", *workers)
    result.assert_outcomes(errors=1, passed=1)
    told = "E   COULD NOT BE JUDGED: RuntimeError: the licence server is down"
    result.stdout.fnmatch_lines([told, "E     where *seen_models.py:*"])
    assert "pluggy" not in result.stdout.str().partition("= ERRORS =")[2]
    result = by(seen, "ends", "-k", "plain", *workers)
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: SystemExit: 0"])


@pytest.mark.parametrize(
    ("policy", "outcomes"),
    [("fail", {"failed": 1}), ("warn", {"passed": 1}), ("skip", {"skipped": 1})],
)
def test_an_inconclusive_check_is_what_the_ini_says(
    seen: Project, policy: str, outcomes: dict[str, int]
) -> None:
    """Seven questions do not show that one is blind."""
    seen.suite("")
    inconclusive = "-o", f"vdg_inconclusive={policy}", "--vdg-questions=7"
    result = by(seen, "blind", "-rs", "-W", "default", *inconclusive)
    result.assert_outcomes(**outcomes, warnings=int(policy == "warn"))
    result.stdout.fnmatch_lines(["sight-7 *VDG *INCONCLUSIVE"])


def test_the_answers_are_those_of_the_command(
    seen: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ``vdg sight`` asked is not asked again, and the other way round."""
    monkeypatch.chdir(seen.path)
    command = ["sight", "any", "--backend", "python:seen_models:sighted"]
    assert cli.main(command) == 0
    options = "--vdg-sight", "--vdg-checkpoint=any", "-k", "nothing"
    backend = "--vdg-backend=python:seen_models:sighted"
    result = seen.run(*options, backend)
    result.stdout.fnmatch_lines(["vdg: 120 of 120 cells from cache"])
    result.assert_outcomes(passed=1, deselected=2)


def test_the_command_finds_what_the_session_asked(
    seen: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same keys, so that the second check costs nothing."""
    by(seen, "sighted", "-k", "nothing").assert_outcomes(passed=1, deselected=2)
    monkeypatch.chdir(seen.path)
    command = ["sight", "any", "--backend", "python:seen_models:sighted"]
    assert cli.main([*command, "--questions", FEW]) == 0
    assert "48 of 48 cells from cache" in capsys.readouterr().out


MARKED = """
import pytest
from pytest_vdg import assert_accuracy_above

@pytest.mark.vdg(slice="sight", questions=14, checkpoint="runs/a/last")
def test_a(vdg_run):
    assert_accuracy_above(vdg_run, 0.01)

@pytest.mark.vdg(slice="sight", questions=14, checkpoint="runs/blind/last")
def test_b(vdg_run):
    assert_accuracy_above(vdg_run, 0.01)

@pytest.mark.vdg(slice="sight", questions=14, checkpoint="runs/c/other")
def test_c(vdg_run):
    assert_accuracy_above(vdg_run, 0.01)
"""


@WORKERS
def test_each_checkpoint_that_is_used_is_checked(
    seen: Project, workers: tuple[str, ...]
) -> None:
    """Those of the selected tests, once each, under names that tell them apart."""
    for name in ("a/last", "blind/last", "c/other"):
        (seen.path / "runs" / name).mkdir(parents=True)
    seen.config("backend: python:seen_models:by_name")
    seen.suite(MARKED)
    few = f"--vdg-questions={FEW}"
    part = "-k", "test_a or test_c", "-v"
    result = seen.run("--vdg-sight", few, *part, *workers)
    result.assert_outcomes(passed=4)
    checked = {name for name in order(result) if name.startswith("vdg-sight")}
    assert checked == {"vdg-sight::last", "vdg-sight::other"}
    if not workers:
        shown = seen.run("--vdg-sight", "--collect-only", "-q").outlines
        names = [line for line in shown if line.startswith("vdg-sight")]
        assert names == [f"vdg-sight::{n}" for n in ("a/last", "blind/last", "other")]


def test_what_breaks_in_one_model_is_not_laid_at_anothers_door(seen: Project) -> None:
    """Before the next model is asked, the first is asked all; its tests tell of it."""
    for name in ("a/last", "c/other"):
        (seen.path / "runs" / name).mkdir(parents=True)
    seen.config("backend: python:seen_models:breaks_in_words")
    words = 'conditions=["original", "text_only"], checkpoint="runs/a'
    seen.suite(MARKED.replace('checkpoint="runs/a', words))
    few = f"--vdg-questions={FEW}"
    result = seen.run("--vdg-sight", few, "-k", "test_a or test_c", "-rE")
    result.assert_outcomes(passed=3, errors=1, deselected=1)
    result.stdout.fnmatch_lines(["ERROR test_suite.py::test_a - RuntimeError: no*"])


def test_the_checkpoint_that_is_the_baseline_is_checked_too(seen: Project) -> None:
    """It is asked in this session, and of a blind one nothing can be lost."""
    seen.suite("""
        import pytest
        from pytest_vdg import assert_no_dissociation_regression

        @pytest.mark.vdg(slice="sight", questions=14)
        def test_kept(vdg_run, vdg_baseline):
            assert_no_dissociation_regression(vdg_run, vdg_baseline, vdg_margin=0.9)
        """)
    result = by(seen, "by_name", "--vdg-compare-to=blind", "--junitxml=out.xml")
    result.assert_outcomes(passed=1, failed=1, errors=1)
    assert seen.junit()["blind"].find("failure") is not None


def test_workers_ask_once_and_the_checkpoint_is_loaded_once(seen: Project) -> None:
    """The check runs where the tests of its checkpoint run."""
    result = by(seen, "counted", "-n", "2")
    result.assert_outcomes(passed=3)
    assert len(set(askers(seen))) == 1
    assert len(askers(seen)) == 2 * int(FEW)  # the other test's are among them


def test_all_workers_ask_where_the_work_is_spread(
    seen: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cells are among those that are divided; each is asked once."""
    monkeypatch.setenv("VDG_TEST_MEET", "1")
    result = by(seen, "counted", "-n", "2", "--vdg-spread", "-k", "nothing")
    result.assert_outcomes(passed=1)
    assert set(askers(seen)) == {"gw0", "gw1"}
    assert len(askers(seen)) == 2 * int(FEW)


def test_a_dry_run_and_the_plan_hold_its_cells(
    seen: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is asked; also where there is no test."""
    seen.suite("")
    options = "--vdg-sight", "--vdg-checkpoint=any", "--vdg-dry-run"
    backend = "python:seen_models:sighted"
    result = seen.run(*options, f"--vdg-backend={backend}")
    assert result.ret == 0
    assert rows(result.outlines)["sight-60", "all"][:3] == ["120", "0", "120"]
    result = seen.run(*options, f"--vdg-backend={backend}", "--vdg-questions=9999")
    assert rows(result.outlines)["sight-168", "all"][0] == "336"
    capsys.readouterr()
    monkeypatch.chdir(seen.path)
    plan = ["plan", "--cells", "--checkpoint", "any", "--backend", backend, "--sight"]
    assert cli.main(plan) == 0
    shown = rows(capsys.readouterr().out.splitlines())
    assert shown["sight-60", "all"][:3] == ["120", "0", "120"]
    assert ("colours", "all") in shown


def test_replayed_runs_ask_no_model(seen: Project) -> None:
    """Nothing could be checked: a usage error that says how to get out of it."""
    (seen.path / "runs").mkdir()
    result = seen.run("--vdg-sight", "--vdg-replay=runs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --vdg-sight and --vdg-replay: the check asks*"]
    )


@WORKERS
def test_no_checkpoint_anywhere_is_a_usage_error(
    seen: Project, workers: tuple[str, ...]
) -> None:
    """Who asks for the check by hand must not read a green session as one."""
    result = seen.run("--vdg-sight", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = result.stdout.str() + result.stderr.str()
    assert "--vdg-sight: no checkpoint to test (give --vdg-checkpoint" in text


@pytest.mark.parametrize("say", ["env", "yaml", "ini"])
def test_who_says_it_for_all_sessions_means_those_with_a_model(
    seen: Project, monkeypatch: pytest.MonkeyPatch, say: str
) -> None:
    """Other people's tests run without it, ours without a checkpoint are skipped."""
    backend = "backend: python:seen_models:sighted"
    seen.config(backend)
    if say == "env":
        monkeypatch.setenv("VDG_SIGHT", "1")
    elif say == "yaml":
        seen.config(f"{backend}\nsight: true")
    else:
        seen.pytester.makeini("[pytest]\nvdg_sight = true\n")
    seen.run().assert_outcomes(passed=1, skipped=1)
    few = f"--vdg-questions={FEW}"
    with_model = seen.run("--vdg-checkpoint=any", few)
    with_model.assert_outcomes(passed=3)
    plain = seen.run("--vdg-checkpoint=any", few, "-k", "plain")
    plain.assert_outcomes(passed=1, deselected=1)


def test_the_check_does_not_stand_for_tests_that_judge_nothing(seen: Project) -> None:
    """A session is red with it where it was red without; alone it is enough."""
    seen.suite("def test_silent(vdg):\n    pass\n")
    required = "-o", "vdg_required=true"
    assert by(seen, "sighted", *required, "-k", "no").ret == pytest.ExitCode.OK
    result = by(seen, "sighted")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["vdg: FAILED, nothing was judged: 1 vdg test ran*"])


def test_its_node_id_can_be_typed(seen: Project) -> None:
    """As it is copied from a summary, or as an editor types it; a wrong one is told."""
    options = "--vdg-checkpoint=any", "--vdg-backend=python:seen_models:sighted"
    few = f"--vdg-questions={FEW}"
    for more in ((), ("-n", "2")):
        result = seen.run("vdg-sight::any", *options, few, *more)
        result.assert_outcomes(passed=1)
    seen.pytester.makeini("[pytest]\n")
    below = seen.pytester.mkdir("below")
    config = f"{options[1].removeprefix('--vdg-')}".replace("=", ": ")
    (below / "vdg.yaml").write_text(f"checkpoint: any\n{config}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(below)
        seen.run("vdg-sight::any", few).assert_outcomes(passed=1)
    absolute = f"{seen.path}/vdg-sight::any"
    together = seen.run(absolute, "test_suite.py::test_plain", *options, few)
    together.assert_outcomes(passed=2)
    result = seen.run("vdg-sight::my", *options, few)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "ERROR: vdg-sight::my: no selected test asks a checkpoint of this name.*"
    result.stderr.fnmatch_lines([told])
    result = seen.run("vdg-sight::any", few)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "ERROR: vdg-sight::any: no checkpoint to test *. Where the marker of a test*"
    result.stderr.fnmatch_lines([told])


def test_each_conftest_hears_its_findings(seen: Project) -> None:
    """It stands in no folder, so that none of them is nearer than others."""
    heard = "def pytest_vdg_finding(item, finding): print('HEARD', item.name)\n"
    seen.pytester.makeconftest(heard)
    result = by(seen, "sighted", "-s", "-k", "nothing")
    assert result.stdout.str().count("HEARD any") == 2


def test_what_was_red_last_time_runs_after_the_check(seen: Project) -> None:
    """``--lf`` remembers it as any test, and never takes it away."""
    seen.suite(OWN + "\ndef test_red():\n    assert False\n")
    by(seen, "sighted").assert_outcomes(passed=3, failed=1)
    by(seen, "sighted", "--lf").assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan"])
def test_looking_at_the_tests_asks_nothing(seen: Project, option: str) -> None:
    """The check is shown, and no model is made."""
    result = by(seen, "broken", option, "-k", "plain")
    assert result.ret == pytest.ExitCode.OK
    assert "any" in result.stdout.str()


def test_a_rerun_counts_once(seen: Project) -> None:
    """Made again by a plugin, it has the findings of the last time only."""
    seen.pytester.makeconftest(
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    for report in runtestprotocol(item, nextitem=nextitem, log=False):\n"
        "        item.ihook.pytest_runtest_logreport(report=report)\n"
        "    return True\n"
    )
    result = by(seen, "sighted", "-k", "nothing")
    result.assert_outcomes(passed=1, deselected=2)
    found = [line for line in result.outlines if line.startswith(f"sight-{FEW} ")]
    assert len(found) == 2


def test_reports_have_it_as_a_test_and_as_a_run(seen: Project) -> None:
    """The results hold its findings, questions and the way to find its clips again."""
    options = "--vdg-json=out.json", "--vdg-junit=vdg.xml", "-k", "nothing"
    by(seen, "sighted", *options).assert_outcomes(passed=1, deselected=2)
    found = json.loads((seen.path / "out.json").read_text(encoding="utf-8"))
    (test,) = found["tests"]
    assert [each["verdict"] for each in found["findings"]] == ["ok"] * 2
    assert test["test"] == "vdg-sight::any"
    assert (test["outcome"], test["file"], test["line"]) == ("passed", None, None)
    (run,) = found["runs"]
    assert run["ask"] == {"slice": "sight", "questions": int(FEW)}
    text = (seen.path / "vdg.xml").read_text(encoding="utf-8")
    assert text.count("<testcase") == 2


def test_other_models_of_the_suite_are_asked_as_ever(project: Project) -> None:
    """A session without the option has no such test."""
    project.suite(SUITE)
    result = project.with_model("-v")
    result.assert_outcomes(passed=1)
    assert "vdg-sight" not in result.stdout.str()
