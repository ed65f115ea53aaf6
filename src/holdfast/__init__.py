"""Holdfast decides where bytes live in a Kubernetes cluster and never promises the same byte twice."""
