"""The manual: every code has a page, and it stands in the module that gives the code."""

from __future__ import annotations

from gpupolicy.diagnostics.codes import CODES
from gpupolicy.diagnostics.codes import Code


def find_code(name: str) -> Code | None:
    """Find a code by its number or its slug, in any case: `GP203`, `gp203`, `output-empty`."""
    wanted = name.strip()
    row = CODES.get(wanted.upper())
    return row or next((one for one in CODES.values() if one.slug == wanted.lower()), None)


def manual_page(code: Code) -> str:
    """Give the manual page of a code: a heading and the text, ending with a line break.

    The page is the paragraph of the module's docstring that starts with the code. The module is
    read, not run. Raises `LookupError` if it has no such paragraph, which is a bug of ours.
    """
    import ast
    import importlib.util

    spec = importlib.util.find_spec(code.module)
    source = spec.loader.get_source(code.module) if spec and spec.loader else None  # type: ignore[attr-defined]
    docstring = ast.get_docstring(ast.parse(source)) if source else None
    body = _paragraph(docstring or "", code)
    return f"{code.number} {code.slug} ({code.severity.value}): {code.title}\n\n{body}\n"


def _paragraph(docstring: str, code: Code) -> str:
    """Cut out the lines under `GPnnn slug`, up to the next line that is not indented."""
    lines = iter(docstring.splitlines())
    if not any(line.rstrip() == f"{code.number} {code.slug}" for line in lines):
        raise LookupError(f"{code.module} has no page for {code.number} {code.slug}")
    page = []
    for line in lines:
        if line and not line.startswith(" "):
            break
        page.append(line[4:].rstrip())
    return "\n".join(page).strip("\n")
