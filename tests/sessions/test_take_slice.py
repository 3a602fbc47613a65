"""From ``vdg.yaml`` and a marker to the questions: what wins, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vdg.benchmarks.pinned import save_slice
from pytest_vdg.benchmarks.plain import load_plain
from pytest_vdg.benchmarks.slices import Slice, take
from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import resolve
from pytest_vdg.config.switches import COMMAND_LINE, Voice
from pytest_vdg.errors import BenchmarkError, ConfigError
from pytest_vdg.sessions.asks import Ask, require_slice, slice_key, take_slice
from pytest_vdg.sessions.session import VdgSession
from tests.benchmarks.made import record, write

TEMPLATE = (
    "{{ question }}{% for o in options %} {{ o.label }}) {{ o.text }}{% endfor %}"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with twelve questions of two tasks about six videos."""
    records = [
        record(id=f"q{i}", task="ab"[i % 2], video=f"{i // 2}.mp4", question=f"Q{i}?")
        for i in range(12)
    ]
    write(tmp_path, records)
    return tmp_path


def session(folder: Path, keys: str, **options: object) -> VdgSession:
    """Return the session of a ``vdg.yaml`` whose slice ``mine`` has these keys."""
    path = folder / "vdg.yaml"
    path.write_text(
        f"slices:\n  mine: {{benchmark: plain, path: mine.jsonl, {keys}}}\n"
    )
    voice = Voice(source=COMMAND_LINE, base=folder, values=options)
    return VdgSession(resolve([voice], base=folder, config=load_config(path)))


def taken(folder: Path, keys: str, ask: Ask | None = None, **options: object) -> Slice:
    """Return the slice ``mine`` as *ask* wants it."""
    return take_slice(session(folder, keys, **options).settings, ask or Ask())


def pin(folder: Path, n: int, **how: object) -> tuple[str, ...]:
    """Pin a slice of *n* questions in ``pinned.jsonl`` and return its ids."""
    made = take(load_plain(folder / "mine.jsonl"), questions=n, **how)  # type: ignore[arg-type]
    save_slice(made, folder / "pinned.jsonl")
    return made.ids


def test_keys_of_the_draw_reach_it(folder: Path) -> None:
    """The slice of the file is what `take` draws with the same wishes."""
    made = taken(folder, "questions: 5, seed: 3, at_least: 2, per_video: one")
    drawn = take(
        load_plain(folder / "mine.jsonl"),
        questions=5,
        seed=3,
        at_least=2,
        per_video="one",
    )
    assert (made.ids, made.name) == (drawn.ids, "mine")


def test_a_pinned_slice_is_what_its_file_says(folder: Path) -> None:
    """Whatever would be drawn today."""
    ids = pin(folder, 6, seed=9)
    made = taken(folder, "pinned: pinned.jsonl")
    assert (made.ids, made.name) == (ids, "mine")


def test_a_part_of_a_pinned_slice_is_its_beginning(folder: Path) -> None:
    """``--vdg-questions`` and a marker take the first, a marker's tasks only these."""
    ids = pin(folder, 6)
    keys = "pinned: pinned.jsonl"
    assert taken(folder, keys, questions="2").ids == ids[:2]
    assert taken(folder, keys, Ask(questions=4)).ids == ids[:4]
    part = taken(folder, keys, Ask(tasks=("b",)))
    assert part.tasks == ("b",)
    assert part.ids == tuple(i for i in ids if int(i[1:]) % 2)
    assert part.name == "mine-b"


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (Ask(seed=1), "another seed cannot draw"),
        (Ask(questions=7), "7 questions were asked of slice 'mine-7'.* has 6"),
        (Ask(tasks=("c",)), "has no task 'c'"),
    ],
)
def test_a_pinned_slice_cannot_be_another(folder: Path, ask: Ask, said: str) -> None:
    """A marker that wants what the file does not hold is told so."""
    pin(folder, 6)
    with pytest.raises(ConfigError, match=said):
        taken(folder, "pinned: pinned.jsonl", ask)


def test_a_missing_pin_is_found_before_anything_is_read(folder: Path) -> None:
    """With what to type to make it."""
    settings = session(folder, "pinned: gone.jsonl").settings
    with pytest.raises(ConfigError, match=r"gone\.jsonl, which is not there.*--to"):
        require_slice(settings, Ask())


def test_a_changed_annotation_file_is_noticed(folder: Path) -> None:
    """One edited question of a pinned slice names slice, question and change."""
    pin(folder, 12)
    lines = (folder / "mine.jsonl").read_text().splitlines()
    first = json.loads(lines[0]) | {"answer": "A"}
    write(folder, [first, *map(json.loads, lines[1:])])
    with pytest.raises(BenchmarkError) as caught:
        taken(folder, "pinned: pinned.jsonl")
    assert "1 of 12 questions of slice 'mine-12'" in str(caught.value)
    assert "'q0': its text, options, answer or excerpt changed" in str(caught.value)


def test_few_questions_are_rotated_after_they_were_counted(folder: Path) -> None:
    """A quick look at two questions is two questions, under all their rotations."""
    made = taken(folder, "rotate: 3", questions="2")
    assert len(made) == 6
    assert made.name == "mine-rot3"
    assert {i.partition("@")[0] for i in made.ids} == set(
        taken(folder, "seed: 0", questions="2").ids
    )


def test_the_template_of_a_slice_goes_with_it(folder: Path) -> None:
    """A slice keeps its template, also when its questions are rotated."""
    (folder / "t.jinja").write_text(TEMPLATE)
    assert taken(folder, "template: t.jinja").template == TEMPLATE
    assert taken(folder, "template: t.jinja, rotate: 2").template == TEMPLATE


def test_what_was_left_out_is_told_once(folder: Path) -> None:
    """Records, rotations, annotations: at the end of the session people hear of it."""
    with (folder / "mine.jsonl").open("a") as file:
        file.write(json.dumps(record(id="bad", answer="Z")) + "\n")
        options = ["red", "blue", "None of the above"]
        file.write(json.dumps(record(id="fixed", options=options)) + "\n")
    made = session(folder, "on_bad_records: skip, rotate: 2")
    for ask in (Ask(), Ask(conditions=("original",))):
        made.slice(ask)
    left_out, unturned = made.notes
    assert "benchmark 'mine' that are left out: 1 (first" in left_out
    assert "mine.jsonl, line 13" in left_out
    assert "1 of 13 questions were not rotated" in unturned


def test_two_templates_are_two_runs(folder: Path) -> None:
    """Slices alike but for their words are not one run of the session."""
    one, other = (
        taken(folder, f"seed: 0{t}") for t in ("", f", template: '{TEMPLATE}'")
    )
    assert slice_key(one) != slice_key(other)
