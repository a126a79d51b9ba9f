#!/usr/bin/env python3
"""Types what a page has one type, and compares what is printed with what the page says: typed.py PAGE HEADING.

What counts is each block of language "console" below that heading: "$ COMMAND", then what it prints. Numbers of jobs, times, and which of the compute nodes
c1 and c2 has a job may differ; a line "..." stands for any lines.
"""
import re
import subprocess
import sys


def blocks(page, heading):
    inside, fenced, code, level = False, False, None, 0
    for line in open(page):
        line = line.rstrip("\n")
        if line.startswith("```"):
            if code is not None:
                yield code
            fenced = not fenced
            code = [] if fenced and inside and line == "```console" else None
        elif code is not None:
            code.append(line)
        elif not fenced and (m := re.match(r"(#+) (.*)", line)):
            if m[2] == heading:
                inside, level = True, len(m[1])
            elif len(m[1]) <= level:
                inside = False


def steps(lines):
    command, said = None, []
    for line in lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, said
            command, said = line[2:], []
        elif command.endswith("\\") and not said:
            command += "\n" + line
        else:
            said.append(line)
    if command is not None:
        yield command, said


def plain(line):
    line = re.sub(r"\b(\d+[dhms])+\b", "TIME", line.strip())
    line = re.sub(r"\b(\d+:)+\d\d\b", "TIME", line)
    line = re.sub(r"\bc[12]\b", "cN", line)
    line = re.sub(r"\bjob \d+", "job N", line)
    return re.sub(r"\s+", " ", line)


def same(expected, seen):
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(plain(line)) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in seen if line.strip())) is not None


def main(page, heading):
    typed = 0
    for block in blocks(page, heading):
        for command, said in steps(block):
            done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            seen = done.stdout.splitlines()
            if done.returncode or not same(said, seen):
                print(f"# {page}, {heading}: $ {command}\n# it ends with {done.returncode}, and prints:", *seen, "# the page says:", *said, sep="\n")
                return 1
            typed += 1
    if not typed:
        print(f"# {page} has nothing to type below {heading!r}")
    return 0 if typed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
