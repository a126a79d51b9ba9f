"""The figures of a benchmark, each beside its limit and its peer. Progress goes to stderr, the table to stdout."""

import sys
import time

START = time.monotonic()


def say(text):
    print(f"bench: {time.monotonic() - START:5.0f} s  {text}", file=sys.stderr, flush=True)


class Table:
    def __init__(self, counted="pods"):
        self.counted, self.rows = counted, []

    def add(self, work, n, value, unit, limit=None, peer=""):
        verdict = "" if limit is None else "met" if value <= limit else "MISSED"
        self.rows.append((work, str(n), f"{value:.3g} {unit}", "" if limit is None else f"{limit:.3g} {unit}", peer, verdict))
        say("  ".join(part for part in self.rows[-1] if part))

    def show(self):
        head = ("work", self.counted, "measured", "limit", "peer in the same run", "")
        widths = [max(len(row[i]) for row in [head] + self.rows) for i in range(len(head))]
        for row in [head] + self.rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())

    def missed(self):
        return [row for row in self.rows if row[5] == "MISSED"]
