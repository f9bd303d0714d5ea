"""`label-nodes.sh`: what NFD cannot say, as kubectl commands that may run again and again."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator

from gpupolicy.plan.model import Plan
from gpupolicy.plan.pool_model import PoolPlan
from gpupolicy.plan.pool_model import TaintPlan
from gpupolicy.targets.nodes.finding import selector

_HEAD = """\
#!/bin/sh
# Policy {policy}: labels and taints of nodes that nothing else sets.
# Written by gpupolicy. It may run again at any time, and has to for new nodes.
#
#   label-nodes.sh [--dry-run] [arguments of kubectl, such as --context NAME]
#
# With --dry-run it prints the commands and runs none.
set -eu

dry_run=
if [ "${{1-}}" = --dry-run ]; then
  dry_run=yes
  shift
fi
failed=0

run() {{
  if [ -n "$dry_run" ]; then
    printf "'%s' " "$@"
    printf '\\n'
  else
    "$@" || failed=1
  fi
}}

# found POOL SELECTOR: says so if no node has these labels, which kubectl would pass over.
found() {{
  pool=$1 selector=$2
  shift 2
  if [ -n "$dry_run" ]; then return 0; fi
  nodes=$(kubectl "$@" get nodes -l "$selector" -o name) || {{ failed=1; return 1; }}
  if [ -z "$nodes" ]; then
    printf "pool '%s': no node has %s\\n" "$pool" "$selector" >&2
    return 1
  fi
}}
"""
_TAIL = """
exit "$failed"
"""


def script(plan: Plan) -> str | None:
    """Write the script; None if every pool gets there another way."""
    parts = [part for pool in plan.pools for part in _pool(pool)]
    if not parts:
        return None
    return _HEAD.format(policy=quoted(plan.name)) + "".join(parts) + _TAIL


def script_taints(pool: PoolPlan) -> tuple[TaintPlan, ...]:
    """Give the taints that only the script sets: a patch would own the node's whole list."""
    if pool.node.labels_way == "patches":
        return pool.node.taints
    return pool.node.script_taints


def _pool(pool: PoolPlan) -> Iterator[str]:
    labels = _labels(pool) if pool.node.labels_way == "script" else []
    taints = [quoted(_taint(t)) for t in script_taints(pool)]
    if not labels and not taints:
        return
    lines = [*_command("label", pool, labels), *_command("taint", pool, taints)]
    yield f"\n# {pool.name}\n"
    if pool.node.finder.names:
        yield "".join(f"{line}\n" for line in lines)
    else:
        yield f'if found {quoted(pool.name)} {quoted(selector(pool))} "$@"; then\n'
        yield "".join(f"  {line}\n" for line in lines)
        yield "fi\n"


def _labels(pool: PoolPlan) -> list[str]:
    return [quoted(f"{key}={value}") for key, value in sorted(pool.node.labels.items())]


def _taint(taint: TaintPlan) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def _command(verb: str, pool: PoolPlan, settings: Iterable[str]) -> Iterator[str]:
    settings = " ".join(settings)
    if not settings:
        return
    names = pool.node.finder.names
    nodes = " ".join(map(quoted, names)) if names else f"-l {quoted(selector(pool))}"
    yield f'run kubectl "$@" {verb} nodes {nodes} {settings} --overwrite'


def quoted(text: str) -> str:
    """Quote text for a POSIX shell, so that it stays one word and means nothing."""
    return "'" + text.replace("'", "'\\''") + "'"
