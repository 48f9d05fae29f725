# Closes a run of CTest: prints the tests' lines `summary: …`, what was skipped and why, and how many tests passed and failed.
# SPDX-License-Identifier: Apache-2.0
"""summary.py RESULTS.xml     as `ctest --output-junit` writes them; fails unless all tests passed or
were skipped, and at least one passed"""
import re
import sys
import xml.etree.ElementTree


def main():
    counts = {"passed": 0, "skipped": 0, "failed": 0}
    summaries, skipped, failed = [], [], []
    for test in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        name, output = test.get("name"), test.findtext("system-out") or ""
        summaries += re.findall(r"^summary: .*", output, re.M)
        # A case of a doctest program that was skipped, by its main function.
        skipped += [f"{name}: {case}" for case in re.findall(r"^skipped: (.*)", output, re.M)]
        if test.get("status") == "run":
            counts["passed"] += 1
        elif test.get("status") == "notrun" and test.find("skipped") is not None:
            counts["skipped"] += 1
            lines = output.strip().splitlines()
            skipped.append(f"{name}: {lines[-1] if lines else test.find('skipped').get('message')}")
        else:
            counts["failed"] += 1
            failed.append(name)
    print(*sorted(summaries), sep="\n")
    print(*(f"skipped: {line}" for line in skipped), sep="\n")
    print(*(f"FAILED: {name}" for name in failed), sep="\n", end="\n" if failed else "")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return counts["failed"] > 0 or counts["passed"] == 0


sys.exit(main())
