"""Claims of ``vdg.yaml`` come to what the same claims in tests come to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.assertions import __all__ as public
from pytest_vdg.config.claims import ClaimSpec, make_claim
from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import COMMAND_LINE, Voice
from pytest_vdg.errors import ConfigError
from pytest_vdg.reports.results import Results, TestResult
from pytest_vdg.reports.results_json import load_results, results_from_dict
from pytest_vdg.reports.results_json import results_to_dict as to_dict
from pytest_vdg.sessions.claims import NOTHING, judge_claims
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.verdicts import Verdict, collect_findings
from tests.plugin.conftest import Project, clips, project  # noqa: F401

CLAIMS: dict[str, dict[str, Any]] = {
    "sees": {"assert": "vdg_above", "floor": 0.2},
    "sees_much": {"assert": "vdg_above", "floor": 0.6, "tasks": ["colour"]},
    "each_task": {"assert": "vdg_above", "floor": 0.1, "per_task": True},
    "order": {"assert": "temporal_delta", "floor": 0.1},
    "backwards": {"assert": "temporal_delta", "floor": 0.0, "against": "reversed"},
    "picture": {"assert": "spatial_delta", "floor": 0.1},
    "frames": {"assert": "diversity_delta", "floor": -0.5},
    "right": {"assert": "accuracy_above", "floor": 0.5, "task": "shade"},
    "blind": {"assert": "blind_gap_below", "ceiling": 0.2},
    "gain": {"assert": "visual_gain_above", "floor": 0.1, "evidence": "estimate"},
    "lead": {"assert": "accuracy_above_blind", "floor": 0.05},
    "covered": {"assert": "coverage", "floor": 0.98},
    "ladder": {"assert": "ladder_monotone", "rungs": ["black", "original"]},
    "position": {"assert": "no_position_bias", "ceiling": 0.5},
    "harm": {"assert": "destructive_ratio_below", "ceiling": 2, "against": "black"},
    "needs_order": {"assert": "needs_order", "margin": 0.5},
    "key": {"assert": "balanced_key", "margin": 0.6},
    "stable": {"assert": "stable_under", "condition": "reversed", "floor": 0.5},
    "few": {"assert": "vdg_above", "floor": 0.2, "questions": 6, "seed": 3},
}
"""One claim at least of each assertion about one run."""
AGAINST: dict[str, dict[str, Any]] = {
    "kept": {"assert": "no_dissociation_regression"},
    "wide": {
        "assert": "no_dissociation_regression",
        "vdg_margin": 0.2,
        "loosened": "a smaller slice",
    },
    "same": {"assert": "equivalent", "margin": 0.3},
    "order_kept": {"assert": "temporal_delta", "margin": 0.1},
    "picture_kept": {"assert": "spatial_delta"},
    "frames_kept": {"assert": "diversity_delta"},
}
"""One claim at least of each assertion about two runs."""
MARKED = ("slice", "conditions", "questions", "tasks", "seed", "loosened")


def as_tests(claims: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the tests that one would write for *claims*."""
    lines = ["import pytest", "import pytest_vdg"]
    for name, values in claims.items():
        spec = make_claim(values)
        needed = (*spec.needed, *spec.one_of)
        marker = {key: values[key] for key in MARKED if key in values}
        if needed:
            marker.setdefault("conditions", list(needed))
        own = {k: v for k, v in values.items() if k not in (*MARKED, "assert")}
        words = [f"{k}={v!r}" for k, v in own.items()]
        fixtures = ["vdg_run"]
        if spec.compares:
            fixtures.append("vdg_baseline")
            words.insert(0, "baseline=vdg_baseline")
        keywords = ", ".join(f"{k}={v!r}" for k, v in marker.items())
        told = ", ".join(["vdg_run", *words])
        lines += [
            "",
            f"@pytest.mark.vdg({keywords})",
            f"def test_{name}({', '.join(fixtures)}):",
            f"    pytest_vdg.assert_{spec.assertion}({told})",
        ]
    return "\n".join(lines) + "\n"


def settings_in(folder: Path, **given: object) -> Settings:
    """Return the settings of a command in *folder*."""
    config = load_config(folder / "vdg.yaml")
    typed = Voice(source=COMMAND_LINE, base=folder, values=given)
    voices = [typed, file_voice(config, folder)]
    return resolve(voices, base=folder, config=config)


