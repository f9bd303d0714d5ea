"""The table of codes: the one source for `explain`, SARIF rules, the docs and the tests.

Numbers tell the phase: 0 load, 1 validate, 2 MIG, 3 memory and sharing, 4 quota, tenants,
priorities, references and names, 5 a target cannot express it, 6 SLA and workloads, 7 write, diff
and apply, 9 our own bugs. A code is never reused.

A module that gives a code documents it in its own docstring, in a paragraph that starts with the
code; `explain` prints that paragraph. The last column says which module to open for which code.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpupolicy.diagnostics.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the table. `module` is where the manual page (its docstring) is."""

    number: str
    slug: str
    severity: Severity
    title: str
    module: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_ALIASES = "gpupolicy.source.aliases"
_CONSTRUCT = "gpupolicy.source.construct"
_KINDS = "gpupolicy.source.kinds"
_LOAD = "gpupolicy.source.load"
_OVERLAY = "gpupolicy.source.overlay"
_SYNTAX = "gpupolicy.source.syntax"
_TAGS = "gpupolicy.source.tags"
_TENANTS = "gpupolicy.source.tenants"
_TEXT = "gpupolicy.source.text"
_SUPPRESS = "gpupolicy.diagnostics.suppress"
_WRITE = "gpupolicy.deliver.write"
_TYPES = "gpupolicy.spec.v1alpha1.types"
_VALIDATE = "gpupolicy.spec.validate"
_KUEUE = "gpupolicy.targets.kueue.support"
_VOLCANO = "gpupolicy.targets.volcano.support"
_OPERATOR = "gpupolicy.targets.gpu_operator.support"
_PLUGIN = "gpupolicy.targets.device_plugin.support"
_MIG = "gpupolicy.targets.mig_manager.support"
_PRIORITY = "gpupolicy.targets.priority.support"
_NODES = "gpupolicy.targets.nodes.support"
_TENANCY = "gpupolicy.targets.tenancy.support"

