"""What tells the sight checks of a session apart, and what one comes to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.assertions import ClaimFailed
from pytest_vdg.sessions.sight import Sight
from pytest_vdg.sessions.sight_step import claim, names_of
from pytest_vdg.verdicts import Verdict, collect_findings
from tests.sessions.test_sight import judged

FOLDERS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)


@given(st.lists(FOLDERS, unique_by=tuple, max_size=8))
def test_each_folder_has_a_name_of_its_own(folders: list[list[str]]) -> None:
    """The end of its path, no two alike, in the order given."""
    paths = ["/".join(["", *folder]) for folder in folders]
    names = names_of(paths)
    assert len(set(names)) == len(paths)
    assert all(p.endswith(n) for p, n in zip(paths, names, strict=True))


@given(st.lists(st.text(" _-2", min_size=1, max_size=4), unique=True, max_size=8))
def test_what_only_replaced_signs_told_apart_has_a_number(folders: list[str]) -> None:
    """No check stands in for another, however alike their folders are written."""
    names = names_of([f"/runs/{folder}" for folder in folders])
    assert len(set(names)) == len(folders)


@given(st.lists(FOLDERS, unique_by=tuple, min_size=1, max_size=8))
def test_a_name_is_no_longer_than_it_must_be(folders: list[list[str]]) -> None:
    """A folder whose own name is nobody else's is called by that alone."""
    last = [folder[-1] for folder in folders]
    names = names_of(["/".join(["", *folder]) for folder in folders])
    for own, name in zip(last, names, strict=True):
        assert (name == own) or last.count(own) > 1


@pytest.mark.parametrize(
    ("checkpoint", "name"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct"),
        ("org/name@main", "org/name@main"),
        ("/runs/step [9]::x\n", "step__9__x_"),
    ],
)
def test_ids_stay_and_what_node_ids_are_made_of_goes(
    checkpoint: str, name: str
) -> None:
    """A bracket would begin parameters, two colons another part."""
    assert names_of([checkpoint]) == (name,)


@pytest.mark.parametrize(
    ("counts", "floor", "verdict", "led"),
    [
        ((17, 43, 0), 19, Sight.SEES, None),
        ((19, 0, 1), 19, Sight.DOES_NOT_SEE, Verdict.BELOW_FLOOR),
        ((20, 10, 0), 26, Sight.INCONCLUSIVE, Verdict.INCONCLUSIVE),
    ],
)
def test_two_findings_are_told_and_the_deciding_one_leads(
    counts: tuple[int, int, int], floor: int, verdict: Sight, led: Verdict | None
) -> None:
    """Nobody hears of what was only tried; the message says what the check came to."""
    with collect_findings() as tried:
        found = judged(*counts, floor=floor)
    assert tried == []
    assert found.verdict is verdict
    failed = None
    with collect_findings() as told:
        try:
            claim(found)
        except ClaimFailed as error:
            failed = error
    plain = [replace(each, message=each.summary) for each in told]
    assert plain == [replace(each, message=each.summary) for each in found.claims]
    assert all(f"\n  sight     {verdict}, by two claims" in f.message for f in told)
    assert (None if failed is None else failed.finding.verdict) is led
