"""A suite whose model is behind a server: judged, not judged blind, and no key told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from tests.backends.stubserver import Fault, Pixels, StubServer, error, serving
from tests.plugin.conftest import Project
from tests.plugin.stub import COLOURS

# Cannot be imported twice in one process, see `tests.plugin.conftest`.
pytest.importorskip("httpx2")

SECRET = "sk-hunter22-0123456789"


def colours(text: str, pictures: Sequence[Pixels]) -> dict[str, float]:
    """Name the colour of the pictures; the first option without any light."""
    options = dict(re.findall(r"^([A-C])\. (\w+)$", text, re.MULTILINE))
    options = options or {"A": "red", "B": "green", "C": "blue"}
    light = np.zeros(3) if not pictures else np.mean(pictures, axis=(0, 1, 2))
    named = COLOURS[int(np.argmax(light))] if light.any() else options["A"]
    moved = float(light.mean()) * 1e-6
    return {each: 0.9 + moved if options[each] == named else 0.01 for each in options}


@pytest.fixture
def served() -> Iterator[StubServer]:
    """Return a server whose model looks."""
    with serving(StubServer(model=colours)) as stub:
        yield stub


def configure(project: Project, served: StubServer, **server: object) -> None:
    """Write a ``vdg.yaml`` that asks *served*."""
    settings = json.dumps({"url": served.url, "retries": 1, **server})
    project.config(f"backend: openai\ncheckpoint: stub\nserver: {settings}\n")


def test_a_model_behind_a_server_is_judged(
    project: Project, served: StubServer
) -> None:
    """As one in process is, with what it took told at the end; and asked anew."""
    configure(project, served, price_per_million={"prompt": 2.5})
    result = project.run("--vdg-json", "out.json", subprocess=True)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        ["*stub at 127.0.0.1:*requests*prompt and*completion tokens, cost 0.0*"]
    )
    result.stdout.fnmatch_lines(["*stub: weights: unknown (server)*"])
    found = json.loads((project.path / "out.json").read_text(encoding="utf-8"))
    told = json.dumps(found["runs"])
    assert "unknown (server)" in told
    assert "stub-1" in told
    assert "fp_1" in told
    before = len(served.bodies)
    project.run(subprocess=True)
    assert len(served.bodies) == 2 * before


def test_kept_answers_are_reused_where_that_is_asked_for(
    project: Project, served: StubServer
) -> None:
    """Within the hours that were named, nothing is asked twice."""
    configure(project, served, reuse_hours=10**6)
    project.run()
    before = len(served.bodies)
    result = project.run()
    assert result.ret == pytest.ExitCode.OK
    assert len(served.bodies) == before


@pytest.mark.parametrize("usage", [True, False])
def test_a_server_that_drops_the_images_is_not_judged_blind(
    project: Project, served: StubServer, usage: bool
) -> None:
    """``COULD NOT BE JUDGED``, an error and no failure; no question was asked."""
    served.seen = lambda pictures: []
    served.tells_usage = usage
    configure(project, served)
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*COULD NOT BE JUDGED*"])
    result.stdout.fnmatch_lines(["*pictures do not reach the model*"])
    texts = [body["messages"][0]["content"][-1]["text"] for body in served.bodies]
    assert not any("thing" in text for text in texts)


def test_workers_share_the_work(project: Project, served: StubServer) -> None:
    """Two workers ask no question twice."""
    configure(project, served)
    project.run()
    alone = len(served.bodies)
    served.bodies.clear()
    result = project.run("-n", "2", subprocess=True)
    assert result.ret == pytest.ExitCode.OK
    assert len(served.bodies) <= alone + 10  # each tries the server out


LEAKS = {
    "401": [error(401, f"Incorrect API key: Bearer {SECRET}")] * 500,
    "500": [Fault(), *[Fault(status=500, body=f"<p>{SECRET}</p>".encode())] * 500],
    "cut": [Fault(), *[Fault(cut=True)] * 500],
    "in replies": [
        Fault(change=lambda found: found.update(system_fingerprint=SECRET)),
        *[
            Fault(
                change=lambda found: found["choices"][0]["message"].update(
                    content=f"A. {SECRET}"
                )
            )
        ]
        * 500,
    ],
}


@pytest.mark.parametrize("leak", LEAKS)
def test_the_key_is_in_no_artefact(
    project: Project, served: StubServer, leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in what is printed, with all variables, nor in a file that is written."""
    monkeypatch.setenv("VDG_API_KEY", SECRET)
    configure(project, served, retries=0)
    served.faults = list(LEAKS[leak])
    reports = ("--vdg-json", "o.json", "--vdg-junit", "k.xml", "--vdg-summary", "s.md")
    result = project.run(
        "-vv",
        "-l",
        "--full-trace",
        "--junitxml=j.xml",
        *reports,
        *("--vdg-report", "report"),
    )
    assert f"Bearer {SECRET}" in served.keys
    files = [path for path in project.path.rglob("*") if path.is_file()]
    assert {"o.json", "k.xml", "j.xml", "s.md"} <= {path.name for path in files}
    holding = [path.name for path in files if SECRET.encode() in path.read_bytes()]
    assert holding == []
    assert SECRET not in result.stdout.str() + result.stderr.str()
