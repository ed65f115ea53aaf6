"""Structural schemas (OpenAPI v3 as apiextensions.k8s.io/v1 wants it) from wire types.

The types are the source and the schema follows: what a field is called, whether it must be there, which words an enum knows.
Descriptions are the docstrings of classes and the strings that stand under fields; they are read from the source, since Python
keeps none of the latter.

- Go writes ``null`` for a nil map or list, so every map and list may be null, unless its type says otherwise. Nothing else may.
- A whole number is an int64. One that travels as digits in a string (``Int64``) is a string.
- An *open* schema keeps fields that we do not know, at every object: others write them. A *closed* one drops them.
"""

import ast
import inspect
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec.inspect as shapes

from holdfast.api.struct import Int64, Wire

Schema = dict[str, Any]

_DIGITS = "^-?[0-9]+$"


def schema_of(type_: type[Wire], *, is_open: bool) -> Schema:
    """The schema of the JSON object that ``type_`` is on the wire."""
    shape = shapes.type_info(type_)
    assert isinstance(shape, shapes.StructType)  # noqa: S101 - a Wire is a struct; this tells mypy
    return _Writer(is_open=is_open).struct(shape)


class _Writer:
    """Writes schemas, all open or all closed."""

    def __init__(self, *, is_open: bool) -> None:
        self._is_open = is_open

    def struct(self, shape: shapes.StructType) -> Schema:
        notes = field_descriptions(shape.cls)
        note = class_description(shape.cls)
        schema: Schema = ({"description": note} if note else {}) | {"type": "object", "properties": {}}
        for field in shape.fields:
            described = {"description": notes[field.name]} if field.name in notes else {}
            schema["properties"][field.encode_name] = described | self.value(field.type)
        if required := [field.encode_name for field in shape.fields if field.required]:
            schema["required"] = required
        return schema | ({"x-kubernetes-preserve-unknown-fields": True} if self._is_open else {})

    def value(self, shape: shapes.Type) -> Schema:
        match shape:
            case shapes.Metadata(type=inner, extra_json_schema=extra):
                return {name: value for name, value in (self.value(inner) | (extra or {})).items() if value is not False}
            case shapes.UnionType(types=(inner, shapes.NoneType())):
                return self.value(inner)  # whether null is welcome depends on what else it may be
            case shapes.StructType():
                return self.struct(shape)
            case shapes.DictType(value_type=inner):
                return {"type": "object", "additionalProperties": self.value(inner), "nullable": True}
            case shapes.VarTupleType(item_type=inner):
                return {"type": "array", "items": self.value(inner), "nullable": True}
            case shapes.EnumType(cls=words):
                return {"type": "string", "enum": [word.value for word in words]}
            case shapes.CustomType(cls=cls) if cls is Int64:
                return {"type": "string", "pattern": _DIGITS}
            case shapes.IntType():
                return {"type": "integer", "format": "int64"}
            case shapes.BoolType():
                return {"type": "boolean"}
            case shapes.StrType():
                return {"type": "string"}
        raise TypeError(f"{shape} has no structural schema")


def class_description(cls: type) -> str:
    """The docstring of a class, as one line; nothing for one that only inherits it."""
    return " ".join(inspect.cleandoc(cls.__dict__.get("__doc__") or "").split())


@cache
def field_descriptions(cls: type) -> dict[str, str]:
    """The string under each field of a class, by the field's Python name."""
    (definition,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(cls))).body
    assert isinstance(definition, ast.ClassDef)  # noqa: S101 - the source of a class is a class; this tells mypy
    notes = {}
    for statement, below in pairwise(definition.body):
        match statement, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(note))):
                notes[name] = " ".join(note.split())
    return notes
