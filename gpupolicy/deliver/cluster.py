"""The API server: one request at a time, its faults in words.

The official client reads the kubeconfig, holds credentials and connections; requests are plain
ones, since most kinds of a policy are custom resources and no two versions of the client share the
way of calling these. What may pass (429, 500, 502, 503, 504) is tried three times, after the
seconds that `Retry-After` asks for, ten at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from urllib.parse import urlencode

from gpupolicy.manifest.key import Data
from gpupolicy.manifest.key import ObjectKey

_TRIES = 3
_LONGEST_WAIT = 10.0
_PASSING = frozenset({429, 500, 502, 503, 504})
_TIMEOUT = 30.0
_MEANINGS = {
    401: "the credentials are not accepted; they may have expired",
    403: "forbidden",
    429: "it is too busy",
}


class ClusterError(Exception):
    """The cluster cannot be reached, or refuses; the text says what. The command exits with 4."""


class Refused(ClusterError):  # noqa: N818 - an answer, which callers may expect
    """An answer that is no success; `status` is HTTP's."""

    def __init__(self, status: int, text: str) -> None:
        self.status = status
        super().__init__(text)


class Cluster:
    """A connection to the API server of a kubeconfig's context."""

    def __init__(self, kubeconfig: str | None, context: str | None) -> None:
        from kubernetes import config

        try:
            connect: Any = config.new_client_from_config
            self._client: Any = connect(kubeconfig, context)
        except (config.ConfigException, OSError, ValueError) as error:
            raise ClusterError(f"no usable kubeconfig: {error}") from error
        self._served: dict[str, dict[str, tuple[str, bool]]] = {}

    def get(self, key: ObjectKey) -> Data | None:
        """Read an object; None if it is not there."""
        return self._or_none("GET", self._path(key, key.name), {})

    def dry_run(self, data: Data, key: ObjectKey) -> Data | None:
        """Ask what a server-side apply would make of an object; None without its namespace.

        Fields of other managers stay as they are; those that the object names are taken over.
        """
        query = {"fieldManager": "gpupolicy", "force": "true", "dryRun": "All"}
        return self._or_none("PATCH", self._path(key, key.name), query, data)

    def labelled(self, key: ObjectKey, label: str) -> list[Data]:
        """List the objects of a key's kind that carry a label, in all namespaces."""
        found: list[Data] = []
        query = {"labelSelector": label, "limit": "500"}
        while True:
            answer = self._call("GET", self._path(key._replace(namespace=""), ""), query)
            found += answer["items"]
            following = answer["metadata"].get("continue")
            if not following:
                return found
            query["continue"] = following

    def _or_none(
        self, method: str, path: str, query: Mapping[str, str], body: Data | None = None
    ) -> Data | None:
        try:
            return self._call(method, path, query, body)
        except Refused as answer:
            if answer.status == 404:
                return None
            raise

    def _path(self, key: ObjectKey, name: str) -> str:
        root = f"/apis/{key.group}/{key.version}" if key.group else f"/api/{key.version}"
        if root not in self._served:
            listed = self._or_none("GET", root, {}) or {"resources": []}
            self._served[root] = {
                one["kind"]: (one["name"], one["namespaced"])
                for one in listed["resources"]
                if "/" not in one["name"]
            }
        if key.kind not in self._served[root]:
            api = f"{key.group}/{key.version}" if key.group else key.version
            raise ClusterError(f"the cluster does not serve {key.kind} of {api}: install its CRD")
        plural, namespaced = self._served[root][key.kind]
        inside = f"/namespaces/{quote(key.namespace)}" if namespaced and key.namespace else ""
        return f"{root}{inside}/{plural}" + (f"/{quote(name, safe='')}" if name else "")

    def _call(
        self, method: str, path: str, query: Mapping[str, str], body: Data | None = None
    ) -> Data:
        import json
        import time

        for left in range(_TRIES - 1, -1, -1):
            answer = self._send(method, path, query, body)
            if answer.status < 300:
                found: Data = json.loads(answer.data)
                return found
            if answer.status not in _PASSING or not left:
                break
            time.sleep(_wait(answer.headers.get("Retry-After"), _TRIES - left))
        raise Refused(answer.status, f"{method} {path}: {_said(answer.status, answer.data)}")

    def _send(self, method: str, path: str, query: Mapping[str, str], body: Data | None) -> Any:
        import json

        from urllib3.exceptions import HTTPError

        settings = self._client.configuration
        headers = {"Accept": "application/json", "User-Agent": "gpupolicy"}
        for one in settings.auth_settings().values():
            headers[one["key"]] = one["value"]
        if body is not None:
            headers["Content-Type"] = "application/apply-patch+yaml"
        url = settings.host + path + (f"?{urlencode(query)}" if query else "")
        text = None if body is None else json.dumps(body).encode()
        pool = self._client.rest_client.pool_manager
        try:
            return pool.request(
                method, url, body=text, headers=headers, timeout=_TIMEOUT, retries=False
            )
        except HTTPError as error:
            raise ClusterError(f"cannot reach {settings.host}: {_cause(error)}") from error


def _wait(asked: str | None, tried: int) -> float:
    seconds = float(asked) if asked and asked.isascii() and asked.isdecimal() else tried * 0.5
    return min(seconds, _LONGEST_WAIT)


def _said(status: int, data: bytes) -> str:
    """Give the server's own words, after ours where these help."""
    import json

    try:
        words = str(json.loads(data)["message"])
    except (ValueError, KeyError, TypeError):
        words = data[:200].decode("utf-8", "replace").strip()
    return ": ".join(part for part in (str(status), _MEANINGS.get(status, ""), words) if part)


def _cause(error: Exception) -> str:
    """Leave out the address of the connection's object, which differs in every run."""
    return str(error).rpartition(">: ")[2] or type(error).__name__
