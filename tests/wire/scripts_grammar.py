"""Random batch scripts, drawn from a grammar of sbatch's options. A script is a text with marks: @HOME@ of the side, @SIDE@ its letter, @NAME@ a folder of its own, @ID@ of the job that it waits for.

What is different in each run (numbers of jobs, hosts) a script prints as <word:value>, which the test leaves out.
"""
import dataclasses


@dataclasses.dataclass
class Case:
    name: str
    kind: str                   # what is special about it, for who reads the report
    text: str
    partition: str = "all"      # None: whichever fits
    after: str = None           # the case whose number @ID@ is
    sorts_lines: bool = False   # several processes write at the same time
    tasks: int = 0              # of an array
    compares_log: bool = True   # else how far it came when it was cancelled is an accident


# ---------------------------------------------------------------- one option, written as people write it

SHORT = {"time": "t", "job-name": "J", "output": "o", "error": "e", "ntasks": "n", "cpus-per-task": "c", "nodes": "N", "array": "a", "dependency": "d", "chdir": "D", "input": "i",
         "constraint": "C", "nodelist": "w", "exclude": "x", "licenses": "L", "account": "A", "qos": "q", "begin": "b", "overcommit": "O", "partition": "p"}
PREFIXES = {"job-name": "job-n", "output": "outp", "ntasks": "ntasks", "array": "arr", "chdir": "chd", "comment": "comm", "nodelist": "nodel"}


def option(r, name, value=None):
    if value is None:
        return f"--{name}"
    quoted = f'"{value}"' if " " in value or r.random() < 0.1 else value
    forms = [f"--{name}={quoted}"] * 3 + [f"--{name} {quoted}"]
    if name in SHORT:
        forms += [f"-{SHORT[name]} {quoted}", f"-{SHORT[name]}{quoted}"]
    if name in PREFIXES:
        forms.append(f"--{PREFIXES[name]}={quoted}")
    return r.choice(forms)


def lines_of(r, options):
    """#SBATCH lines with these options in this order, and what else stands between such lines."""
    lines, rest = [], list(options)
    while rest:
        n = 1 if r.random() < 0.8 else 2
        line = "#SBATCH" + r.choice([" ", " ", " ", "  ", "\t"]) + r.choice([" ", " ", "   "]).join(rest[:n])
        lines.append(line + r.choice([""] * 6 + [" # why", " #", "  "]))
        rest = rest[n:]
        lines += r.choice([[]] * 8 + [["# a remark"], [""], ["##SBATCH --time=nonsense"], ["# SBATCH --nodes=nonsense"], ["   "], ["#PBS -q nowhere"], ["#"]])
    return lines


TIMES = ["1", "5", "00:30", "10:00", "0:45", "00:05:00", "0-0", "0-00:10", "0-0:1:30", "30:00", "1:", "59", "0", "0:0:1", "00:00:90", "5:61"]


