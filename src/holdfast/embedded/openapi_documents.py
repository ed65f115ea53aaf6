"""How schemas and paths are told in OpenAPI, versions 3 and 2.

Schemas stand under a name made of the group, turned around, as Kubernetes writes them, and carry their group, version and kind:
that is how kubectl finds them. Operations name the query parameters that kubectl looks for before it relies on the server.
"""

from typing import Any, Final

from holdfast.embedded.discovery_words import DESCRIPTIONS
from holdfast.embedded.resources import Resource

Document = dict[str, Any]
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
#: What version 2 has no words for.
_NEWER: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "nullable"})
_GROUP_KIND: Final = "x-kubernetes-group-version-kind"
_PATCHES: Final = ("application/json-patch+json", "application/merge-patch+json")


def document_v3(resources: list[Resource]) -> Document:
    """The document of one group and version."""
    schemas: Document = {f"{_META}.{name}": schema for name, schema in _meta_schemas("#/components/schemas/").items()}
    paths: Document = {}
    for resource in resources:
        schemas |= _schemas(resource, "#/components/schemas/")
        paths |= _paths(resource)
    return {"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1.36.0"}, "paths": paths, "components": {"schemas": schemas}}


def document_v2(resources: list[Resource]) -> Document:
    """The one document of everything."""
    definitions: Document = {f"{_META}.{name}": schema for name, schema in _meta_schemas("#/definitions/").items()}
    for resource in resources:
        definitions |= _schemas(resource, "#/definitions/")
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "v1.36.0"},
        "paths": {},
        "definitions": {name: _older(schema) for name, schema in definitions.items()},
    }


def _older(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_older(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    refs = [item["$ref"] for item in schema.get("allOf") or [] if isinstance(item, dict) and "$ref" in item]
    kept = {key: _older(value) for key, value in schema.items() if key not in _NEWER}
    return kept | ({"$ref": refs[0]} if refs else {})


def schema_name(resource: Resource) -> str:
    """``com.example.v1.Widget`` for widgets of example.com."""
    reverse = (
        ".".join(reversed(resource.group.split("."))) if resource.is_custom else f"io.k8s.api.{resource.group.split('.')[0] or 'core'}"
    )
    return f"{reverse}.{resource.version}.{resource.kind}"


def _schemas(resource: Resource, refs: str) -> Document:
    name = schema_name(resource)
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    whole = dict(getattr(resource.schema, "document", None) or {"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    whole["properties"] = {
        **_type_meta(),
        **(whole.get("properties") or {}),
        "metadata": {"allOf": [{"$ref": f"{refs}{_META}.ObjectMeta"}], "description": DESCRIPTIONS["metadata"]},
    }
    for key, description in _type_meta().items():
        whole["properties"][key] = whole["properties"][key] | description
    listing = {
        "type": "object",
        "description": f"{resource.kind_of_list} is a list of {resource.kind}",
        "required": ["items"],
        "properties": {
            **_type_meta(),
            "items": {"type": "array", "items": {"allOf": [{"$ref": f"{refs}{name}"}]}},
            "metadata": {"allOf": [{"$ref": f"{refs}{_META}.ListMeta"}]},
        },
        _GROUP_KIND: [kind | {"kind": resource.kind_of_list}],
    }
    return {name: whole | {_GROUP_KIND: [kind]}, f"{name}List": listing}


def _type_meta() -> Document:
    return {key: {"type": "string", "description": DESCRIPTIONS[key]} for key in ("apiVersion", "kind")}


def _paths(resource: Resource) -> Document:
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    scoped = f"{root}/namespaces/{{namespace}}/{resource.plural}" if resource.namespaced else f"{root}/{resource.plural}"
    collection = {
        "get": _operation(resource, "list", ("labelSelector", "fieldSelector", "limit", "continue", "resourceVersion", "watch")),
        "post": _operation(resource, "post", ("dryRun", "fieldManager", "fieldValidation")),
        "delete": _operation(resource, "deletecollection", ("dryRun", "labelSelector", "fieldSelector")),
    }
    single = {
        "get": _operation(resource, "get", ()),
        "put": _operation(resource, "put", ("dryRun", "fieldManager", "fieldValidation")),
        "patch": _operation(resource, "patch", ("dryRun", "fieldManager", "fieldValidation", "force")),
        "delete": _operation(resource, "delete", ("dryRun", "gracePeriodSeconds", "propagationPolicy")),
    }
    found = {scoped: collection, f"{scoped}/{{name}}": single}
    if resource.namespaced:
        found[f"{root}/{resource.plural}"] = {"get": collection["get"]}
    if resource.has_status:
        found[f"{scoped}/{{name}}/status"] = {verb: single[verb] for verb in ("get", "put", "patch")}
    return found


def _operation(resource: Resource, action: str, parameters: tuple[str, ...]) -> Document:
    kind = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    schema = {"$ref": f"#/components/schemas/{schema_name(resource)}{'List' if action == 'list' else ''}"}
    operation: Document = {
        "x-kubernetes-action": action,
        _GROUP_KIND: kind,
        "parameters": [{"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}} for name in parameters],
        "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}},
    }
    if action in {"post", "put", "patch"}:
        forms = _PATCHES if action == "patch" else ("application/json",)
        body = schema if action != "patch" else {"type": "object"}
        operation["requestBody"] = {"required": True, "content": {form: {"schema": body} for form in forms}}
    return operation


def _meta_schemas(refs: str) -> Document:
    texts = {"type": "object", "additionalProperties": {"type": "string", "default": ""}}
    times = {"type": "string", "format": "date-time"}
    owner = {
        "type": "object",
        "description": DESCRIPTIONS["OwnerReference"],
        "required": ["apiVersion", "kind", "name", "uid"],
        "properties": {
            **{name: {"type": "string"} for name in ("apiVersion", "kind", "name", "uid")},
            **{name: {"type": "boolean"} for name in ("blockOwnerDeletion", "controller")},
        },
    }
    fields: Document = {
        **{name: {"type": "string"} for name in ("name", "generateName", "namespace", "uid", "resourceVersion", "selfLink")},
        **dict.fromkeys(("labels", "annotations"), texts),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), times),
        **{name: {"type": "integer", "format": "int64"} for name in ("generation", "deletionGracePeriodSeconds")},
        "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "ownerReferences": {"type": "array", "items": {"allOf": [{"$ref": f"{refs}{_META}.OwnerReference"}]}},
        "managedFields": {"type": "array", "items": {"allOf": [{"$ref": f"{refs}{_META}.ManagedFieldsEntry"}]}},
    }
    described = {name: field | {"description": DESCRIPTIONS[name]} for name, field in sorted(fields.items())}
    entry: Document = {name: {"type": "string"} for name in ("apiVersion", "fieldsType", "manager", "operation", "subresource")}
    entry |= {"fieldsV1": {"allOf": [{"$ref": f"{refs}{_META}.FieldsV1"}]}, "time": times}
    listing = {name: {"type": "string"} for name in ("continue", "resourceVersion", "selfLink")}
    return {
        "ObjectMeta": {"type": "object", "description": DESCRIPTIONS["ObjectMeta"], "properties": described},
        "ListMeta": {"type": "object", "properties": {**listing, "remainingItemCount": {"type": "integer", "format": "int64"}}},
        "OwnerReference": owner,
        "ManagedFieldsEntry": {"type": "object", "properties": entry},
        "FieldsV1": {"type": "object"},
    }
