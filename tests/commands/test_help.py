"""What the tool says of itself, and of a command line that cannot be meant."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from cyclopts import App, CycloptsError

from pytest_vdg import cli
from pytest_vdg._commands import _mistakes
from pytest_vdg._commands._arguments import Baselines, Kept, Outputs, Where, WhereFirst
from pytest_vdg.config.switches import FORCE, OUTPUTS, SWITCHES

ROOT = Path(__file__).parents[2]
Captured = pytest.CaptureFixture[str]


def commands() -> Iterator[tuple[str, ...]]:
    """Yield the words of each command, those of groups such as ``cache`` too."""
    app = cli.application()
    for name in cli.COMMANDS:
        yield (name,)
        below: App = app[name]
        yield from ((name, each) for each in below if not each.startswith("-"))


ALL = list(commands())


def helped(captured: Captured, *words: str) -> str:
    """Return the help of a command."""
    assert cli.main([*words, "--help"]) == 0
    said = captured.readouterr()
    assert said.err == ""
    return said.out


@pytest.mark.parametrize("words", [(), *ALL], ids=" ".join)
def test_help_fits_eighty_columns_of_plain_text(
    words: tuple[str, ...], capsys: Captured
) -> None:
    """No colours and no boxes, in the width of an old terminal."""
    text = helped(capsys, *words)
    assert text.startswith(f"Usage: {' '.join(('vdg', *words))}")
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert not re.search("[\x1b\u2500-\u257f]", text)


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_option_says_what_it_is_for(
    words: tuple[str, ...], capsys: Captured
) -> None:
    """Beside it, or on the line below where it is long."""
    lines = helped(capsys, *words).splitlines()
    heading = re.compile(r"  (--[\w-]+|[A-Z][A-Z-]+)\b")
    bare = [
        line
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
        if heading.match(line)
        and not re.search(r"\S {2,}\S", line.strip())
        and not following.startswith(" " * 20)
    ]
    assert bare == []


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_a_command_with_required_words_shows_an_example(
    words: tuple[str, ...], capsys: Captured
) -> None:
    """What cannot be typed alone is shown as it is typed."""
    text = helped(capsys, *words)
    needs = "(required)" in text and len(words) == 1
    assert not needs or f"\n  {' '.join(('vdg', *words))} " in text


def test_the_tool_alone_shows_its_commands(capsys: Captured) -> None:
    """``vdg`` is ``vdg --help``: each command with a line of what it does."""
    assert cli.main([]) == 0
    alone = capsys.readouterr().out
    assert alone == helped(capsys)
    shown = re.findall(r"^  ([a-z][a-z-]*) +\S", alone, re.MULTILINE)
    assert shown == list(cli.COMMANDS)


def test_the_version_is_told(capsys: Captured) -> None:
    """With the package's name, as pytest tells that of a plugin."""
    assert cli.main(["--version"]) == 0
    assert re.fullmatch(
        r"pytest-vdg \S+\n|.*not installed.*\n", capsys.readouterr().out
    )


