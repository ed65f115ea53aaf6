"""delete: an object goes at once, or waits for those whose finalizers it carries.

How its dependents fare is said by two finalizers that the garbage collector acts on: ``foregroundDeletion`` (they go first) and
``orphan`` (they stay). Without either they are collected after it.
"""

from holdfast.api.timestamps import timestamp
from holdfast.embedded import metadata as meta
from holdfast.embedded import refusals
from holdfast.embedded.entries import Entry, Key, encode
from holdfast.embedded.options import DeleteOptions
from holdfast.embedded.resources import Resource
from holdfast.embedded.writing import Outcome, Writing, may_go

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
_FINALIZER_OF = {"Foreground": FOREGROUND, "Orphan": ORPHAN}


def delete(writing: Writing, resource: Resource, key: Key, options: DeleteOptions) -> Outcome:
    """Queue the end of an object, or the beginning of its end. Raises ``NotFound``."""
    before = writing.store.newest(key)
    if before is None:
        raise refusals.not_found(resource, key.name)
    obj = before.object()
    metadata = obj["metadata"]
    options.check(resource, key.name, metadata["uid"], metadata["resourceVersion"])
    if why := resource.rules.why_kept(obj):
        raise refusals.forbidden(resource, key.name, why)
    before_finalizers = metadata.get("finalizers", [])
    finalizers = _with_policy(before_finalizers, options.policy)
    is_news = finalizers != before_finalizers or "deletionTimestamp" not in metadata
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = timestamp(writing.now)
        if resource.rules.counts_its_end:
            metadata["deletionGracePeriodSeconds"] = 0
            if metadata.get("generation"):
                metadata["generation"] += 1
        resource.rules.prepare_end(obj)
    obj["metadata"] = meta.in_order(metadata)
    if may_go(resource, obj):
        if finalizers != before_finalizers and options.resource_version and not options.dry_run:
            # Kubernetes looks again, at an object that it has not read by then: such a delete is never done.
            why = f"Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: {before.revision}"
            raise refusals.conflict(resource, key.name, why)
        # Who goes at once never was "being deleted": watchers see the last state.
        return writing.remove(key, before.object(), over=before, dry_run=options.dry_run)
    if not is_news:
        return Outcome(before)
    if options.dry_run:
        return Outcome(Entry(before.revision, encode(obj)))
    write = writing.store.put(key, obj, over=before)
    return Outcome(write.event.entry, write)


def _with_policy(finalizers: list[str], policy: str) -> list[str]:
    if not policy:
        return finalizers
    others = [finalizer for finalizer in finalizers if finalizer not in {FOREGROUND, ORPHAN}]
    wanted = _FINALIZER_OF.get(policy)
    return [*others, wanted] if wanted else others
