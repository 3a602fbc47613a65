"""Findings cross process borders and JUnit files without losing a digit."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vdg.reports.properties import (
    all_to_properties,
    from_properties,
    to_properties,
)
from pytest_vdg.verdicts import Finding, Verdict
from tests.reports.build import FLOOR, REGRESSION

numbers = st.floats(allow_nan=False, allow_infinity=False)
# Any character there is, lone surrogates and controls included.
anything = st.text(st.characters(), max_size=30)
findings = st.builds(
    Finding,
    claim=anything,
    verdict=st.sampled_from(Verdict),
    measure=anything,
    estimate=numbers,
    low=numbers,
    high=numbers,
    confidence=numbers,
    bound=numbers,
    bound_is=st.sampled_from(["floor", "ceiling"]),
    n=st.integers(1, 99),
    n_planned=st.none() | st.integers(100),
    n_videos=st.integers(0),
    smallest_detectable=numbers,
    slice_name=anything,
    checkpoint=anything,
    task=st.none() | anything,
    baseline=st.none() | anything,
    accuracies=st.lists(
        st.tuples(anything.filter(bool), numbers), unique_by=lambda pair: pair[0]
    ).map(tuple),
    message=anything.filter(str.strip),
)


@settings(deadline=None, max_examples=50)
@given(st.lists(findings, max_size=3))
def test_what_was_found_comes_back(found: list[Finding]) -> None:
    """Through JSON, as xdist sends it, every field is the same."""
    sent = json.loads(json.dumps(all_to_properties(found)))
    assert from_properties(sent) == found


@settings(deadline=None, max_examples=50)
@given(findings)
def test_an_xml_file_can_hold_it(finding: Finding) -> None:
    """A strict parser reads the same properties back from attributes."""
    pairs = to_properties(finding)
    root = ET.Element("properties")
    for name, value in pairs:
        ET.SubElement(root, "property", name=name, value=value)
    read = ET.fromstring(ET.tostring(root, encoding="utf-8"))
    assert [(p.attrib["name"], p.attrib["value"]) for p in read] == pairs


def test_names_and_values_word_for_word() -> None:
    """Dashboards depend on these names."""
    assert to_properties(REGRESSION) == [
        ("vdg.claim", "assert_no_dissociation_regression"),
        ("vdg.verdict", "REGRESSION"),
        ("vdg.measure", "VDG change"),
        ("vdg.value", "-0.095"),
        ("vdg.ci_low", "-0.142"),
        ("vdg.ci_high", "-0.047"),
        ("vdg.confidence", "0.95"),
        ("vdg.bound", "-0.05"),
        ("vdg.bound_is", "floor"),
        ("vdg.mde", "0.06"),
        ("vdg.n", "296"),
        ("vdg.videos", "120"),
        ("vdg.slice", "videomme"),
        ("vdg.checkpoint", "/models/qwen"),
        ("vdg.baseline", "videomme"),
        (
            "vdg.message",
            r"REGRESSION VDG -9.5pp [-14.2, -4.7] vs baseline videomme\n  claim  x",
        ),
        ("vdg.accuracy.black", "0.39"),
        ("vdg.accuracy.original", "0.61"),
    ]


def test_the_second_finding_has_its_own_names() -> None:
    """Two claims of one test stay apart, the first as if alone."""
    names = [name for name, _ in all_to_properties([FLOOR, REGRESSION])]
    assert "vdg.value" in names
    assert "vdg.2.value" in names
    assert len(names) == len(set(names))


def test_what_was_not_measured_is_left_out() -> None:
    """No empty baseline, no task called None."""
    names = [name for name, _ in to_properties(replace(FLOOR, task=None))]
    assert "vdg.baseline" not in names
    assert "vdg.task" not in names


def test_properties_of_others_are_ignored() -> None:
    """Other plugins write what they like, also under names like ours."""
    foreign = [
        ("owner", "me"),
        ("vdg.fingerprint", "abc"),
        ("vdg.0.value", "1"),
        ("vdg.7.value", "0.3"),
        ("VDG.claim", "x"),
        (3, 4),
        ("vdg.claim.x", None),
    ]
    sent = [*foreign, *all_to_properties([FLOOR, REGRESSION]), *foreign[:2]]
    assert from_properties(sent) == [FLOOR, REGRESSION]
    assert from_properties(foreign) == []


def test_a_finding_with_a_part_missing_is_an_error() -> None:
    """A lost verdict must not look like no verdict."""
    sent = [pair for pair in to_properties(FLOOR) if pair[0] != "vdg.verdict"]
    with pytest.raises(
        ValueError, match=r"assert_vdg_above\) has no property 'verdict'"
    ):
        from_properties(sent)


def test_a_finding_that_is_there_twice_is_an_error() -> None:
    """Two claims under one number would mix."""
    with pytest.raises(ValueError, match=r"'vdg\.claim' is there twice"):
        from_properties(to_properties(FLOOR) * 2)


def test_numbers_begin_at_one() -> None:
    """There is no finding before the first."""
    with pytest.raises(ValueError, match="numbered from 1"):
        to_properties(FLOOR, number=0)
