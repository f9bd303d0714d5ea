"""Write schemas/policy/v1alpha1.json from the models; `--check` only compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gpupolicy.facts.catalog import facts
from gpupolicy.spec.schema import policy_schema

PATH = Path(__file__).parent.parent / "schemas" / "policy" / "v1alpha1.json"


def text() -> str:
    """Give the schema as it stands in the file."""
    names = [name.upper() for name in facts().names()]
    return json.dumps(policy_schema(names), indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the file, or tell whether it is what the models say."""
    wanted = text()
    if "--check" in sys.argv[1:]:
        return 0 if PATH.read_text() == wanted else 1
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
