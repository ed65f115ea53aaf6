"""How the Lease of a node's agent is called. The agent renews it; controllers watch whether it stands still."""

#: For how long a renewal counts, in seconds: a few may be late before a node is called lost.
LIFETIME = 40

_PREFIX = "holdfast-node-"


def lease_name(node: str) -> str:
    """The Lease by which the agent of a node shows that it lives."""
    return _PREFIX + node


def node_of(lease: str) -> str:
    """The node that a Lease speaks for, or nothing for somebody else's Lease."""
    return lease.removeprefix(_PREFIX) if lease.startswith(_PREFIX) else ""
