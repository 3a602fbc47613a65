"""YAML as YAML 1.2 means it: plain values, and the line that each stands in.

Apart from ``file`` because it imports PyYAML, which a test session without
us must not pay for, and because PyYAML alone reads YAML 1.1, in which ``no``
is false, ``1:30`` is ninety and a second key silently replaces the first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pytest_vdg.errors import ConfigError
from pytest_vdg.yaml_nodes import NodeLoader, compose, line_of, paired, told

Place = tuple[str, ...]
"""Keys from the top of the file to a value."""

_MAX_BYTES = 1 << 20
_MAX_DIGITS = 30
"""A longer row of digits is no number of ours, and stays a text."""
_CORE = (
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(0|[1-9][0-9]*)$", "-+0123456789"),
    (
        "float",
        r"^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$",
        "-+.0123456789",
    ),
    ("null", r"^(~|null|Null|NULL|)$", ("~", "n", "N", "")),
)


@dataclass(frozen=True, kw_only=True)
class Document:
    """The values of one file, and where in it they stand."""

    path: Path
    values: dict[str, object]
    lines: dict[Place, int] = field(repr=False)

    def where(self, *place: str) -> str:
        """Return ``file:line`` of the key at *place*."""
        line = self.lines.get(place)
        return f"{self.path}:{line}" if line else str(self.path)


def read_yaml(path: Path) -> Document:
    """Read the mapping in *path*; anything doubtful is a `ConfigError`.

    Refused, with the line: a key twice, tags, aliases (``*name``), nesting
    deeper than 20, a file above 1 MiB, keys that are no names.
    """
    try:
        return _document(path, compose(_bytes(path), _Loader))
    except yaml.YAMLError as error:
        line, problem = told(error)
        if line is None:
            raise ConfigError(f"{path} is not YAML text: {problem}") from error
        raise ConfigError(f"{path}:{line}: {problem}") from error


def _document(path: Path, node: yaml.Node | None) -> Document:
    if node is None or _kind(node) == "null":
        return Document(path=path, values={}, lines={})
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(
            f"{path} must hold 'key: value' lines, got a {_kind(node)} at the top"
        )
    document = Document(path=path, values={}, lines={})
    document.values.update(_mapping(node, (), document))
    return document


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"{path} is larger than 1 MiB, and so no configuration")
    return data


class _Loader(NodeLoader):
    """Knows the plain values of YAML 1.2 by their form."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own name


for _name, _pattern, _first in _CORE:
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_name}", re.compile(_pattern), list(_first)
    )


def _value(node: yaml.Node, place: Place, document: Document) -> object:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, document)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, place, document) for item in node.value]
    return _scalar(node)


def _mapping(
    node: yaml.MappingNode, place: Place, document: Document
) -> dict[str, object]:
    found: dict[str, object] = {}
    for key_node, value_node in node.value:
        line = line_of(key_node)
        key = _scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
        if not isinstance(key, str):
            raise ConfigError(
                f"{document.path}:{line}: a key must be a name, got "
                f"{_kind(key_node)} {getattr(key_node, 'value', '')!r}. Quote it"
            )
        if key in found:
            first = document.lines[(*place, key)]
            raise ConfigError(
                f"{document.path}:{line}: key {key!r} stands twice (first in line "
                f"{first}). Remove one of the two"
            )
        document.lines[(*place, key)] = line
        found[key] = _value(value_node, (*place, key), document)
    return found


def _scalar(node: yaml.Node) -> object:
    text = str(node.value)
    kind = _kind(node)
    if kind == "bool":
        return text.lower() == "true"
    if kind == "int" and len(text) <= _MAX_DIGITS:
        return int(text)
    if kind == "float":
        return float(text)
    return None if kind == "null" else paired(node)


def _kind(node: yaml.Node) -> str:
    return str(node.tag).rpartition(":")[2]
