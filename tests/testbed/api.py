"""A client of the API server, as small as the tests need it: JSON over HTTP with a token."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import NamedTuple
from urllib.parse import urlencode

Data = dict[str, Any]
MANAGER = "gpupolicy"


class RefusedError(Exception):
    """What the API server answered instead of doing it."""

    def __init__(self, status: int, answer: Data) -> None:
        super().__init__(f"{status} {answer.get('reason', '')}: {answer.get('message', '')}")
        self.status = status
        self.reason = str(answer.get("reason", ""))
        self.message = str(answer.get("message", ""))


class _Resource(NamedTuple):
    plural: str
    namespaced: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with the warnings that came with it."""

    data: Data
    warnings: tuple[str, ...]


class Api:
    """One user's access to the API server; may be used by several threads."""

    def __init__(self, port: int, authority: Path, token: str) -> None:
        self._port = port
        self._token = token
        self._context = ssl.create_default_context(cafile=str(authority))
        self._local = threading.local()
        self._known: dict[tuple[str, str], _Resource] = {}
        self._authority = authority

    def as_user(self, token: str) -> Api:
        """Give the same server with another user's token."""
        return Api(self._port, self._authority, token)

    def call(
        self, method: str, path: str, body: Data | bytes | None = None, kind: str = "json"
    ) -> Reply:
        """Call; `kind` is the content type after `application/`. Raises `RefusedError`."""
        sent = json.dumps(body).encode() if isinstance(body, dict) else body
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": f"application/{kind}",
            "Accept": "application/json",
        }
        status, warnings, text = self._exchange(method, path, sent, headers)
        for _ in range(50):
            if status != 429:  # Asked to come again: a new kind's storage starts, for example.
                break
            time.sleep(0.2)
            status, warnings, text = self._exchange(method, path, sent, headers)
        answer = json.loads(text) if text[:1] == b"{" else {"message": text.decode()}
        if status >= 300:
            raise RefusedError(status, answer)
        return Reply(answer, warnings)

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, tuple[str, ...], bytes]:
        for last in (False, True):
            connection = self._connection()
            try:
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException):
                self.close()  # The server closes idle connections.
                if last:
                    raise
                continue
            warnings = tuple(response.headers.get_all("Warning") or ())
            return response.status, warnings, text
        raise AssertionError("unreachable")

    def _connection(self) -> http.client.HTTPSConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPSConnection(
                "127.0.0.1", self._port, timeout=60, context=self._context
            )
        connection: http.client.HTTPSConnection = self._local.connection
        return connection

    def close(self) -> None:
        """Close this thread's connection."""
        if hasattr(self._local, "connection"):
            self._local.connection.close()
            del self._local.connection

    def path_of(
        self, api: str, kind: str, namespace: str | None = None, name: str | None = None
    ) -> str:
        """Give the path of an object, or of its kind without `name`. Raises `LookupError`."""
        root = f"/apis/{api}" if "/" in api else f"/api/{api}"
        if (api, kind) not in self._known:
            self._discover(root, api)
        if (api, kind) not in self._known:
            raise LookupError(f"the API server knows no {kind} in {api}")
        resource = self._known[api, kind]
        inside = f"/namespaces/{namespace}" if resource.namespaced and namespace else ""
        return f"{root}{inside}/{resource.plural}" + (f"/{name}" if name else "")

    def _discover(self, root: str, api: str) -> None:
        for one in self.call("GET", root).data.get("resources", ()):
            if "/" not in one["name"]:
                self._known[api, one["kind"]] = _Resource(one["name"], one["namespaced"])

    def knows(self, api: str, kind: str) -> bool:
        """Tell whether the kind is served."""
        try:
            self.path_of(api, kind)
        except (LookupError, RefusedError):
            return False
        return True

    def path_to(self, data: Data) -> str:
        """Give the path of an object by its own words."""
        meta = data["metadata"]
        return self.path_of(data["apiVersion"], data["kind"], meta.get("namespace"), meta["name"])

    def apply(
        self, data: Data, text: str | None = None, *, dry_run: bool = False, force: bool = False
    ) -> Reply:
        """Apply server-side and strictly, as `text` says it if given. Raises `RefusedError`."""
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict"}
        query |= {"dryRun": "All"} if dry_run else {}
        query |= {"force": "true"} if force else {}
        path = f"{self.path_to(data)}?{urlencode(query)}"
        sent = text if text is not None else json.dumps(data)
        return self.call("PATCH", path, sent.encode(), "apply-patch+yaml")

    def create(self, data: Data, *, dry_run: bool = False) -> Reply:
        """Create strictly. Raises `RefusedError`."""
        meta = data["metadata"]
        path = self.path_of(data["apiVersion"], data["kind"], meta.get("namespace"))
        query = {"fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {})
        return self.call("POST", f"{path}?{urlencode(query)}", data)

    def get(self, api: str, kind: str, name: str, namespace: str | None = None) -> Data:
        """Read an object. Raises `RefusedError`."""
        return self.call("GET", self.path_of(api, kind, namespace, name)).data

    def find(self, api: str, kind: str, name: str, namespace: str | None = None) -> Data | None:
        """Read an object, or None if it is not there."""
        try:
            return self.get(api, kind, name, namespace)
        except RefusedError as error:
            if error.status == 404:
                return None
            raise

    def list(self, api: str, kind: str, namespace: str | None = None, **query: str) -> list[Data]:
        """List the objects of a kind, of one namespace or of all."""
        path = f"{self.path_of(api, kind, namespace)}?{urlencode(query)}"
        found: list[Data] = self.call("GET", path).data["items"]
        return found

    def merge(self, path: str, patch: Data) -> Data:
        """Lay a patch over what is there."""
        return self.call("PATCH", path, patch, "merge-patch+json").data

    def delete(self, path: str, grace: int | None = None) -> None:
        """Delete an object and what it owns; nothing happens if it is not there."""
        options: Data = {"propagationPolicy": "Background"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        try:
            self.call("DELETE", path, options)
        except RefusedError as error:
            if error.status not in (404, 409):
                raise
