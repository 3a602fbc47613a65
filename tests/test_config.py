"""``vdg.yaml``: every key known, every type kept, every fault with its line."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.backends import TransformersSettings
from pytest_vdg.backends.openai_server import ServerSettings
from pytest_vdg.config.effective import describe
from pytest_vdg.config.file import KEYS, load_config
from pytest_vdg.config.found import find_config
from pytest_vdg.config.protocols import SCORING
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.specs import SliceSpec, VdgConfig
from pytest_vdg.config.strict_yaml import read_yaml
from pytest_vdg.config.switches import COMMAND_LINE, INI, OUTPUTS, Voice, env_voice
from pytest_vdg.errors import ConfigError
from pytest_vdg.frames.sampling import PROTOCOLS
from pytest_vdg.runs import Caps

WHOLE = """
checkpoint: models/new
backend: transformers
device: cpu
dtype: float32
attention: eager
frames_as: images
scoring: choice
option_likelihood: sum
max_new_tokens: 8
trust_remote_code: false
allow_pickle: true
local_files_only: false
threads: 2
share_prefixes: true
batch_tokens: 4096
server:
  url: http://localhost:8000/v1
  frames_as: video
  frames_per_token: 2
  image_format: jpeg
  max_concurrent: 4
  requests_per_minute: 60
  timeout_s: 30
  deadline_s: 300
  retries: 2
  logprobs: off
  price_per_million: {prompt: 2.5, completion: 10}
  reuse_hours: 12
  request: {temperature: null, chat_template_kwargs: {enable_thinking: false}}
revision: '8'
base: models/below
instruction: Answer with one letter.
template: |
  {{ question }}
  {% for o in options %}
  {{ o.label }}: {{ o.text }}
  {% endfor %}
  {{ instruction }}
sampling: {fps: 1, max_frames: 32, endpoints: true}
seed: -3
quantisation: nf4
device_map: auto
offload: true
reader: pyav
decode_workers: 0
decode_timeout_s: 30
time_budget: 1h30m
compare_to: models/old
spread: force
sight: true
executor: ray
ray: {address: "head:6379", actors: 2, gpus_per_actor: 0.5, cpus_per_actor: 4}
conditions: [original, black, 'single_frame:middle']
slices:
  mine: {benchmark: plain, path: data/q.jsonl, questions: 300, tasks: [no, on], seed: 4}
  sight: {}
  large:
    benchmark: mvbench
    path: data/mvbench
    videos: /data/videos
    variant: video
    on_bad_records: skip
    at_least: 10
    per_video: one
    rotate: 4
    template: prompts/large.jinja
  kept: {benchmark: sight, pinned: slices/kept.jsonl}
claims:
  sees: {assert: vdg_above, slice: mine, floor: 0.2, tasks: order, seed: 3}
  kept:
    assert: no_dissociation_regression
    vdg_margin: 0.1
    loosened: fewer videos
