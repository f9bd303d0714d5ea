"""Hostile but well-formed policies: one list or map of the language, as long as 1 MiB allows.

`python -m bench.hostile [NAME ...]` measures `validate` and `compile` of each: CPU seconds and the
peak of memory. `python -m bench.hostile --write FOLDER` writes the policies instead.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Iterator

SIZE = 1 << 20

_HEAD = "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUClusterPolicy\nmetadata: {name: big}\nspec:\n"
_PLATFORM = (
    '  platform: {kubernetes: "1.34", gpuOperator: {version: "26.7"}, '
    'kueue: {version: "0.19"}, prometheus: {}}\n'
)
_POOL = "{name: p, gpu: A10, nodes: 4, gpusPerNode: 4, allocatable: {cpu: 8, memory: 8Gi}}"
_QUOTA = "{pool: p, guaranteed: 0}"
_TEAM = f"{{name: t, namespaces: [t], quotas: [{_QUOTA}]}}"

Items = Callable[[int], str]


def _filled(before: str, item: Items, after: str, size: int = SIZE) -> str:
    """Repeat an item until the text is as long as it may be."""
    left = size - len(before) - len(after)
    parts: list[str] = []
    while True:
        text = item(len(parts))
        left -= len(text.encode()) + 1
        if left < 0:
            return before + ",".join(parts) + after
        parts.append(text)


def _spec(**sections: str) -> str:
    return _HEAD + _PLATFORM + "".join(f"  {key}: {text}\n" for key, text in sections.items())


def _list(item: Items, **sections: str) -> str:
    """Write a policy in which `@` stands for the long list."""
    before, _, after = _spec(**sections).partition("@")
    return _filled(before, item, after)


def _pools(**more: str) -> dict[str, str]:
    return {"nodePools": f"[{_POOL}]", **more}


def _pool(keys: str) -> dict[str, str]:
    return {"nodePools": f"[{{name: p, nodes: 1, {keys}}}]"}


def _team(keys: str) -> dict[str, str]:
    return _pools(tenants=f"[{{name: t, namespaces: [t], {keys}}}]")


def _quoted(keys: str) -> dict[str, str]:
    return _team(f"quotas: [{_QUOTA}], {keys}")


def _nested_tenants(number: int) -> str:
    parent = f"parent: t{number - 1}, " if number else ""
    return f"{{name: t{number}, {parent}quotas: [{_QUOTA}]}}"


def _cut_pool(number: int) -> str:
    return (
        f"{{name: p{number}, gpu: A100-SXM4-80GB, nodes: {{count: 1, selector: {{a: p{number}}}}}, "
        "gpusPerNode: 8, sharing: {mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}}"
    )


# Name -> how the policy is written.
SHAPES: dict[str, Callable[[], str]] = {
    # Tenants.
    "namespaces": lambda: _list(
        lambda i: f"n{i}", **_pools(tenants=f"[{{name: t, quotas: [{_QUOTA}], namespaces: [@]}}]")
    ),
    "tenants tiny": lambda: _list(lambda i: f"{{name: t{i}}}", **_pools(tenants="[@]")),
    "tenants": lambda: _list(
        lambda i: f"{{name: t{i}, namespaces: [t{i}], quotas: [{_QUOTA}]}}",
        **_pools(tenants="[@]"),
    ),
    "tenants nested": lambda: _list(_nested_tenants, **_pools(tenants="[@]")),
    "tenants nested bare": lambda: _list(
        lambda i: f"{{name: t{i}, parent: t{i - 1}}}", **_pools(tenants="[{name: t-1},@]")
    ),
    "tenants of one parent": lambda: _list(
        lambda i: f"{{name: t{i}, parent: r, namespaces: [t{i}], quotas: [{_QUOTA}]}}",
        **_pools(tenants=f"[{{name: r, quotas: [{_QUOTA}]}},@]"),
    ),
    "tenants in a cycle": lambda: _list(
        lambda i: f"{{name: t{i}, parent: t{i + 1}}}", **_pools(tenants="[@]")
    ),
    "tenants of one name": lambda: _list(lambda i: "{name: t}", **_pools(tenants="[@]")),
    "groups": lambda: _list(lambda i: f"g{i}", **_quoted("members: {groups: [@]}")),
    "users of one name": lambda: _list(lambda i: "u", **_quoted("members: {users: [@]}")),
    "tenant labels": lambda: _list(lambda i: f"l{i}: v", **_quoted("labels: {@}")),
    "tenant classes": lambda: _list(lambda i: f"c{i}", **_quoted("priorityClasses: [@]")),
    "quotas of one pool": lambda: _list(lambda i: _QUOTA, **_team("quotas: [@]")),
    "quotas unknown": lambda: _list(
        lambda i: f"{{pool: q{i}, guaranteed: 0}}", **_team("quotas: [@]")
    ),
    "workloads": lambda: _list(lambda i: f"{{name: w{i}}}", **_quoted("workloads: [@]")),
    "workloads of one name": lambda: _list(lambda i: "{name: w}", **_quoted("workloads: [@]")),
    "workloads wide": lambda: _list(
        lambda i: (
            f"{{name: w{i}, pods: 2, gang: true, gpuMemory: 5Gi, topology: {{required: host}}}}"
        ),
        **_quoted("workloads: [@]"),
    ),
    # Pools.
    "pools tiny": lambda: _list(lambda i: f"{{name: p{i}, nodes: 1}}", nodePools="[@]"),
    "pools of CPUs": lambda: _list(
        lambda i: (
            f"{{name: p{i}, nodes: {{count: 1, selector: {{a: p{i}}}}}, allocatable: {{cpu: 1}}}}"
        ),
        nodePools="[@]",
    ),
    "pools of one model": lambda: _list(
        lambda i: f"{{name: p{i}, gpu: A10, nodes: 1, gpusPerNode: 1}}", nodePools="[@]"
    ),
    "pools of selectors": lambda: _list(
        lambda i: (
            f"{{name: p{i}, gpu: A10, nodes: {{count: 1, selector: {{a: p{i}}}}}, gpusPerNode: 1}}"
        ),
        nodePools="[@]",
    ),
    "pools of other labels": lambda: _list(
        lambda i: (
            f"{{name: p{i}, gpu: A10, nodes: {{count: 1, selector: {{a{i}: b}}}}, gpusPerNode: 1}}"
        ),
        nodePools="[@]",
    ),
    "pools of names": lambda: _list(
        lambda i: f"{{name: p{i}, gpu: A10, nodes: {{count: 1, names: [n{i}]}}, gpusPerNode: 1}}",
        nodePools="[@]",
    ),
    "pools cut": lambda: _list(_cut_pool, nodePools="[@]"),
    "pools of one name": lambda: _list(lambda i: "{name: p, nodes: 1}", nodePools="[@]"),
    "pools unknown GPU": lambda: _list(
        lambda i: f"{{name: p{i}, gpu: X{i}, nodes: 1, gpusPerNode: 1}}", nodePools="[@]"
    ),
    "node names": lambda: _list(
        lambda i: f"n{i}",
        nodePools="[{name: p, gpu: A10, gpusPerNode: 1, nodes: {names: [@]}}]",
    ),
    "selector": lambda: _list(
        lambda i: f"l{i}: v",
        nodePools="[{name: p, gpu: A10, gpusPerNode: 1, nodes: {count: 1, selector: {@}}}]",
    ),
    "allocatable": lambda: _list(
        lambda i: f"x.y/r{i}: 1", **_pool("gpu: A10, gpusPerNode: 1, allocatable: {@}")
    ),
    "node labels": lambda: _list(
        lambda i: f"l{i}: v", **_pool("gpu: A10, gpusPerNode: 1, labels: {@}")
    ),
    "taints": lambda: _list(
        lambda i: f"{{key: k{i}, effect: NoSchedule}}",
        **_pool("gpu: A10, gpusPerNode: 1, taints: [@]"),
    ),
    "levels": lambda: _list(
        lambda i: f"{{name: l{i}, nodeLabel: l{i}, nodes: 1}}",
        **_pool("gpu: A10, gpusPerNode: 1, topology: {levels: [@]}"),
    ),
    "layout map": lambda: _list(
        lambda i: f"{i}g.10gb: 1",
        **_pool("gpu: A100-SXM4-80GB, gpusPerNode: 8, sharing: {mig: {@}}"),
    ),
    "layout list": lambda: _list(
        lambda i: f"{{gpus: [{i}], layout: {{}}}}",
        **_pool("gpu: A100-SXM4-80GB, gpusPerNode: 8, sharing: {mig: [@]}"),
    ),
    "layout list cut": lambda: _list(
        lambda i: f"{{gpus: [{i}], layout: {{2g.20gb: 3}}}}",
        **_pool("gpu: A100-SXM4-80GB, gpusPerNode: 8, sharing: {mig: [@]}"),
    ),
    "layout indices": lambda: _list(
        lambda i: f"{i}",
        **_pool("gpu: A100-SXM4-80GB, gpusPerNode: 8, sharing: {mig: [{gpus: [@], layout: {}}]}"),
    ),
    "time-slicing map": lambda: _list(
        lambda i: f"{i}g.10gb: 2",
        **_pool(
            "gpu: A100-SXM4-80GB, gpusPerNode: 8, sharing: {mig: {2g.20gb: 3}, timeSlicing: {@}}"
        ),
    ),
    "vgpu map": lambda: _list(
        lambda i: f"A40-{i}Q: 2", **_pool("gpu: A40, gpusPerNode: 8, sharing: {vgpu: {@}}")
    ),
    # The rest.
    "classes": lambda: _list(
        lambda i: f"{{name: c{i}, value: {i}}}", **_pools(priorityClasses="[@]")
    ),
    "classes of one value": lambda: _list(
        lambda i: f"{{name: c{i}, value: 1}}", **_pools(priorityClasses="[@]", tenants=f"[{_TEAM}]")
    ),
    "slas": lambda: _list(
        lambda i: f"{{name: s{i}, queueWait: {{objective: 99%, within: 40s}}}}",
        **_pools(slas="[@]"),
    ),
    "alerts": lambda: _list(
        lambda i: f"{{name: a{i}, expr: 'up > {i}', for: 1h}}",
        **_pools(monitoring="{alerts: [@]}"),
    ),
    "alerts unknown": lambda: _list(
        lambda i: f"{{name: a{i}}}", **_pools(monitoring="{alerts: [@]}")
    ),
    "receivers": lambda: _list(
        lambda i: f"{{name: r{i}, webhook: {{urlFile: /a}}}}",
        **_pools(monitoring="{receivers: [@]}"),
    ),
    "routes": lambda: _list(
        lambda i: "{severity: info, receiver: r}",
        **_pools(monitoring="{receivers: [{name: r, webhook: {urlFile: /a}}], routes: [@]}"),
    ),
    "annotations": lambda: _filled(
        "apiVersion: gpupolicy.dev/v1alpha1\nkind: GPUClusterPolicy\n"
        "metadata: {name: big, annotations: {",
        lambda i: f"a{i}: v",
        f"}}}}\nspec:\n{_PLATFORM}  nodePools: [{_POOL}]\n",
    ),
    # Text, numbers, depth, errors.
    "long name": lambda: _list(lambda i: "a" * 1023, **_pools(tenants="[{name: '@'}]")),
    "long number": lambda: _list(
        lambda i: "9" * 1000, **_pools(tenants="[{name: a, weight: 1@}]")
    ).replace(",", ""),
    "long number of nodes": lambda: _spec(
        nodePools=f"[{{name: p, gpu: A10, gpusPerNode: 1, nodes: {'9' * (SIZE - 500)}}}]"
    ),
    "long quantity": lambda: _spec(
        nodePools="[{name: p, gpu: A10, gpusPerNode: 1, nodes: 1, allocatable: {cpu: "
        f"{'9' * (SIZE - 500)}}}}}]"
    ),
    "long expression": lambda: _list(
        lambda i: "x",
        **_pools(monitoring="{alerts: [{name: a, expr: '(@)', for: 1h}]}"),
    ),
    "nested expression": lambda: _spec(
        **_pools(monitoring=f"{{alerts: [{{name: a, expr: '{'(' * 500000}1{')' * 500000}'}}]}}")
    ),
    "long description": lambda: _spec(
        **_pools(priorityClasses=f"[{{name: c, value: 1, description: {'d' * (SIZE - 500)}}}]")
    ),
    "nested lists": lambda: _HEAD + "  a: " + "[" * (SIZE - 200),
    "nested maps": lambda: _HEAD + "  a: " + "{a: " * 250_000,
    "unknown keys": lambda: _list(lambda i: f"k{i}: 1", **_quoted("@")),
    "unknown keys of tenants": lambda: _list(lambda i: "{nam: a}", **_pools(tenants="[@]")),
    "nulls for tenants": lambda: _list(lambda i: "~", **_pools(tenants="[@]")),
    "wrong quotas": lambda: _list(lambda i: "x", **_team("quotas: [@]")),
    "wrong names": lambda: _list(lambda i: "A", **_team("priorityClasses: [@]")),
    "duplicate keys": lambda: _list(lambda i: "k: 1", **_quoted("@")),
    "wide map of duplicates": lambda: _filled(
        _HEAD + "  a: {", lambda i: f"k{i % 50000}: 1", "}\n"
    ),
    "aliases of tenants": lambda: _list(lambda i: "*t", **_pools(tenants=f"[&t {_TEAM},@]")),
    "aliases of quotas": lambda: _list(
        lambda i: f"{{name: t{i}, namespaces: [t{i}], quotas: *q}}",
        **_pools(
            tenants=f"[{{name: r, namespaces: [r], quotas: &q [{','.join([_QUOTA] * 8)}]}},@]"
        ),
    ),
    "anchors": lambda: _filled(_HEAD + "  a: [", lambda i: f"&a{i} b", "]\n"),
    "aliases undefined": lambda: _filled(_HEAD + "  a: [", lambda i: f"*b{i}", "]\n"),
    "merge keys": lambda: _filled(
        _HEAD + "  m: &m {" + ",".join(f"k{i}: 1" for i in range(1000)) + "}\n  a: [",
        lambda i: "{<<: *m}",
        "]\n",
    ),
    "merge lists": lambda: _filled(_HEAD + "  m: &m {k: 1}\n  a: {<<: [", lambda i: "*m", "]}\n"),
    "bracketed text": lambda: "[" + "'" * (SIZE - 1),
    "tabs": lambda: "\t" * SIZE,
    "documents": lambda: "---\na: 1\n" * (SIZE // 9),
    "documents empty": lambda: "---\n" * (SIZE // 4),
    "comments that are none": lambda: _spec(**_pools()) + "# gpupolicy:allow GP438\n" * 43_000,
    "suppressions": lambda: _spec(**_pools()) + "# gpupolicy: ignore[GP438] reason\n" * 30_000,
    "lines": lambda: "\n" * SIZE,
    "one word": lambda: "a" * SIZE,
    "keys": lambda: "".join(f"k{i}: 1\n" for i in range(90_000)),
    "long key": lambda: _spec(**_pools()) + "  " + "k" * 1000 + ": 1\n",
    "block text": lambda: _HEAD + "  a: |\n" + "    x\n" * (SIZE // 6 - 100),
    "escapes": lambda: _HEAD + '  a: "' + "\\u00e4" * (SIZE // 6 - 100) + '"\n',
    "non-ASCII": lambda: _HEAD + "  a: '" + "ä" * (SIZE // 2 - 100) + "'\n",
    "emoji": lambda: _HEAD + "  a: '" + "\U0001f600" * (SIZE // 4 - 100) + "'\n",
    "NULs": lambda: "\0" * SIZE,
    "tenant documents": lambda: (
        _spec(**_pools())
        + "".join(
            "---\napiVersion: gpupolicy.dev/v1alpha1\nkind: GPUTenant\n"
            f"metadata: {{name: t{i}}}\nspec: {{namespaces: [t{i}], quotas: [{_QUOTA}]}}\n"
            for i in range(7000)
        )
    ),
}


def main(arguments: list[str]) -> None:
    """Measure, or write."""
    from bench.process import measured

    if arguments[:1] == ["--write"]:
        for name, text in _chosen(arguments[2:]):
            with open(os.path.join(arguments[1], name.replace(" ", "-") + ".yaml"), "w") as file:
                file.write(text)
        return
    gpupolicy = os.path.join(os.path.dirname(sys.executable), "gpupolicy")
    with tempfile.TemporaryDirectory(prefix="gpupolicy-hostile-") as folder:
        path = os.path.join(folder, "policy.yaml")
        for name, text in _chosen(arguments):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            for verb in (["validate"], ["compile", "--out", os.path.join(folder, name)]):
                cost, code = measured([gpupolicy, *verb, path], 60)
                sign = "OVER" if cost.cpu > 2 or cost.peak > 500 * 1024 else ""
                print(
                    f"{name:<26} {len(text.encode()):>8} {verb[0]:<9} exit {code:>3} "
                    f"{cost.cpu:7.2f} s {cost.peak // 1024:5} MiB {sign}",
                    flush=True,
                )
                if code:
                    break


def _chosen(names: list[str]) -> Iterator[tuple[str, str]]:
    for name, shape in SHAPES.items():
        if not names or name in names:
            yield name, shape()


if __name__ == "__main__":
    main(sys.argv[1:])
