"""``vdg baseline promote``: what it writes, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.runs import Run
from pytest_vdg.store.criteria import Criterion
from pytest_vdg.store.runfile import load_recorded
from tests import test_baseline_command as command
from tests.test_baseline_command import (
    CLAIM,
    SIGHTED,
    WORSE,
    Say,
    candidate,
    made,
    place,
)

here, say = command.here, command.say


def test_promoting_writes_the_file_and_shows_what_changes(say: Say) -> None:
    """The reason stands in the header, the margins stay, nothing else is touched."""
    held = Criterion(**CLAIM, margin=0.05)  # type: ignore[arg-type]
    path = place(made(SIGHTED), "sight.jsonl", criteria=(held,))
    other = place(made(SIGHTED), "other.jsonl").read_bytes()
    candidate(made(WORSE))
    code, out, _ = say("promote", "sight", "--reason", "new encoder")
    assert code == 0
    assert "VDG +40.0pp" in out
    assert "original 1.00 -> .900" in out
    found = load_recorded(path)
    assert found.run.counts("original").correct == 36
    assert (found.reason, found.criteria) == ("new encoder", (held,))
    assert Path("vdg_baselines", "other.jsonl").read_bytes() == other
    assert "unchanged" in say("promote", "sight")[1]


def test_promoting_needs_a_reason_for_a_larger_margin_as_well(say: Say) -> None:
    """What the candidate's tests claimed without one is not recorded."""
    path = place(
        made(SIGHTED),
        "sight.jsonl",
        criteria=(Criterion(**CLAIM, margin=0.05),),  # type: ignore[arg-type]
    )
    candidate(made(WORSE), criteria=(Criterion(**CLAIM, margin=0.08),))  # type: ignore[arg-type]
    assert say("promote", "sight")[0] == 0
    assert [c.margin for c in load_recorded(path).criteria] == [0.05]
    why = Criterion(**CLAIM, margin=0.08, reason="noisy")  # type: ignore[arg-type]
    candidate(made(SIGHTED), criteria=(why,))
    assert say("promote", "sight")[0] == 0
    (found,) = load_recorded(path).criteria
    assert (found.margin, found.was, found.reason) == (0.08, 0.05, "noisy")


UNJUDGED = {"original": "C" * 40, "black": "F" * 10 + "W" * 30}
FEWER = {name: letters[:30] for name, letters in SIGHTED.items()}
ONE = {"original": "C" * 40}


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (made(UNJUDGED), "COULD NOT BE JUDGED"),
        (made(FEWER), "10 questions of the baseline would be lost (first: q0030)"),
        (made(ONE), "condition black would be lost"),
        (replace(made(SIGHTED), slice_name="else"), "a run of another slice, 'else'"),
        (replace(made(SIGHTED), planned={"all": 50}), "a part of its slice only"),
    ],
    ids=["unjudged", "fewer", "condition", "slice", "part"],
)
def test_what_speaks_against_it_is_refused(say: Say, run: Run, told: str) -> None:
    """Nothing is written, and the exit code says so; ``--force`` means it."""
    path = place(made(SIGHTED), "sight.jsonl")
    good = candidate(made(WORSE), "fine.jsonl")
    before = path.read_bytes()
    candidate(run)
    code, out, _ = say("promote", "fine", "sight")
    assert code == 1
    assert told in out
    assert path.read_bytes() == before
    assert not path.with_name(good.name).exists()
    assert say("promote", "sight", "--force")[0] == 0
    assert path.read_bytes() != before


def test_a_candidate_of_another_environment_is_refused(say: Say) -> None:
    """A number of one machine is no baseline of another."""
    candidate(made(SIGHTED), environment="h100")
    code, out, _ = say("promote", "sight")
    assert code == 1
    assert "made in another environment, 'h100'" in out


def test_in_ci_it_is_refused_unless_forced(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A baseline is looked at before it counts."""
    candidate(made(SIGHTED))
    monkeypatch.setenv("CI", "true")
    code, _, err = say("promote", "sight")
    assert code == 4
    assert "refused because CI=true" in err
    assert not Path("vdg_baselines").exists()
    assert say("promote", "sight", "--force")[0] == 0


def test_a_broken_baseline_is_kept_beside(say: Say) -> None:
    """Promoting replaces what cannot be read, and loses nothing of it."""
    path = place(made(SIGHTED), "sight.jsonl")
    path.write_bytes(b"half a fi")
    candidate(made(SIGHTED))
    assert "kept as .bak" in say("promote", "sight")[1]
    assert path.with_name("sight.jsonl.bak").read_bytes() == b"half a fi"
    path.write_bytes(b"another")
    assert say("promote", "sight")[1].splitlines()[0].endswith("is kept as .bak2")
    assert path.with_name("sight.jsonl.bak").read_bytes() == b"half a fi"
    assert path.with_name("sight.jsonl.bak2").read_bytes() == b"another"


def test_a_broken_candidate_is_refused(say: Say) -> None:
    """Its path is named; the baseline stays."""
    path = place(made(SIGHTED), "sight.jsonl")
    before = path.read_bytes()
    broken = candidate(made(WORSE))
    broken.write_bytes(broken.read_bytes()[:300])
    code, _, err = say("promote", "sight", "--force")
    assert code == 1
    assert str(broken) in err
    assert path.read_bytes() == before


def test_there_must_be_something_to_promote(say: Say) -> None:
    """Neither a name nor a candidate is a usage error."""
    place(made(SIGHTED), "sight.jsonl")
    assert say("promote")[0] == 4
    code, _, err = say("promote", "sight")
    assert (code, "there is no candidate of slice 'sight'" in err) == (4, True)
