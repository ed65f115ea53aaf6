"""What users of a world do, and how they take a refusal."""

from typing import Any

from holdfast.api.errors import ApiError
from holdfast.api.wire import Unreachable
from holdfast.simulation.world import Deed, World


def unless_refused(deed: Any) -> Deed:
    """A deed of a person who minds no refusal, and has no need of the world beside the three numbers."""

    async def does(_: World, one: int, two: int, three: int) -> None:
        try:
            await deed(one, two, three)
        except (ApiError, Unreachable):
            return  # a person shrugs

    return does
