#!/usr/bin/env python3
"""The rows of reactions: spec.autoscaling beside KEDA, on the same Slurm. tests/cluster/autoscale-outside has measured them: "WHO OUT_MS IN_MS" a line."""

import statistics
import sys

from table import Table


def main(measured):
    seconds = {}
    for line in open(measured):
        who, out, back = line.split()
        seconds.setdefault(who, []).append((int(out) / 1000, int(back) / 1000))
    ours, theirs = (list(zip(*seconds[who])) for who in ("spec.autoscaling", "KEDA"))
    table = Table("rounds")
    for n, work in enumerate(("a job is submitted, its pod is created", "it ended 30 s ago, its pod is deleted")):
        table.add(work, len(ours[n]), statistics.median(ours[n]), "s", 2, f"{statistics.median(theirs[n]):.3g} s KEDA, pollingInterval 30 s as it comes")
    table.show()
    return 1 if table.missed() else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
