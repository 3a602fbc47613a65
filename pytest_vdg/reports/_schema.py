"""Checking plain JSON values against a JSON Schema of ours.

Apart from the reader of results so that what we publish is what we hold files
to: there is one description of the format. It knows the words that our schemas
use, and refuses to judge by any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_vdg.errors import did_you_mean

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_REMARKS = {"$schema", "$id", "$defs", "title", "description", "examples"}
_KNOWN = _REMARKS | {
    "$ref",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "properties",
    "required",
    "additionalProperties",
    "items",
}

Schema = Mapping[str, Any]


def first_fault(value: object, schema: Schema, *, place: str = "") -> str | None:
    """Return what is wrong with *value* first, and where; None where nothing is."""
    return next(_faults(value, schema, schema, place), None)


def _faults(value: object, schema: Schema, root: Schema, place: str) -> Iterator[str]:
    unknown = schema.keys() - _KNOWN
    if unknown:
        raise ValueError(f"a schema of ours says {sorted(unknown)}, which is not read")
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix("#/$defs/")
        yield from _faults(value, root["$defs"][name], root, place)
    where = place or "the file"
    if "type" in schema and not _is_of(value, schema["type"]):
        yield f"{where} must be {_listed(schema['type'])}, got {_shown(value)}"
        return
    known = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if known is not None and not any(_same(value, each) for each in known):
        near = did_you_mean(value, map(str, known)) if isinstance(value, str) else ""
        yield f"{where} cannot be {_shown(value)}.{near}"
    yield from _out_of_range(value, schema, where)
    if isinstance(value, dict):
        yield from _of_object(value, schema, root, place)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _faults(item, schema["items"], root, f"{place}[{number}]")


def _out_of_range(value: object, schema: Schema, where: str) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if "minimum" in schema and not value >= schema["minimum"]:
        yield f"{where} must be at least {schema['minimum']}, got {value!r}"
    if "maximum" in schema and not value <= schema["maximum"]:
        yield f"{where} must be at most {schema['maximum']}, got {value!r}"


def _of_object(
    value: Mapping[str, object], schema: Schema, root: Schema, place: str
) -> Iterator[str]:
    start = f"{place}." if place else ""
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{start}{name} is missing"
    others = schema.get("additionalProperties", {})
    for name, item in value.items():
        if name in properties:
            yield from _faults(item, properties[name], root, f"{start}{name}")
        elif others is False:
            near = did_you_mean(name, properties)
            yield f"{start}{name} is no part of the format.{near}"
        else:
            yield from _faults(item, others, root, f"{start}{name}")


def _is_of(value: object, types: str | Sequence[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    if isinstance(value, bool):
        return "boolean" in names
    if isinstance(value, float) and value.is_integer() and "integer" in names:
        return True
    return isinstance(value, tuple(kind for name in names for kind in _TYPES[name]))


def _same(value: object, known: object) -> bool:
    """Return whether both are one value to JSON, in which true is not 1."""
    return value == known and isinstance(value, bool) == isinstance(known, bool)


def _listed(names: str | Sequence[str]) -> str:
    return names if isinstance(names, str) else " or ".join(names)


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return f"{value!r:.60}"
