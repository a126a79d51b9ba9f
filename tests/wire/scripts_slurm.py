"""A real Slurm for tests/wire/scripts: MariaDB, slurmdbd, slurmctld and several slurmds on the loopback of an own network, with a partition for each state."""
import json
import os
import pathlib
import subprocess
import time

USER = "nobody"
NODES = ["n1", "n2", "n3", "n4", "n5"]
# Name: what is said of it. A job that waits where it may not run holds nodes back from those behind it, so such partitions have a node of their own.
PARTITIONS = {
    "all": "Nodes=n[1-4] Default=YES", "long": "Nodes=n[1-4] MaxTime=UNLIMITED", "short": "Nodes=n[1-2] MaxTime=3 MaxNodes=1", "Big_One": "Nodes=n[3-4]", "mine": "Nodes=n[1-4] AllowAccounts=bridge",
    "down": "Nodes=n5 State=DOWN", "drain": "Nodes=n5 State=DRAIN", "inactive": "Nodes=n5 State=INACTIVE", "hidden": "Nodes=n5 Hidden=YES",
    "accounts": "Nodes=n5 AllowAccounts=physics", "groups": "Nodes=n5 AllowGroups=games", "qos": "Nodes=n5 AllowQos=high", "root": "Nodes=n5 RootOnly=YES", "dead": "Nodes=n6", "empty": "",
}
OPENED = ["down", "drain", "inactive"]  # the test makes them UP in the end
NOT_SHOWN = ["hidden", "groups"]  # to this account: they are no nodes of Kubernetes
TAINTED = OPENED + ["accounts", "mine", "qos", "root", "dead", "empty"]
CONF = """ClusterName=scripts
SlurmctldHost=login(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/slurm
CredType=cred/slurm
AuthInfo=cred_expire=5
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStorageEnforce=associations,limits,qos
StateSaveLocation={dir}/state
SlurmctldPidFile={dir}/slurmctld.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmctldDebug=info
SlurmdPidFile={dir}/slurmd-%n.pid
SlurmdSpoolDir={dir}/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=10
KillWait=2
MinJobAge={forgotten_after_s}
EnforcePartLimits={part_limits}
SchedulerParameters=sched_interval=1,bf_interval=1,bf_hetjob_immediate
SlurmdParameters=config_overrides
Licenses=seat:2
{nodes}
NodeName=n6 NodeHostname=login NodeAddr=127.0.0.1 Port=17009 CPUs=8 RealMemory=4000 State=DOWN
{partitions}
"""


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def until(seconds, what, condition):
    begun = time.monotonic()
    while not (found := condition()):
        if time.monotonic() - begun > seconds:
            raise SystemExit(f"not ok - scripts: waited in vain for {what}")
        time.sleep(0.1)
    return found


