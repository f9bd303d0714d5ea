"""Read the data files beside this module: text, YAML and the table of sources.

The loader of the package is asked for the bytes, so that an unpacked wheel and a zip archive work
alike without the cost of `importlib.resources`.
"""

from __future__ import annotations

import os.path
from functools import cache
from typing import Any


def text_of(name: str) -> str:
    """Return a data file of this package as text. Raises OSError if there is none."""
    path = os.path.join(os.path.dirname(__file__), *name.split("/"))
    loader: Any = globals()["__loader__"]
    data: bytes = loader.get_data(path)
    return data.decode("utf-8").replace("\r\n", "\n")


def yaml_of(name: str) -> Any:
    """Return a data file of this package as plain data."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(text_of(name), Loader=loader)  # noqa: S506 - a safe loader, in C where built


@cache
def sources() -> dict[str, str]:
    """Return the table of sources: id to text."""
    table: dict[str, str] = yaml_of("sources.yaml")["sources"]
    return table


def source_texts(ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sources behind ids, in their order. Raises KeyError for an unknown id."""
    table = sources()
    return tuple(table[source] for source in ids)
