#!/usr/bin/env python3
"""An API server for virtual nodes: lists in pages, watches, merge patches, reviews of tokens. It keeps all in memory. Plain, on the loopback: kubernetes.py [PORT] (8001)

A token of a pod is NAMESPACE:POD:UID, and is good for every audience; no other token is known. Nobody but API_SERVER may do anything with nodes.
"""

import asyncio
import collections
import json
import sys
import urllib.parse

API_SERVER = "kube-apiserver-kubelet-client"
EVENTS_KEPT = 20_000
BOOKMARK_S = 30

Stored = collections.namedtuple("Stored", "version node uid text")
OBJECTS = collections.defaultdict(dict)  # by plural, by path
WATCHES = []  # (plural, node, queue)
EVENTS = collections.deque(maxlen=EVENTS_KEPT)  # (version, plural, node, line)
VERSION = [10]


def merged(to, patch):
    for key, value in patch.items():
        if value is None:
            to.pop(key, None)
        else:
            to[key] = merged(to[key] if isinstance(to.get(key), dict) else {}, value) if isinstance(value, dict) else value
    return to


def plural_of(path):
    return path.rsplit("/", 2)[1]


def tell(plural, kind, object_):
    line = b'{"type":"%s","object":%s}\n' % (kind.encode(), object_.text)
    EVENTS.append((VERSION[0], plural, object_.node, line))
    for of, node, lines in WATCHES:
        if of == plural and node in ("", object_.node):
            lines.put_nowait(line)


def put(path, obj, kind):
    VERSION[0] += 1
    obj.setdefault("metadata", {})["resourceVersion"] = str(VERSION[0])
    uid = obj["metadata"].setdefault("uid", f"uid{VERSION[0]}")
    object_ = Stored(VERSION[0], obj.get("spec", {}).get("nodeName", ""), uid, json.dumps(obj).encode())
    if kind == "DELETED":
        del OBJECTS[plural_of(path)][path]
    else:
        OBJECTS[plural_of(path)][path] = object_
    tell(plural_of(path), kind, object_)
    return object_.text


# ---------------------------------------------------------------- verbs: status and text


def refused(code, reason, message=None):
    return code, json.dumps({"kind": "Status", "code": code, "reason": reason, "message": message or reason}).encode()


def not_found(path):
    return refused(404, "NotFound", '%s "%s" not found' % tuple(path.rsplit("/", 2)[1:]))


def page(path, query):
    """The items behind the path that the page before has ended with."""
    asked = urllib.parse.parse_qs(query)
    plural, limit, after = path.rsplit("/", 1)[1], int(asked.get("limit", ["500"])[0]), asked.get("continue", [""])[0]
    node = asked.get("fieldSelector", [""])[0].removeprefix("spec.nodeName=")
    found = sorted(p for p, o in OBJECTS[plural].items() if p > after and node in ("", o.node))
    meta = {"resourceVersion": str(VERSION[0]), **({"continue": found[limit - 1]} if len(found) > limit else {})}
    return 200, b'{"metadata":%s,"items":[%s]}' % (json.dumps(meta).encode(), b",".join(OBJECTS[plural][p].text for p in found[:limit]))


def review(spec):
    if "token" not in spec:
        allowed = spec.get("user") == API_SERVER
        return 201, json.dumps({"status": {"allowed": allowed}}).encode()
    status, parts = {"authenticated": False}, spec["token"].split(":")
    if len(parts) == 3:
        extra = {f"authentication.kubernetes.io/pod-{key}": [value] for key, value in zip(("name", "uid"), parts[1:])}
        status = {"authenticated": True, "audiences": spec.get("audiences", []), "user": {"username": f"system:serviceaccount:{parts[0]}:default", "extra": extra}}
    return 201, json.dumps({"status": status}).encode()


def get(path, query, _):
    if "limit=" in query:
        return page(path, query)
    object_ = OBJECTS[plural_of(path)].get(path)
    return (200, object_.text) if object_ else not_found(path)


def post(path, _, body):
    if path.endswith("reviews"):
        return review(body["spec"])
    path = f"{path}/{body['metadata'].get('name')}"
    if path in OBJECTS[plural_of(path)]:
        return refused(409, "AlreadyExists")
    return 201, put(path, body, "ADDED")


def replace(path, _, body):
    return 200, put(path, body, "MODIFIED")


def patch(path, _, body):
    path = path.removesuffix("/status")
    object_, wanted = OBJECTS[plural_of(path)].get(path), body.get("metadata", {}).get("resourceVersion")
    if not object_:
        return not_found(path)
    if wanted and wanted != str(object_.version):
        return refused(409, "Conflict")
    return 200, put(path, merged(json.loads(object_.text), body), "MODIFIED")


def delete(path, _, options):
    """A pod that has a node gets the mark of its deletion first, unless it has ended."""
    object_, uid = OBJECTS[plural_of(path)].get(path), (options.get("preconditions") or {}).get("uid")
    if not object_:
        return not_found(path)
    if uid and uid != object_.uid:
        return refused(409, "Conflict")
    obj = json.loads(object_.text)
    over = obj.get("status", {}).get("phase") in ("Succeeded", "Failed")
    if object_.node and options.get("gracePeriodSeconds") != 0 and not over:
        obj["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        return 200, put(path, obj, "MODIFIED")
    return 200, put(path, obj, "DELETED")


VERBS = {"GET": get, "POST": post, "PUT": replace, "PATCH": patch, "DELETE": delete}


# ---------------------------------------------------------------- the server


async def next_line(lines):
    try:
        return await asyncio.wait_for(lines.get(), BOOKMARK_S)
    except asyncio.TimeoutError:
        return b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"%d"}}}\n' % VERSION[0]


async def watch(path, query, out):
    asked = urllib.parse.parse_qs(query)
    plural, since = path.rsplit("/", 1)[1], int(asked["resourceVersion"][0])
    node = asked.get("fieldSelector", [""])[0].removeprefix("spec.nodeName=")
    lines = asyncio.Queue()
    if EVENTS and len(EVENTS) == EVENTS_KEPT and EVENTS[0][0] > since + 1:
        lines.put_nowait(b'{"type":"ERROR","object":%s}\n' % refused(410, "Expired")[1])
    for version, of, its_node, line in EVENTS:
        if version > since and of == plural and node in ("", its_node):
            lines.put_nowait(line)
    WATCHES.append(row := (plural, node, lines))
    try:
        out.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            line = await next_line(lines)
            out.write(b"%x\r\n%s\r\n" % (len(line), line))
            await out.drain()
    finally:
        WATCHES.remove(row)


async def serve(reader, out):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, target, _ = head.split(" ", 2)
            path, _, query = target.partition("?")
            length = next((int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0)
            body = json.loads(await reader.readexactly(length) or b"{}")
            if "watch=true" in query:
                await watch(path, query, out)
            status, text = VERBS[method](path, query, body)
            out.write(b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(text)) + text)
            await out.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        out.close()


async def main():
    await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8001, limit=1 << 20, backlog=512)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