class Slurm:
    def __init__(self, folder, part_limits, forgotten_after_s):
        self.dir, self.processes = pathlib.Path(folder), []
        nodes = "\n".join(f"NodeName={name} NodeHostname=login NodeAddr=127.0.0.1 Port={17001 + i} CPUs=32 RealMemory=8000 {'Feature=fast Weight=9' if i < 2 else 'Feature=slow'}"
                          for i, name in enumerate(NODES))
        partitions = "\n".join(f"PartitionName={name} {'State=UP ' * ('State=' not in says)}{'DefaultTime=2 MaxTime=60 ' * ('MaxTime=' not in says)}{says}" for name, says in PARTITIONS.items())
        self.conf = CONF.format(dir=self.dir, nodes=nodes, partitions=partitions, part_limits=part_limits, forgotten_after_s=forgotten_after_s)

    def begin(self, name, *command):
        log = open(self.dir / f"{name}.log", "a")
        self.processes.append(subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    def start_database(self):
        data, log = self.dir / "database", self.dir / "database.log"
        options = ["--no-defaults", f"--datadir={data}", "--user=root", "--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=0"]
        data.mkdir()
        tables = "".join(pathlib.Path(f"/usr/share/mariadb/mariadb_{name}.sql").read_text() for name in ("system_tables", "system_tables_data"))
        run("mariadbd", *options, "--bootstrap", input="CREATE DATABASE mysql;\nUSE mysql;\n" + tables, check=True)
        (self.dir / "init.sql").write_text("CREATE DATABASE slurm_acct_db;\nCREATE USER slurm@'%' IDENTIFIED BY 'slurm';\nGRANT ALL ON *.* TO slurm@'%';")
        self.begin("database", "mariadbd", *options, f"--socket={self.dir}/database.socket", "--bind-address=127.0.0.1", f"--pid-file={self.dir}/database.pid",
                   f"--init-file={self.dir}/init.sql", "--innodb-lock-wait-timeout=900")
        until(60, "MariaDB", lambda: "ready for connections" in log.read_text())

    def start_accounts(self):
        conf = pathlib.Path("/etc/slurm/slurmdbd.conf")
        conf.write_text(f"AuthType=auth/slurm\nDbdHost=localhost\nSlurmUser=root\nStorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\nStorageUser=slurm\nStoragePass=slurm\n"
                        f"PidFile={self.dir}/slurmdbd.pid\n")
        conf.chmod(0o600)
        self.begin("slurmdbd", "slurmdbd", "-D")
        until(60, "slurmdbd", lambda: "Cluster" in run("sacctmgr", "-n", "show", "stats").stdout or run("sacctmgr", "-n", "show", "cluster").returncode == 0)
        for words in ("cluster scripts", "account bridge", "account physics", "qos high", f"user {USER} account=bridge", f"user {USER} account=physics"):
            run("sacctmgr", "-i", "add", *words.split(), check=True)
        run("sacctmgr", "-i", "modify", "user", USER, "set", "defaultaccount=bridge", check=True)

    def start(self):
        etc = pathlib.Path("/etc/slurm")
        (etc / "slurm.key").write_bytes(os.urandom(1024))
        (etc / "slurm.key").chmod(0o600)
        (etc / "slurm.conf").write_text(self.conf)
        for name in ["state", *(f"spool-{node}" for node in NODES)]:
            (self.dir / name).mkdir()
            (self.dir / name).chmod(0o755)
        self.start_database()
        self.start_accounts()
        self.begin("slurmctld", "slurmctld", "-D", "-c")
        for node in NODES:
            self.begin(f"slurmd-{node}", "slurmd", "-D", "-N", node)
        until(60, "its nodes", lambda: set(NODES) == set(run("sinfo", "-h", "-a", "-N", "-t", "idle", "-o", "%N").stdout.split()))


# ---------------------------------------------------------------- what its accounts say

FIELDS = "JobID JobIDRaw State ExitCode NodeList Restarts JobName Partition Reason StdOut StdErr WorkDir".split()


class Record(dict):
    """A row of sacct: a job, a component, a task of an array, or tasks that never began."""

    def tasks(self):
        number = self["JobID"].partition("_")[2].strip("[]").partition("%")[0]
        return sum(count(part) for part in number.split(",")) if number else 1

    def word(self):
        return self["State"].split(" ")[0]

    def ended(self):
        return self.word() not in ("PENDING", "RUNNING", "SUSPENDED", "REQUEUED", "RESIZING", "COMPLETING")


def count(part):
    bounds, _, step = part.partition(":")
    first, _, last = bounds.partition("-")
    return (int(last or first) - int(first)) // int(step or 1) + 1


def accounts(ids, codes=False):
    """{id of a job, a heterogeneous job or an array: its records}, by the order of their numbers."""
    found = {number: [] for number in ids}
    if not ids:
        return found
    said = run("sacct", "-X", "-P", "-n", "--expand-patterns", "--jobs=" + ",".join(map(str, ids)), "--format=" + ",".join(FIELDS), env={**os.environ, "SLURM_BITSTR_LEN": "16384"})
    for line in said.stdout.splitlines():
        record = Record(zip(FIELDS, line.split("|")))
        found.setdefault(int(record["JobID"].partition("_")[0].partition("+")[0]), []).append(record)
    if codes:
        take_codes(found)
    for records in found.values():
        records.sort(key=lambda record: int(record["JobIDRaw"].partition("_")[0].partition("+")[0]))
    return found


def take_codes(found):
    """In its table sacct leaves 128 out of exit codes above it (200 is 72), in JSON it does not (24.11.5)."""
    said = run("sacct", "-X", "--json", "--jobs=" + ",".join(map(str, found)), check=True)
    codes = {str(job["job_id"]): job["exit_code"] for job in json.loads(said.stdout)["jobs"]}
    for record in (record for records in found.values() for record in records):
        if code := codes.get(record["JobIDRaw"]):
            record["ExitCode"] = f"{code['return_code']['number']}:{code['signal']['id']['number']}"


def queue():
    """{raw id: (state, reason, exit code)}, by slurmctld, which forgets."""
    found = {}
    for line in run("scontrol", "-o", "show", "jobs").stdout.splitlines():
        words = dict(word.split("=", 1) for word in line.split(" ") if "=" in word and word.split("=")[0] in ("JobId", "JobState", "Reason", "ExitCode", "HetJobOffset"))
        offset = int(words.get("HetJobOffset", 0))
        if words.get("JobId", "").isdigit():
            found[int(words["JobId"]) + offset] = (words["JobState"], words["Reason"], words["ExitCode"])
    return found
