"""``--vdg-executor``: what is wrong with it is told before anything is asked."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

HOOK = """
import pytest

@pytest.hookimpl
def pytest_vdg_make_backend(config, name, settings):
    import stub
    return stub.sighted(**settings) if name == "mine" else None
"""


@pytest.fixture
def with_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Ray be found; it is not come to in these tests."""
    monkeypatch.setattr("pytest_vdg.sessions.ray_cluster.require_ray", object)


def test_this_process_asks_by_default(project: Project) -> None:
    """To say so changes nothing."""
    project.with_model("--vdg-executor=local").assert_outcomes(passed=1)
    assert project.loaded() == ["any"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--vdg-executor=rai"], "there is no executor 'rai'. Did you mean 'ray'?"),
        (["--vdg-executor=ray", "--vdg-spread"], "actors ask, so no worker needs to"),
        (["--vdg-executor=ray", "--vdg-backend=openai"], "a server is asked by this"),
    ],
)
@pytest.mark.usefixtures("with_ray")
def test_what_cannot_be_is_a_usage_error(
    project: Project, more: list[str], told: str
) -> None:
    """No test runs, and no model is made."""
    result = project.with_model(*more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert told in result.stdout.str() + result.stderr.str()
    assert project.loaded() == []


@pytest.mark.usefixtures("with_ray")
def test_a_backend_that_a_hook_makes_is_refused(project: Project) -> None:
    """Actors could not be given it; with this process it is asked as ever."""
    project.pytester.makeconftest(HOOK)
    options = "--vdg-checkpoint=any", "--vdg-backend=mine"
    result = project.run(*options, "--vdg-executor=ray")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ConfigError: --vdg-executor ray: the backend is*"])
    assert project.loaded() == []
    project.run(*options).assert_outcomes(passed=1)
