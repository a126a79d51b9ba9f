#!/usr/bin/env python3
"""Types what a page has one type, and compares what is printed with what the page says: typed.py PAGE [HEADING].

What counts is each block of language "console", in the whole page or below that heading: "$ COMMAND", then what it prints. Numbers of jobs, times, addresses,
hashes in names, and which node has a job may differ; a line "..." stands for any lines. A block of language "yaml" that begins with "# NAME.yaml" is written
into the working directory as that file.

A block behind the line <!-- not typed: REASON --> is left out, and counted.

  AGAIN=n    a command that fails, or prints something else, is typed again for so many seconds: Kubernetes and Slurm need time for a change
  TIMES=1    how long each command took is printed
  RECORD=1   what is printed goes into the page, where the page says something else
"""
import os
import re
import subprocess
import sys
import time


class Block:
    def __init__(self, kind, first, reason):
        self.kind, self.first, self.reason, self.lines = kind, first, reason, []


def blocks(lines, heading):
    inside, code, level, reason = not heading, None, 0, None
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if code:
                yield code
                code = None
            else:
                code = Block(line[3:] if inside else "", number + 1, reason)
            reason = None
        elif code:
            code.lines.append(line)
        elif m := re.fullmatch(r"<!-- not typed: (.+) -->", line):
            reason = m[1]
        elif heading and (m := re.match(r"(#+) (.*)", line)):
            if m[2] == heading:
                inside, level = True, len(m[1])
            elif len(m[1]) <= level:
                inside = False


def steps(lines):
    """(command, what the page says it prints, where in the lines that begins)"""
    command, said, at = None, [], 0
    for number, line in enumerate(lines):
        if line.startswith("$ "):
            if command is not None:
                yield command, said, at
            command, said, at = line[2:], [], number + 1
        elif command.endswith("\\") and not said:
            command += "\n" + line
            at = number + 1
        else:
            said.append(line)
    if command is not None:
        yield command, said, at


MAY_DIFFER = [
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?", "TIME"),
    (r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}", "TIME"),
    (r"\b(\d+[dhms])+\b", "TIME"),
    (r"\b(\d+:)+\d\d(\.\d+)?\b", "TIME"),
    (r"\b\d+\.\d+\.\d+\.\d+\b", "ADDRESS"),
    (r":\d{5}/TCP", ":PORT/TCP"),
    (r"\bc[12]\b", "cN"),
    (r"\b(debug|big)-\d\b", r"\1-N"),
    (r"\bjob \d+", "job N"),
    (r"^\d+(?=[ _.])", "N"),
    (r"-[0-9a-f]{6,10}-[a-z0-9]{5}\b", "-HASH"),
    (r"SHA256:\S+", "SHA256"),
    (r"-{3,}", "---"),
    (r"\s+", " "),
]


def plain(line):
    line = line.strip()
    for pattern, instead in MAY_DIFFER:
        line = re.sub(pattern, instead, line)
    return line


def same(expected, seen):
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(plain(line)) + "\n" for line in expected if line.strip())
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in seen if line.strip())) is not None


def typed(command, said, recording):
    """(whether it is as the page says, its status, what it printed). What is recorded has a while to become what the page says, if that is anything."""
    began = time.monotonic()
    again = int(os.environ.get("AGAIN", "0"))
    while True:
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seen = [line.rstrip() for line in done.stdout.splitlines()]
        patient = time.monotonic() - began < (min(20 if said else 0, again) if recording and not done.returncode else again)
        good = not done.returncode and (same(said, seen) or (recording and not patient))
        if good or not patient:
            return good, done.returncode, seen
        time.sleep(0.5)


def type_block(page, block, lines, shift):
    """How many commands it has typed, and how many lines longer the page is; None for a page that is wrong."""
    count, grown = 0, 0
    for command, said, at in steps(block.lines):
        recording = bool(os.environ.get("RECORD"))
        began = time.monotonic()
        good, status, seen = typed(command, said, recording)
        if os.environ.get("TIMES"):
            print(f"# {time.monotonic() - began:4.0f} s  {command}")
        if not good:
            print(f"# {page}:{block.first + shift + at}: $ {command}\n# it ends with {status}, and prints:", *seen, "# the page says:", *said, sep="\n")
            return None
        if recording and not same(said, seen):
            begin = block.first + shift + grown + at
            lines[begin:begin + len(said)] = seen
            grown += len(seen) - len(said)
        count += 1
    return count, grown


def main(page, heading=""):
    with open(page) as file:
        lines = file.read().splitlines()
    count, shift, left_out = 0, 0, 0
    for block in [*blocks(lines, heading)]:
        if block.reason:
            left_out += block.kind in ("console", "sh")
        elif block.kind == "yaml" and block.lines and (m := re.match(r"# ([\w.-]+\.yaml)\b", block.lines[0])):
            with open(m[1], "w") as file:
                file.write("\n".join(block.lines) + "\n")
        elif block.kind == "console":
            done = type_block(page, block, lines, shift)
            if os.environ.get("RECORD"):
                with open(page, "w") as file:
                    file.write("\n".join(lines) + "\n")
            if not done:
                return 1
            count, shift = count + done[0], shift + done[1]
    if not count and not left_out:
        print(f"# {page} has nothing to type" + (f" below {heading!r}" if heading else ""))
        return 1
    if not heading:
        print(f"# {page}: {count} commands are typed, {left_out} blocks are left out")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
