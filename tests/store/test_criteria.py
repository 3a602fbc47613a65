"""Criteria of a baseline: kept in its file, and what a later claim makes of them."""

from __future__ import annotations

import json
import math
import multiprocessing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import StoreError
from pytest_vdg.store._parse import Recorded
from pytest_vdg.store.criteria import Criterion, from_record, to_record
from pytest_vdg.store.runfile import load_recorded, load_run, save_recorded, save_run
from tests.store.examples import cell, run

MARGINS = st.floats(0, 1)
SURE = st.none() | st.floats(0.5, 0.999)
REASONS = st.text(min_size=1)


def criterion(margin: float = 0.05, **changes: object) -> Criterion:
    """Return a criterion of the claim that most baselines are held to."""
    values: dict[str, object] = {
        "claim": "assert_no_dissociation_regression",
        "measure": "VDG change",
        "margin": margin,
    }
    return Criterion(**(values | changes))  # type: ignore[arg-type]


@given(
    st.builds(
        Criterion,
        claim=REASONS,
        measure=REASONS,
        margin=MARGINS,
        was=st.none() | MARGINS,
        reason=st.text(),
        task=st.none() | st.text(min_size=1),
        confidence=SURE,
        confidence_was=SURE,
    )
)
def test_a_criterion_comes_back(made: Criterion) -> None:
    """Through JSON and back nothing is lost, to the last bit."""
    text = json.dumps(to_record(made), allow_nan=False)
    assert from_record(json.loads(text)) == made


@given(first=MARGINS, second=MARGINS)
def test_without_a_reason_no_margin_ever_grows(first: float, second: float) -> None:
    """Whatever is claimed, what is recorded allows no more than before."""
    after = criterion(second).after(criterion(first))
    assert after.margin <= first + 1e-9


@given(margins=st.tuples(MARGINS, MARGINS), sure=st.tuples(SURE, SURE))
def test_without_a_reason_no_confidence_is_lost(
    margins: tuple[float, float], sure: tuple[float | None, float | None]
) -> None:
    """Whatever is claimed of the margin, what is recorded asks for as much evidence."""
    before = criterion(margins[0], confidence=sure[0])
    after = criterion(margins[1], confidence=sure[1]).after(before)
    assert not after.less_sure_than(sure[0])
    assert sure[0] is None or after.confidence is not None
    assert after.confidence_was is None


def test_the_first_confidence_stays_to_be_seen() -> None:
    """95, then 90, then 80 %: what it was is 95 %, and with 95 again it is gone."""
    held = criterion(confidence=0.95)
    for sure in (0.9, 0.8):
        held = criterion(confidence=sure, reason="few clips").after(held)
        assert (held.confidence, held.confidence_was) == (sure, 0.95)
        assert held.reason == "few clips"
    held = criterion(confidence=0.95).after(held)
    assert (held.confidence, held.confidence_was, held.reason) == (0.95, None, "")


def test_a_smaller_margin_does_not_buy_confidence() -> None:
    """What is tightened is recorded; what is looser without a word is not."""
    held = criterion(0.05, confidence=0.95)
    both = criterion(0.03, confidence=0.8)
    assert both.looser_than(held)
    assert both.after(held) == criterion(0.03, confidence=0.95)


def test_a_file_of_before_knows_no_confidence(tmp_path: Path) -> None:
    """It is read, holds nobody to one, and takes the first that is claimed."""
    path = tmp_path / "sight.jsonl"
    save_recorded(Recorded(run=run(), criteria=(criterion(),)), path)
    assert "confidence" not in path.read_text()
    (old,) = load_recorded(path).criteria
    assert old.confidence is None
    assert not criterion(confidence=0.6).looser_than(old)
    assert criterion(confidence=0.6).after(old).confidence == 0.6


@given(margins=st.lists(MARGINS, min_size=2, max_size=6), why=REASONS)
def test_once_loosened_it_shows_a_smaller_margin_that_was(
    margins: list[float], why: str
) -> None:
    """However often it grows, `was` is below the margin, and there is a reason."""
    held = criterion(margins[0])
    for margin in margins[1:]:
        held = criterion(margin, reason=why).after(held)
    assert held.was is None or (held.was < held.margin and held.reason)


def test_the_first_margin_stays_to_be_seen() -> None:
    """5, then 8, then 12 points: what it was is 5, not 8."""
    first = criterion(0.08, reason="a").after(criterion(0.05))
    assert (first.was, first.reason) == (0.05, "a")
    second = criterion(0.12, reason="b").after(first)
    assert (second.was, second.reason) == (0.05, "b")


@pytest.mark.parametrize("margin", [math.nan, math.inf, -0.1, 1.5])
def test_a_margin_that_is_none_is_refused(margin: float) -> None:
    """NaN is no criterion: everything would be within it, or nothing."""
    with pytest.raises(ValueError, match="margin must lie in"):
        criterion(margin)


