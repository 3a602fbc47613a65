"""Both JUnit files of a session: valid, and readable by those who read them.

What the readers show is what `tests.reports.readers` says of their parsers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.plugin.conftest import Project
from tests.reports.readers import READERS, Shown, dorny, enricomi, mikepenz

xmlschema = pytest.importorskip("xmlschema")
SCHEMAS = Path(__file__).parents[1] / "reports" / "junit"
STRICT = xmlschema.XMLSchema(str(SCHEMAS / "strict.xsd"))
COMMON = xmlschema.XMLSchema(str(SCHEMAS / "common.xsd"))

SUITE = """
import pytest
from pytest_vdg import assert_accuracy_above, assert_no_dissociation_regression
from pytest_vdg import assert_vdg_above

@pytest.mark.vdg(conditions=["original", "black"])
def test_sees(vdg_run):
    assert_vdg_above(vdg_run, 0.2)
    assert_accuracy_above(vdg_run, 0.5)

@pytest.mark.vdg(conditions=["original", "black"])
def test_asks_too_much(vdg_run):
    assert_vdg_above(vdg_run, 0.9)

@pytest.mark.vdg(conditions=["original", "black"])
def test_has_no_baseline(vdg_run, vdg_baseline):
    assert_no_dissociation_regression(vdg_run, vdg_baseline)

@pytest.mark.vdg
@pytest.mark.skip(reason="not \\x1b[31mtoday]]>")
def test_later(vdg_run):
    pass
"""
MODEL = ("--vdg-checkpoint", "any", "--vdg-backend", "python:stub:sighted")
FAMILIES = ["xunit1", "xunit2"]
WORKERS = [(), ("-n", "2")]


def files(project: Project, family: str, *more: str) -> tuple[str, str]:
    """Run the suite and return pytest's file and ours."""
    project.suite(SUITE)
    result = project.run(
        *MODEL,
        "--junitxml=out.xml",
        "-o",
        f"junit_family={family}",
        "--vdg-junit=vdg.xml",
        *more,
        subprocess=bool(more),
    )
    result.assert_outcomes(passed=1, failed=1, errors=1, skipped=1)
    out, ours = (project.path / name for name in ("out.xml", "vdg.xml"))
    return out.read_text(encoding="utf-8"), ours.read_text(encoding="utf-8")


def without_extras(xml: str) -> str:
    """Return *xml* without the properties and places of its cases."""
    root = copy.deepcopy(ET.fromstring(xml.encode("utf-8")))
    for case in root.iter("testcase"):
        for properties in case.findall("properties"):
            case.remove(properties)
        for name in ("file", "line"):
            case.attrib.pop(name, None)
    return ET.tostring(root, encoding="unicode")


@pytest.mark.parametrize("more", WORKERS, ids=["alone", "workers"])
@pytest.mark.parametrize("family", FAMILIES)
def test_both_files_are_valid(
    project: Project, family: str, more: Sequence[str]
) -> None:
    """By the common schema as they are, by the strict one but for two extras."""
    for xml in files(project, family, *more):
        assert [str(e.reason) for e in COMMON.iter_errors(xml)] == []
        assert [str(e.reason) for e in STRICT.iter_errors(without_extras(xml))] == []


def test_the_schemas_refuse_what_is_wrong() -> None:
    """The check above is one: a case without a name and a broken time are seen."""
    good = '<testsuites><testsuite name="s" tests="1" failures="0" errors="0">{}'
    good += "</testsuite></testsuites>"
    for bad in ("<testcase/>", '<testcase name="x" time="1e-5"/>', "<case/>"):
        assert not COMMON.is_valid(good.format(bad))
    assert COMMON.is_valid(good.format('<testcase name="x" time="0.1" file="a.py"/>'))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("reader", READERS, ids=str)
def test_readers_show_what_failed(project: Project, reader: str, family: str) -> None:
    """Of a failed and an errored case each shows verdict and numbers, in both files."""
    for xml in files(project, family):
        shown = READERS[reader](xml)
        (failed,) = [s for s in shown if s.outcome in ("failed", "failure")][:1]
        first = next(line for line in failed.text.splitlines() if "pp" in line)
        assert "BELOW FLOOR VDG +50.0pp [" in first
        assert "vs floor +90.0pp" in first
        assert "n=24" in first
        errors = [s for s in shown if "COULD NOT BE JUDGED" in s.text]
        assert len(errors) == 1
        assert "baseline" in errors[0].text


def test_one_reader_tells_errors_from_failures(project: Project) -> None:
    """EnricoMi counts what could not be judged apart; the other two cannot."""
    for xml in files(project, "xunit1"):
        outcomes = [s.outcome for s in enricomi(xml)]
        assert outcomes.count("error") == outcomes.count("failure") == 1
        assert [s.outcome for s in dorny(xml)].count("failed") == 2
        assert [s.outcome for s in mikepenz(xml)].count("failure") == 2


