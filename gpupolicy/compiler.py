"""The pipeline, phase after phase: load, validate, check, lower, emit, settle.

All or nothing: a policy with an error gives no manifests. Every phase returns its result and its
findings; none prints, and none stops at its first finding.

GP500 compiled-later
    The language can say this and the checks understand it, but this version of gpupolicy has no
    target that writes it, so the policy is refused rather than compiled without it. `validate`
    accepts the policy. To compile it now, take the words that the finding names out of it.

GP750 output-empty
    The policy is sound, but nothing follows from it for the targets that were asked for, so there
    would be no output. Name the components that are installed under `spec.platform` (a component
    that is named is a target), or leave out `--target`.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from typing import TYPE_CHECKING

from gpupolicy.diagnostics.limit import limited
from gpupolicy.diagnostics.model import Diagnostic
from gpupolicy.diagnostics.model import has_errors
from gpupolicy.diagnostics.settle import settle

if TYPE_CHECKING:
    from gpupolicy.check_base import CheckContext
    from gpupolicy.manifest.model import Bundle
    from gpupolicy.plan.model import Plan
    from gpupolicy.source.document import Document
    from gpupolicy.source.load import SourceText
    from gpupolicy.spec.v1alpha1.policy import Policy

_CHECKED = "012346"  # First digits of the codes that `check_policy` looks for to the end.


@dataclass(frozen=True, slots=True)
class Compiled:
    """What came of a policy: as much as its findings allow.

    `document` is absent if too little could be read, `policy` if it is not valid, `plan` and
    `bundle` if there is an error or they were not asked for. `diagnostics` are settled.
    """

    document: Document | None
    policy: Policy | None
    plan: Plan | None
    bundle: Bundle | None
    diagnostics: list[Diagnostic]
    # The files by name, as far as they are text: what findings quote.
    texts: Mapping[str, str]


def check_policy(
    sources: Sequence[SourceText], overlays: Sequence[SourceText] = (), *, today: str | None = None
) -> Compiled:
    """Load, validate and check a policy; nothing is lowered or emitted.

    `sources` are files that are one policy together, `overlays` files laid over them in order;
    `deliver.read` reads both. `today` (`2027-03-01`) is the day by which suppressions expire, the
    clock's if absent. What is wrong with the policy is in the result; only our own bugs raise.
    """
    return _settled(_check(sources, overlays)[0], today, _CHECKED)


def compile_policy(
    sources: Sequence[SourceText],
    overlays: Sequence[SourceText] = (),
    *,
    targets: Sequence[str] | None = None,
    today: str | None = None,
) -> Compiled:
    """Compile a policy to the manifests and files of its targets.

    Arguments are those of `check_policy`; `targets` names those to emit, all if absent. Raises
    `KeyError` for a target that does not exist.
    """
    checked, context = _check(sources, overlays)
    if context is None or has_errors(checked.diagnostics):
        return _settled(checked, today, _CHECKED)
    phases = _CHECKED if targets is not None else _CHECKED + "5"
    return _settled(_emit(checked, context, targets), today, phases)


def _check(
    sources: Sequence[SourceText], overlays: Sequence[SourceText]
) -> tuple[Compiled, CheckContext | None]:
    from gpupolicy.source.load import load

    document, diagnostics = load(sources, overlays)
    if document is None:
        return Compiled(None, None, None, None, diagnostics, _quotable(sources, overlays)), None
    from gpupolicy.spec.validate import validate

    policy, found = validate(document.data)
    # What is wrong with `apiVersion` was said when the document was read.
    diagnostics += [one for one in found if one.path != ("apiVersion",)]
    # A file that could not be decoded is none of the document's.
    unread = _quotable(sources, overlays) if document.is_incomplete else {}
    texts = {**unread, **document.texts}
    if policy is None:
        return Compiled(document, None, None, None, diagnostics, texts), None
    context = _context(policy)
    checked = _run_checks(context)
    if document.is_incomplete:
        from gpupolicy.diagnostics.absence import not_by_absence

        checked = not_by_absence(checked)
    diagnostics += checked
    return Compiled(document, policy, None, None, diagnostics, texts), context


def _quotable(sources: Sequence[SourceText], overlays: Sequence[SourceText]) -> dict[str, str]:
    from gpupolicy.source.load import quotable

    return quotable([*sources, *overlays])


def _context(policy: Policy) -> CheckContext:
    from gpupolicy.capacity.resolve import resolve
    from gpupolicy.check_base import CheckContext
    from gpupolicy.facts.catalog import facts

    known = facts()
    return CheckContext(policy, known, resolve(policy, known))


def _run_checks(context: CheckContext) -> list[Diagnostic]:
    from gpupolicy.all_checks import CHECKS

    return [found for check in CHECKS for found in limited(check(context))]


def _emit(checked: Compiled, context: CheckContext, names: Sequence[str] | None) -> Compiled:
    from gpupolicy.all_targets import TARGETS
    from gpupolicy.manifest.labels import assemble
    from gpupolicy.manifest.limits import too_large
    from gpupolicy.plan.lower import lower

    rooms = [TARGETS[name] for name in (TARGETS if names is None else dict.fromkeys(names))]
    plan = lower(context.policy, context.facts, context.capacity)
    diagnostics = checked.diagnostics + [Diagnostic("GP500", m, p, "key") for p, m in plan.later]
    diagnostics += [found for room in rooms for found in limited(room.unsupported(plan))]
    if has_errors(diagnostics):
        return replace(checked, plan=plan, diagnostics=diagnostics)
    items = [item for room in rooms for item in room.emit(plan)]
    if not items:
        diagnostics.append(_nothing_to_write())
        return replace(checked, plan=plan, diagnostics=diagnostics)
    emitted = assemble(items, plan.name)
    diagnostics += too_large(emitted)
    bundle = None if has_errors(diagnostics) else emitted
    return replace(checked, plan=plan, bundle=bundle, diagnostics=diagnostics)


def _nothing_to_write() -> Diagnostic:
    hint = "name what is installed under 'platform', or leave out '--target'"
    return Diagnostic("GP750", "nothing follows from this policy", ("spec",), "key", hint=hint)


def _settled(compiled: Compiled, today: str | None, phases: str) -> Compiled:
    document = compiled.document
    suppressions = document.suppressions if document else ()
    found = settle(compiled.diagnostics, document, suppressions, today, phases=phases)
    return replace(compiled, diagnostics=found)