def test_the_options_are_the_switches() -> None:
    """Each setting of where to run is an option of the same name."""
    switches = {s.name for s in SWITCHES} - {"checkpoint"}
    forced = {f"{s.name}_{FORCE}" for s in SWITCHES if s.kind == FORCE}
    assert {field.name for field in fields(WhereFirst)} == switches | forced
    first = {field.name for field in fields(WhereFirst)} - {
        f.name for f in fields(Where)
    }
    assert first == {"sight"}  # only where a session of tests could begin with it
    assert {field.name for field in fields(Kept)} <= switches
    assert {field.name for field in fields(Baselines)} <= switches
    assert {field.name for field in fields(Outputs)} == {s.name for s in OUTPUTS}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("laddr x", "vdg has no command 'laddr'. Did you mean 'ladder'?"),
        ("qqqq", "vdg has no command 'qqqq'. Known: "),
        ("--jsn", "vdg has no option '--jsn'."),
        ("cache lst", "vdg cache has no command 'lst'. Did you mean 'list'?"),
        ("ladder x --slce s", "no option '--slce'. Did you mean '--slice'?"),
        ("ladder x --qqqqqqqq", "no option '--qqqqqqqq'. See: vdg ladder --help"),
        ("ladder x --vdg-device cpu", "Did you mean '--device'?"),
        ("ladder x --slice", "--slice needs a value: --slice TEXT"),
        ("ladder x --slice --json", "--slice needs a value"),
        ("ladder x --conditions", "--conditions needs a name, or several"),
        ("ladder x --conditions= --json", "--conditions needs a name, or several"),
        ("ladder x y", "vdg ladder takes no further word, got 'y'"),
        ("ladder x --slice a --slice b", "--slice is given twice"),
        ("ladder x --json=maybe", "--json takes no value"),
        ("ladder", "CHECKPOINT is missing. Type: vdg ladder CHECKPOINT"),
        (
            "import a",
            "Type: vdg import LOGS --to FILE --checkpoint TEXT --slice TEXT",
        ),
        ("import a --too b", "no option '--too'. Did you mean '--to'?"),
        ("plan --claim vgd", "one of vdg, regression, temporal, got 'vgd'. Did you"),
        ("plan --power much", "--power must be a number, got 'much'"),
        ("slice --seed x", "--seed must be a whole number, got 'x'"),
        ("ladder x --no-json", "has no option '--no-json'"),
        ("ladder x --empty-conditions", "has no option '--empty-conditions'"),
    ],
)
def test_a_slip_is_told_with_what_to_type(
    line: str,
    told: str,
    capsys: Captured,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In one line, with pytest's code for a usage error."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(line.split()) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("vdg: ")
    assert told in said.err
    assert said.err.count("\n") == 1


def test_what_the_library_finds_wrong_in_a_way_not_known_here_is_told() -> None:
    """In its own words, which is more than none."""
    error = CycloptsError(msg="something odd")
    assert _mistakes.told(error) == "something odd"


@pytest.mark.parametrize("name", ["device", "seed", "time_budget", "replay"])
def test_an_option_is_told_in_the_words_of_its_switch(
    name: str, capsys: Captured
) -> None:
    """Those of pytest's option, and of no other."""
    (words,) = (switch.help for switch in SWITCHES if switch.name == name)
    text = " ".join(helped(capsys, "ladder").split())
    option = f"--{name.replace('_', '-')}"
    assert re.search(f"{option} [A-Z]+ {re.escape(' '.join(words.split()))}", text)


def loaded_after(code: str) -> set[str]:
    """Return the names of what is imported after *code*, in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint('|'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    return set(done.stdout.splitlines()[-1].split("|"))


@pytest.mark.parametrize("line", ["", "--help", "ladder --help", "config", "laddr"])
def test_help_costs_no_heavy_import(line: str) -> None:
    """Reading, helping and refusing pay for no numbers, no model and no pictures."""
    code = f"from pytest_vdg import cli; cli.main({line.split()!r})"
    heavy = {"numpy", "scipy", "torch", "transformers", "matplotlib", "av", "pytest"}
    assert loaded_after(code) & heavy == set()


@pytest.mark.parametrize(
    "module", ["pytest_vdg", "pytest_vdg.plugin", "pytest_vdg.cli"]
)
def test_the_library_is_imported_by_the_tool_alone(module: str) -> None:
    """A session of pytest does not pay for reading command lines."""
    assert loaded_after(f"import {module}") & {"cyclopts", "rich.console"} == set()


def test_a_command_that_is_not_named_is_not_loaded() -> None:
    """``vdg config`` does not pay for the others."""
    code = "from pytest_vdg import cli; cli.main(['config', '--help'])"
    loaded = loaded_after(code)
    assert "pytest_vdg._commands.config" in loaded
    assert "pytest_vdg._commands.ladder" not in loaded


def test_nothing_beside_the_tool_names_its_library() -> None:
    """Nor the commands, with which it would come: a session never imports it."""
    package = ROOT / "pytest_vdg"
    others = [
        path
        for path in package.rglob("*.py")
        if "_commands" not in path.parts and path.name != "cli.py"
    ]
    named = re.compile(
        r"^\s*(from|import) (cyclopts|pytest_vdg\._commands)\b", re.MULTILINE
    )
    assert len(others) > 100
    assert [p for p in others if named.search(p.read_text(encoding="utf-8"))] == []
