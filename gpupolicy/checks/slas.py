"""The objectives of an SLA can be measured.

GP600 sla-unused
    No tenant and no workload names the SLA, so nothing follows from it. Name it as a tenant's or
    a workload's `sla`, or take it out.

GP603 queue-wait-beyond-buckets
    Waiting times are counted in buckets, and the bound is above the last one: whatever waits
    longer looks alike, so no ratio can be computed. Only the alert for work that is not let in at
    all is left. Kueue's buckets end at 40960 seconds (11h22m40s), before 0.15 at 10240.

GP604 queue-wait-interpolated
    The bound lies between two buckets of the histogram, and the share of the work within it is
    interpolated: exact at the edges, a straight line between them. The hint names the edges.

GP605 latency-not-an-edge
    The bound of a latency objective must be an edge of the histogram: between two edges nobody
    knows how many requests were faster. The hint names the two nearest.

GP606 latency-metric-unknown
    The catalogue does not know this histogram, so whether the bound is an edge of it cannot be
    checked. If it is not, the alert has no data. The name is that of the histogram without
    `_bucket`.

GP608 max-run-time-impossible
    Only Kueue stops a job after a time (label `kueue.x-k8s.io/max-exec-time-seconds`), in whole
    seconds from 1. Install Kueue, or leave `maxRunTime` out and set `activeDeadlineSeconds` in
    the jobs themselves.

GP609 queue-wait-without-queue
    With `quota: resourceQuota` there is no queue: a pod above the quota is refused at once, and
    nobody waits for admission. Nothing follows from `queueWait`.

GP610 objective-without-budget
    An objective of 100% leaves no budget of errors: the first request that is late breaks it for
    good, and alerts on the burning of a budget never rest. Write less, such as `99.9%`.

GP613 objective-unwatched
    Waiting times and latencies are kept by no component; alerts tell when they are at risk, and
    the alerts are Prometheus'. Without it among the components the objective is a wish. Name
    `prometheus` under `platform`, or take the objective out. (Volcano moves up what waits too long,
    so that `queueWait` alone is no finding there.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from gpupolicy.capacity.scheduling import Holders
from gpupolicy.capacity.scheduling import holders
from gpupolicy.check_base import CheckContext
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import Path
from gpupolicy.diagnostics.model import Severity
from gpupolicy.quantity import format_duration
from gpupolicy.spec.v1alpha1.priorities import Latency
from gpupolicy.spec.v1alpha1.priorities import QueueWait
from gpupolicy.spec.v1alpha1.priorities import Sla

_SECOND = 10**9
_SUFFIXES = ("_bucket", "_count", "_sum")


def check(context: CheckContext) -> Iterator[Diagnostic]:
    """Check every SLA that somebody names."""
    spec = context.policy.spec
    if not spec.slas:
        return
    held = holders(context.policy)
    named = {tenant.sla for tenant in spec.tenants}
    named |= {workload.sla for tenant in spec.tenants for workload in tenant.workloads}
    # A misspelt name, which is reported there, may mean any SLA that seems unused.
    misspelt = not named <= {None, *(sla.name for sla in spec.slas)}
    for index, sla in enumerate(spec.slas):
        path: Path = ("spec", "slas", index)
        if sla.name not in named:
            if not misspelt:
                yield _unused(sla, path)
            continue
        if spec.platform.prometheus is None:
            yield from _unwatched(sla, path, held)
        for found in _objectives(context, sla, path, held):
            yield replace(found, message=f"SLA '{sla.name}': {found.message}")


def _objectives(context: CheckContext, sla: Sla, path: Path, held: Holders) -> Iterator[Diagnostic]:
    if sla.queue_wait is not None:
        yield from _queue_wait(context, sla.queue_wait, (*path, "queueWait"), held)
    for at, latency in enumerate(sla.latency):
        one = len(sla.latency) == 1
        yield from _latency(context, latency, (*path, "latency", *(() if one else (at,))))
    if sla.max_run_time is not None:
        yield from _max_run_time(sla.max_run_time, (*path, "maxRunTime"), held)


def _unused(sla: Sla, path: Path) -> Diagnostic:
    return Diagnostic(
        "GP600",
        f"no tenant and no workload names SLA '{sla.name}'",
        (*path, "name"),
        severity=Severity.WARNING,
        hint=f"write 'sla: {sla.name}' where it is meant, or take it out",
    )


def _unwatched(sla: Sla, path: Path, held: Holders) -> Iterator[Diagnostic]:
    waits = sla.queue_wait is not None and held.quota not in ("volcano", "resourceQuota")
    parts = (["queueWait"] if waits else []) + (["latency"] if sla.latency else [])
    if parts:
        yield Diagnostic(
            "GP613",
            f"SLA '{sla.name}': nothing enforces {' and '.join(parts)}, and without Prometheus "
            f"nobody watches {'them' if parts[1:] else 'it'}",
            (*path, parts[0]),
            part="key",
            severity=Severity.WARNING,
            hint="add 'prometheus: {}' to 'platform', or take the objective out",
        )


def _queue_wait(
    context: CheckContext, wait: QueueWait, path: Path, held: Holders
) -> Iterator[Diagnostic]:
    yield from _budget(wait, path)
    if held.quota == "resourceQuota":
        yield Diagnostic(
            "GP609",
            "there is no queue with ResourceQuota, so nothing waits for admission",
            path,
            part="key",
            severity=Severity.WARNING,
            hint="install Kueue, or leave out 'queueWait'",
        )
    elif held.quota == "kueue":
        yield from _buckets(context, wait, (*path, "within"))


def _buckets(context: CheckContext, wait: QueueWait, path: Path) -> Iterator[Diagnostic]:
    kueue = context.policy.spec.platform.kueue
    histogram = context.facts.metrics().queue_wait(kueue.version if kueue else None)
    if histogram is None:
        return
    below, above = histogram.around(Fraction(wait.within, _SECOND))
    shown = format_duration(wait.within)
    if above is None:
        last = _duration(histogram.bounds[-1])
        yield Diagnostic(
            "GP603",
            f"within {shown} > {last}, the last bucket of waiting times: only the alert for work "
            "that is not let in is left",
            path,
            severity=Severity.WARNING,
            hint=f"write 'within: {last}' or less",
        )
    elif below is not None and below != above:
        edges = [_duration(edge) for edge in (below, above)]
        yield Diagnostic(
            "GP604",
            f"within {shown} is no edge of the histogram of waiting times, and is interpolated",
            path,
            severity=Severity.NOTE,
            hint=f"exact are {' and '.join(edges)}",
        )


def _latency(context: CheckContext, latency: Latency, path: Path) -> Iterator[Diagnostic]:
    yield from _budget(latency, path)
    histogram = context.facts.metrics().histogram(latency.metric)
    if histogram is None:
        yield _unknown_metric(context, latency, (*path, "metric"))
        return
    below, above = histogram.around(Fraction(latency.within, _SECOND))
    if below != above or below is None:
        edges = [_duration(edge) for edge in (below, above) if edge is not None]
        yield Diagnostic(
            "GP605",
            f"within {format_duration(latency.within)} is no edge of {latency.metric}",
            (*path, "within"),
            hint=f"the nearest {'edges are' if len(edges) > 1 else 'edge is'} "
            + " and ".join(edges),
        )


def _unknown_metric(context: CheckContext, latency: Latency, path: Path) -> Diagnostic:
    from difflib import get_close_matches

    plain = latency.metric
    for suffix in _SUFFIXES:
        plain = plain.removesuffix(suffix)
    known = sorted({histogram.name for histogram in context.facts.metrics().histograms})
    near = [plain] if plain in known else get_close_matches(plain, known, n=1, cutoff=0.7)
    return Diagnostic(
        "GP606",
        f"the histogram '{latency.metric}' is not known here, so its edges cannot be checked",
        path,
        severity=Severity.NOTE,
        hint=f"did you mean '{near[0]}'?"
        if near
        else "see that the bound is one of its 'le' labels",
    )


def _budget(objective: QueueWait | Latency, path: Path) -> Iterator[Diagnostic]:
    if objective.objective.fraction >= 1:
        yield Diagnostic(
            "GP610",
            "an objective of 100% leaves no budget: one late request breaks it for good",
            (*path, "objective"),
            severity=Severity.WARNING,
            hint="write less than 100%, such as 99.9%",
        )


def _max_run_time(time: int, path: Path, held: Holders) -> Iterator[Diagnostic]:
    if held.quota != "kueue":
        yield Diagnostic(
            "GP608",
            f"nobody stops jobs after {format_duration(time)}: only Kueue can",
            path,
            hint="install Kueue, or set 'activeDeadlineSeconds' in the jobs and leave this out",
        )
    elif time < _SECOND or time % _SECOND:
        yield Diagnostic(
            "GP608",
            f"maxRunTime {format_duration(time)} is not a whole number of seconds from 1",
            path,
            hint=f"write '{max(time // _SECOND, 1)}s'",
        )


def _duration(seconds: Fraction) -> str:
    return format_duration(int(seconds * _SECOND))
