"""Scrape configuration of a plain Prometheus, and what kube-state-metrics must publish.

The exporter is found by its pods, whose node is known; everything else by its Service. Names of
roles and of labels: Prometheus v2.42 discovery/kubernetes. The file is one of
`scrape_config_files` (from 2.43 on), or its list is put into `scrape_configs`.
"""

from __future__ import annotations

import re
from typing import Any

from gpupolicy.manifest.canonical import dump
from gpupolicy.manifest.key import Data
from gpupolicy.plan.monitoring_model import MonitoringPlan
from gpupolicy.plan.monitoring_model import ScrapePlan
from gpupolicy.targets.prometheus.objects import INTERVAL
from gpupolicy.targets.prometheus.objects import TIMEOUT
from gpupolicy.targets.prometheus.objects import TOKEN_FILE

_META = "__meta_kubernetes"
# As often as the exporter's own monitor would read.
_EXPORTER_INTERVAL = "15s"


def configuration(monitoring: MonitoringPlan) -> Data:
    """Give the jobs."""
    jobs = [_exporter(monitoring.exporter)] if monitoring.exporter else []
    return {"scrape_configs": jobs + [_component(scrape) for scrape in monitoring.scrapes]}


def _exporter(scrape: ScrapePlan) -> Data:
    label = ",".join(f"{key}={value}" for key, value in sorted(scrape.selector.items()))
    discovery = _discovery("pod", scrape) | {"selectors": [{"role": "pod", "label": label}]}
    return {
        "job_name": scrape.job,
        "scrape_interval": _EXPORTER_INTERVAL,
        "scrape_timeout": TIMEOUT,
        # The workload's namespace and pod arrive as exported_namespace and exported_pod.
        "honor_labels": False,
        "kubernetes_sd_configs": [discovery],
        "relabel_configs": [
            _relabel("drop", ["pod_phase"], "(Failed|Succeeded)"),
            _relabel("keep", ["pod_container_port_name"], scrape.port),
            _copy("namespace", "namespace"),
            _copy("pod_name", "pod"),
            _copy("pod_container_name", "container"),
            _copy("pod_node_name", "node"),
        ],
        # Spelled in two ways by different releases, and no rule reads it.
        "metric_relabel_configs": [{"regex": "Hostname|hostname", "action": "labeldrop"}],
    }


def _component(scrape: ScrapePlan) -> Data:
    labels = sorted(scrape.selector.items())
    job: Data = {
        "job_name": scrape.job,
        "scrape_interval": INTERVAL,
        "scrape_timeout": TIMEOUT,
        "honor_labels": False,
    }
    if scrape.scheme == "https":
        job["scheme"] = "https"
        job["authorization"] = {"credentials_file": TOKEN_FILE}
        job["tls_config"] = {"insecure_skip_verify": True}
    job["kubernetes_sd_configs"] = [_discovery("endpointslice", scrape)]
    job["relabel_configs"] = [
        *(_relabel("keep", [f"service_label_{_legal(k)}"], v) for k, v in labels),
        _relabel("keep", ["endpointslice_port_name"], scrape.port),
        _copy("namespace", "namespace"),
        _copy("pod_name", "pod"),
    ]
    return job


def _discovery(role: str, scrape: ScrapePlan) -> dict[str, Any]:
    return {"role": role, "namespaces": {"names": [scrape.namespace]}}


def _relabel(action: str, sources: list[str], regex: str) -> Data:
    return {
        "source_labels": [f"{_META}_{source}" for source in sources],
        "regex": regex,
        "action": action,
    }


def _copy(source: str, target: str) -> Data:
    return {"source_labels": [f"{_META}_{source}"], "target_label": target}


def _legal(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", key)


def kube_state_metrics_values(monitoring: MonitoringPlan) -> str:
    """Give Helm values of kube-state-metrics: it shows no node label that is not asked for."""
    allowed = f"nodes=[{','.join(monitoring.node_labels)}]"
    return (
        "# For the chart kube-state-metrics. As part of kube-prometheus-stack it stands below the\n"
        "# key 'kube-state-metrics'. A list that is there already is to be joined with this one.\n"
        + dump({"metricLabelsAllowlist": [allowed]})
    )