_ROWS: tuple[Code, ...] = (
    Code("GP001", "text-not-utf8", _E, "the file is not UTF-8", _TEXT),
    Code("GP002", "text-utf16", _E, "the file is UTF-16 or UTF-32", _TEXT),
    Code("GP003", "text-character", _E, "an invisible character", _TEXT),
    Code("GP004", "input-too-large", _E, "more than 8 MiB", _LOAD),
    Code("GP005", "indentation-by-tab", _E, "indentation is not by spaces", _SYNTAX),
    Code("GP006", "yaml-syntax", _E, "the text is not YAML", _SYNTAX),
    Code("GP007", "nesting-too-deep", _E, "nested more than 100 deep", _ALIASES),
    Code("GP008", "directive-refused", _E, "an unknown YAML directive", _SYNTAX),
    Code("GP009", "documents-too-many", _E, "too many documents in a file", _CONSTRUCT),
    Code("GP010", "key-duplicate", _E, "a key is given twice", _CONSTRUCT),
    Code("GP011", "key-not-text", _E, "a key is null, a list or a map", _CONSTRUCT),
    Code("GP012", "tag-refused", _E, "an unknown or wrong tag", _TAGS),
    Code("GP013", "alias-undefined", _E, "an alias repeats nothing", _ALIASES),
    Code("GP014", "alias-recursive", _E, "an alias inside its own value", _ALIASES),
    Code("GP015", "alias-expansion", _E, "aliases repeat too much", _ALIASES),
    Code("GP016", "merge-key-value", _E, "'<<' takes maps", _CONSTRUCT),
    Code("GP017", "file-twice", _E, "a file is given twice", _LOAD),
    Code("GP018", "containers-too-many", _E, "too many maps and lists", _ALIASES),
    Code("GP020", "file-empty", _W, "a file has no document", _LOAD),
    Code("GP021", "document-not-a-map", _E, "a document is not a map", _KINDS),
    Code("GP022", "document-foreign", _E, "a document of another program", _KINDS),
    Code("GP023", "kind-unknown", _E, "a document has no known kind", _KINDS),
    Code("GP024", "api-version-wrong", _E, "not this version of the language", _KINDS),
    Code("GP025", "policy-missing", _E, "there is no GPUClusterPolicy", _LOAD),
    Code("GP026", "policy-twice", _E, "more than one GPUClusterPolicy", _LOAD),
    Code("GP027", "tenant-name-missing", _E, "a GPUTenant has no name", _TENANTS),
    Code("GP028", "tenant-name-in-spec", _E, "a GPUTenant's name is in its spec", _TENANTS),
    Code("GP029", "tenant-key-unknown", _E, "a GPUTenant has no such key", _TENANTS),
    Code("GP030", "tenant-spec-not-a-map", _E, "a GPUTenant's spec is not a map", _TENANTS),
    Code("GP031", "patch-misplaced", _E, "'$patch' has no effect here", _OVERLAY),
    Code("GP032", "patch-unknown", _E, "'$patch' is not 'delete'", _OVERLAY),
    Code("GP033", "patch-item-absent", _E, "there is no such item to delete", _OVERLAY),
    Code("GP034", "patch-item-unnamed", _E, "an overlay's item has no name", _OVERLAY),
    Code("GP035", "patch-item-twice", _E, "an overlay changes an item twice", _OVERLAY),
    Code("GP050", "suppression-malformed", _W, "a suppression cannot be read", _SUPPRESS),
    Code("GP051", "suppression-unused", _W, "a suppression suppresses nothing", _SUPPRESS),
    Code("GP052", "suppression-expired", _W, "a suppression is past its date", _SUPPRESS),
    Code("GP053", "suppression-of-error", _W, "errors cannot be suppressed", _SUPPRESS),
    Code("GP054", "suppression-unknown-code", _W, "a suppression names no code", _SUPPRESS),
    Code("GP059", "findings-cut", _N, "there are more findings", "gpupolicy.diagnostics.limit"),
    Code("GP101", "unknown-key", _E, "the language has no such key", _VALIDATE),
    Code("GP102", "missing-key", _E, "a required key is missing", _VALIDATE),
    Code("GP103", "unknown-value", _E, "the key does not take this value", _VALIDATE),
    Code("GP104", "invalid-number", _E, "not a number", _TYPES),
    Code("GP105", "invalid-text", _E, "text is due", _TYPES),
    Code("GP106", "invalid-name", _E, "not a name Kubernetes takes", _TYPES),
    Code("GP107", "invalid-label", _E, "not a label key or value", _TYPES),
    Code("GP108", "invalid-quantity", _E, "not a quantity", _TYPES),
    Code("GP109", "invalid-duration", _E, "not a duration", _TYPES),
    Code("GP110", "invalid-percentage", _E, "not a percentage", _TYPES),
    Code("GP111", "invalid-amount", _E, "not a number of devices", _TYPES),
    Code("GP112", "invalid-version", _E, "not a version", _TYPES),
    Code("GP113", "wrong-type", _E, "something else is due", _VALIDATE),
    Code("GP200", "mig-unsupported", _E, "the card has no MIG", "gpupolicy.checks.mig_profiles"),
    Code(
        "GP201",
        "mig-profile-unknown",
        _E,
        "the card has no such MIG profile",
        "gpupolicy.checks.mig_profiles",
    ),
    Code(
        "GP202",
        "mig-layout-unknown",
        _E,
        "the card has no such MIG layout",
        "gpupolicy.checks.mig_profiles",
    ),
    Code(
        "GP203",
        "mig-layout-impossible",
        _E,
        "the instances do not fit on one GPU",
        "gpupolicy.checks.mig_geometry",
    ),
    Code(
        "GP204",
        "mig-count-negative",
        _E,
        "a negative number of instances",
        "gpupolicy.checks.mig_profiles",
    ),
    Code(
        "GP205", "mig-count-zero", _W, "a profile with the count 0", "gpupolicy.checks.mig_profiles"
    ),
    Code(
        "GP206",
        "mig-single-mixed",
        _E,
        "the single strategy over unequal slices",
        "gpupolicy.checks.mig_strategy",
    ),
    Code(
        "GP207",
        "mig-index-out-of-range",
        _E,
        "a layout for a GPU that is not there",
        "gpupolicy.checks.mig_indices",
    ),
    Code(
        "GP208",
        "mig-index-missing",
        _E,
        "a GPU stands in no layout",
        "gpupolicy.checks.mig_indices",
    ),
    Code(
        "GP209",
        "mig-index-twice",
        _E,
        "a GPU stands in two layouts",
        "gpupolicy.checks.mig_indices",
    ),
    Code(
        "GP210",
        "mig-off-everywhere",
        _W,
        "the MIG layout is empty",
        "gpupolicy.checks.mig_geometry",
    ),
    Code(
        "GP211",
        "mig-strategy-unused",
        _W,
        "migStrategy without MIG",
        "gpupolicy.checks.mig_strategy",
    ),
    Code(
        "GP212",
        "mig-several-slices",
        _E,
        "a pod wants several MIG slices",
        "gpupolicy.checks.mig_workloads",
    ),
    Code("GP213", "mig-gang", _W, "a gang on MIG slices", "gpupolicy.checks.mig_workloads"),
    Code(
        "GP214",
        "mig-profile-renamed",
        _W,
        "a profile's name depends on the driver",
        "gpupolicy.checks.mig_platform",
    ),
    Code(
        "GP215",
        "mig-driver-too-old",
        _E,
        "the driver is too old for MIG",
        "gpupolicy.checks.mig_platform",
    ),
    Code(
        "GP216",
        "mig-manager-too-old",
        _W,
        "mig-manager is too old for unequal layouts",
        "gpupolicy.checks.mig_platform",
    ),
    Code(
        "GP217",
        "mig-config-name-too-long",
        _E,
        "the pool's name is too long for a layout label",
        "gpupolicy.checks.mig_platform",
    ),
    Code(
        "GP218", "mig-reboot-unused", _W, "migReboot without MIG", "gpupolicy.checks.mig_platform"
    ),
    Code(
        "GP300",
        "sharing-without-gpu",
        _E,
        "a CPU pool cannot be shared",
        "gpupolicy.checks.sharing_ways",
    ),
    Code(
        "GP301",
        "sharing-contradiction",
        _E,
        "a pool is shared in several ways",
        "gpupolicy.checks.sharing_ways",
    ),
    Code(
        "GP302",
        "sharing-not-managed",
        _E,
        "another operator exposes these GPUs",
        "gpupolicy.checks.sharing_ways",
    ),
    Code(
        "GP303",
        "time-slicing-shape",
        _E,
        "timeSlicing in the wrong form",
        "gpupolicy.checks.replicas",
    ),
    Code(
        "GP304",
        "time-slicing-profile-absent",
        _E,
        "timeSlicing of slices that are not there",
        "gpupolicy.checks.replicas",
    ),
    Code(
        "GP305", "replicas-wrong", _E, "a number of replicas below 1", "gpupolicy.checks.replicas"
    ),
    Code("GP306", "replicas-one", _W, "one replica is no sharing", "gpupolicy.checks.replicas"),
    Code("GP307", "mps-on-mig", _E, "MPS on MIG slices", "gpupolicy.checks.sharing_ways"),
    Code(
        "GP308",
        "mps-clients-exceeded",
        _E,
        "more MPS clients than the card holds",
        "gpupolicy.checks.mps_clients",
    ),
    Code(
        "GP309",
        "mps-unsupported",
        _E,
        "the card is too old for MPS",
        "gpupolicy.checks.mps_clients",
    ),
    Code(
        "GP310", "rename-unused", _W, "rename without replicas", "gpupolicy.checks.resource_names"
    ),
    Code(
        "GP311",
        "resource-name-ambiguous",
        _E,
        "a resource name means two things",
        "gpupolicy.checks.resource_names",
    ),
    Code(
        "GP312",
        "replicas-absurd",
        _W,
        "more replicas than pods on a node",
        "gpupolicy.checks.replicas",
    ),
    Code(
        "GP313",
        "overcommit-wrong",
        _E,
        "overcommit is no number from 1",
        "gpupolicy.checks.overcommits",
    ),
    Code(
        "GP314",
        "overcommit-unused",
        _W,
        "overcommit of what is not shared",
        "gpupolicy.checks.overcommits",
    ),
    Code(
        "GP315",
        "resource-name-too-long",
        _E,
        "a resource name is too long",
        "gpupolicy.checks.resource_names",
    ),
    Code(
        "GP316",
        "shared-more-than-one",
        _E,
        "a pod wants several replicas",
        "gpupolicy.checks.shared_requests",
    ),
    Code(
        "GP317",
        "pool-name-reserved",
        _E,
        "a shared pool is called default",
        "gpupolicy.checks.resource_names",
    ),
    Code(
        "GP320",
        "gpu-memory-exceeds-device",
        _E,
        "a workload needs more than its device has",
        "gpupolicy.checks.device_memory",
    ),
    Code(
        "GP321",
        "mps-share-too-small",
        _E,
        "a workload needs more than an MPS client gets",
        "gpupolicy.checks.device_memory",
    ),
    Code(
        "GP322",
        "time-slicing-memory",
        _E,
        "workloads on a time-sliced GPU exceed its memory",
        "gpupolicy.checks.shared_memory",
    ),
    Code(
        "GP323",
        "fraction-memory",
        _E,
        "workloads on a divided GPU exceed its memory",
        "gpupolicy.checks.shared_memory",
    ),
    Code(
        "GP324",
        "gpu-memory-unchecked",
        _W,
        "the memory of a device is not known",
        "gpupolicy.checks.device_memory",
    ),
    Code(
        "GP325",
        "device-fraction",
        _E,
        "a pod wants a fraction of a device",
        "gpupolicy.checks.shared_requests",
    ),
    Code(
        "GP326",
        "mps-reserve",
        _N,
        "full MPS clients exceed the card",
        "gpupolicy.checks.device_memory",
    ),
    Code(
        "GP330",
        "vgpu-type-foreign",
        _E,
        "a vGPU type of another card",
        "gpupolicy.checks.vgpu_types",
    ),
    Code(
        "GP331",
        "vgpu-type-unknown",
        _W,
        "a vGPU type that nobody knows",
        "gpupolicy.checks.vgpu_types",
    ),
    Code(
        "GP332",
        "vgpu-memory-exceeded",
        _E,
        "vGPU types exceed the card",
        "gpupolicy.checks.vgpu_types",
    ),
    Code("GP333", "vgpu-licence", _W, "vGPU types need a licence", "gpupolicy.checks.vgpu_types"),
    Code(
        "GP400",
        "version-newer",
        _W,
        "a version is not among those that are known",
        "gpupolicy.checks.versions",
    ),
    Code(
        "GP401",
        "version-too-old",
        _E,
        "a version is older than what is supported",
        "gpupolicy.checks.versions",
    ),
    Code(
        "GP402",
        "guard-rails-impossible",
        _W,
        "the cluster has no API for guard rails",
        "gpupolicy.checks.versions",
    ),
    Code(
        "GP403",
        "versions-untested",
        _W,
        "a component and Kubernetes do not go together",
        "gpupolicy.checks.versions",
    ),
    Code(
        "GP404",
        "gang-holder-too-old",
        _E,
        "this Kueue does not place gangs",
        "gpupolicy.checks.versions",
    ),
    Code(
        "GP405",
        "holders-do-not-fit",
        _E,
        "quota and gang holder exclude each other",
        "gpupolicy.checks.scheduling",
    ),
    Code(
        "GP406",
        "holder-not-installed",
        _E,
        "a holder is not installed",
        "gpupolicy.checks.scheduling",
    ),
    Code(
        "GP407",
        "holder-undecided",
        _E,
        "two components want to place gangs",
        "gpupolicy.checks.scheduling",
    ),
    Code(
        "GP408",
        "component-idle",
        _W,
        "a queueing component has no part",
        "gpupolicy.checks.scheduling",
    ),
    Code(
        "GP409",
        "fractions-need-kai",
        _E,
        "only KAI places fractions of GPUs",
        "gpupolicy.checks.scheduling",
    ),
    Code("GP410", "duplicate-name", _E, "a name stands twice", "gpupolicy.checks.names"),
    Code(
        "GP411",
        "duplicate-quota",
        _E,
        "two quotas are about the same device",
        "gpupolicy.checks.names",
    ),
    Code("GP412", "name-reserved", _E, "the name means something else", "gpupolicy.checks.names"),
    Code(
        "GP413", "name-too-long", _E, "a generated name would be too long", "gpupolicy.checks.names"
    ),
    Code(
        "GP414", "unknown-reference", _E, "a name points at nothing", "gpupolicy.checks.references"
    ),
    Code(
        "GP415",
        "unknown-device",
        _E,
        "the pool offers no such device",
        "gpupolicy.checks.references",
    ),
    Code(
        "GP416",
        "device-ambiguous",
        _E,
        "the pool offers several devices",
        "gpupolicy.checks.references",
    ),
    Code(
        "GP417",
        "tenant-cycle",
        _E,
        "parents lead back to the tenant",
        "gpupolicy.checks.tenant_tree",
    ),
    Code(
        "GP418",
        "parent-with-work",
        _E,
        "a parent has work of its own",
        "gpupolicy.checks.tenant_tree",
    ),
    Code(
        "GP419",
        "tenant-without-namespace",
        _E,
        "nobody can use the tenant",
        "gpupolicy.checks.tenant_tree",
    ),
    Code(
        "GP420",
        "namespace-shared",
        _E,
        "a namespace has two tenants",
        "gpupolicy.checks.namespaces",
    ),
    Code(
        "GP421",
        "namespace-reserved",
        _E,
        "the namespace is not a tenant's",
        "gpupolicy.checks.namespaces",
    ),
    Code(
        "GP422",
        "label-reserved",
        _E,
        "the label is not a tenant's to set",
        "gpupolicy.checks.namespaces",
    ),
    Code(
        "GP423",
        "tenant-without-quota",
        _W,
        "the tenant may use no pool",
        "gpupolicy.checks.tenant_tree",
    ),
    Code(
        "GP424",
        "share-rounds-to-zero",
        _E,
        "a percentage is less than one device",
        "gpupolicy.checks.amounts",
    ),
    Code(
        "GP425", "fraction-of-device", _E, "devices are whole numbers", "gpupolicy.checks.amounts"
    ),
    Code(
        "GP426",
        "limit-below-guarantee",
        _E,
        "the ceiling is below the guarantee",
        "gpupolicy.checks.amounts",
    ),
    Code(
        "GP427",
        "lend-above-guarantee",
        _E,
        "more is lent than there is",
        "gpupolicy.checks.amounts",
    ),
    Code(
        "GP428",
        "limit-unreachable",
        _W,
        "the limit can never be reached",
        "gpupolicy.checks.limits",
    ),
    Code("GP429", "cpu-pool-quota", _E, "a CPU pool has no devices", "gpupolicy.checks.amounts"),
    Code(
        "GP430",
        "resource-not-counted",
        _E,
        "the pool does not say what its nodes have",
        "gpupolicy.checks.amounts",
    ),
    Code(
        "GP431",
        "guarantee-over-capacity",
        _E,
        "more is guaranteed than there is",
        "gpupolicy.checks.guarantees",
    ),
    Code(
        "GP432",
        "budget-exceeded",
        _E,
        "children are guaranteed more than their parent",
        "gpupolicy.checks.guarantees",
    ),
    Code(
        "GP433",
        "resources-over-capacity",
        _E,
        "more cpu or memory is promised than there is",
        "gpupolicy.checks.pool_resources",
    ),
    Code(
        "GP434",
        "budget-resources",
        _E,
        "children have more cpu or memory than their parent",
        "gpupolicy.checks.pool_resources",
    ),
    Code(
        "GP435",
        "nothing-to-borrow",
        _N,
        "everything is guaranteed to somebody",
        "gpupolicy.checks.guarantees",
    ),
    Code(
        "GP436",
        "guarantee-beyond-min",
        _W,
        "a guarantee needs the autoscaler",
        "gpupolicy.checks.guarantees",
    ),
    Code(
        "GP437",
        "guarantee-on-spot",
        _W,
        "a guarantee on nodes that can be taken away",
        "gpupolicy.checks.guarantees",
    ),
    Code("GP438", "device-unused", _W, "nobody can use the devices", "gpupolicy.checks.guarantees"),
    Code(
        "GP440", "gpu-unknown", _E, "the catalogue has no such GPU", "gpupolicy.checks.gpu_models"
    ),
    Code(
        "GP441",
        "gpu-ambiguous",
        _E,
        "a GPU name fits several models",
        "gpupolicy.checks.gpu_models",
    ),
    Code(
        "GP442",
        "gpu-description-incomplete",
        _E,
        "a described GPU lacks resource or memory",
        "gpupolicy.checks.gpu_models",
    ),
    Code(
        "GP443",
        "gpus-per-node-wrong",
        _E,
        "gpu and gpusPerNode do not go together",
        "gpupolicy.checks.gpu_models",
    ),
    Code(
        "GP444",
        "gpus-per-node-unusual",
        _W,
        "more GPUs than any server has",
        "gpupolicy.checks.gpu_models",
    ),
    Code(
        "GP445",
        "nodes-contradict",
        _E,
        "the numbers of nodes contradict each other",
        "gpupolicy.checks.node_sets",
    ),
    Code("GP446", "pool-empty", _W, "a pool has no nodes", "gpupolicy.checks.node_sets"),
    Code(
        "GP447",
        "pools-overlap",
        _E,
        "a node could be in two pools",
        "gpupolicy.checks.pool_overlap",
    ),
    Code(
        "GP448",
        "nodes-not-found",
        _E,
        "nothing finds the nodes of a pool",
        "gpupolicy.checks.node_sets",
    ),
    Code(
        "GP449",
        "autoscaled-by-script",
        _W,
        "an autoscaled pool is labelled by script",
        "gpupolicy.checks.node_sets",
    ),
    Code(
        "GP450", "reserve-too-large", _E, "the reserve leaves nothing", "gpupolicy.checks.reserves"
    ),
    Code(
        "GP451",
        "reserve-level-unknown",
        _E,
        "the reserve names no level",
        "gpupolicy.checks.reserves",
    ),
    Code(
        "GP452",
        "topology-wrong",
        _E,
        "topology levels that cannot be",
        "gpupolicy.checks.topology_levels",
    ),
    Code("GP453", "label-collision", _E, "a label has two writers", "gpupolicy.checks.node_labels"),
    Code(
        "GP454",
        "label-prefix-reserved",
        _W,
        "a label under a prefix of Kubernetes",
        "gpupolicy.checks.node_labels",
    ),
    Code("GP455", "taint-twice", _E, "two taints of one key and effect", "gpupolicy.checks.taints"),
    Code(
        "GP456",
        "taints-too-many",
        _E,
        "more taints than a flavor tolerates",
        "gpupolicy.checks.taints",
    ),
    Code(
        "GP457",
        "pool-unreachable",
        _E,
        "nobody tolerates a tainted pool",
        "gpupolicy.checks.taints",
    ),
    Code(
        "GP458",
        "allocatable-wrong",
        _E,
        "allocatable holds what it cannot",
        "gpupolicy.checks.allocatables",
    ),
    Code(
        "GP459",
        "allocatable-missing",
        _W,
        "allocatable lacks a resource",
        "gpupolicy.checks.allocatables",
    ),
    Code(
        "GP460",
        "one-namespace",
        _E,
        "a ResourceQuota counts inside one namespace",
        "gpupolicy.checks.limits",
    ),
    Code(
        "GP461", "nothing-is-borrowed", _E, "a limit above what is held", "gpupolicy.checks.limits"
    ),
    Code(
        "GP462",
        "no-effect",
        _W,
        "a word has no effect with ResourceQuota",
        "gpupolicy.checks.limits",
    ),
    Code("GP464", "weight-invalid", _E, "a weight is at least 1", "gpupolicy.checks.limits"),
    Code(
        "GP465",
        "weight-needs-configuration",
        _W,
        "weights need Kueue's fair sharing",
        "gpupolicy.checks.limits",
    ),
    Code(
        "GP470",
        "priority-out-of-range",
        _E,
        "the value belongs to Kubernetes",
        "gpupolicy.checks.priorities",
    ),
    Code(
        "GP471",
        "priority-name-refused",
        _E,
        "not a name for a priority class",
        "gpupolicy.checks.priorities",
    ),
    Code(
        "GP472",
        "two-default-classes",
        _E,
        "two classes are the default of the cluster",
        "gpupolicy.checks.priorities",
    ),
    Code(
        "GP473",
        "default-class",
        _W,
        "a class applies to every pod of the cluster",
        "gpupolicy.checks.priorities",
    ),
    Code(
        "GP474",
        "class-preempts-tenants",
        _W,
        "the kube-scheduler preempts across tenants",
        "gpupolicy.checks.priorities",
    ),
    Code(
        "GP475",
        "never-approximated",
        _W,
        "Kueue lets the class preempt",
        "gpupolicy.checks.priorities",
    ),
    Code(
        "GP476", "no-class-allowed", _W, "a tenant may use no class", "gpupolicy.checks.priorities"
    ),
    Code(
        "GP477",
        "default-class-not-allowed",
        _W,
        "the default class is not in a tenant's list",
        "gpupolicy.checks.priorities",
    ),
    Code("GP500", "compiled-later", _E, "no target writes this yet", "gpupolicy.compiler"),
    Code("GP501", "mig-strategy-per-node", _W, "no one MIG strategy suits all pools", _OPERATOR),
    Code("GP502", "cluster-policy-not-ours", _E, "the chart makes the ClusterPolicy", _OPERATOR),
    Code("GP503", "exporter-unknown", _W, "nobody exports GPU metrics", _OPERATOR),
    Code("GP504", "vendor-tolerations", _N, "another vendor's operator must tolerate", _OPERATOR),
    Code("GP505", "sharing-not-configured", _W, "nobody shares the GPUs", _PLUGIN),
    Code("GP506", "mig-not-configured", _W, "nobody cuts the GPUs", _MIG),
    Code("GP510", "nodes-by-script", _N, "a script sets what the rules cannot", _NODES),
    Code("GP512", "node-label-reserved", _W, "a node pool cannot set this label", _NODES),
    Code("GP513", "kubelet-settings-by-hand", _N, "no object carries kubelet settings", _NODES),
    Code("GP514", "never-for-one-class", _W, "Kueue has no Never for one class", _PRIORITY),
    Code("GP515", "guard-rails-unavailable", _W, "Kubernetes has no guard rails", _TENANCY),
    Code("GP516", "resource-quota-sum", _W, "one quota for several pools", _TENANCY),
    Code("GP517", "resource-quota-wants-requests", _N, "pods must say requests", _TENANCY),
    Code("GP520", "kueue-autoscaled-gang", _W, "Kueue places only on nodes that exist", _KUEUE),
    Code("GP521", "kueue-too-large", _E, "a queue is above Kueue's limits", _KUEUE),
    Code("GP522", "kueue-tolerations", _E, "more taints than a flavor tolerates", _KUEUE),
    Code("GP523", "kueue-topology-levels", _E, "more levels than a Topology has", _KUEUE),
    Code("GP524", "kueue-weight-ignored", _W, "weights have no effect", _KUEUE),
    Code("GP540", "volcano-pools-summed", _W, "Volcano counts resource names, not pools", _VOLCANO),
    Code("GP541", "volcano-queue-depth", _E, "more levels of queues than Volcano takes", _VOLCANO),
    Code("GP542", "volcano-weight-ignored", _W, "weights have no effect", _VOLCANO),
    Code("GP701", "output-not-ours", _E, "the output has files that are not ours", _WRITE),
    Code("GP702", "output-changed-by-hand", _E, "output was changed by hand", _WRITE),
    Code(
        "GP703", "output-lock-unreadable", _E, "the lock cannot be read", "gpupolicy.deliver.lock"
    ),
    Code("GP704", "output-not-plain", _E, "a link stands in the output", _WRITE),
    Code("GP705", "output-not-written", _E, "the system refused to read or write", _WRITE),
    Code("GP706", "output-busy", _E, "another run writes to the same folder", _WRITE),
    Code("GP707", "output-name-clash", _E, "files differ in case only", "gpupolicy.deliver.layout"),
    Code("GP708", "object-too-large", _E, "an object is too large", "gpupolicy.manifest.limits"),
    Code("GP750", "output-empty", _E, "nothing follows from the policy", "gpupolicy.compiler"),
    Code("GP900", "internal-error", _E, "gpupolicy itself failed", "gpupolicy.cli.report"),
)

CODES: dict[str, Code] = {row.number: row for row in _ROWS}
