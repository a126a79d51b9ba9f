"""What hostile tenants run as their slurmrestd. One process, a port for each manner: slurmrestd.py ADDRESS

Whatever the manner, ping and the list of versions are answered as a real one does, so that the manager goes on to ask for more.
"""

import asyncio
import json
import sys
import time

PAD = b" " * (1 << 20)


def text(**members):
    whole = {"meta": {"slurm": {"release": "24.11.5", "cluster": "hostile"}}, "errors": [], "warnings": [],
             "last_update": {"set": True, "infinite": False, "number": int(time.time())}}
    return json.dumps({**whole, **members}).encode()


def node(name, *flags, reason=""):
    return {"name": name, "hostname": name, "address": name, "state": ["IDLE", *flags], "reason": reason, "comment": ""}


def pods(prefix, n, *flags, reason=""):
    return text(nodes=[node(f"{prefix}-{i}", *flags, reason=reason) for i in range(n)])


def jobs(n):
    return text(jobs=[{"job_id": i + 1, "job_state": ["RUNNING"], "state": ["RUNNING"], "nodes": "n[0-65535]", "user_name": "mallory"} for i in range(n)])


class Manner:
    """How one of them behaves. Each method gives the body, or sends by itself and gives None."""

    async def nodes(self, out):
        return text(nodes=[])

    async def jobs(self, out):
        return text(jobs=[])

    async def update(self, out):
        return text()


class ManyJobs(Manner):
    """A small answer that means 200 million names."""

    async def nodes(self, out):
        return pods("t", 50, "DRAIN", reason="slurm-operator: NodeSet (t-jobs/t) is letting the pod go")

    async def jobs(self, out):
        return jobs(3000)


class HangsOnUpdates(Manner):
    async def nodes(self, out):
        return pods("t", 100)

    async def update(self, out):
        await asyncio.sleep(3600)


class Endless(Manner):
    """A list that does not end."""

    async def nodes(self, out):
        out.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"nodes\":[")
        for _ in range(400):
            out.write(PAD)
            await out.drain()
        out.close()


class NewNames(Manner):
    """A hundred thousand nodes, and others each time."""

    async def nodes(self, out):
        self.turn = getattr(self, "turn", 0) + 1
        return text(nodes=[node(f"n{self.turn}-{i}") for i in range(100_000)])


class Deaf(Manner):
    """Says that it is done, and does nothing."""

    async def nodes(self, out):
        return pods("t", 50)


class Silent(Manner):
    """Takes connections and requests, and never answers."""

    async def nodes(self, out):
        await asyncio.sleep(3600)

    jobs = update = nodes


MANNERS = {7001: ManyJobs, 7002: HangsOnUpdates, 7003: Endless, 7004: NewNames, 7005: Deaf, 7006: Silent}


async def answer(manner, method, path, out):
    if path.startswith("/openapi/v3"):
        return json.dumps({"openapi": "3.0.3", "paths": {f"/slurm/v0.0.42/{p}": {} for p in ("ping/", "nodes/", "jobs/state/")}}).encode()
    if "/ping" in path and not isinstance(manner, Silent):
        return text(pings=[{"hostname": "c", "pinged": "UP", "responding": True, "mode": "primary"}])
    if method != "GET":
        return await manner.update(out)
    return await (manner.jobs(out) if "/job" in path else manner.nodes(out))


async def serve(manner, reader, out):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, path, _ = head.split(" ", 2)
            length = next((int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0)
            await reader.readexactly(length)
            body = await answer(manner, method, path, out)
            if body is None:
                return
            out.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await out.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        out.close()


async def main():
    for port, kind in MANNERS.items():
        manner = kind()
        await asyncio.start_server(lambda r, w, m=manner: serve(m, r, w), sys.argv[1], port, limit=1 << 20)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