caps: {failed: 0, unparsed: 0.1}
on_bad_media: skip
baseline_dir: baselines
environment: h100
cache_dir: /tmp/answers
replay: runs
"""

TEMPLATE = (
    "{{ question }}{% for o in options %} {{ o.label }}: {{ o.text }}{% endfor %}"
)


def write(folder: Path, text: str | bytes) -> Path:
    """Write *text* to the ``vdg.yaml`` of *folder*."""
    path = folder / "vdg.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def whole(folder: Path) -> Path:
    """Write a ``vdg.yaml`` with every key, and the template that it names."""
    (folder / "prompts").mkdir()
    (folder / "prompts" / "large.jinja").write_text(TEMPLATE)
    return write(folder, WHOLE)


def refused(folder: Path, text: str | bytes) -> str:
    """Return the message with which *text* is refused."""
    path = write(folder, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def test_a_whole_file_is_read_as_written(tmp_path: Path) -> None:
    """Every key reaches its field; paths start at the file."""
    config = load_config(whole(tmp_path))
    assert config.given == KEYS
    assert config.template is not None
    assert config.template.startswith("{{ question }}\n{% for o")
    assert (config.revision, config.base) == ("8", "models/below")
    assert (config.allow_pickle, config.local_files_only) == (True, False)
    assert config.threads == 2
    assert (config.share_prefixes, config.batch_tokens) == (True, 4096)
    assert config.frames_as == "images"
    assert (config.decode_workers, config.decode_timeout_s) == (0, 30.0)
    assert config.time_budget == "1h30m"
    assert config.sight is True
    assert config.executor == "ray"
    assert config.ray == {
        "address": "head:6379",
        "actors": 2,
        "gpus_per_actor": 0.5,
        "cpus_per_actor": 4,
    }
    placing = (config.quantisation, config.device_map, config.offload)
    assert placing == ("nf4", "auto", True)
    assert ServerSettings.of("m", config.server) == ServerSettings(
        model="m",
        url="http://localhost:8000/v1",
        frames_as="video",
        frames_per_token=2,
        image_format="jpeg",
        max_concurrent=4,
        requests_per_minute=60.0,
        timeout_s=30.0,
        deadline_s=300.0,
        retries=2,
        logprobs="off",
        price_per_million={"prompt": 2.5, "completion": 10},
        reuse_hours=12.0,
        request={
            "temperature": None,
            "chat_template_kwargs": {"enable_thinking": False},
        },
    )
    assert config.sampling.fps == 1.0
    assert config.sampling.frames is None
    assert config.conditions == ("original", "black", "single_frame:middle")
    assert list(config.claims) == ["sees", "kept"]
    assert config.claims["sees"].arguments == {"floor": 0.2}
    assert (config.claims["sees"].slice, config.claims["sees"].seed) == ("mine", 3)
    assert config.claims["sees"].tasks == ("order",)
    assert config.claims["kept"].loosened == "fewer videos"
    assert config.slices["mine"] == SliceSpec(
        benchmark="plain",
        path=tmp_path / "data" / "q.jsonl",
        questions=300,
        tasks=("no", "on"),
        seed=4,
    )
    assert config.slices["sight"] == SliceSpec(benchmark="sight")
    assert config.slices["large"] == SliceSpec(
        benchmark="mvbench",
        path=tmp_path / "data" / "mvbench",
        videos=Path("/data/videos"),
        variant="video",
        on_bad_records="skip",
        at_least=10,
        per_video="one",
        rotate=4,
        template=TEMPLATE,
    )
    assert config.slices["kept"] == SliceSpec(
        benchmark="sight", pinned=tmp_path / "slices" / "kept.jsonl"
    )
    assert config.caps == Caps(failed=0.0, unparsed=0.1)
    assert config.baseline_dir == tmp_path / "baselines"
    assert config.cache_dir == Path("/tmp/answers")
    assert config.replay == tmp_path / "runs"


@pytest.mark.parametrize(
    ("keys", "line", "told"),
    [
        ("at_least: 0", 3, "'slices.mine.at_least' must be a whole number above 0"),
        ("per_video: two", 3, "'slices.mine.per_video' must be 'all' or 'one'"),
        ("on_bad_records: warn", 3, "must be 'strict' or 'skip', got the text 'warn'"),
        ("rotate: 1", 3, "must be a whole number of at least 2, got the number 1"),
        ("rotate: '4'", 3, "Write: rotate: 4"),
        ("variant: 2", 3, "Write: variant: '2'"),
        ("pined: x", 3, "Did you mean 'pinned'"),
        ("pinned: x\n    seed: 1", 4, "slice 'mine' is pinned"),
        ("questions: 3\n    pinned: x\n    tasks: [a]", 3, "questions and tasks"),
        ("template: '{{ question }}'", 3, "the text of option 1 of 2"),
        ("template: none.jinja", 3, "none.jinja cannot be read: No such file"),
        ("template: bad.txt", 3, "bad.txt: the template leaves the question out"),
        ("template: latin.j2", 3, "latin.j2 is no UTF-8 text"),
    ],
)
def test_wrong_keys_of_a_slice_are_told_with_their_line(
    tmp_path: Path, keys: str, line: int, told: str
) -> None:
    """Before anything is loaded, and with what to write."""
    (tmp_path / "bad.txt").write_text("What?")
    (tmp_path / "latin.j2").write_bytes(b"\xe9")
    message = refused(tmp_path, f"slices:\n  mine:\n    {keys}\n")
    assert message.startswith(f":{line}: ")
    assert told in message


def test_a_wrong_template_at_the_top_has_its_line(tmp_path: Path) -> None:
    """The same check as in a slice."""
    assert refused(tmp_path, "seed: 1\ntemplate: '{{ questionn }}'").startswith(":2: ")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_an_empty_file_is_all_defaults(tmp_path: Path, text: str) -> None:
    """A file that says nothing changes nothing."""
    config = load_config(write(tmp_path, text))
    assert config.given == frozenset()
    assert config.sampling == VdgConfig().sampling


def test_json_means_the_same(tmp_path: Path) -> None:
    """What a program writes as JSON is read like what a person writes as YAML."""
    values = {"conditions": ["no", "yes"], "seed": 7, "trust_remote_code": True}
    as_json = load_config(write(tmp_path, json.dumps(values)))
    as_yaml = load_config(
        write(tmp_path, "conditions: [no, yes]\nseed: 7\ntrust_remote_code: true\n")
    )
    assert as_json == as_yaml
    assert as_json.conditions == ("no", "yes")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "conditionz: [black]",
            ":1: unknown key 'conditionz'. Did you mean 'conditions'?",
        ),
        ("seed: 1\nzzz: 8", ":2: unknown key 'zzz'. Known: "),
        (
            "seed: 1\nnum_frames: 8",
            ":2: unknown key 'num_frames'. Write for example: sampling: {frames: 8}",
        ),
        ("fps: 1", ":1: unknown key 'fps'. Write for example: sampling: {"),
        ("frame_as: video", ":1: unknown key 'frame_as'. Did you mean 'frames_as'"),
        ("sampling: {frame: 8}", ":1: unknown key 'sampling.frame'. Did you mean"),
        (
            "slices:\n  a:\n    pathh: x",
            ":3: unknown key 'slices.a.pathh'. Did you mean",
        ),
        ("caps: {fail: 0}", ":1: unknown key 'caps.fail'. Did you mean 'failed'?"),
    ],
)
def test_an_unknown_key_is_named_with_its_line(
    tmp_path: Path, text: str, told: str
) -> None:
    """A misspelt key is never ignored."""
    assert refused(tmp_path, text).startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sampling: {frames: '8'}", "the text '8'. Write: frames: 8"),
        ("sampling: {frames: 0}", "a whole number above 0, got the number 0"),
        ("sampling: {frames: 8.0}", "a whole number above 0, got the number 8.0"),
        ("sampling: {frames: true}", "got the switch true"),
        ("sampling: {frames: 8, fps: 1}", "exactly one of frames, fps and protocol"),
        ("sampling: {frames: 8, max_frames: 9}", "belongs to 'fps'"),
        ("sampling: {}", "got none"),
        ("sampling: 8", "a mapping with frames, fps"),
        ("sampling: {fps: -1}", "a number above 0"),
        ("seed: 010", "the text '010'"),
        ("seed: 1:30", "the text '1:30'"),
        ("seed: 1_000", "the text '1_000'"),
        ("seed: " + "1" * 5000, "the text '111"),
        ("seed:", "got nothing. Give a value or remove the line"),
        ("revision: 8", "a text, got the number 8. Write: revision: '8'"),
        ("dtype: true", "Write: dtype: 'true'"),
        ("trust_remote_code: yes", "true or false, got the text 'yes'"),
        ("conditions: original", "a list of texts, got*Write: conditions: [original]"),
        ("conditions: []", "a list of texts"),
        ("conditions: [8]", "a list of texts"),
        ("decode_workers: -1", "a whole number of at least 0, got the number -1"),
        ("decode_timeout_s: 0", "a number above 0, got the number 0"),
        ("time_budget: 30", "a time such as 90s, 30m or 2h, got the number 30"),
        ("time_budget: 0m", "a time such as 90s, 30m or 2h, got the text"),
        ("on_bad_media: ignore", "'fail' or 'skip', got the text 'ignore'"),
        ("caps: {failed: 2}", "a fraction from 0 to 1"),
        ("caps: {failed: .nan}", "the text '.nan'"),
        ("slices: [a]", "a mapping from name to slice"),
        ("slices: {../up: {}}", "a file is named after it"),
        ("slices: {a: plain}", "a mapping with benchmark"),
    ],
)
def test_a_value_of_another_kind_is_refused(
    tmp_path: Path, text: str, told: str
) -> None:
    """Nothing is converted; where it is plain, the message shows what to write."""
    message = refused(tmp_path, text)
    for part in told.split("*"):
        assert part in message


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("slices: {{a: {{rotate: {}}}}}", "2", "1"),
        ("server: {{url: u, reuse_hours: {}}}", "0", "-0.1"),
        ("server: {{url: u, retries: {}}}", "0", "-1"),
        ("decode_workers: {}", "0", "-1"),
        ("sampling: {{frames: {}}}", "1", "0"),
        ("environment: {}", "h100", "../h100"),
    ],
)
def test_the_least_value_is_taken_and_none_below(
    tmp_path: Path, text: str, least: str, below: str
) -> None:
    """What the message says may be written, may be written."""
    load_config(write(tmp_path, text.format(least)))
    assert refused(tmp_path, text.format(below)).startswith(":1: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "a: !!python/object/apply:os.system ['touch pwned']",
            ":1: not allowed here: tag",
        ),
        ("seed: 1\ndevice: !mine cpu", ":2: not allowed here: tag '!mine'"),
        ("trust_remote_code: !!bool yes", ":1: not allowed here: tag"),
        ("seed: 1\nseed: 2", ":2: key 'seed' stands twice (first in line 1)"),
        ("slices:\n  a: {seed: 1, seed: 2}", ":2: key 'seed' stands twice"),
        ("slices: &x {a: *x}", ":1: not allowed here: alias *x"),
        ("slices: {true: {}}", ":1: a key must be a name, got bool 'true'. Quote it"),
        ("? [a, b]\n: 1", ":1: a key must be a name"),
        ("seed: [", ":1: "),
        ("seed: 1\n\tdevice: cpu", ":2: "),
        ("a: 1\n--- \nb: 2", ":2: "),
        ("- a", " must hold 'key: value' lines"),
        ("just a text", " must hold 'key: value' lines, got a str"),
        ("a: " + "[" * 5000, ":1: not allowed here: nesting deeper than 20"),
        (b"seed: \xff\xfe", " is not YAML text"),
        (b"seed: 1\x00", " is not YAML text"),
        ("#" * (1 << 20) + "\n", " is larger than 1 MiB"),
    ],
)
def test_what_a_configuration_has_no_use_for_is_refused(
    tmp_path: Path, text: str | bytes, told: str
) -> None:
    """Tags, aliases, doubled keys and broken text are errors with the line."""
    assert refused(tmp_path, text).startswith(told)


def test_no_tag_runs_anything(tmp_path: Path) -> None:
    """A file can make no object and start no program."""
    marker = tmp_path / "pwned"
    refused(tmp_path, f"a: !!python/object/apply:os.system ['touch {marker}']")
    assert not marker.exists()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Missing and unreadable are said with the path."""
    with pytest.raises(ConfigError, match=r"gone\.yaml cannot be read: No such file"):
        load_config(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


@given(
    st.sampled_from(
        ["no", "No", "on", "off", "y", "1e", "0x10", "2026-01-01", "=", "<<"]
    )
)
def test_what_yaml_1_1_converts_stays_a_text(text: str) -> None:
    """YAML 1.2 knows only true and false; dates, bases and merges are texts."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        document = read_yaml(write(Path(folder), f"a: [{text}]\n"))
    assert document.values == {"a": [text]}


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", categories=["L"]), min_size=1).filter(
            lambda key: key.lower() not in ("true", "false", "null")
        ),
        st.one_of(
            st.booleans(),
            st.integers(-(10**20), 10**20),
            st.text(st.characters(codec="utf-8", exclude_categories=["C"])),
        ),
        max_size=4,
    )
)
def test_what_json_writes_is_read_back(values: dict[str, object]) -> None:
    """Every value keeps its type and itself."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), json.dumps(values))
        assert read_yaml(path).values == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("1.50", 1.5),
        ("-.5", -0.5),
        ("1e3", 1000.0),
        ("2.", 2.0),
        ("TRUE", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("007", "007"),
        ("1.2.3", "1.2.3"),
        ("tRUE", "tRUE"),
        (".inf", ".inf"),
        ("9" * 30, int("9" * 30)),
        ("9" * 31, "9" * 31),
    ],
)
def test_plain_values_are_those_of_yaml_1_2(
    tmp_path: Path, text: str, value: object
) -> None:
    """The core schema's booleans, numbers and nulls (YAML 1.2.2, 10.3.2)."""
    found = read_yaml(write(tmp_path, f"a: {text}\n")).values["a"]
    assert found == value
    assert type(found) is type(value)


