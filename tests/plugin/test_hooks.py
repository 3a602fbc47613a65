"""Our own hooks: each is called, with what it promises."""

from __future__ import annotations

from tests.plugin.conftest import Project


def test_a_conftest_may_make_the_backend(project: Project) -> None:
    """The first result wins, and None leaves it to the registry."""
    project.pytester.makeconftest(
        "import stub\n"
        "def pytest_vdg_make_backend(config, name, settings):\n"
        "    if name == 'ours':\n"
        "        return stub.sighted(checkpoint=settings['checkpoint'] + '-hooked')\n"
    )
    options = ("--vdg-checkpoint=any", "--vdg-no-cache")
    project.run(*options, "--vdg-backend=ours").assert_outcomes(passed=1)
    assert project.loaded() == ["any-hooked"]
    project.run(*options, "--vdg-backend=python:stub:sighted").assert_outcomes(passed=1)
    assert project.loaded() == ["any-hooked", "any"]


def test_a_conftest_hears_every_finding(project: Project) -> None:
    """Claims that held and claims that failed, each with its test."""
    project.pytester.makeconftest(
        "def pytest_vdg_finding(item, finding):\n"
        "    print(f'HEARD {item.name} {finding.verdict.value} {finding.n}')\n"
    )
    for backend, verdict in (("sighted", "ok"), ("blind", "BELOW FLOOR")):
        result = project.with_model("-s", backend=backend)
        result.stdout.fnmatch_lines([f"*HEARD test_sees {verdict} 24"])
