#!/usr/bin/env python3
"""An API server for one virtual node: it keeps what it is given, in memory, and its watches tell of nothing. Port 8001 of the loopback, plain."""
import http.server
import json
import time

OBJECTS = {}
VERSION = [10]


def merged(to, patch):
    for key, value in patch.items():
        if value is None:
            to.pop(key, None)
        else:
            to[key] = merged(to.get(key) or {}, value) if isinstance(value, dict) else value
    return to


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuse(self, code, reason):
        self.reply(code, {"kind": "Status", "code": code, "reason": reason, "message": reason})

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")

    def keep(self, path, obj, status):
        VERSION[0] += 1
        obj.setdefault("metadata", {}).update(resourceVersion=str(VERSION[0]))
        obj["metadata"].setdefault("uid", f"uid{VERSION[0]}")
        OBJECTS[path] = obj
        self.reply(status, obj)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if "watch=true" in query:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            time.sleep(3600)
        elif "limit=" in query:
            items = [o for p, o in OBJECTS.items() if p.rsplit("/", 1)[0].endswith(path.rsplit("/", 1)[1])]
            self.reply(200, {"metadata": {"resourceVersion": str(VERSION[0])}, "items": items})
        elif path in OBJECTS:
            self.reply(200, OBJECTS[path])
        else:
            self.refuse(404, "NotFound")

    def do_POST(self):
        obj = self.body()
        path = f"{self.path}/{obj['metadata'].get('name')}"
        if path in OBJECTS:
            self.refuse(409, "AlreadyExists")
        else:
            self.keep(path, obj, 201)

    def do_PUT(self):
        self.keep(self.path, self.body(), 200)

    def do_PATCH(self):
        path = self.path.partition("?")[0].removesuffix("/status")
        patch = self.body()
        if path in OBJECTS:
            self.keep(path, merged(OBJECTS[path], patch), 200)
        else:
            self.refuse(404, "NotFound")


http.server.ThreadingHTTPServer(("127.0.0.1", 8001), Server).serve_forever()