def common(r, outputs=True):
    """Options that any job may have."""
    drawn = []
    some = [
        ("time", lambda: r.choice(TIMES)), ("ntasks", lambda: str(r.randint(1, 4))), ("cpus-per-task", lambda: str(r.randint(1, 3))), ("mem", lambda: r.choice(["50", "64M", "1G", "0.5G", "100MB", "2048K"])),
        ("mem-per-cpu", lambda: r.choice(["10", "20M"])), ("job-name", lambda: r.choice(["plain", "with space", "x-1.2", "ünï", "a%b", "q'q", "long" * 12, "slash_like", "-dash"])),
        ("comment", lambda: r.choice(["a comment", "k=v,w=x", "sj:1"])), ("export", lambda: r.choice(["ALL", "ALL,FOO=bar", "NIL", "FOO=1,BAR=2"])), ("open-mode", lambda: r.choice(["append", "truncate", "a", "t"])),
        ("nice", lambda: r.choice(["100", "0"])), ("requeue", None), ("no-requeue", None), ("input", lambda: r.choice(["/dev/null", "@HOME@/input"])), ("kill-on-invalid-dep", lambda: r.choice(["yes", "no"])),
        ("nodes", lambda: r.choice(["1", "2", "1-1", "2-2"])), ("ntasks-per-node", lambda: "1"), ("constraint", lambda: r.choice(["fast", "slow", "fast|slow"])), ("exclude", lambda: r.choice(["n1", "n[1-2]"])),
        ("signal", lambda: r.choice(["B:USR1@10", "TERM@30", "12"])), ("account", lambda: r.choice(["bridge", "physics"])), ("licenses", lambda: "seat:1"), ("begin", lambda: r.choice(["now", "now+2", "now+3seconds"])),
        ("acctg-freq", lambda: "30"), ("mincpus", lambda: "2"), ("overcommit", None), ("distribution", lambda: r.choice(["block", "cyclic"])), ("wait-all-nodes", lambda: "1"), ("profile", lambda: "None"),
        ("propagate", lambda: "NONE"), ("threads-per-core", lambda: "1"), ("spread-job", None), ("contiguous", None), ("use-min-nodes", None), ("verbose", None), ("quiet", None), ("parsable", None), ("no-kill", None),
        ("get-user-env", None), ("wckey", lambda: "key"), ("deadline", lambda: "now+1hour"), ("delay-boot", lambda: "5"), ("extra", lambda: "x=y"), ("clusters", lambda: "scripts"), ("priority", lambda: "10"), ("tmp", lambda: "1"),
        ("chdir", lambda: r.choice(["@HOME@/other", "other", "/tmp", "@HOME@/not there", "."])), ("time-min", lambda: "1"), ("gres", lambda: "none"), ("switches", lambda: "1"), ("mail-type", lambda: "NONE"),
    ]
    for name, value in r.sample(some, r.choice([1, 2, 2, 3, 3, 4, 6])):
        drawn.append((name, value and value()))
    names = {name for name, _ in drawn}
    if "spread-job" in names or {"mem", "mem-per-cpu"} <= names:
        drawn = [(name, value) for name, value in drawn if name not in ("use-min-nodes", "mem-per-cpu")]
    return drawn + (outputs_of(r) if outputs and r.random() < 0.5 else [])


def outputs_of(r, array=False):
    patterns = ["out-%j", "%x.%A", "@HOME@/@NAME@/out-%j", "%N-%n-%t", "%s.%J", "plain.out", "%u_%j", "%4j", "%%-%j", "a b-%j", r"back\\slash", "x%"]
    rare = ["missing/out-%j", "/dev/null"] if r.random() < 0.3 else []
    within = lambda pattern: pattern if pattern[0] in "/@" else "@NAME@/" + pattern
    drawn = [("output", within(r.choice(["%A_%a", "%A.%2a", "%a-%x", "task%a.%b", "%j.t"] if array else patterns + rare)))]
    if r.random() < 0.4:
        drawn.append(("error", within(r.choice(["%A_%a.err", "%j.err"] if array else ["err-%j", "%x-%j.err", drawn[0][1]]))))
    return drawn


# ---------------------------------------------------------------- bodies

SAYS = ['echo "hello from <id:$SLURM_JOB_ID> on <host:$(hostname)>"', 'echo "$SLURM_JOB_NAME in $PWD"', "date '+<now:%s>'", "echo to stderr >&2", 'printf "no newline"', "printf 'a\\0b\\n'", "printf 'gr\\303\\274n \\377\\n'",
        'echo "ntasks=$SLURM_NTASKS nodes=$SLURM_JOB_NUM_NODES part=$SLURM_JOB_PARTITION"', "seq 200", 'echo "FOO=$FOO BAR=$BAR"', "cat", "", "sleep 0.3", "ls /does/not/exist", "echo \"$0\" | sed 's/.*/<self:&>/'", "ulimit -c",
        "head -c 70000 /dev/zero | tr '\\0' x; echo"]
ENDS = ["exit 0", "exit 0", "", "", "true", "exit {code}", "exit {code}", "false", "exit 256", "exit -1", "kill -9 $$", "kill -TERM $$", "kill -USR1 $$", "not-a-command", "scancel $SLURM_JOB_ID; sleep 30", "exec true", "sh -c 'exit {code}'",
        "(sleep 0.5; echo late) &\nwait", "trap 'echo trapped; exit {code}' TERM; kill -TERM $$; sleep 1", "sleep 0.2 & kill -9 $!; wait $!", "set -e; false; echo never"]
