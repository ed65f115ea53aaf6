"""A custom kind for tests: widgets of example.com."""

from typing import Any

CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS_PATH = "/apis/example.com/v1/namespaces/default/widgets"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "A thing for tests.",
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "description": "What is wanted.",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "description": "How large it is."},
                "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
                "parts": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "conditions": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}},
                }
            },
        },
    },
}
COLUMNS = [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
    {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]


def version(name: str = "v1", *, storage: bool = True, served: bool = True, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "served": served,
        "storage": storage,
        "schema": {"openAPIV3Schema": SCHEMA if schema is None else schema},
        "subresources": {"status": {}},
        "additionalPrinterColumns": COLUMNS,
    }


def definition(*versions: dict[str, Any], plural: str = "widgets", kind: str = "Widget", **spec: Any) -> dict[str, Any]:
    """A definition of widgets, or of something like them."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": plural, "kind": kind, "shortNames": [plural[0] + plural[-2]], "categories": ["toys"]},
            "scope": "Namespaced",
            "versions": list(versions) or [version()],
            **spec,
        },
    }


def widget(name: str = "w1", *, api_version: str = "example.com/v1", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": "Widget", "metadata": {"name": name}, "spec": {"size": 3, **spec}}
