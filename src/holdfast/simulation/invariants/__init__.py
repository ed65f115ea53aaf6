"""One promise a file. What lies here is checked; nothing has to be told of it.

Of the ledger's own, those about the asks and grants of one disk come first: limit, sticky, tokens, removals and so on. What rests
on volumes and engines (a running instance has its grant, an engine is no larger than its grants, a volume keeps a healthy replica)
belongs here too, as soon as these kinds are recorded.
"""
