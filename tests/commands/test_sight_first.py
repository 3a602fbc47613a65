"""``vdg run --sight``, and models whose own code breaks, in every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vdg import cli
from tests.commands.test_sight import by, here  # noqa: F401

Captured = pytest.CaptureFixture[str]
CLAIM = ["--claim", "vdg_above slice=sight questions=14 floor=0.1"]
FEW = ["--questions", "24"]


def ran(model: str, *more: str) -> list[str]:
    """Return a command line of ``vdg run`` that begins with the check of *model*."""
    return ["run", *by(model)[1:], "--sight", *FEW, *more]


def test_the_check_is_the_first_claim(here: Path, capsys: Captured) -> None:  # noqa: F811
    """It counts as one, with both findings in the table; its answers are used again."""
    assert cli.main(ran("sighted", *CLAIM, "--json", "out.json")) == 0
    assert "vdg: 2 claims hold" in capsys.readouterr().out
    found = json.loads((here / "out.json").read_text(encoding="utf-8"))
    first, second = found["tests"]
    assert (first["test"], first["file"]) == ("vdg-sight::any", None)
    assert second["test"] == CLAIM[1]
    claims = [each["claim"] for each in found["findings"]]
    assert claims == ["assert_vdg_above", "assert_accuracy_above", "assert_vdg_above"]
    assert found["asked"] == 48


def test_alone_it_is_judged_and_no_ladder_is_shown(
    here: Path,  # noqa: F811
    capsys: Captured,
) -> None:
    """Something was claimed: 0 where it sees, 1 with the verdict where it does not."""
    assert cli.main(ran("sighted")) == 0
    out = capsys.readouterr().out
    assert "vdg: 1 claim holds" in out
    assert "visual gain" not in out
    assert cli.main(ran("blind")) == 1
    out = capsys.readouterr().out
    assert "---- vdg-sight::any ----\nBELOW FLOOR VDG +0.0pp" in out
    assert "vdg: 0 claims hold, 1 failed" in out


def test_claims_about_one_that_does_not_see_are_judged_all_the_same(
    here: Path,  # noqa: F811
    capsys: Captured,
) -> None:
    """Their own verdicts count, as in a session of tests."""
    assert cli.main(ran("blind", *CLAIM)) == 1
    assert "vdg: 0 claims hold, 2 failed" in capsys.readouterr().out
    assert cli.main(ran("dropped", *CLAIM)) == 1
    assert "0 claims hold, 2 could not be judged" in capsys.readouterr().out


NAMED = """
from sight_models import blind, sighted


def by_name(**settings):
    return (blind if settings["checkpoint"] == "blind" else sighted)(**settings)
"""
KEPT = "no_dissociation_regression slice=sight questions=14 vdg_margin=0.9"


@pytest.mark.parametrize(
    ("claim", "checked"), [(KEPT, ["any", "blind"]), (CLAIM[1], ["any"])]
)
def test_the_checkpoint_that_is_the_baseline_is_checked_too(
    here: Path,  # noqa: F811
    claim: str,
    checked: list[str],
) -> None:
    """Where a claim compares with it; of a blind one nothing can be lost."""
    (here / "named_models.py").write_text(NAMED, encoding="utf-8")
    line = ["run", "any", "--backend", "python:named_models:by_name", "--sight", *FEW]
    more = ["--compare-to", "blind", "--claim", claim, "--json", "out.json"]
    assert cli.main([*line, *more]) == int("blind" in checked)
    found = json.loads((here / "out.json").read_text(encoding="utf-8"))
    names = [each["test"] for each in found["tests"]]
    assert names == [*(f"vdg-sight::{name}" for name in checked), claim]


def test_variable_and_file_say_it_too(
    here: Path,  # noqa: F811
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command line need not; the variable may say no to what the file says."""
    (here / "vdg.yaml").write_text("sight: true\n", encoding="utf-8")
    line = [each for each in ran("sighted", *CLAIM) if each != "--sight"]
    assert cli.main(line) == 0
    assert "vdg: 2 claims hold" in capsys.readouterr().out
    monkeypatch.setenv("VDG_SIGHT", "0")
    assert cli.main(line) == 0
    assert "vdg: 1 claim holds" in capsys.readouterr().out


