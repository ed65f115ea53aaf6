"""Custom kinds for conformance tests: one that has a bit of everything, and any other that a test wants."""

import json
from typing import Any

from tests.support.home import Home

GROUP = "conformance.example.com"

#: A status path, defaults, bounds, and every way to say what is kept.
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "minimum": 0, "maximum": 100},
                "colour": {"type": "string", "default": "blue"},
                "mode": {"type": "string", "enum": ["fast", "safe"]},
                "code": {"type": "string", "pattern": "^[a-z]{3}$", "maxLength": 5},
                "ratio": {"type": "number"},
                "maybe": {"type": "string", "nullable": True},
                "never": {"type": "string", "nullable": True, "default": "set"},
                "filled": {"type": "string", "default": "set"},
                "port": {"x-kubernetes-int-or-string": True},
                "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": {"type": "integer"}}},
                "template": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
                "parts": {
                    "type": "array",
                    "maxItems": 3,
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "weight": {"type": "integer", "default": 1}},
                    },
                },
                "keyed": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                    },
                },
                "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "when": {"type": "string", "format": "date-time"},
                "inner": {"type": "object", "default": {}, "properties": {"depth": {"type": "integer", "default": 7}}},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}, "seen": {"type": "integer"}}},
    },
}
COLUMNS = [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Phase", "type": "string", "jsonPath": ".status.phase", "priority": 1, "description": "How far it is"},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]


def definition(group: str = GROUP, plural: str = "widgets", kind: str = "Widget", **spec: Any) -> dict[str, Any]:
    """A definition of one version; ``spec`` replaces fields of its spec."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": SCHEMA},
        "additionalPrinterColumns": COLUMNS,
        "selectableFields": [{"jsonPath": ".spec.colour"}],
    }
    whole = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": {"plural": plural, "kind": kind}, "versions": [version], **spec},
    }
    copy: dict[str, Any] = json.loads(json.dumps(whole))  # which a test may change
    return copy


async def define(home: Home, made: dict[str, Any]) -> None:
    """Make a kind and wait until it is served. It goes with the test."""
    path = home.at("customresourcedefinitions", made["metadata"]["name"])
    home.made.append(path)
    reply = await home.post(home.at("customresourcedefinitions"), made)
    assert reply.code == 201, reply
    await served(home, made)


async def served(home: Home, made: dict[str, Any]) -> None:
    """Wait until every version that is to be served is."""
    spec = made["spec"]
    for version in spec["versions"]:
        if version["served"]:
            path = f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"

            async def is_served(path: str = path) -> bool:
                return (await home.get(path)).code == 200

            await home.until(is_served)


async def serve_widgets(home: Home) -> None:
    """Widgets are served here; they stay for the next test."""
    made = definition()
    reply = await home.post(home.at("customresourcedefinitions"), made)
    assert reply.code in {201, 409}, reply
    await served(home, made)
