"""Every object of generated policies is accepted by the real API server and webhooks.

Applied in a dry run, since nobody looks at what becomes of them: validation, admission policies and
webhooks answer as they would for good. What many policies have in common is asked once.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.model import Manifest
from tests.generated import Generated
from tests.generated import generated
from tests.testbed.api import Api
from tests.testbed.api import RefusedError
from tests.testbed.bed import Bed

_COUNT = 200
_THREADS = 4


def _policies() -> Iterator[Generated]:
    """Give those that are written for what the bed runs; the matrix has the older versions."""
    for one in generated(2 * _COUNT, seed=7):
        assert one.made.plan is not None
        kueue = one.made.plan.platform.component("kueue")
        if kueue is None or str(kueue.version) == "0.19":
            yield one


def _drawn() -> list[Generated]:
    policies = list(_policies())[:_COUNT]
    assert len(policies) == _COUNT
    return policies


def _is_child(manifest: Manifest) -> bool:
    """Tell whether Volcano's webhook looks for another queue before it lets this one in."""
    return manifest.key.kind == "Queue" and manifest.data["spec"].get("parent", "root") != "root"


def _manifests(one: Generated) -> tuple[Manifest, ...]:
    assert one.made.bundle is not None
    return tuple(one.made.bundle.manifests)


def _distinct(policies: list[Generated]) -> list[tuple[str, str, Manifest]]:
    """Give every text of an object once, with the policy that has it first."""
    found: dict[str, tuple[str, Manifest]] = {}
    for one in policies:
        for manifest in _manifests(one):
            if not _is_child(manifest):
                found.setdefault(dump(manifest.data), (one.name, manifest))
    return [(text, *rest) for text, rest in found.items()]


def _run_controllers(bed: Bed, policies: list[Generated]) -> None:
    """Run Kueue and Volcano as the first policy that has them wants them."""
    runs = {"kueue-manager-config.yaml": bed.kueue.run, "volcano-values.yaml": bed.volcano.run}
    for path, run in runs.items():
        files = (file for one in policies if one.made.bundle for file in one.made.bundle.files)
        run(next(file.text for file in files if file.path == path))


def _refusals(api: Api, objects: list[tuple[str, str, Manifest]]) -> list[str]:
    refused = []
    for text, policy, manifest in objects:
        try:
            api.apply(dict(manifest.data), text, dry_run=True)
        except RefusedError as error:
            refused.append(f"{policy}: {manifest.key}: {error}")
    api.close()
    return refused


def test_every_object_of_generated_policies_is_accepted(bed: Bed) -> None:
    policies = _drawn()
    objects = _distinct(policies)
    _run_controllers(bed, policies)
    for name in {one.key.name for _, _, one in objects if one.key.kind == "Namespace"}:
        bed.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    parts = [objects[start::_THREADS] for start in range(_THREADS)]
    with ThreadPoolExecutor(_THREADS) as threads:
        found = list(threads.map(lambda part: _refusals(bed.api, part), parts))
    refused = [one for part in found for one in part]
    assert refused == [], f"{len(refused)} of {len(objects)}"
    bed.applied += len(objects)


def test_trees_of_volcano_are_accepted_parents_first(bed: Bed) -> None:
    trees = [one for one in _drawn() if any(map(_is_child, _manifests(one)))]
    assert len(trees) >= 5
    for one in trees:
        bed.lay(one.made)
        bed.clear()
