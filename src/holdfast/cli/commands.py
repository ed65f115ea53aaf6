"""The commands and their options. What a command needs it imports when it runs, so that help and completion are quick."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.output import Debugging, tell


def examples(*lines: str) -> str:
    """The foot of a command's help."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


FOOT = (
    examples(
        "holdfast up                               a whole control plane on this machine; it says what to try",
        "holdfast explain disk node-1/disk-1       what a disk promised, and why it refused",
    )
    + "\n\nExit codes: 0 done, 1 it could not be done, 2 wrong usage, 130 interrupted."
)

app = typer.Typer(
    name="holdfast",
    help="Decides where bytes live in a Kubernetes cluster and never promises the same byte twice.",
    epilog=FOOT,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _told_version(is_wanted: bool) -> None:
    if is_wanted:
        version()
        raise typer.Exit


@app.callback()
def everywhere(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error, for a bug report.")] = False,
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_told_version, help="Print the version and exit.")] = False,  # noqa: ARG001 - its callback has answered
) -> None:
    """Options that stand before the command."""
    Debugging.is_on = debug


@app.command(epilog=examples("holdfast crds | kubectl apply -f -", "holdfast crds --to deploy/crds"))
def crds(
    to: Annotated[Path | None, typer.Option(metavar="DIR", help="Write one file per kind there instead of printing.")] = None,
) -> None:
    """Print the CustomResourceDefinitions as YAML."""
    from holdfast.cli.crds import printed, written  # noqa: PLC0415 - imported when it runs

    if to is None:
        tell(printed())
    else:
        written(to)


@app.command(
    epilog=examples(
        "holdfast up",
        "holdfast up --nodes 8 --disks 2 --disk-size 1Ti",
        "holdfast up --data ./lab --port 0",
    )
)
def up(
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where everything is kept.  [default: $XDG_STATE_HOME or ~/.local/state, holdfast]")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="PORT", help="Port of the API, on loopback. 0 takes any free one.")] = 7443,
    nodes: Annotated[int, typer.Option(min=1, max=500, metavar="N", help="Simulated nodes.")] = 4,
    disks: Annotated[int, typer.Option(min=1, max=50, metavar="N", help="Disks of each node.")] = 1,
    disk_size: Annotated[str, typer.Option(metavar="SIZE", help="Size of each disk, such as 400Gi.")] = "400Gi",
    managers: Annotated[int, typer.Option(min=1, max=16, metavar="N", help="Managers, which share the work.")] = 1,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every committed revision to this new file, one JSON line each.")
    ] = None,
) -> None:
    """Run a whole control plane on this machine: an API for kubectl, managers, and nodes with simulated disks."""
    from holdfast.cli.sizes import size_of_disk  # noqa: PLC0415 - imported when it runs

    try:
        size = size_of_disk(disk_size)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--disk-size") from error

    from holdfast.cli.up import Wanted, serve  # noqa: PLC0415 - the heavy part

    serve(Wanted(folder=data, port=port, nodes=nodes, disks=disks, disk_size=size, managers=managers, record=record))


explain = typer.Typer(
    help="Say why, with numbers: from a cluster, or from what kubectl printed.",
    no_args_is_help=True,
    epilog=examples("holdfast explain disk node-1/disk-1"),
)
app.add_typer(explain, name="explain")

Kubeconfig = Annotated[Path | None, typer.Option(metavar="FILE", help="The kubeconfig to use instead of $KUBECONFIG or ~/.kube/config.")]
Context = Annotated[str | None, typer.Option(metavar="NAME", help="The context of the kubeconfig to use.")]


def _name_of_namespace(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
        raise typer.BadParameter(f"'{name}' is no name of a namespace: small letters, digits and hyphens, at most 63, are")
    return name


Namespace = Annotated[
    str,
    typer.Option("--namespace", "-n", metavar="NAME", callback=_name_of_namespace, help="The namespace of Longhorn's objects."),
]


class Output(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"


@explain.command(
    epilog=examples(
        "holdfast explain disk node-1/disk-1",
        "holdfast explain disk 7f3c5a1e-8b1d-4c55-9d58-0c4f6a1f2b77 -o json",
        "kubectl -n longhorn-system get lhds,lhn,lhs,lhr,lhbi -o json > dump.json",
        "holdfast explain disk node-1/disk-1 --from dump.json",
    )
)
def disk(
    name: Annotated[str, typer.Argument(metavar="NAME|NODE/NAME|UUID", help="The disk.")],
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print it.")] = Output.TEXT,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE|DIR", help="Read what kubectl get -o json|yaml printed (- is stdin), not a cluster."),
    ] = None,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    namespace: Namespace = "longhorn-system",
) -> None:
    """What a disk has promised, what it may promise, and why an ask is refused."""
    from holdfast.cli.explain import Question, explain_disk  # noqa: PLC0415 - imported when it runs

    question = Question(disk=name, as_json=output is Output.JSON, dump=from_, kubeconfig=kubeconfig, context=context, namespace=namespace)
    explain_disk(question)


