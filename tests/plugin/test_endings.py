"""A model's own code that would skip or end a test, or the session: nothing passes."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import SUITE, Project

BROKEN = """
import unittest

import pytest
import stub
from pytest_vdg import ScriptedBackend

HOW = {
    "skip": lambda: pytest.skip("no GPU here"),
    "importorskip": lambda: pytest.importorskip("no_such_module"),
    "fail": lambda: pytest.fail("it is dark"),
    "xfail": lambda: pytest.xfail("known to be dark"),
    "skiptest": lambda: _raise(unittest.SkipTest("no GPU here")),
    "leave": lambda: _raise(SystemExit(0)),
    "exit": lambda: pytest.exit("enough", returncode=0),
    "interrupt": lambda: _raise(KeyboardInterrupt()),
}


def _raise(error):
    raise error


def _end(settings):
    HOW[str(settings["checkpoint"]).rpartition("/")[2]]()


def made(**settings):
    _end(settings)


def asked(**settings):
    return ScriptedBackend(lambda prompt, clip: _end(settings), name="ending")


class Loading(ScriptedBackend):
    how = {}

    def import_libraries(self):
        pass

    def load(self):
        _end(self.how)


def loaded(**settings):
    found = Loading(lambda prompt, clip: "A", name="ending")
    found.how = settings
    return found


class Nameless(ScriptedBackend):
    how = {}

    @property
    def identity(self):
        _end(self.how)


def named(**settings):
    found = Nameless(lambda prompt, clip: "A", name="ending")
    found.how = settings
    return found
"""
BY_HAND = """
import pytest

@pytest.mark.vdg
def test_sees(vdg):
    vdg.evaluate("colours", conditions=["original"])
"""
SAID = {
    "skip": "Skipped: no GPU here",
    "importorskip": "Skipped: could not import 'no_such_module'*",
    "fail": "Failed: it is dark",
    "xfail": "*XFailed: known to be dark",
    "skiptest": "unittest.case.SkipTest: no GPU here",
    "leave": "SystemExit: 0",
}
WORKERS = pytest.mark.parametrize(
    "workers",
    [(), ("-n", "2"), ("-n", "2", "--vdg-spread")],
    ids=["alone", "xdist", "spread"],
)


@pytest.fixture
def ending(project: Project) -> Project:
    """Return the project with models that end what asks them."""
    (project.path / "endings.py").write_text(BROKEN, encoding="utf-8")
    return project


def by(
    project: Project, moment: str, how: str, *more: str, subprocess: bool = False
) -> pytest.RunResult:
    """Run the suite with the model that ends it at *moment*."""
    backend = f"--vdg-backend=python:endings:{moment}"
    given = f"--vdg-checkpoint={how}", backend, *more
    return project.run(*given, subprocess=subprocess)


def check_not_judged(project: Project, result: pytest.RunResult, how: str) -> None:
    """Check that the one test is an error, and that all say what was raised."""
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"E   COULD NOT BE JUDGED: {SAID[how]}"])
    result.stdout.fnmatch_lines(["vdg: 1 vdg test could not be judged"])
    error = project.junit()["test_sees"].find("error")
    assert error is not None
    raised = SAID[how].strip("*")
    assert raised in error.attrib["message"]
    told = project.properties()["test_sees"]
    assert told["vdg.verdict"] == "COULD NOT BE JUDGED"
    assert raised in told["vdg.not_judged"]


@pytest.mark.parametrize(
    ("moment", "how"),
    [
        *(("asked", how) for how in SAID),
        *((moment, "skip") for moment in ("made", "named", "loaded")),
    ],
)
def test_what_would_end_the_test_is_an_error(
    ending: Project, moment: str, how: str
) -> None:
    """Whatever the model is doing; the place is that of its own code."""
    result = by(ending, moment, how, "--junitxml=out.xml")
    check_not_judged(ending, result, how)
    result.stdout.fnmatch_lines(["E     where     *endings.py:*"])


@WORKERS
@pytest.mark.parametrize("how", ["skip", "leave"])
def test_no_worker_skips_either(
    ending: Project, workers: tuple[str, ...], how: str
) -> None:
    """Whether it asks for its own tests, or along with the others."""
    result = by(ending, "asked", how, "--junitxml=out.xml", *workers)
    check_not_judged(ending, result, how)


@pytest.mark.parametrize("how", ["skip", "skiptest"])
def test_a_test_that_asks_by_hand_is_an_error(ending: Project, how: str) -> None:
    """It is no failure, though its body was running."""
    ending.suite(BY_HAND)
    check_not_judged(ending, by(ending, "asked", how, "--junitxml=out.xml"), how)


def test_a_test_that_asks_the_model_itself_is_an_error(ending: Project) -> None:
    """Where the model's code skips; a skip of the test's own stays one."""
    ending.suite(
        "import pytest\n"
        "from pytest_vdg import Prompt\n"
        "PROMPT = Prompt(text='?', labels=('A', 'B'), option_texts=('a', 'b'))\n"
        "def test_sees(vdg_model):\n"
        "    vdg_model.ask(PROMPT, None)\n"
        "def test_never(vdg_model):\n"
        "    pytest.skip('not on Mondays')\n"
    )
    result = by(ending, "asked", "skip", "--junitxml=out.xml")
    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: Skipped: no GPU here"])
    assert ending.junit()["test_sees"].find("error") is not None


def test_a_hook_that_makes_the_model_is_no_other_road(ending: Project) -> None:
    """What `pytest_vdg_make_backend` calls is the model's own code, too."""
    ending.pytester.makeconftest(
        "import endings\n"
        "def pytest_vdg_make_backend(config, name, settings):\n"
        "    return endings.made(**settings) if name == 'mine' else None\n"
    )
    given = "--vdg-checkpoint=skip", "--vdg-backend=mine", "--junitxml=out.xml"
    check_not_judged(ending, ending.run(*given), "skip")