def test_a_file_says_its_criteria_in_one_line(tmp_path: Path) -> None:
    """They follow the header, sorted, and the run is the same without them."""
    path = tmp_path / "sight.jsonl"
    held = (criterion(0.08, was=0.05, reason="noisy"), criterion(0.1, task="colour"))
    save_recorded(Recorded(run=run(), reason="why", criteria=held[::-1]), path)
    found = load_recorded(path)
    assert (found.reason, found.criteria, found.environment) == ("why", held, None)
    save_run(run(), tmp_path / "plain.jsonl")
    assert found.run == load_run(tmp_path / "plain.jsonl")
    lines = path.read_text().splitlines()
    assert len(lines) == 8 + 2
    assert json.loads(lines[7])["criteria"][0]["was"] == 0.05


def test_a_file_without_extras_is_as_it_was(tmp_path: Path) -> None:
    """Readers of the first version read on; with extras the file says version 2."""
    plain, more = tmp_path / "plain.jsonl", tmp_path / "more.jsonl"
    save_run(run(), plain)
    save_recorded(Recorded(run=run(), environment="h100"), more)
    first = [json.loads(p.read_text().splitlines()[0]) for p in (plain, more)]
    assert [f["version"] for f in first] == [1, 2]
    assert "environment" not in first[0]
    assert load_recorded(plain).criteria == ()
    assert load_recorded(more).environment == "h100"


@pytest.mark.parametrize(
    "bad",
    [
        '{"criteria":3}',
        '{"criteria":[{"claim":"a"}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":"5"}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":true}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":7.0}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":0.1,"bound":1}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":0.1}]}'.replace(
            "[", '[{"claim":"a","measure":"m","margin":0.2},'
        ),
        '{"criteria":[{"claim":"a","measure":"m","margin":NaN}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":0.1,"confidence":95}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":0.1,"confidence":1.5}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":0.1,"confidence":0}]}',
        '{"criteria":[{"claim":"a","measure":"m","margin":0.1,"confidence":"95%"}]}',
    ],
)
def test_criteria_that_mean_nothing_are_refused_with_their_line(
    tmp_path: Path, bad: str
) -> None:
    """A margin that someone mistyped holds nobody to anything."""
    path = tmp_path / "sight.jsonl"
    save_recorded(Recorded(run=run(), criteria=(criterion(),)), path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:7], bad, *lines[8:]]) + "\n")
    with pytest.raises(StoreError, match=r"sight.jsonl:8: "):
        load_recorded(path)


def test_numpy_numbers_are_written_as_numbers(tmp_path: Path) -> None:
    """A ``float32`` of a model is no reason to lose the file in mid-write."""
    path = tmp_path / "sight.jsonl"
    odd = cell("q1", probabilities={"A": np.float32(0.75), "B": np.float32(0.25)})
    margin = float(np.float32(0.05))
    held = (criterion(np.float32(0.05), was=np.float32(0.25)),)
    save_recorded(Recorded(run=run(cells=[odd]), criteria=held), path, full=True)
    found = load_recorded(path)
    assert found.run.cells["q1", "original"].probabilities == {"A": 0.75, "B": 0.25}
    assert [(c.margin, c.was) for c in found.criteria] == [(margin, 0.25)]


@pytest.mark.parametrize("number", [np.float32("nan"), float("inf")])
def test_no_number_that_is_none_is_written(tmp_path: Path, number: float) -> None:
    """Nothing of the old file is lost, and nothing is left beside it."""
    path = tmp_path / "sight.jsonl"
    save_run(run(), path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="cannot be written"):
        save_run(run(cells=[cell("q1", label_mass=number)]), path, full=True)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


UPDATES = 50
WRITERS = 4


def write_many(folder: str, writer: int) -> None:
    """Write a file of its own and one that all share, many times over."""
    for number in range(UPDATES):
        reason = f"{writer}-{number}"
        recorded = Recorded(run=run(), reason=reason, criteria=(criterion(),))
        save_recorded(recorded, Path(folder) / f"own-{reason}.jsonl")
        save_recorded(recorded, Path(folder) / "shared.jsonl")


def test_four_writers_lose_no_file(tmp_path: Path) -> None:
    """4 x 50 updates at once: 200 files, each whole, and the one they share too."""
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=write_many, args=(str(tmp_path), number))
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    found = {p.name for p in tmp_path.iterdir()}
    own = {f"own-{w}-{n}.jsonl" for w in range(WRITERS) for n in range(UPDATES)}
    assert found == own | {"shared.jsonl"}
    reasons = {load_recorded(tmp_path / name).reason for name in own}
    assert len(reasons) == WRITERS * UPDATES
    assert load_recorded(tmp_path / "shared.jsonl").reason in reasons
