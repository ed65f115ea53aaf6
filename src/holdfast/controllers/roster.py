"""All controllers of a manager, over caches with the indexes that they share."""

from typing import Any

from holdfast.controllers.books import index_books
from holdfast.controllers.disk_claims import DiskClaims
from holdfast.controllers.disk_schedules import DiskSchedules
from holdfast.controllers.lost_nodes import LostNodes
from holdfast.controllers.nodes import Nodes
from holdfast.controllers.settings import Settings
from holdfast.controllers.sweep import Sweep
from holdfast.kube.controller import Controller
from holdfast.kube.runtime import Runtime


def all_controllers(runtime: Runtime) -> tuple[Controller[Any], ...]:
    """What a manager runs. Once per runtime, before its caches are fed."""
    index_books(runtime.caches)
    return Settings(runtime), Nodes(runtime), LostNodes(runtime), DiskClaims(runtime), DiskSchedules(runtime), Sweep(runtime)