def test_the_first_voice_that_speaks_decides(tmp_path: Path) -> None:
    """Each value carries its source; relative paths start where they were written."""
    config = load_config(write(tmp_path, "seed: 3\ncheckpoint: models/a\ncache_dir: c"))
    cli, ini = tmp_path / "cli", tmp_path / "ini"
    voices = [
        Voice(source=COMMAND_LINE, base=cli, values={"baseline_dir": "b", "seed": "1"}),
        env_voice({"VDG_DEVICE": "cuda", "VDG_DTYPE": "", "HOME": "x"}, cli),
        file_voice(config, tmp_path),
        Voice(source=INI, base=ini, values={"seed": "4", "no_cache": "true"}),
    ]
    settings = resolve(voices, base=tmp_path, config=config)
    assert settings.seed == 1
    assert settings.baseline_dir == cli / "b"
    assert settings.cache_dir == tmp_path / "c"
    assert not settings.keeps_answers
    assert settings.where["device"].named == "VDG_DEVICE"
    assert settings.where["dtype"].source == "default"
    assert settings.where["checkpoint"].base == tmp_path


def test_every_value_can_be_printed_with_its_source(tmp_path: Path) -> None:
    """One line a value: name, value, and the place it comes from."""
    config = load_config(write(tmp_path, "seed: 3\nconditions: [black]"))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    lines = {line.split()[0]: line for line in describe(settings)}
    assert lines["seed"].split()[1:] == ["3", "vdg.yaml:", "seed"]
    assert lines["conditions"].split()[1:] == ["black", "vdg.yaml:", "conditions"]
    assert lines["sampling"].split()[1:] == ["frames=8", "default"]
    assert lines["checkpoint"].split()[1:] == ["-", "default"]
    others = {"config", "questions", "no_cache"} | {s.name for s in OUTPUTS}
    assert set(lines) == KEYS | others


