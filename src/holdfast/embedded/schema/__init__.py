"""Structural schemas of custom resources: what is kept, what is filled in, and what is refused, in the words of Kubernetes."""

from holdfast.embedded.schema.schema import Schema

__all__ = ["Schema"]
