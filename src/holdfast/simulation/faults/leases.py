"""Somebody deletes the Lease by which a manager or an agent shows that it lives."""

from typing import ClassVar

from holdfast.api.core import Lease
from holdfast.api.errors import ApiError
from holdfast.api.wire import Unreachable
from holdfast.kube.client import Client
from holdfast.process import Process
from holdfast.simulation.clocks import DriftingClock
from holdfast.simulation.fault import Happening
from holdfast.simulation.world import NAMESPACE, World


class LeaseLost(Happening):
    """Whoever it belongs to is thought of as dead for a while, and goes on working. Nothing may rest on that."""

    name: ClassVar[str] = "lease-lost"
    rate: ClassVar[float] = 1.0
    needs: ClassVar[str] = "managers"

    async def happen(self, world: World, *args: int) -> None:
        number, _ = args
        process = Process("hand", DriftingClock(), world.dice.of("hand", world.revision).randomness)
        client = Client(world.transport("hand"), process)
        try:
            leases = (await client.list(Lease, NAMESPACE)).items
            if leases:
                await client.delete(Lease, leases[number % len(leases)].metadata.name, NAMESPACE)
        except (ApiError, Unreachable):
            return  # it was gone already, or nobody answered