def test_each_claim_is_printed_with_its_line(tmp_path: Path) -> None:
    """What will be judged, as one could type it, and where it stands."""
    config = load_config(whole(tmp_path))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    lines = {line.split()[0]: line.split()[1:] for line in describe(settings)}
    *words, place = lines["claims.sees"]
    assert " ".join(words) == "vdg_above slice=mine tasks=order seed=3 floor=0.2"
    line = WHOLE.splitlines().index("  kept:") + 1
    assert place == "vdg.yaml:" + str(line - 1)
    *words, place = lines["claims.kept"]
    said = "no_dissociation_regression loosened='fewer videos' vdg_margin=0.1"
    assert " ".join(words) == said
    assert place == f"vdg.yaml:{line}"


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    """None found is fine; one that was named and is missing is not."""
    assert find_config([], [tmp_path]).path is None
    voice = Voice(source=COMMAND_LINE, base=tmp_path, values={"config": "x.yaml"})
    with pytest.raises(ConfigError, match=r"x\.yaml \(--vdg-config\) is not there"):
        find_config([voice], [tmp_path])


@pytest.mark.parametrize(
    ("text", "scoring"),
    [
        ("sampling: {protocol: traffic-paper}", "option_text"),
        ("sampling: {protocol: traffic-paper}\nscoring: choice", "choice"),
        ("sampling: {protocol: traffic-paper}\nbackend: text-lm", "option_text"),
        ("sampling: {protocol: traffic-paper}\nbackend: python:mine:make", None),
        ("sampling: {protocol: vdg-paper}", None),
        ("sampling: {frames: 16}", None),
    ],
)
def test_a_protocol_brings_its_scoring(
    tmp_path: Path, text: str, scoring: str | None
) -> None:
    """Unless another is set, and where the backend is one of ours."""
    config = load_config(write(tmp_path, text))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    assert settings.backend_settings("x").get("scoring") == scoring
    shown = {line.split()[0]: line.split()[1:] for line in describe(settings)}
    assert shown["scoring"][0] == (scoring or "-")
    assert set(SCORING) <= set(PROTOCOLS)
    if scoring == "option_text":
        assert " ".join(shown["scoring"][1:]) == "vdg.yaml: protocol traffic-paper"


