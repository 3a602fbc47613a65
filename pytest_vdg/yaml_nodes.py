"""YAML read into nodes, with all refused that no file of ours has a use for.

Apart from ``config`` and ``benchmarks``, which may not import each other,
because both read files by hand that people wrote by hand: what the values mean
is theirs, and that no file can run anything, or hide a value, is decided here.
"""

from __future__ import annotations

from typing import Any

import yaml

_MAX_DEPTH = 20


class NodeLoader(yaml.SafeLoader):
    """Composes nodes and constructs nothing; every plain scalar is a text.

    Refuses tags, aliases (``*name``) and nesting deeper than 20 with
    `yaml.MarkedYAMLError`.
    """

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own name
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401
        """Compose the next node, after refusing what a file has no use for."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise _refused(event, f"alias *{event.anchor}: write the value out")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise _refused(event, f"tag {tag!r}: write the plain value without a tag")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _refused(event, f"nesting deeper than {_MAX_DEPTH}")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def compose(data: bytes | str, loader_class: type[NodeLoader]) -> yaml.Node | None:
    """Return the node at the top of *data*, None where there is none.

    Raises `yaml.YAMLError`, mostly with a mark that knows the line.
    """
    loader: NodeLoader | None = None
    try:
        loader = loader_class(data)
        node: yaml.Node | None = loader.get_single_node()
        return node
    finally:
        if loader is not None:
            loader.dispose()


def paired(node: yaml.Node) -> str:
    """Return the text of *node* with the halves joined of letters in two parts.

    JSON writes a rare letter as two escapes, and YAML reads JSON.
    """
    text = str(node.value)
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as error:
        raise yaml.MarkedYAMLError(
            problem=f"half a letter in {text!a}", problem_mark=node.start_mark
        ) from error


def _refused(event: Any, what: str) -> yaml.MarkedYAMLError:  # noqa: ANN401
    return yaml.MarkedYAMLError(
        problem=f"not allowed here: {what}", problem_mark=event.start_mark
    )


def line_of(node: yaml.Node) -> int:
    """Return the line that *node* begins in, counted from 1."""
    return int(node.start_mark.line) + 1


def told(error: yaml.YAMLError) -> tuple[int | None, str]:
    """Return the line of *error*, where it knows one, and what is wrong."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return None, str(error)
    mark = error.problem_mark or error.context_mark
    context = f" ({error.context})" if error.context else ""
    return (mark.line + 1 if mark is not None else None), f"{error.problem}{context}"
