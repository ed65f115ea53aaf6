"""How to be a Kubernetes API server for one machine."""
