"""Says which goals the last run of each benchmark missed; exits 1 if there is one."""

import json
import sys

from bench.harness import BUILD, is_met, table


def main() -> int:
    missed = []
    for path in sorted(BUILD.glob("*.json")):
        missed += [result for result in json.loads(path.read_text()) if is_met(result) is False]
    if missed:
        print(table(missed))
        return 1
    print("Every goal that was measured is met.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