def test_stored_runs_cannot_be_checked(here: Path, capsys: Captured) -> None:  # noqa: F811
    """No model is asked: the configuration is wrong, and nothing is judged."""
    (here / "runs").mkdir()
    assert cli.main(ran("sighted", *CLAIM, "--replay", "runs")) == 4
    told = "vdg: --vdg-sight and --vdg-replay: the check asks a model"
    assert capsys.readouterr().err.startswith(told)


@pytest.mark.parametrize("command", ["sight", "ladder", "watch", "doctor", "config"])
def test_commands_that_stand_for_no_session_do_not_offer_it(
    command: str, capsys: Captured
) -> None:
    """``vdg sight --sight`` would be the same twice."""
    assert cli.main([command, "any", "--sight"]) == 4
    assert "--sight" in capsys.readouterr().err


BROKEN = '''
from pytest_vdg import ScriptedBackend


class LicenceExpired(Exception):
    """An error of theirs."""


def at_birth(**settings):
    raise LicenceExpired("renew it")


def when_asked(**settings):
    def refuse(prompt, clip):
        raise LicenceExpired("renew it")

    return ScriptedBackend(refuse, name="broken")


def ends(**settings):
    raise SystemExit(0)


def at_the_end(**settings):
    class Ending(ScriptedBackend):
        def close(self):
            raise LicenceExpired("renew it")

    return Ending(lambda prompt, clip: prompt.labels[0], name="ending")
'''
ASKING = {
    "sight": ["sight", "any", *FEW],
    "ladder": ["ladder", "any", "--slice", "sight", *FEW],
    "run": ["run", "any", *FEW],
    "run claim": ["run", "any", *CLAIM],
    "run check": ["run", "any", "--sight", *FEW],
    "ablate": ["ablate", "any", "--slice", "sight", "--frames", "4", *FEW],
    "audit": ["audit", "sight", "--models", "any", *FEW],
    "filter": ["filter", "sight", "--models", "any", "--by", "bclean", *FEW],
}


@pytest.mark.parametrize("moment", ["at_birth", "when_asked", "at_the_end"])
@pytest.mark.parametrize("line", ASKING.values(), ids=ASKING)
def test_an_exception_of_a_backends_own_is_told_in_words(
    here: Path,  # noqa: F811
    capsys: Captured,
    line: list[str],
    moment: str,
) -> None:
    """What it said and where it broke, as for a claim; and 1, without a traceback."""
    (here / "theirs.py").write_text(BROKEN, encoding="utf-8")
    assert cli.main([*line, "--backend", f"python:theirs:{moment}"]) == 1
    said = capsys.readouterr()
    text = said.out + said.err
    assert "COULD NOT BE JUDGED: theirs.LicenceExpired: renew it\n  where     " in text
    assert "theirs.py:" in text
    assert "Traceback" not in text


def test_a_backend_that_ends_the_program_is_told_so_too(
    here: Path,  # noqa: F811
    capsys: Captured,
) -> None:
    """Its 0 is no verdict of ours, and whose code it was is said."""
    (here / "theirs.py").write_text(BROKEN, encoding="utf-8")
    assert cli.main([*ASKING["ladder"], "--backend", "python:theirs:ends"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("vdg: COULD NOT BE JUDGED: SystemExit: 0\n  where     ")


def test_a_plan_with_a_backend_that_cannot_be_made_says_so(
    here: Path,  # noqa: F811
    capsys: Captured,
) -> None:
    """No answer is asked for, but what it calls itself is."""
    (here / "theirs.py").write_text(BROKEN, encoding="utf-8")
    line = ["plan", "--cells", "--checkpoint", "any", "--slice", "sight"]
    assert cli.main([*line, "--backend", "python:theirs:at_birth"]) == 1
    assert "theirs.LicenceExpired: renew it" in capsys.readouterr().err