@pytest.mark.parametrize("reader", [dorny, mikepenz], ids=["dorny", "mikepenz"])
def test_passing_numbers_stand_above_the_case(
    project: Project, reader: Callable[[str], list[Shown]]
) -> None:
    """Two readers show only names of what passed, so a suite's name has its numbers."""
    _, ours = files(project, "xunit2")
    found = {s.title.split(".py.")[-1]: s for s in reader(ours)}
    passed = found["assert_vdg_above VDG (test_suite.py::test_sees)"]
    assert passed.outcome == "success"
    assert "colours: ok VDG +50.0pp [+" in passed.heading
    assert "ok accuracy 1.00 [." in passed.heading


def test_the_third_shows_passing_numbers_as_output(project: Project) -> None:
    """EnricoMi lists the suite's output: a line a claim, what passed included."""
    _, ours = files(project, "xunit2")
    (log, *_) = [s.text.splitlines() for s in enricomi(ours) if s.outcome == "log"]
    assert len([line for line in log if line.startswith("ok VDG +50.0pp [")]) == 1
    assert len([line for line in log if line.startswith("BELOW FLOOR VDG")]) == 1


def test_passing_numbers_of_pytests_own_file_are_properties(project: Project) -> None:
    """No reader of the three shows them there, and Jenkins does: value and interval."""
    files(project, "xunit2")
    found = project.properties()["test_sees"]
    assert float(found["vdg.value"]) == 0.5
    assert float(found["vdg.ci_low"]) < 0.5 < float(found["vdg.ci_high"])
    assert found["vdg.verdict"] == "ok"
    assert found["vdg.2.claim"] == "assert_accuracy_above"


def test_the_readers_are_told_where(project: Project) -> None:
    """Ours names file and line of each test under every family; pytest's by xunit1."""
    for family, known in (("xunit1", True), ("xunit2", False)):
        out, ours = files(project, family)
        lines = (project.path / "test_suite.py").read_text(encoding="utf-8").split("\n")
        for xml, told, first in ((out, known, 0), (ours, True, 1)):
            (failed,) = [s for s in enricomi(xml) if s.outcome == "failure"]
            if told:
                assert failed.file == "test_suite.py"
                assert failed.line is not None
                # The decorator is where Python says that a function begins.
                assert lines[failed.line - first].startswith("@pytest.mark.vdg")
                assert lines[failed.line - first + 1].startswith("def test_asks")
            else:
                assert failed.line is None


def test_a_suite_is_a_slice_and_a_case_a_claim(project: Project) -> None:
    """Classes are slices, names are claim, measure and task; the rest has a suite."""
    project.suite(
        "import pytest\n"
        "from pytest_vdg import assert_vdg_above\n"
        "@pytest.mark.vdg\n"
        "@pytest.mark.parametrize('task', ['colour', 'shade'])\n"
        "def test_task(vdg_run, task):\n"
        "    assert_vdg_above(vdg_run, -0.5, task=task)\n"
        "def test_nothing(vdg_run):\n"
        "    pass\n"
    )
    project.with_model("--vdg-junit=vdg.xml").assert_outcomes(passed=3)
    root = ET.parse(project.path / "vdg.xml").getroot()
    (slice_, rest) = root
    assert slice_.attrib["name"].startswith("colours: ok VDG colour +")
    assert [
        (c.attrib["classname"], c.attrib["name"]) for c in slice_.iter("testcase")
    ] == [
        ("colours", "assert_vdg_above VDG / colour"),
        ("colours", "assert_vdg_above VDG / shade"),
    ]
    assert [c.attrib["name"] for c in rest.iter("testcase")] == ["test_nothing"]


def test_why_a_session_fails_is_a_case(project: Project) -> None:
    """Ours counts one error more; the file of pytest has no place for it."""
    project.suite("def test_nothing(vdg_run):\n    pass\n")
    project.with_model("--vdg-junit=vdg.xml").assert_outcomes(passed=1)
    root = ET.parse(project.path / "vdg.xml").getroot()
    assert root.attrib["errors"] == "1"
    (error,) = root.iter("error")
    assert error.attrib["message"].startswith("nothing was judged: 1 vdg test ran")


def test_what_is_deselected_is_not_there(project: Project) -> None:
    """With -k the file holds what ran."""
    project.suite(SUITE)
    project.with_model("--vdg-junit=vdg.xml", "-k", "sees").assert_outcomes(
        passed=1, deselected=3
    )
    root = ET.parse(project.path / "vdg.xml").getroot()
    assert root.attrib["tests"] == "2"


def test_a_session_that_is_cut_short_leaves_a_file(project: Project) -> None:
    """After Ctrl-C it holds what ran before, and says that this was not all."""
    project.suite(SUITE + "\ndef test_stop(vdg_run):\n    raise KeyboardInterrupt\n")
    result = project.run(*MODEL, "--vdg-junit=vdg.xml", subprocess=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    xml = (project.path / "vdg.xml").read_text(encoding="utf-8")
    assert COMMON.is_valid(xml)
    messages = [e.get("message", "") for e in ET.fromstring(xml).iter("error")]
    assert any("interrupted" in message for message in messages)
    assert any(s.title == "assert_accuracy_above accuracy" for s in dorny(xml))
