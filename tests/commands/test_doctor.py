"""``vdg doctor``: what is looked at, and what is said of what is broken."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg._commands import _check_machine, _check_project
from pytest_vdg._commands._arguments import Where, settings_of
from pytest_vdg._commands._check import Check, State, looked, writable
from pytest_vdg._commands._check_backend import checked_backend, made
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import make_run
from tests.backends.adapters import build_adapter
from tests.plugin.conftest import CLIPS, clips, write_questions  # noqa: F401

Captured = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
CHECKPOINTS = ROOT / "example_suite" / "checkpoints"
STUB = ["--backend", "python:stub:sighted"]
ON_CPU = ["--device", "cpu"]
FAULTY = """

def lacks_all(**settings):
    return object()

def takes_none():
    return sighted()

def breaks(**settings):
    raise RuntimeError("broken")

def ends(**settings):
    raise SystemExit(0)

def lacks_a_package(**settings):
    class Lacking(ScriptedBackend):
        def import_libraries(self):
            import nowhere_to_be_found

        def load(self):
            raise AssertionError("the doctor loads nothing")

    return Lacking(_seen, name="any")
"""

CLOSING = """

def closes(**settings):
    class Closing(ScriptedBackend):
        def close(self):
            import pathlib
            with pathlib.Path("closed").open("a") as file:
                file.write("once")

    return Closing(_seen, name="any")
