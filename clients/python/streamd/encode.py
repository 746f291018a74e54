"""Requests as Python values into protobuf messages, by their descriptors."""
from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from . import streamd_pb2 as pb
from .errors import GraphError


def _fill_list(out: "pb.List", items: list, where: str) -> None:
    kinds = {type(item) for item in items}
    if len(kinds) > 1:
        raise GraphError(f"{where}: the items of a list are of one kind, these are of {len(kinds)}")
    for kind, field in ((bool, out.b), (int, out.i), (float, out.f), (str, out.s)):
        if kinds == {kind}:
            field.extend(items)


def _fill_value(out: "pb.Value", value: Any, where: str) -> None:
    if isinstance(value, bool):
        out.b = value
    elif isinstance(value, int):
        out.i = value
    elif isinstance(value, float):
        out.f = value
    elif isinstance(value, str):
        out.s = value
    elif isinstance(value, (list, tuple)) and value and all(isinstance(v, (list, tuple)) for v in value):
        for row in value:
            out.lists.lists.add().i.extend(row)
    elif isinstance(value, (list, tuple)):
        out.list.SetInParent()
        _fill_list(out.list, list(value), where)
    else:
        raise GraphError(f"{where}: no attribute can be a {type(value).__name__}")


def _fill_map(out: "pb.Map", values: dict, where: str) -> None:
    for key, value in values.items():
        field = out.fields.add(name=key)
        _fill_value(field.value, value, f"{where}.{key}")


def _fill_attrs(out: Any, values: dict, where: str) -> None:
    for key, value in values.items():
        attr, place = out.add(name=key), f"{where}.{key}"
        if isinstance(value, dict):
            attr.map.SetInParent()
            _fill_map(attr.map, value, place)
        elif isinstance(value, (list, tuple)) and value and all(isinstance(v, dict) for v in value):
            for row in value:
                _fill_map(attr.maps.maps.add(), row, place)
        else:
            _fill_value(attr.value, value, place)


def _fill_field(message: Any, field: FieldDescriptor, value: Any, where: str) -> None:
    if field.name == "attrs":
        _fill_attrs(message.attrs, value, where)
    elif field.name == "max_parallel_num":
        for engine, streams in value.items():
            message.max_parallel_num.add(engine=engine, streams=streams)
    elif field.name == "explicit_streams":
        for names in value:
            message.explicit_streams.streams.add().names.extend(names)
    elif field.enum_type:
        names = {v.name.lower(): v.number for v in field.enum_type.values}
        if value not in names:
            raise GraphError(f"{where} is {value!r}; it must be one of {', '.join(sorted(names))}")
        setattr(message, field.name, names[value])
    elif field.message_type and field.label == FieldDescriptor.LABEL_REPEATED:
        for i, row in enumerate(value):
            fill(getattr(message, field.name).add(), row, f"{where}[{i}]")
    elif field.message_type:
        getattr(message, field.name).SetInParent()
        fill(getattr(message, field.name), value, where)
    elif field.label == FieldDescriptor.LABEL_REPEATED:
        getattr(message, field.name).extend(value)
    else:
        setattr(message, field.name, value)


def fill(message: Any, values: dict, where: str = "") -> Any:
    """Puts a request's keys into a message; an unknown key is an error with its path."""
    for key, value in values.items():
        place = f"{where}.{key}" if where else key
        field = message.DESCRIPTOR.fields_by_name.get(key)
        if field is None:
            raise GraphError(f"{place}: unknown key; there are {', '.join(sorted(message.DESCRIPTOR.fields_by_name))}")
        try:
            _fill_field(message, field, value, place)
        except (TypeError, ValueError, AttributeError) as problem:
            if isinstance(problem, GraphError):
                raise
            raise GraphError(f"{place}: {problem}") from problem
    return message


def encode(request: dict) -> "pb.PlanRequest":
    """A request in the keys of request JSON as a message."""
    return fill(pb.PlanRequest(), request)
