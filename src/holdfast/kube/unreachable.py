"""The ways in which no answer comes, told apart by what the caller may do next.

- ``Unreachable`` itself: it broke after the request may have left. Whether the server acted is unknown, so only a request that
  does no harm twice may be sent again.
- ``NotSent``: nothing left, so anything may be sent again.
- ``Untrusted``, ``NoCredentials`` and ``Silenced``: trying again at once is pointless.
"""

from holdfast.api.wire import Unreachable


class NotSent(Unreachable):
    """No connection came about (refused, no route, no such name): the server has not seen the request."""


class Untrusted(Unreachable):
    """The two sides do not accept each other's certificates. It stays so until a person changes something."""


class NoCredentials(Unreachable):
    """What should say who we are could not be had."""


class Silenced(Unreachable):
    """This side has closed or killed its transport."""