STEPS = ["srun -n1 echo step one", "srun -n1 sh -c 'exit {code}'", "srun -n1 true", "srun -n1 -l hostname | sed 's/login/host/'", "srun -n1 false || echo it failed", "srun -n1 sh -c 'kill -9 $$'", "srun -n1 --overlap echo overlap & wait",
         "srun -n1 --output=@HOME@/@NAME@/step-%j.txt echo elsewhere; cat @HOME@/@NAME@/step-$SLURM_JOB_ID.txt"]
PYTHON = ["import os, sys", 'print("py", "<id:%s>" % os.environ["SLURM_JOB_ID"], flush=True)', 'print("err", file=sys.stderr, flush=True)']
PYTHON_ENDS = ["sys.exit({code})", "sys.exit('a message')", "raise ValueError('wrong')", "os.kill(os.getpid(), 15)", "os._exit({code})", "pass", "sys.exit(None)", "os.abort()"]


def body(r, steps=True):
    """(interpreter, lines)"""
    code = r.choice([1, 2, 3, 7, 42, 77, 125, 126, 127, 128, 137, 143, 200, 255])
    if r.random() < 0.12:
        return "#!/usr/bin/env python3", PYTHON + [r.choice(PYTHON_ENDS).format(code=code)]
    lines = r.sample(SAYS, r.randint(1, 4))
    if steps and r.random() < 0.35:
        lines.append(r.choice(STEPS).replace("{code}", str(code)))
    return r.choice(["#!/bin/sh", "#!/bin/sh", "#!/bin/bash", "#! /bin/bash", "#!/bin/bash -l", "#!/usr/bin/env bash", "#!/bin/sh -u"]), lines + [r.choice(ENDS).replace("{code}", str(code))]


def script(r, options, interpreter, lines, components=()):
    head = [interpreter] + r.choice([[], [], ["# by a user"], [""]]) + lines_of(r, [option(r, *one) for one in options])
    for more in components:
        head += ["#SBATCH " + r.choice(["hetjob", "hetjob", "packjob"])] + lines_of(r, [option(r, *one) for one in more])
    late = r.choice([[]] * 5 + [["#SBATCH --time=nonsense"]])
    return "\n".join(head + lines[:1] + late + lines[1:]) + r.choice(["\n", "\n", "\n", ""])


# ---------------------------------------------------------------- kinds of scripts: each gives one or more cases

READY = ["all", "all", "all", "long", "Big_One", "mine", None]


def plain(r, name):
    drawn, partition = common(r), r.choice(READY + ["short"])
    if partition in ("mine", None):  # another account would wait there for ever
        drawn = [one for one in drawn if one != ("account", "physics")]
    yield Case(name, "plain", script(r, drawn, *body(r)), partition)


def requeued(r, name):
    lines = ['echo "run ${SLURM_RESTART_COUNT:-0}"', 'if [ -z "$SLURM_RESTART_COUNT" ]; then scontrol requeue $SLURM_JOB_ID; exec sleep 60; fi', r.choice(["echo again", "exit 4", "exit 0", "kill -9 $$"])]
    yield Case(name, "requeued", script(r, [("requeue", None), *r.choice([[], [("open-mode", "append")], [("open-mode", "truncate")], [("output", "@NAME@/again-%j")]])], "#!/bin/sh", lines), r.choice(READY))


def timed_out(r, name):
    """Slurm's shortest limit is a minute, and a user may bring the end nearer."""
    lines = [r.choice(["", "trap 'echo told; exit 5' TERM", "trap 'echo told' TERM"]), "echo begins", "scontrol update JobId=$SLURM_JOB_ID EndTime=now+1", "for i in $(seq 600); do sleep 0.2; done", "echo never"]
    yield Case(name, "timed out", script(r, [("time", "5")], "#!/bin/bash", lines), r.choice(READY))


# Whether a task has begun when it is cancelled is an accident; that it has not ended is none.
CANCELS_ALL = "[ $SLURM_ARRAY_TASK_ID != $SLURM_ARRAY_TASK_MIN ] || scancel $SLURM_ARRAY_JOB_ID; sleep 30"
CANCELS_LAST = "[ $SLURM_ARRAY_TASK_ID != $SLURM_ARRAY_TASK_MIN ] || scancel ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_MAX; [ $SLURM_ARRAY_TASK_ID != $SLURM_ARRAY_TASK_MAX ] || sleep 30"