"""


@pytest.fixture
def here(
    tmp_path: Path,
    clips: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Return a folder with clips and questions about them, now the current one.

    Not the project of the plugin's tests, after which torch would be imported
    a second time.
    """
    shutil.copytree(clips, tmp_path / "data")
    write_questions(tmp_path / "data" / "questions.jsonl", range(CLIPS))
    config(tmp_path, "")
    shutil.copy(ROOT / "tests" / "plugin" / "stub.py", tmp_path / "stub.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "VDG_CHECKPOINT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def config(folder: Path, text: str) -> None:
    """Write ``vdg.yaml`` with the slice ``colours``."""
    slices = "slices: {colours: {benchmark: plain, path: data/questions.jsonl}}\n"
    (folder / "vdg.yaml").write_text(f"{text}\n{slices}", encoding="utf-8")


def files(folder: Path) -> set[Path]:
    """Return all files but those of Python."""
    return {p for p in folder.rglob("*") if "__pycache__" not in p.parts}


def found(captured: Captured, *arguments: str) -> tuple[int, dict[str, list[str]]]:
    """Return the exit code, and what is said about each thing with its state."""
    code = cli.main(["doctor", *arguments, "--json"])
    values = json.loads(captured.readouterr().out)
    assert values["ok"] is (code == 0)
    said: dict[str, list[str]] = {}
    for check in values["checks"]:
        said.setdefault(check["about"], []).append(f"{check['state']} {check['told']}")
    return code, said


def test_a_project_that_would_run(here: Path, capsys: Captured) -> None:
    """All is looked at; nothing is asked, loaded or written."""
    before = files(here)
    assert cli.main(["doctor", "any", *STUB]) == 0
    out = capsys.readouterr().out
    for about in ("python", "packages", "decoder", "config", "slice", "cache"):
        assert f"ok    {about}" in out
    assert "warn  baselines" in out
    assert "type: pytest --vdg-checkpoint=any " in out
    assert " --vdg-update-baseline\n" in out
    assert "colours: 24 questions, 2 tasks; all videos are there" in out
    assert "  conditions  original, black" in out
    assert out.endswith(" 0 FAIL\n")
    assert files(here) == before


def test_what_a_backend_makes_is_told(here: Path, capsys: Captured) -> None:
    """Its kind and its name; one of this package is told with its checkpoint."""
    assert found(capsys, "any", *STUB)[1]["backend"] == [
        "ok python:stub:sighted makes ScriptedBackend 'any'; not loaded"
    ]
    grounded = str(CHECKPOINTS / "grounded")
    assert found(capsys, grounded)[1]["backend"] == ["ok transformers: known"]


def test_a_checkpoint_is_looked_at_without_its_weights(
    here: Path, capsys: Captured
) -> None:
    """Its files, their size and whether the kind of model is known."""
    code, said = found(capsys, str(CHECKPOINTS / "grounded"), "--device", "cpu")
    assert code == 0
    (checkpoint,) = said["checkpoint"]
    assert checkpoint.startswith("ok ")
    assert checkpoint.endswith("grounded: 1 weight file, 5.07 MB")
    assert "ok qwen2_vl: known to the installed transformers" in said["model"]


def test_a_broken_file_hides_nothing_of_the_machine(
    here: Path, capsys: Captured
) -> None:
    """The file is FAIL with its line, decoders and devices are told all the same."""
    config(here, "conditionz: [original]")
    code, said = found(capsys)
    assert code == 1
    (told,) = said["config"]
    assert told.startswith("FAIL ")
    assert "Did you mean 'conditions'?" in told
    assert said["decoder"][0].startswith("ok pyav")
    assert "slice" not in said


@pytest.mark.parametrize(
    ("arguments", "about", "told"),
    [
        (("./gone",), "checkpoint", "is not there"),
        (("any", "--compare-to", "./gone"), "against", "is not there"),
        (("any", "--backend", "python:stub:sightd"), "backend", "cannot be imported"),
        (("--backend", "transformer"), "backend", "Did you mean 'transformers'?"),
        (("any", "--backend", "python:stub:lacks_all"), "backend", "it lacks"),
        (("any", "--backend", "python:stub:takes_none"), "backend", "'checkpoint'"),
        (("any", "--backend", "python:stub:lacks_a_package"), "backend", "nowhere"),
        (("any", "--backend", "python:stub:breaks"), "backend", "RuntimeError: broken"),
        (("any", "--backend", "python:stub:ends"), "backend", "SystemExit: 0"),
        (("--replay", "runs"), "replay", "runs is not there"),
        (("--replay", "data"), "replay", "holds no run"),
        (("--replay", "taken"), "replay", "holds no run"),
        (("any", *STUB, "--cache-dir", "taken/x"), "cache", "cannot be written"),
        (("any", *STUB, "--cache-dir", "taken"), "cache", "cannot be written"),
    ],
)
def test_what_would_stop_a_run_is_failed(
    here: Path, capsys: Captured, arguments: tuple[str, ...], about: str, told: str
) -> None:
    """Exit code 1, and the line says what."""
    (here / "taken").write_text("a file", encoding="utf-8")
    with (here / "stub.py").open("a", encoding="utf-8") as file:
        file.write(FAULTY)
    sys.modules.pop("stub", None)
    code, said = found(capsys, *arguments)
    assert code == 1
    assert any(line.startswith("FAIL") and told in line for line in said[about])


def test_a_protocol_that_is_not_known_is_failed(here: Path, capsys: Captured) -> None:
    """The file can be read, and a run by it would end at once."""
    config(here, "sampling: {protocol: tvbench-latest}")
    code, said = found(capsys, "any", *STUB)
    assert code == 1
    assert any(
        line.startswith("FAIL") and "there is no protocol 'tvbench-latest'" in line
        for line in said["config"]
    )


def test_a_backend_is_closed_after_it_was_made(here: Path, capsys: Captured) -> None:
    """It may hold a connection, or a process."""
    with (here / "stub.py").open("a", encoding="utf-8") as file:
        file.write(CLOSING)
    sys.modules.pop("stub", None)
    assert found(capsys, "any", "--backend", "python:stub:closes")[0] == 0
    assert (here / "closed").read_text("utf-8") == "once"


def test_what_a_run_would_fetch_is_a_warning(here: Path, capsys: Captured) -> None:
    """A hub id that is not here yet; FAIL where runs may not fetch."""
    code, said = found(capsys, "someone/model", "--device", "cpu")
    assert code == 0
    (checkpoint,) = said["checkpoint"]
    assert checkpoint.startswith("warn someone/model is neither a folder here nor")
    config(here, "local_files_only: true")
    code, said = found(capsys, "someone/model", "--device", "cpu")
    assert code == 1
    assert said["checkpoint"][0].startswith("FAIL someone/model")


def test_a_local_checkpoint_is_made_from_what_is_here(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be gigabytes, and whoever looks did not ask for them."""
    given: list[dict[str, object]] = []
    monkeypatch.setattr(
        "pytest_vdg.backends.make_backend", lambda _, settings: given.append(settings)
    )
    made(settings_of(), "someone/model", fetch=False)
    made(settings_of(), "someone/model")
    assert [bool(each.get("local_files_only")) for each in given] == [True, False]


def test_a_kind_of_model_that_is_not_known_is_failed(
    here: Path, capsys: Captured
) -> None:
    """Its files are all there, and it would be refused after they were read."""
    shutil.copytree(CHECKPOINTS / "grounded", here / "new")
    path = here / "new" / "config.json"
    values = json.loads(path.read_text("utf-8")) | {"model_type": "of_tomorrow"}
    path.write_text(json.dumps(values), encoding="utf-8")
    code, said = found(capsys, "new", *ON_CPU)
    assert code == 1
    told = "FAIL of_tomorrow: not known to the installed transformers"
    assert told in said["model"]


def test_an_adapter_is_told_with_its_base(here: Path, capsys: Captured) -> None:
    """Weights of both count, and the base's config says what kind of model it is."""
    pytest.importorskip("peft")
    base = CHECKPOINTS / "grounded"
    build_adapter(base, here / "lora")
    config(here, f"checkpoint: lora\nbase: {base}")
    code, said = found(capsys, "--device", "cpu")
    assert code == 0
    (told,) = said["checkpoint"]
    assert told.startswith(f"ok {here / 'lora'}: 2 weight files, ")
    assert told.endswith(f"; an adapter of {base}")
    assert said["model"][-1].startswith("ok qwen2_vl: known")
    config(here, f"checkpoint: {base}\nbase: lora")
    code, said = found(capsys, "--device", "cpu")
    assert code == 1
    assert said["checkpoint"][0].startswith("FAIL base is only for adapters")


def test_a_device_that_is_not_here_is_failed(here: Path, capsys: Captured) -> None:
    """A GPU that no machine has: asked for, it would stop the run an hour later."""
    code, said = found(capsys, str(CHECKPOINTS / "grounded"), "--device", "cuda:97")
    assert code == 1
    assert "FAIL device 'cuda:97' is configured, and is not here" in said["device"]


def test_videos_that_are_gone_are_counted(here: Path, capsys: Captured) -> None:
    """A slice whose videos lie elsewhere does not run."""
    (here / "data" / "03.mp4").unlink()
    code, said = found(capsys, "any", *STUB)
    assert code == 1
    assert "1 videos are not there, e.g. 03.mp4" in said["slice"][0]


def test_a_damaged_baseline_is_failed_with_its_name(
    here: Path, capsys: Captured
) -> None:
    """It would be found out by the first claim against it, after the run."""
    folder = here / "vdg_baselines"
    folder.mkdir()
    (folder / "colours.jsonl").write_text("{}\n", encoding="utf-8")
    code, said = found(capsys, "any", *STUB)
    assert code == 1
    assert "colours.jsonl" in said["baselines"][0]
    assert said["baselines"][0].startswith("FAIL")


def test_decoders_that_cannot_read_are_told(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two is a warning, none is the end."""
    faults: dict[str, str | None] = {"pyav": None, "decord": "is broken"}
    monkeypatch.setattr(_check_machine, "_tried", lambda name, _: faults[name])
    monkeypatch.setattr(
        "pytest_vdg.frames.decode.reader_versions", lambda: dict.fromkeys(faults, "1")
    )
    code, said = found(capsys, "any", *STUB)
    assert code == 0
    assert "warn decord 1: is broken" in said["decoder"]
    faults["pyav"] = "is broken, too"
    code, said = found(capsys, "any", *STUB)
    assert code == 1
    assert [line[:4] for line in said["decoder"]] == ["FAIL", "FAIL"]


def test_github_is_seen(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its summary, and without one that can be written."""
    assert found(capsys, "any", *STUB)[1]["github"] == ["ok not here (no CI)"]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / "summary.md"))
    assert found(capsys, "any", *STUB)[1]["github"][0].startswith("ok Actions, with")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert found(capsys, "any", *STUB)[1]["github"][0].startswith("warn Actions")


def test_little_room_is_a_warning(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Less than a gigabyte on disk, and weights that leave passes too little."""
    usage = type("Usage", (), {"free": 999})
    monkeypatch.setattr(_check_project.shutil, "disk_usage", lambda _: usage)
    monkeypatch.setattr("pytest_vdg.backends._hf_room.available", lambda: 6_000_000)
    code, said = found(capsys, str(CHECKPOINTS / "grounded"), *ON_CPU)
    assert code == 0
    assert said["cache"][0].startswith("warn")
    (memory,) = said["memory"]
    assert memory.startswith("warn memory of grounded may be short: weights 5.06 MB")


def test_no_room_is_a_failure(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run would be refused, so this is red, with what would fit."""
    monkeypatch.setattr("pytest_vdg.backends._hf_room.available", lambda: 3_000_000)
    code, said = found(capsys, str(CHECKPOINTS / "grounded"), *ON_CPU)
    assert code == 1
    (memory,) = said["memory"]
    assert memory.startswith("FAIL grounded does not fit: weights 5.06 MB (float32)")
    assert memory.endswith("cpu has 3 MB free.")


def test_room_is_told_where_there_is_enough(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is needed, and what there is."""
    monkeypatch.setattr("pytest_vdg.backends._hf_room.available", lambda: 10**12)
    (memory,) = found(capsys, str(CHECKPOINTS / "grounded"), *ON_CPU)[1]["memory"]
    assert memory.startswith("ok weights 5.06 MB (float32) + about ")
    assert memory.endswith(" at work; cpu has 1 TB free")


def test_what_would_run_says_how_the_model_is_asked(
    here: Path, capsys: Captured
) -> None:
    """Settings that make another run of it are told, and those unset are not."""
    config(here, "quantisation: nf4\nframes_as: images\nsight: true")
    cli.main(["doctor", str(CHECKPOINTS / "grounded"), *ON_CPU, "--compare-to", "old"])
    out = capsys.readouterr().out
    assert "  against     old\n" in out
    told = "transformers, device cpu, quantisation nf4, frames_as images"
    assert f"  backend     {told}\n" in out
    assert " (before all else, the sight check)\n" in out


def test_json_says_what_would_run(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model, who asks it, and how many questions; or the runs that are read."""
    monkeypatch.setattr("pytest_vdg._commands.doctor.cluster", lambda _: ())
    monkeypatch.setattr("pytest_vdg._commands.doctor.machine", lambda **_: ())
    monkeypatch.setattr("pytest_vdg._commands.doctor.project", lambda _: ())
    ray = ["--executor", "ray", "--questions", "7"]
    for arguments, values in (
        (["doctor", *STUB], {"checkpoint": "none", "questions": "all"}),
        (["doctor", "any", *STUB], {"checkpoint": "any", "slices": "colours"}),
        (["doctor", "--replay", "data"], {"checkpoint": f"runs in {here / 'data'}"}),
        (
            ["doctor", "any", *ray],
            {
                "backend": "transformers, device auto, executor ray",
                "questions": "at most 7 a slice",
            },
        ),
    ):
        assert cli.main([*arguments, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["would_run"]
        assert values.items() <= told.items()
        assert "against" not in told


def test_a_server_is_asked_without_settings_of_a_local_model(
    here: Path, capsys: Captured
) -> None:
    """They are its own affair; to name a device would say that it is used."""
    config(here, "server: {url: 'http://127.0.0.1:9/v1'}\nframes_as: images")
    cli.main(["doctor", "m", "--backend", "openai", *ON_CPU])
    assert "  backend     openai\n" in capsys.readouterr().out


def test_a_long_line_is_wrapped_below_itself_and_a_command_is_not() -> None:
    """Words stand in one column; what is to be typed stays one line."""
    advice = "pytest " + "--vdg-option " * 12
    lines = Check(about="luck", told="much " * 30, advice=advice).lines()
    assert all(len(line) <= 80 for line in lines[:-1])
    assert {line[:18] for line in lines[1:]} == {" " * 18}
    assert len(lines) == 4
    assert lines[-1].strip() == f"type: {advice}".strip()


def test_what_is_broken_itself_ends_no_other_check() -> None:
    """A fault of ours, or of a package, is a line as well."""

    def look() -> list[Check]:
        raise RuntimeError("no luck")

    (check,) = looked("luck", look)
    assert check.state is State.FAIL
    assert check.lines() == ["FAIL  luck        RuntimeError: no luck"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_closed_folder_is_not_writable(tmp_path: Path) -> None:
    """Nor is what would be made in it."""
    tmp_path.chmod(0o500)
    assert not writable(tmp_path)
    assert not writable(tmp_path / "new" / "file")


def test_what_is_not_there_yet_is_writable_where_its_folder_is(tmp_path: Path) -> None:
    """Folders are made; below a file there is no folder."""
    assert writable(tmp_path / "a" / "b.txt")
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert writable(tmp_path / "file")
    assert not writable(tmp_path / "file" / "below")


def test_a_folder_is_no_file_and_a_file_no_folder(tmp_path: Path) -> None:
    """What is there already has to be of the kind that is written."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path, folder in ((tmp_path, True), (tmp_path / "file", False)):
        assert writable(path, folder=folder)
        assert not writable(path, folder=not folder)
    assert writable(tmp_path / "new" / "folder", folder=True)
    assert not writable(tmp_path / "file" / "below", folder=True)


def test_a_file_is_replaced_or_appended_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder must allow the one, it itself the other."""
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    for closed in (file, tmp_path):
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda path, _, closed=closed: path != closed)
            able = writable(file), writable(file, appended=True)
        assert able == (closed == file, closed == tmp_path)


def test_a_link_that_leads_nowhere_can_be_replaced(tmp_path: Path) -> None:
    """By a file; no folder can be made there, nor anything below it."""
    (tmp_path / "link").symlink_to("nowhere")
    assert writable(tmp_path / "link")
    assert not writable(tmp_path / "link", folder=True)
    assert not writable(tmp_path / "link" / "file")


def test_a_report_that_cannot_be_written_is_failed(
    here: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder where a file is meant, and the other way round."""
    monkeypatch.setenv("VDG_JSON", "data")
    monkeypatch.setenv("VDG_REPORT", "vdg.yaml")
    monkeypatch.setenv("VDG_JUNIT", "made/junit.xml")
    code, said = found(capsys, "any", *STUB)
    assert code == 1
    states = {told.split()[1]: told.split()[0] for told in said["outputs"]}
    assert states == {"json:": "FAIL", "report:": "FAIL", "junit:": "ok"}


def test_runs_to_be_replayed_are_read(here: Path, capsys: Captured) -> None:
    """A folder or one file; a damaged run is FAIL, what is no run is passed over."""
    Path("runs").mkdir()
    sound, damaged = Path("runs", "a.jsonl"), Path("runs", "b.jsonl")
    save_run(make_run({"original": "CW", "black": "WW"}), sound)
    Path("runs", "log.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    for where in ("runs", str(sound)):
        code, said = found(capsys, "--replay", where)
        (told,) = said["replay"]
        assert (code, told.startswith("ok 1 stored run in ")) == (0, True)
    damaged.write_bytes(sound.read_bytes()[:-9])
    code, said = found(capsys, "--replay", "runs")
    assert code == 1
    failed, sound_told = said["replay"]
    assert failed.startswith("FAIL")
    assert "b.jsonl" in failed
    assert sound_told == f"ok 1 stored run in {here / 'runs'}"


@pytest.mark.parametrize("key", ["", "hunter22"])
def test_a_server_is_looked_at_and_not_asked(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    key: str,
) -> None:
    """Its address is wrong, which does not matter; its key is found and not shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("VDG_API_KEY", key)
    Path("vdg.yaml").write_text(
        "backend: openai\ncheckpoint: m\nserver: {url: http://127.0.0.1:9/v1}\n",
        encoding="utf-8",
    )
    cli.main(["doctor"])
    shown = capsys.readouterr().out
    told = "its key from VDG_API_KEY" if key else "without a key"
    expected = f"m at 127.0.0.1:9, {told}: a server, not asked here"
    assert expected in " ".join(shown.split())  # lines are wrapped
    assert "hunter22" not in shown


def test_a_server_whose_library_lacks_is_failed_with_what_to_type(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a backend of others is not known."""

    def lacking(_: object) -> None:
        raise ImportError("no httpx")

    monkeypatch.setattr(
        "pytest_vdg.backends.openai_server.OpenAIBackend.import_libraries", lacking
    )
    with (here / "stub.py").open("a", encoding="utf-8") as file:
        file.write(FAULTY)
    sys.modules.pop("stub", None)
    config(here, "server: {url: 'http://127.0.0.1:9/v1'}")
    for backend, advice in (
        ("openai", "pip install 'pytest-vdg[server]'"),
        ("python:stub:lacks_a_package", ""),
    ):
        where = Where(backend=backend)
        (check,) = checked_backend(settings_of(where, checkpoint="m"))
        assert (check.state, check.advice) == (State.FAIL, advice)
