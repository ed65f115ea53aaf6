"""At rest every replica that was placed is asked for on its disk, with the token of this placement.

Only replicas that count their placements are ours to judge: others were placed by somebody who knows nothing of tokens. Where
another's ask still stands under the name, the sweep has to free the key first; that is its own promise.
"""

from typing import ClassVar

from holdfast.simulation.invariant import DISK_SCHEDULE, REPLICA, Broken, Invariant, subject
from holdfast.simulation.past import Past, uid_of
from holdfast.simulation.recorded_books import REPLICAS, AskKey, part, text_in
from holdfast.simulation.recorded_limit import placement_of


class Asked(Invariant):
    promise: ClassVar[str] = "what is placed is asked for at rest"

    def at_rest(self, past: Past) -> Broken:
        for replica in past.all(REPLICA):
            metadata, disk = replica["metadata"], text_in(part(replica, "spec"), "diskID")
            books = past.books.get((DISK_SCHEDULE, metadata.get("namespace", ""), disk))
            placement, uid = placement_of(replica), uid_of(replica)
            if books is None or not placement or metadata.get("deletionTimestamp"):
                continue
            ask = books.asks.get(AskKey(REPLICAS, metadata["name"]))
            if ask is None:
                yield subject(replica), f"placement {placement} is on disk {disk}, which was not asked"
            elif not ask.text or (ask.token.uid == uid and ask.token.placement != placement):
                yield subject(replica), f"placement {placement} is on disk {disk}, which was asked for {ask.text!r}"