def test_how_lengths_count_reaches_the_backend(tmp_path: Path) -> None:
    """A rule that is not known is refused when the file is read."""
    config = load_config(write(tmp_path, "option_likelihood: per_character"))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    assert settings.backend_settings("x")["option_likelihood"] == "per_character"
    with pytest.raises(ConfigError, match="option_likelihood"):
        load_config(write(tmp_path, "option_likelihood: mean"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sampling: {protocol: vdg-papr}", "vdg-paper"),
        ("reader: opencv", "reader"),
        ("sampling: {frames: 1000000000}", "frames"),
    ],
)
def test_names_of_other_parts_are_checked_before_a_run(
    tmp_path: Path, text: str, told: str
) -> None:
    """A protocol or reader that nothing is known by is a `ConfigError`."""
    config = load_config(write(tmp_path, text))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    with pytest.raises(ConfigError, match=told):
        settings.run_settings()


def test_a_checkpoint_may_start_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``~`` is understood, and a link is followed to the folder it names."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "model").mkdir()
    (tmp_path / "latest").symlink_to(tmp_path / "model")
    config = load_config(write(tmp_path, "checkpoint: ~/latest"))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    assert settings.locate() == str((tmp_path / "model").resolve())


def test_a_revision_belongs_to_the_checkpoint_beside_it(tmp_path: Path) -> None:
    """A checkpoint given elsewhere is another repository, a folder is none."""
    text = "checkpoint: org/name\nrevision: abc\n"
    config = load_config(write(tmp_path, text))
    voices = [file_voice(config, tmp_path)]
    settings = resolve(voices, base=tmp_path, config=config)
    assert settings.backend_settings("org/name")["revision"] == "abc"
    assert "revision" not in settings.backend_settings("org/other")
    by_hand = Voice(
        source=COMMAND_LINE, base=tmp_path, values={"checkpoint": "org/other"}
    )
    settings = resolve([by_hand, *voices], base=tmp_path, config=config)
    assert "revision" not in settings.backend_settings("org/other")
    (tmp_path / "org" / "name").mkdir(parents=True)
    settings = resolve(voices, base=tmp_path, config=config)
    with pytest.raises(ConfigError, match=r"is a folder\. Remove"):
        settings.backend_settings(str(tmp_path / "org" / "name"))


