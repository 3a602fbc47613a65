"""Our JUnit file: valid whatever it is made of, and every case what it came to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import StoreError
from pytest_vdg.reports.junit import NO_VERDICT, SESSION, to_xml, write
from pytest_vdg.reports.properties import from_properties
from pytest_vdg.reports.results import TestResult
from pytest_vdg.verdicts import Verdict
from tests.reports.build import FLOOR, REGRESSION
from tests.reports.session import (
    LET_PASS,
    NASTY,
    REGRESSED,
    RESULTS,
    SEES,
    SKIPPED,
    UNDECIDED,
)

xmlschema = pytest.importorskip("xmlschema")
SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "junit" / "common.xsd"))


def of(*tests: TestResult, **more: object) -> ET.Element:
    """Return the document of *tests*, parsed and found valid."""
    xml = to_xml(replace(RESULTS, tests=tests, **more))  # type: ignore[arg-type]
    assert SCHEMA.is_valid(xml)
    return ET.fromstring(xml.encode("utf-8"))


def kinds(root: ET.Element) -> dict[str, str]:
    """Return what became of each case, by its name."""
    bad = ("failure", "error", "skipped")
    return {
        case.attrib["name"]: next((c.tag for c in case if c.tag in bad), "passed")
        for case in root.iter("testcase")
    }


ANY_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=()), st.sampled_from("\x00\x0b]<&\ud800")
    )
)


@given(ANY_TEXT.filter(str.strip), ANY_TEXT.filter(str.strip))
def test_it_is_valid_whatever_is_said(name: str, message: str) -> None:
    """No name and no message, control characters and lone surrogates too, breaks it."""
    failed = replace(
        REGRESSED,
        name=name,
        file=name,
        message=message,
        findings=(replace(REGRESSION, slice_name=name, task=name, message=message),),
        loosened=(message,),
    )
    lost = TestResult(name=name, outcome="error", message=message)
    root = of(failed, lost, faults=(message,))
    assert root.attrib["tests"] == "3"


def test_what_xml_cannot_hold_is_spelt_out() -> None:
    """A reader sees that there was something, and emoji and Chinese as they are."""
    message = f"COULD NOT BE JUDGED: {NASTY}"
    root = of(TestResult(name="t.py::x", outcome="error", message=message))
    (error,) = root.iter("error")
    assert "\\u001b[31m\\u0000\\ud800" in (error.text or "")
    assert "]]> \\ &amp; <!--" in (error.text or "")
    assert "\U0001f600 \u5f71\u7247" in (error.text or "")
    assert error.attrib["message"] == "COULD NOT BE JUDGED: a | b"


def test_each_case_is_what_its_claim_came_to() -> None:
    """A claim that held passes also where another of its test failed."""
    both = replace(REGRESSED, findings=(FLOOR, REGRESSION))
    assert kinds(of(both, SKIPPED)) == {
        "assert_vdg_above VDG / Action Antonym": "passed",
        "assert_no_dissociation_regression VDG change": "failure",
        "test_later": "skipped",
    }


def test_a_failure_begins_with_verdict_and_numbers() -> None:
    """No type stands before it, and the text goes on where the message ends."""
    (failure,) = of(REGRESSED).iter("failure")
    assert failure.attrib == {"message": REGRESSION.summary}
    assert failure.text == REGRESSION.message


def test_what_was_let_pass_passes_and_tells() -> None:
    """INCONCLUSIVE as a warning is no failure here, and its numbers are there."""
    root = of(LET_PASS)
    assert kinds(root) == {"assert_vdg_above VDG / Action Antonym": "passed"}
    (output,) = root.iterfind("testsuite/testcase/system-out")
    assert output.text == UNDECIDED.message


@pytest.mark.parametrize("message", ["INCONCLUSIVE VDG", "xfailed: known"])
def test_what_was_excused_is_skipped(message: str) -> None:
    """A claim against the model in a test that was skipped fails nothing."""
    excused = replace(REGRESSED, outcome="skipped", message=message)
    assert list(kinds(of(excused)).values()) == ["skipped"]


def test_a_failure_that_no_claim_explains_is_a_case() -> None:
    """A test that fails after its claim held is not lost."""
    broken = replace(SEES, outcome="failed", message="KeyError: 'x'")
    found = kinds(of(broken))
    assert found["test_sees"] == "failure"
    assert list(found.values()).count("passed") == 2


def test_an_error_counts_beside_the_claims_before_it() -> None:
    """What could not be judged in the body comes after claims that held."""
    found = kinds(of(replace(SEES, outcome="error", message="COULD NOT BE JUDGED: x")))
    assert found["test_sees"] == "error"


def test_names_differ() -> None:
    """Readers take namesakes for retries of one test and keep the one that passed."""
    other = replace(SEES, name="tests/test_a.py::test_other")
    names = [c.attrib["name"] for c in of(SEES, other, other).iter("testcase")]
    assert len(set(names)) == len(names) == 6
    assert "assert_accuracy_above accuracy (tests/test_a.py::test_sees)" in names


def test_the_properties_of_a_case_make_its_finding_again() -> None:
    """All but the text, which is the text of the case."""
    (case,) = of(REGRESSED).iter("testcase")
    pairs = [(p.attrib["name"], p.attrib["value"]) for p in case.iter("property")]
    assert ("vdg.loosened", REGRESSED.loosened[0]) in pairs
    (finding,) = from_properties([*pairs, ("vdg.message", "x")])
    assert finding == replace(REGRESSION, message="x")


def test_time_counts_once() -> None:
    """The seconds of a test with two claims are not counted twice."""
    root = of(SEES, REGRESSED)
    assert float(root.attrib["time"]) == pytest.approx(1.75)


def test_numbers_in_names_have_intervals_and_an_end() -> None:
    """The name of a suite holds four numbers at most, each with its interval."""
    findings = tuple(replace(FLOOR, task=f"task {i}") for i in range(9))
    (suite,) = of(replace(SEES, findings=findings))
    said = suite.attrib["name"].removeprefix("tvbench: ").split("; ")
    assert said[:4] == [f"ok VDG task {i} +18.6pp [+12.1, +25.1]" for i in range(4)]
    assert said[4:] == ["and 5 more ok"]


def test_what_has_no_slice_has_a_suite() -> None:
    """Skipped tests and faults of the session stand apart, named as pytest's."""
    nested = TestResult(name="tests/a/test_b.py::Test::test_c[x::y]", outcome="passed")
    root = of(nested, faults=("nothing was judged",))
    assert [suite.attrib["name"] for suite in root] == [NO_VERDICT, SESSION]
    (case,) = root[0].iter("testcase")
    assert case.attrib["classname"] == "tests.a.test_b.Test"
    assert case.attrib["name"] == "test_c[x::y]"


