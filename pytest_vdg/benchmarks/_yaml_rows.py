"""The records of a YAML file, every value the text that was written.

Apart from ``tables.py`` because no table looks like this, and because PyYAML
is imported by those alone who have such a file. ``no``, ``04`` and ``1:30``
stay what they are: an option that reads ``no`` is no false.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from pytest_vdg.benchmarks._checks import shown
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.tables import text_of
from pytest_vdg.errors import BenchmarkError
from pytest_vdg.yaml_nodes import NodeLoader, compose, line_of, paired, told


def yaml_rows(records: Records, path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield ``line N`` and content of each question in the list at *path*.

    Raises `BenchmarkError` naming the line where the file is no YAML, or uses
    tags or aliases; an entry that is no mapping is noted as a bad record.
    """
    try:
        node = compose(text_of(records, path), NodeLoader)
    except yaml.YAMLError as error:
        line, problem = told(error)
        raise BenchmarkError(f"{path}{f':{line}' if line else ''}: {problem}") from None
    if not isinstance(node, yaml.SequenceNode):
        raise BenchmarkError(
            f"{path}: must hold a list of questions, each beginning with '- id: ...'"
        )
    for entry in node.value:
        place = f"line {line_of(entry)}"
        try:
            value = _value(entry)
        except BenchmarkError as error:
            records.bad(path.name, place, str(error))
            continue
        if isinstance(value, dict):
            yield place, value
        else:
            records.bad(path.name, place, f"must be a question, got {shown(value)}")


def _value(node: yaml.Node) -> object:
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return _text(node)
    found: dict[str, object] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise BenchmarkError(f"line {line_of(key_node)}: a key must be a text")
        key = _text(key_node)
        if key in found:
            raise BenchmarkError(
                f"key {shown(key)} stands twice (line {line_of(key_node)})"
            )
        found[key] = _value(value_node)
    return found


def _text(node: yaml.Node) -> str:
    try:
        return paired(node)
    except yaml.MarkedYAMLError as error:
        raise BenchmarkError(str(error.problem)) from None