def test_a_hub_id_may_end_in_a_revision(tmp_path: Path) -> None:
    """Wherever a checkpoint is named: file, marker, and the one compared with."""
    text = "checkpoint: org/name@refs/pr/3\ncompare_to: org/name@v1.0\n"
    config = load_config(write(tmp_path, text))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    assert settings.locate() == "org/name@refs/pr/3"
    assert settings.compared.locate() == "org/name@v1.0"
    marked = [Voice(source=INI, base=tmp_path, values={})]
    settings = resolve(marked, base=tmp_path, config=config)
    assert settings.locate("org/other@abc") == "org/other@abc"
    for slip in ("org/name@", "org/name@../x", "org/name@a@b"):
        with pytest.raises(ConfigError, match="is not there"):
            settings.locate(slip)
    (tmp_path / "org" / "name@v1").mkdir(parents=True)
    assert settings.locate("org/name@v1") == str(tmp_path / "org" / "name@v1")
    with pytest.raises(ConfigError, match="Did you mean 'name@v1'"):
        settings.locate("org/name@v2")


def test_a_base_belongs_to_adapters(tmp_path: Path) -> None:
    """A path of the file's folder; whole weights that are compared with have none."""
    for name in ("base", "whole", "adapter"):
        (tmp_path / name).mkdir()
    (tmp_path / "adapter" / "adapter_config.json").write_text("{}")
    places = {each.name: str(each) for each in tmp_path.iterdir()}
    config = load_config(write(tmp_path, "checkpoint: adapter\nbase: base\n"))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    based = {n: settings.backend_settings(p).get("base") for n, p in places.items()}
    assert based == {"base": None, "whole": None, "adapter": places["base"]}
    assert settings.backend_settings("org/adapter")["base"] == places["base"]
    config = load_config(write(tmp_path, "checkpoint: whole\nbase: base\n"))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    told = settings.backend_settings(places["whole"])
    assert told["base"] == places["base"]  # which the backend refuses
    config = load_config(write(tmp_path, "checkpoint: adapter\nbase: ./bose\n"))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    with pytest.raises(ConfigError, match=r"base '\./bose' .*Did you mean 'base'"):
        settings.backend_settings(places["adapter"])