def _name_of_manager(name: str | None) -> str | None:
    if name is not None and not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
        raise typer.BadParameter("small letters, digits and hyphens, at most 63, are a name")
    return name


@app.command(
    epilog=examples(
        "holdfast manager",
        "holdfast manager --kubeconfig ~/.kube/lab --name m2 --metrics-port 0",
    )
)
def manager(
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    namespace: Namespace = "longhorn-system",
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=_name_of_manager,
            help="Tells it from other managers. One that starts again under its name goes on at once.  [default: host and process id]",
        ),
    ] = None,
    metrics_port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="PORT", help="Where to show metrics, on loopback. 0 takes any free port.")
    ] = 9515,
) -> None:
    """Run the controllers against a Kubernetes API. Any number of managers may run; none runs beside longhorn-manager."""
    from holdfast.cli.manager import Wanted, serve  # noqa: PLC0415 - imported when it runs

    serve(Wanted(kubeconfig=kubeconfig, context=context, namespace=namespace, name=name, metrics_port=metrics_port))


@app.command(
    epilog=examples(
        "holdfast simulate ledger --seeds 300",
        "holdfast simulate ledger --from 5000 --seeds 1000 --profile rough",
        "holdfast simulate ledger --seed 17 --trace",
        "holdfast simulate ledger --seed 17 --steps 2,9 --without late-answer,busy --trace",
    )
)
def simulate(
    area: Annotated[str, typer.Argument(metavar="AREA", help="What is simulated: ledger, runtime or store.")] = "ledger",
    seed: Annotated[int | None, typer.Option(min=0, metavar="SEED", help="Play this one.")] = None,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Without --seed: how many are played.")] = 100,
    first: Annotated[int, typer.Option("--from", min=0, metavar="SEED", help="The first of them.")] = 1,
    profile: Annotated[str, typer.Option(metavar="NAME", help="How much goes wrong: calm, usual or rough.")] = "usual",
    trace: Annotated[bool, typer.Option("--trace", help="Tell everything that happened, line by line.")] = False,
    shrink: Annotated[bool, typer.Option(help="Cut the first failure down to a small run, and tell that one.")] = True,
    steps: Annotated[str | None, typer.Option(metavar="N,...", help="Of one seed, only these steps.")] = None,
    without: Annotated[str, typer.Option(metavar="FAULT,...", help="Of one seed, without these faults on the wire, or 'all'.")] = "",
    cast: Annotated[str, typer.Option(metavar="WHO=N,...", help="Of one seed, with another cast.")] = "",
    processes: Annotated[int, typer.Option("--processes", "-j", min=0, metavar="N", help="0 takes one for each core.")] = 0,
) -> None:
    """Play the whole plane on virtual time, with crashes and faults from a seed, and check every revision."""
    from holdfast.cli import simulate as simulation  # noqa: PLC0415 - the heavy part

    wanted = simulation.Wanted(area=area, profile=profile, shrinks=shrink, processes=processes, steps=steps, without=without, cast=cast)
    try:
        simulation.check(wanted)
        if seed is not None:
            simulation.one(wanted, seed, traces=trace)
        else:
            simulation.many(wanted, first, seeds)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.command(
    epilog=examples(
        "holdfast up --record record.jsonl",
        "holdfast verify --record record.jsonl",
        "zcat record.jsonl.gz | holdfast verify --record - -o json",
    )
)
def verify(
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The record to check, as holdfast up --record writes it (- is stdin).")
    ] = None,
    at_rest: Annotated[
        bool,
        typer.Option(
            "--at-rest/--no-at-rest",
            help="Also judge the end as a state in which nobody has anything left to do. "
            "A run that was stopped or killed need not have ended so.",
        ),
    ] = False,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print it.")] = Output.TEXT,
) -> None:
    """Check that every promise held at every revision of a record, by code that shares nothing with what made it.

    Exits with 0 when nothing was found, and with 1 when a promise was broken.
    """
    if record is None:
        raise typer.BadParameter("name a record to check: only records can be checked so far", param_hint="--record")
    from holdfast.cli.verify import verify_record  # noqa: PLC0415 - imported when it runs

    verify_record(record, at_rest=at_rest, as_json=output is Output.JSON)


@app.command(epilog=examples("holdfast version"))
def version() -> None:
    """Print the version."""
    from importlib import metadata  # noqa: PLC0415 - imported when it runs

    tell(f"holdfast {metadata.version('holdfast')}")
