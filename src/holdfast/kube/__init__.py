"""How to talk to a Kubernetes API: client, caches, queues, controllers, leases, events, metrics."""