def test_what_a_backend_is_told_is_what_was_written(tmp_path: Path) -> None:
    """Every switch of a checkpoint reaches the backend under its own name."""
    config = load_config(whole(tmp_path))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    told = settings.backend_settings("models/new")
    assert told == {
        "checkpoint": "models/new",
        "revision": "8",
        "base": "models/below",
        "device": "cpu",
        "dtype": "float32",
        "attention": "eager",
        "frames_as": "images",
        "quantisation": "nf4",
        "device_map": "auto",
        "offload": True,
        "scoring": "choice",
        "option_likelihood": "sum",
        "max_new_tokens": 8,
        "allow_pickle": True,
        "local_files_only": False,
        "threads": 2,
        "share_prefixes": True,
        "batch_tokens": 4096,
    }
    assert {f.name for f in fields(TransformersSettings)} >= set(told)


def test_a_server_is_told_where_it_is_asked(tmp_path: Path) -> None:
    """Its settings reach the backend ``openai``, and a name stays a name."""
    (tmp_path / "named").mkdir()
    text = "backend: openai\ncheckpoint: named\nserver: {url: http://localhost/v1}"
    config = load_config(write(tmp_path, text))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    assert settings.locate() == "named"
    told = settings.backend_settings("named")
    assert told == {"checkpoint": "named", "server": {"url": "http://localhost/v1"}}
    text = text.replace("named", "./named")
    config = load_config(write(tmp_path, text))
    settings = resolve([file_voice(config, tmp_path)], base=tmp_path, config=config)
    assert settings.locate() == str(tmp_path / "named")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("server: http://hunter22@localhost/v1", "'server' must be a mapping"),
        ("server: {api_key: hunter22}", "unknown key 'server.api_key'"),
        ("server: {frames_as: clips}", "must be 'images' or 'video'"),
        ("server: {retries: -1}", "a whole number of at least 0"),
        ("server: {timeout_s: '5'}", "Write: timeout_s: 5"),
        ("server: {reuse_hours: -1}", "a number of at least 0"),
    ],
)
def test_what_no_server_takes_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """With the line; what may be a secret is not repeated."""
    message = refused(tmp_path, text)
    assert told in message
    assert "hunter22" not in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("executor: rai", "must be 'local' or 'ray'"),
        ("ray: {actor: 2}", "unknown key 'ray.actor'. Did you mean 'actors'"),
        ("ray: {actors: 0}", "a whole number above 0"),
        ("ray: {gpus_per_actor: '1'}", "Write: gpus_per_actor: 1"),
    ],
)
def test_what_no_cluster_takes_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """With what was probably meant."""
    assert told in refused(tmp_path, text)