def write_claims(
    where: Project, claims: Mapping[str, Mapping[str, Any]], more: str = ""
) -> None:
    """Write *claims* into the file; JSON is YAML."""
    where.config(f"{more}\nclaims: {json.dumps(claims)}")


def judged(where: Project, **given: object) -> Results:
    """Return what the claims in the file come to."""
    settings = settings_in(where.path, **given)
    session = VdgSession(settings)
    try:
        return judge_claims(session, settings.config.claims)
    finally:
        session.close()


def by_pytest(where: Project, *options: str) -> Results:
    """Return what the test file comes to."""
    out = where.path / "tests.json"
    out.unlink(missing_ok=True)
    where.run(*options, f"--vdg-json={out}", "-p", "no:randomly")
    return load_results(out)


def told(test: TestResult) -> tuple[object, ...]:
    """Return all that a test came to, but for its name, place and time."""

    def at_noon(text: str) -> str:
        return re.sub(r"(recorded \d{4}-\d\d-\d\dT)[\d:]{8}", r"\g<1>12:00:00", text)

    found = [replace(f, message=at_noon(f.message)) for f in test.findings]
    return test.outcome, at_noon(test.message), found, test.loosened


def assert_alike(found: Results, tests: Results) -> None:
    """Assert that claims came to what tests came to, one by one."""
    names = [test.name.rpartition("::test_")[2] for test in tests.tests]
    assert [test.name for test in found.tests] == names
    for claim, test in zip(found.tests, tests.tests, strict=True):
        assert told(claim) == told(test), claim.name


def options(backend: str, *more: str) -> list[str]:
    """Return what pytest is told of the model."""
    named = f"--vdg-backend=python:stub:{backend}"
    return ["--vdg-checkpoint=any", named, "--vdg-no-cache", *more]


def model(backend: str) -> dict[str, object]:
    """Return the same for a session without pytest."""
    named = f"python:stub:{backend}"
    return {"checkpoint": "any", "backend": named, "no_cache": True}