def test_an_empty_session_is_a_valid_file() -> None:
    """Nothing ran: no suite, no case."""
    assert of().attrib["tests"] == "0"


def test_it_replaces_the_file_or_leaves_it(tmp_path: Path) -> None:
    """Folders are made; where that is impossible, it is said and nothing is lost."""
    path = tmp_path / "deep" / "vdg.xml"
    assert list(write(RESULTS, str(path))) == [str(path)]
    assert ET.parse(path).getroot().tag == "testsuites"
    blocked = path / "below-a-file.xml"
    with pytest.raises(StoreError, match=r"below-a-file\.xml"):
        write(RESULTS, str(blocked))
    assert [p.name for p in path.parent.iterdir()] == ["vdg.xml"]


def test_nothing_tells_of_this_machine() -> None:
    """The root of the project and the name of the host are in no file."""
    xml = to_xml(replace(RESULTS, root="/home/someone"))
    assert "someone" not in xml
    assert "hostname" not in xml


def test_all_verdicts_are_told() -> None:
    """Every verdict against a claim is a failure with its name in front."""
    for verdict in set(Verdict) - {Verdict.PASS}:
        told = replace(REGRESSION, verdict=verdict, message=f"{verdict} VDG 1 [0, 2]")
        root = of(replace(REGRESSED, findings=(told,)))
        (failure,) = root.iter("failure")
        assert failure.attrib["message"].startswith(verdict.value)
