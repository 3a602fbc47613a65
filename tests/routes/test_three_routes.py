"""One checkpoint, one suite, three routes: in process, over a server, over Ray.

Each is a whole session of pytest, as a team runs it, and a server that is one.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vdg.sessions.executors import EXECUTORS
from tests.routes.suites import EXAMPLE, QUESTIONS, Suite
from tests.serving import serving

SEES = EXAMPLE / "checkpoints" / "grounded_images"
BLIND = EXAMPLE / "checkpoints" / "collapsed"
CELLS = (2 + 4) * QUESTIONS
"""Of `sight-leaky` shown and black; of `sight` also shuffled, and without a video."""
RAY = "ray: {address: local, actors: 2, cpus_per_actor: 1}\n"

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    not SEES.exists(), reason="needs example_suite/checkpoints/grounded_images"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the copies of the suite."""
    return tmp_path_factory.mktemp("routes")


@pytest.fixture(scope="module")
def here(folder: Path) -> Suite:
    """Return the suite that asks the model in its own process."""
    return Suite(folder=folder / "here", route="here", arguments=())


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Suite]:
    """Return the suite that asks ``transformers serve``, ended afterwards."""
    pytest.importorskip("httpx2", reason="needs the extra server")
    with serving(folder) as url:
        yield Suite(
            folder=folder / "server",
            route="server",
            arguments=("--vdg-backend=openai",),
            settings=f'server: {{url: "{url}", max_concurrent: 2, timeout_s: 600}}\n',
        )


@pytest.fixture(scope="module")
def ray(folder: Path) -> Suite:
    """Return the suite that has two actors of a Ray cluster ask."""
    if "ray" not in EXECUTORS or importlib.util.find_spec("ray") is None:
        pytest.skip("needs the extra ray")
    arguments = ("--vdg-executor=ray",)
    return Suite(folder=folder / "ray", route="ray", arguments=arguments, settings=RAY)


@pytest.fixture
def other(request: pytest.FixtureRequest) -> Suite:
    """Return the suite of the route that the test names."""
    suite: Suite = request.getfixturevalue(request.param)
    return suite


def test_in_process_the_suite_is_green(here: Suite) -> None:
    """A checkpoint that sees pictures passes all four tests, each cell asked anew."""
    outcome = here.recorded(SEES)
    assert set(outcome.tests.values()) == {"passed"}, outcome.said
    assert len(outcome.tests) == 4
    assert len(outcome.answers) == CELLS == outcome.found["asked"]


@pytest.mark.parametrize("other", ["server", "ray"], indirect=True)
def test_each_route_comes_to_the_same(here: Suite, other: Suite) -> None:
    """Verdicts, first lines and the answer of every cell are those in process."""
    expected, outcome = here.recorded(SEES), other.recorded(SEES)
    assert outcome.tests == expected.tests, outcome.said
    assert outcome.answers == expected.answers
    assert outcome.first_lines == expected.first_lines
    assert outcome.found["asked"] == CELLS


@pytest.mark.parametrize("other", ["server"], indirect=True)
def test_a_blind_checkpoint_is_as_red(here: Suite, other: Suite) -> None:
    """One that answers from the text is told by the same tests, in the same words."""
    here.recorded(SEES)
    other.recorded(SEES)
    expected, outcome = here.run(BLIND), other.run(BLIND)
    red = [name for name, what in expected.tests.items() if what != "passed"]
    assert [expected.tests[name] for name in red] == ["failed"] * 3, expected.said
    assert not any(name.endswith("test_accuracy") for name in red)
    assert outcome.tests == expected.tests, outcome.said
    assert outcome.first_lines == expected.first_lines
    assert outcome.answers == expected.answers