BACKENDS = ["sighted", "blind", "fails_in_the_dark", "dropped"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_claims_about_a_run_come_to_what_tests_come_to(
    project: Project,  # noqa: F811
    backend: str,
) -> None:
    """Outcome, every word of the message and every number: of models that look, that
    do not, that fail where it is dark, and that never get the video.
    """
    project.suite(as_tests(CLAIMS))
    write_claims(project, CLAIMS)
    found = judged(project, **model(backend))
    assert_alike(found, by_pytest(project, *options(backend)))
    outcomes = {test.outcome for test in found.tests}
    assert outcomes >= {"passed", "failed"} if backend == "sighted" else True
    assert not found.green


@pytest.mark.parametrize("backend", ["sighted", "blind"])
def test_claims_against_a_baseline_come_to_what_tests_come_to(
    project: Project,  # noqa: F811
    backend: str,
) -> None:
    """With the committed baseline of a model that looks, and before there is one."""
    project.suite(as_tests(AGAINST))
    write_claims(project, AGAINST)
    missing = judged(project, **model(backend))
    assert_alike(missing, by_pytest(project, *options(backend)))
    assert {test.outcome for test in missing.tests} == {"error"}
    assert "there is no baseline" in missing.tests[0].summary
    project.run(*options("sighted"), "--vdg-update-baseline")
    assert_alike(
        judged(project, **model(backend)), by_pytest(project, *options(backend))
    )


def test_a_margin_that_is_loosened_in_silence_is_no_pass(
    project: Project,  # noqa: F811
) -> None:
    """A claim that was recorded with a smaller margin must say why, as a test must."""
    strict = {"kept": {"assert": "no_dissociation_regression"}}
    wide = {"kept": {"assert": "no_dissociation_regression", "vdg_margin": 0.3}}
    project.suite(as_tests(strict))
    write_claims(project, strict)
    project.run(*options("sighted"), "--vdg-update-baseline")
    project.suite(as_tests(wide))
    write_claims(project, wide)
    found = judged(project, **model("sighted"))
    assert_alike(found, by_pytest(project, *options("sighted")))
    (test,) = found.tests
    assert test.outcome == "error"
    assert "margin loosened from 5.0pp to 30.0pp" in test.summary
    said = {"kept": {**wide["kept"], "loosened": "fewer videos"}}
    write_claims(project, said)
    (test,) = judged(project, **model("sighted")).tests
    assert test.loosened[0].endswith("5.0pp -> 30.0pp (fewer videos)")


def test_claims_against_a_second_checkpoint_come_to_what_tests_come_to(
    project: Project,  # noqa: F811
) -> None:
    """``compare_to`` takes the place of the file, in both."""
    project.suite(as_tests(AGAINST))
    write_claims(project, AGAINST)
    given = {**model("checkpoint_decides"), "checkpoint": "blind"}
    found = judged(project, **given, compare_to="other")
    named = ["--vdg-checkpoint=blind", "--vdg-compare-to=other"]
    assert_alike(found, by_pytest(project, *options("checkpoint_decides"), *named))
    assert found.runs[0].baseline is not None
    assert found.runs[0].baseline.checkpoint == "other"
    assert not (project.path / "vdg_baselines").exists()


def test_stored_runs_are_judged_as_in_tests(project: Project) -> None:  # noqa: F811
    """``replay`` asks no model; what a stored run lacks is said in the same words."""
    project.suite(
        "def test_keep(vdg):\n"
        "    from pytest_vdg import save_run\n"
        "    names = ['original', 'black', 'text_only', 'reversed']\n"
        "    run = vdg.evaluate(conditions=names)\n"
        "    save_run(run, 'runs/kept.jsonl', full=True)\n"
    )
    project.with_model(backend="sighted")
    project.loads.unlink()
    claims = {k: v for k, v in CLAIMS.items() if k != "few"}
    project.suite(as_tests(claims))
    write_claims(project, claims)
    found = judged(project, replay="runs")
    assert_alike(found, by_pytest(project, "--vdg-replay=runs"))
    assert not project.loads.exists()
    lacking = next(test for test in found.tests if test.name == "order")
    assert lacking.outcome == "error"
    assert "condition 'shuffled'" in lacking.summary


def test_every_assertion_is_claimed_somewhere() -> None:
    """The tables above leave none of the public assertions out."""
    said = {f"assert_{v['assert']}" for v in (*CLAIMS.values(), *AGAINST.values())}
    assert said == {name for name in public if name.startswith("assert_")}


def one_claim(name: str) -> ClaimSpec:
    """Return a claim of the tables."""
    return make_claim({**CLAIMS, **AGAINST}[name])


@pytest.mark.parametrize(
    "name", [n for n in {**CLAIMS, **AGAINST} if n not in ("covered", "key")]
)
def test_a_claim_asks_for_what_it_compares(
    project: Project,  # noqa: F811
    name: str,
) -> None:
    """No condition too few, so that it can be judged, and none that it does without."""
    write_claims(project, {})
    settings = settings_in(project.path, **model("sighted"))
    spec = one_claim(name)
    asked = (*spec.needed, *spec.one_of)

    def lacks(conditions: tuple[str, ...]) -> bool:
        session = VdgSession(settings)
        try:
            run = session.evaluate(conditions=conditions)
        finally:
            session.close()
        baseline = {"baseline": run} if spec.compares else {}
        try:
            spec.function(run, **baseline, **spec.arguments)
        except Exception as error:  # noqa: BLE001 - whatever it came to otherwise
            text = str(error)
            return "was not run on slice" in text or "no blind condition" in text
        return False

    assert not lacks(asked)
    for condition in spec.needed:
        fewer = tuple(c for c in asked if c != condition)
        assert lacks(fewer or ("mismatched",)), condition
    if spec.one_of:
        assert lacks(spec.needed)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown slice": (
        {"assert": "vdg_above", "floor": 0.1, "slice": "colors"},
        "there is no slice 'colors'.*Did you mean 'colours'",
    ),
    "an unknown condition": (
        {"assert": "vdg_above", "floor": 0.1, "conditions": ["original", "blakc"]},
        "Did you mean 'black'",
    ),
    "an unknown condition of the assertion": (
        {"assert": "stable_under", "floor": 0.1, "condition": "reversedd"},
        "Did you mean 'reversed'",
    ),
    "too few conditions": (
        {"assert": "temporal_delta", "floor": 0.1, "conditions": ["original", "black"]},
        "needs condition shuffled, and 'conditions' names original, black",
    ),
    "no blind condition": (
        {"assert": "accuracy_above_blind", "conditions": ["original"]},
        "needs condition text_only or black",
    ),
    "an unknown task of the slice": (
        {"assert": "vdg_above", "floor": 0.1, "tasks": ["color"]},
        "has no task 'color'. Did you mean 'colour'",
    ),
    "an unknown task of the assertion": (
        {"assert": "vdg_above", "floor": 0.1, "task": "color"},
        "has no task 'color'. Did you mean 'colour'",
    ),
    "a floor in percent": (
        {"assert": "vdg_above", "floor": 20},
        "Fractions, not percent: floor=0.2",
    ),
    "a condition against itself": (
        {"assert": "destructive_ratio_below", "ceiling": 1, "against": "original"},
        "compares the real video with itself",
    ),
    "too many questions": (
        {"assert": "vdg_above", "floor": 0.1, "questions": 999},
        "999",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_can_never_be_judged_is_found_before_a_model_is_loaded(
    project: Project,  # noqa: F811
    name: str,
) -> None:
    """With the file, the line, the claim, and what was probably meant."""
    values, said = WRONG[name]
    write_claims(project, {"fine": CLAIMS["sees"], "odd": values})
    with pytest.raises(ConfigError, match=said) as caught:
        judged(project, **model("sighted"))
    start = f"{project.path / 'vdg.yaml'}:2: claim 'odd': "
    assert str(caught.value).startswith(start)
    assert project.loaded() == []


@pytest.mark.parametrize("questions", [1, 2, 3, 5])
def test_a_small_slice_is_no_wrong_argument(
    project: Project,  # noqa: F811
    questions: int,
) -> None:
    """Before a model is asked, no claim that can be judged is refused."""
    claims = {n: v for n, v in {**CLAIMS, **AGAINST}.items() if n != "few"}
    claims = {n: v for n, v in claims.items() if "task" not in v and "tasks" not in v}
    write_claims(project, claims)
    found = judged(project, **model("sighted"), questions=questions)
    assert [test.name for test in found.tests] == list(claims)


def test_each_cell_is_asked_once(project: Project) -> None:  # noqa: F811
    """Claims on one slice share its cells, and the model is loaded once."""
    write_claims(project, {n: CLAIMS[n] for n in ("sees", "order", "lead", "right")})
    found = judged(project, **model("counted"))
    asked = Path("asked.txt").read_text(encoding="utf-8").splitlines()
    # Of 24 questions: original, black, shuffled, text_only.
    assert len(asked) == found.asked == 96
    assert project.loaded() == ["any"]
    assert [result.run.conditions for result in found.runs] == [
        ("original", "black", "shuffled", "text_only")
    ]


def test_nothing_claimed_is_not_green(project: Project) -> None:  # noqa: F811
    """No claim: no verdict, a fault, and no question asked."""
    write_claims(project, {})
    found = judged(project, **model("sighted"))
    assert found.faults == (NOTHING,)
    assert not found.green
    assert found.verdict is None
    assert project.loaded() == []


def test_an_undecided_claim_fails(project: Project) -> None:  # noqa: F811
    """A doubt is no pass, here as in tests."""
    write_claims(project, {"close": {"assert": "vdg_above", "floor": 0.5}})
    found = judged(project, **model("sighted"))
    (test,) = found.tests
    assert (test.outcome, test.verdict) == ("failed", Verdict.INCONCLUSIVE)
    assert test.summary.startswith("INCONCLUSIVE VDG ")
    assert not found.green


def test_results_of_claims_stand_in_the_file(project: Project) -> None:  # noqa: F811
    """Each has the line of its claim; all of it crosses JSON unchanged."""
    write_claims(project, {"sees": CLAIMS["sees"]})
    found = judged(project, **model("sighted"))
    assert found.green
    assert [(t.file, t.line) for t in found.tests] == [("vdg.yaml", 2)]
    assert found.origin == "vdg run"
    assert results_from_dict(json.loads(json.dumps(to_dict(found)))) == found


def test_no_finding_of_a_trial_is_heard(project: Project) -> None:  # noqa: F811
    """What is tried on invented answers reaches nobody who collects findings."""
    write_claims(project, {"sees": CLAIMS["sees"]})
    with collect_findings() as heard:
        found = judged(project, **model("sighted"))
    assert tuple(heard) == found.findings
    assert len(heard) == 1


def test_a_claim_can_be_made_without_a_file(project: Project) -> None:  # noqa: F811
    """A notebook or a training loop gives claims as values."""
    write_claims(project, {})
    session = VdgSession(settings_in(project.path, **model("sighted")))
    spec = ClaimSpec(assertion="vdg_above", arguments={"floor": 0.2})
    found = judge_claims(session, {"sees": spec}, origin="training", command="train")
    session.close()
    assert found.green
    assert (found.origin, found.command) == ("training", "train")
    assert replace(found.tests[0], seconds=0).file is None
