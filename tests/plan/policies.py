"""From the text of a policy to its plan, without the checks."""

from __future__ import annotations

import os

from gpupolicy.capacity.resolve import resolve
from gpupolicy.facts.catalog import facts
from gpupolicy.plan.lower import lower
from gpupolicy.plan.model import Cell
from gpupolicy.plan.model import Plan
from gpupolicy.plan.model import PoolCells
from gpupolicy.source.load import SourceText
from gpupolicy.source.load import load
from gpupolicy.spec.validate import validate

_HERE = os.path.dirname(__file__)


def plan_of(text: str) -> Plan:
    document, found = load([SourceText("policy.yaml", text.encode())])
    assert document is not None, found
    policy, found = validate(document.data)
    assert policy is not None, found
    return lower(policy, facts(), resolve(policy, facts()))


def example() -> str:
    with open(os.path.join(_HERE, "..", "policies", "plan", "ai-platform.yaml")) as file:
        return file.read()


def cell(pools: tuple[PoolCells, ...], pool: str, resource: str) -> Cell:
    row = next(row for row in pools if row.pool == pool)
    return next(cell for cell in row.cells if cell.resource == resource)


def numbers(
    pools: tuple[PoolCells, ...], pool: str
) -> dict[str, tuple[int, int | None, int | None]]:
    row = next(row for row in pools if row.pool == pool)
    return {c.resource: (c.guaranteed, c.limit, c.lend) for c in row.cells}


def small(
    pools: str, tenants: str, platform: str = 'kueue: {version: "0.19"}', more: str = ""
) -> str:
    return f"""
apiVersion: gpupolicy.dev/v1alpha1
kind: GPUClusterPolicy
metadata: {{name: small}}
spec:
  platform: {{kubernetes: "1.34", gpuOperator: {{version: "26.7"}}, {platform}}}
  {more}
  nodePools:
{pools}
  tenants:
{tenants}
"""