def array(r, name):
    tasks, count = r.choice([("0-3", 4), ("1-4%2", 4), ("0-8:4", 3), ("1,3,5", 3), ("7", 1), ("0-5%1", 6), ("2-3,9", 3), ("10-1000:495", 3), ("0-6:3%1", 3), ("1-3%5", 3)])
    drawn = [one for one in common(r, False) if one[0] not in ("nodes", "ntasks", "cpus-per-task", "mem", "begin", "chdir", "licenses", "account")]
    shared = r.random() < 0.25
    if shared:
        drawn = [one for one in drawn if one[0] != "open-mode"] + [("output", "@NAME@/shared-%A"), ("open-mode", "append")]
    elif r.random() < 0.6:
        drawn += outputs_of(r, True)
    lines = ['echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT, $SLURM_ARRAY_TASK_MIN to $SLURM_ARRAY_TASK_MAX"']
    lines.append(r.choice(["exit 0", "exit $((SLURM_ARRAY_TASK_ID % 3))", "[ $SLURM_ARRAY_TASK_ID -ne 3 ]", "exit 5", "kill -9 $$", "[ $((SLURM_ARRAY_TASK_ID % 2)) = 0 ] && kill -TERM $$; exit 0", "srun -n1 echo in a step",
                           CANCELS_ALL, CANCELS_LAST]))
    drawn.insert(r.randint(0, len(drawn)), ("array", tasks))
    yield Case(name, "array " + tasks, script(r, drawn, r.choice(["#!/bin/sh", "#!/bin/bash"]), lines), r.choice(READY), sorts_lines=shared, tasks=count, compares_log=lines[-1] not in (CANCELS_ALL, CANCELS_LAST))


def het(r, name):
    """Slurm starts its components on a node each, or never: four nodes suffice, and those with a feature are left for who asks for it."""
    first, more = [("ntasks", str(r.randint(1, 2))), *outputs_of(r)][:r.randint(1, 2)], []
    for _ in range(r.choice([1, 1, 2])):
        more.append([one for one in [("ntasks", str(r.randint(1, 2))), ("mem", "100"), ("time", "5"), ("constraint", "fast"), ("job-name", "other"), ("output", "@NAME@/other-%j")] if r.random() < 0.5] or [("ntasks", "1")])
    lines = ['echo "<id:$SLURM_JOB_ID> of $SLURM_HET_SIZE"', r.choice(["srun --het-group=0 -n1 echo zero", "srun --het-group=1 -n1 echo one", f"srun --het-group=0-{len(more)} echo all", "true"]), r.choice(["exit 0", "exit 3", "kill -9 $$", "false", "scancel $SLURM_JOB_ID; sleep 30"])]
    yield Case(name, "hetjob", script(r, first, "#!/bin/bash", lines, more), r.choice(["all", "all", "long", "mine"]), sorts_lines=True)


def dependent(r, name):
    """One job, and another one that waits for it. The first ends once the other one is in Slurm: the test says "go"."""
    kind, fails = r.choice(["afterok", "afternotok", "afterany", "after", "singleton"]), r.random() < 0.5
    job_name = f"chain-@SIDE@-{name}"
    yield Case(name, "parent", script(r, [("job-name", job_name)], "#!/bin/sh", ["until [ -e @HOME@/@NAME@/go ]; do sleep 0.2; done", f"exit {3 if fails else 0}"]), "all")
    asked = [("dependency", "singleton" if kind == "singleton" else f"{kind}:@ID@"), ("job-name", job_name), ("kill-on-invalid-dep", "yes")]
    r.shuffle(asked)
    yield Case(name + "b", f"{kind} of one that {'fails' if fails else 'succeeds'}", script(r, asked, "#!/bin/sh", ['echo "after"', r.choice(["exit 0", "exit 9"])]), "all", after=name)


def held(r, name):
    yield Case(name, "held", script(r, r.choice([[("hold", None)], [("hold", None), ("time", "5")], [("comment", "a b"), ("hold", None)]]), *body(r, False)), "all")