@pytest.mark.parametrize("backend", ["sighted", "blind"])
def test_a_hook_that_hears_findings_skips_no_test(
    project: Project, backend: str
) -> None:
    """A claim that was judged, and failed perhaps, is not taken back."""
    project.pytester.makeconftest(
        "import pytest\n"
        "def pytest_vdg_finding(item, finding):\n"
        "    pytest.skip('nobody listens')\n"
    )
    result = project.with_model(backend=backend)
    counts = result.parseoutcomes()
    assert counts.get("skipped", 0) == 0
    assert counts.get("errors", 0) >= 1
    result.stdout.fnmatch_lines(["E   *Skipped: nobody listens"])


def test_a_skip_of_the_test_itself_is_a_skip(project: Project) -> None:
    """It is the test's own word, before and after the model was asked."""
    project.suite(
        SUITE + "    pytest.skip('not on Mondays')\n"
        "def test_never(vdg_run):\n"
        "    pytest.skip('not on Mondays')\n"
    )
    project.with_model().assert_outcomes(skipped=2)


def test_a_benchmark_that_skips_is_an_error(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of another package, whose reader may be made for tests."""

    def unread(*given: object, **more: object) -> None:
        pytest.skip("no data here")

    monkeypatch.setattr("pytest_vdg.benchmarks.registry.load_benchmark", unread)
    result = project.with_model()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: Skipped: no data here"])


TWO = SUITE + "\ndef test_other(vdg_run):\n    assert_vdg_above(vdg_run, 0.2)\n"


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
@pytest.mark.parametrize("how", ["exit", "interrupt"])
def test_what_ends_the_session_ends_it(
    ending: Project, workers: tuple[str, ...], how: str
) -> None:
    """As interrupted, and never with the 0 that a model's own code gives."""
    ending.suite(TWO)
    result = by(ending, "asked", how, *workers, subprocess=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    counts = result.parseoutcomes()
    assert not {"passed", "skipped"} & counts.keys()
    if how == "exit":
        told = "vdg: the session was ended by *::test_sees: *Exit: enough where *:*"
        result.stdout.fnmatch_lines([told])


@pytest.mark.parametrize("how", ["exit", "skip"])
def test_the_sight_check_is_ended_as_a_test_is(ending: Project, how: str) -> None:
    """A skip is an error there, and `pytest.exit` the end of all."""
    ending.suite("def test_plain():\n    pass\n")
    result = by(ending, "asked", how, "--vdg-sight", "--vdg-questions=7")
    if how == "skip":
        result.assert_outcomes(errors=1, passed=1)
        result.stdout.fnmatch_lines(["E   COULD NOT BE JUDGED: Skipped: no GPU here"])
    else:
        assert result.ret == pytest.ExitCode.INTERRUPTED
        assert "passed" not in result.parseoutcomes()


def test_another_checkpoint_that_skips_costs_only_its_own_tests(
    ending: Project,
) -> None:
    """What is planned for the model that is held is asked before it is freed."""
    (ending.path / "both.py").write_text(
        "import endings, stub\n"
        "def made(**settings):\n"
        "    bad = str(settings['checkpoint']).endswith('skip')\n"
        "    return (endings.asked if bad else stub.sighted)(**settings)\n",
        encoding="utf-8",
    )
    ending.suite(
        "import pytest\n"
        "from pytest_vdg import assert_vdg_above\n"
        "@pytest.mark.vdg(checkpoint='skip', questions=6)\n"
        "def test_first(vdg_run):\n"
        "    pass\n"
        "@pytest.mark.vdg(checkpoint='good', conditions=['original', 'black'])\n"
        "def test_good(vdg_run):\n"
        "    assert_vdg_above(vdg_run, 0.2)\n"
        "@pytest.mark.vdg(checkpoint='skip', questions=9)\n"
        "def test_last(vdg_run):\n"
        "    pass\n"
    )
    result = ending.run("--vdg-backend=python:both:made")
    result.assert_outcomes(errors=2, passed=1)
    for name in ("test_first", "test_last"):
        told = f"ERROR *::{name} - COULD NOT BE JUDGED: Skipped: no GPU here"
        result.stdout.fnmatch_lines([told])