def waiting(r, name):
    """--wait: sbatch itself ends when the job does, with its exit code."""
    yield Case(name, "--wait", script(r, [("wait", None)], "#!/bin/sh", ["sleep 0.5", r.choice(["exit 0", "exit 6"])]), "all")


def closed(r, name):
    """In a partition that does not take it, or does not run it."""
    partition = r.choice(["down", "drain", "inactive", "accounts", "groups", "qos", "root", "dead", "empty", "hidden"])
    yield Case(name, "partition " + partition, script(r, r.choice([[], [], [("account", "physics")], [("time", "2")]]), *body(r, False)), partition)


WRONG = [
    [("array", "5-1")], [("array", "0-100000000")], [("array", "x")], [("dependency", "foo:1")], [("dependency", "afterok:999999")], [("gres", "gpu:1")], [("qos", "nope")], [("account", "nope")], [("licenses", "zz:1")],
    [("constraint", "zz")], [("nodelist", "n9")], [("begin", "tomorrowish")], [("open-mode", "x")], [("signal", "NOPE")], [("time", "abc")], [("nodes", "x")], [("mem", "10Q")], [("no-such-option", "1")], [("ntasks", "0")],
    [("cpus-per-task", "-1")], [("reservation", "nope")], [("nodes", "4-2")], [("deadline", "now-1hour")], [("time", "5"), ("deadline", "now+1minute")], [("uid", "root")], [("mail-type", "SOMETIMES")], [("kill-on-invalid-dep", "maybe")],
    [("test-only", None)], [("help", None)], [("version", None)], [("usage", None)], [("ntasks", "100000")], [("cpus-per-task", "33")], [("mem", "900G")], [("nodes", "5")], [("time", "9-0")], [("core-spec", "99")], [("clusters", "nope")],
    [("ntasks", "5000"), ("nodes", "1")], [("hint", "nope")], [("distribution", "nope")], [("profile", "nope")], [("export-file", "/does/not/exist")], [("mem-per-cpu", "x")], [("nice", "x")], [("exclusive", "nope")], [("tmp", "x")],
    [("container", "/no/bundle")], [("wrap", "hostname")], [("gpus", "1")], [("nodefile", "/does/not/exist")], [("comment", "x" * 3000)], [("job-name", "")], [("input", "/does/not/exist")], [("mcs-label", "x")], [("bb", "x")], [("time-min", "10"), ("time", "5")],
]
BROKEN = ["echo no shebang\n", "#!/bin/sh\r\n#SBATCH --time=5\r\necho dos\r\n", "", "\n\n#!/bin/sh\necho late\n", "#!/bin/sh\n#SBATCH --job-name='open\ntrue\n", "#!/bin/sh\n#SBATCH nodes=2\ntrue\n", "#!/bin/sh\n#SBATCH -N=2\ntrue\n",
          "#!/bin/sh\n#SBATCH --time\ntrue\n", "#!/bin/sh\n#SBATCHX\ntrue\n", "#!/bin/sh\n#SBATCH hetjob\n#SBATCH --time=abc\ntrue\n", "#!/no/such/interpreter\ntrue\n", "#!/bin/sh\n#SBATCH -- --time=x\ntrue\n", " #!/bin/sh\ntrue\n",
          "#!/bin/sh\n#SBATCH hetjob\n#SBATCH hetjob\n#SBATCH hetjob\ntrue\n", "#!/bin/sh\n#SBATCH --array=0-1\n#SBATCH hetjob\n#SBATCH -n1\ntrue\n", "\ufeff#!/bin/sh\ntrue\n", "#!/bin/sh\n#SBATCH : -n1\ntrue\n", "#!/bin/sh"]


def wrong(r, name):
    text = r.choice(BROKEN) if r.random() < 0.3 else script(r, r.choice(WRONG) + r.choice([[], [("time", "5")]])[:1], "#!/bin/sh", ["echo ran", "exit 0"])
    yield Case(name, "wrong", text, "all")


KINDS = {plain: 44, array: 14, het: 8, dependent: 6, requeued: 3, timed_out: 2, held: 2, waiting: 2, closed: 9, wrong: 16}


def cases(r, n):
    """n of them, at most one more."""
    made = []
    while len(made) < n:
        kind = r.choices(list(KINDS), list(KINDS.values()))[0]
        made += kind(r, f"s{len(made)}")
    return made
