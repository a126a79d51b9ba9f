"""A Kubernetes that a test plays, in the memory of the test: objects by their paths, lists, watches and patches. Nothing runs there but what the test does."""
import http.server
import json
import queue
import threading
import time
import urllib.parse

LOCK = threading.RLock()
OBJECTS, WATCHES, EVENTS, VERSION, FAILS = {}, [], [], [10], set()  # FAILS: paths whose next write fails


def merged(to, patch):
    for key, value in patch.items():
        if value is None:
            to.pop(key, None)
        elif isinstance(value, dict):
            to[key] = merged(to.get(key) if isinstance(to.get(key), dict) else {}, value)
        else:
            to[key] = value
    return to


def changed(obj, patch):
    """By a merge patch, or by a JSON patch, which is a list of operations."""
    if isinstance(patch, dict):
        return merged(copied(obj), patch)
    obj = copied(obj)
    for step in patch:
        *way, last = [word.replace("~1", "/").replace("~0", "~") for word in step["path"].split("/")[1:]]
        at = obj
        for word in way:
            at = at[int(word) if isinstance(at, list) else word]
        last = (len(at) if last == "-" else int(last)) if isinstance(at, list) else last
        if step["op"] == "test" and at[last] != step["value"]:
            return None
        if step["op"] == "add" and isinstance(at, list):
            at.insert(last, step["value"])
        elif step["op"] in ("add", "replace"):
            at[last] = step["value"]
        elif step["op"] == "remove":
            del at[last]
    return obj


def copied(obj):
    return json.loads(json.dumps(obj))


def put(path, obj, kind="MODIFIED"):
    with LOCK:
        VERSION[0] += 1
        obj.setdefault("metadata", {})["resourceVersion"] = str(VERSION[0])
        obj["metadata"].setdefault("uid", f"uid{VERSION[0]}")
        obj["metadata"].setdefault("creationTimestamp", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        if kind == "DELETED":
            OBJECTS.pop(path)
        else:
            OBJECTS[path] = obj
        event = {"type": kind, "object": copied(obj)}
        EVENTS.append((VERSION[0], path, event))
        for wanted, events in WATCHES:
            if wanted(path, obj):
                events.put(event)
    return obj


def wants(asked, query):
    """What a list or a watch is of: a group and a plural, maybe of one namespace; a virtual node asks for its own pods."""
    within, plural = asked.rsplit("/", 1)
    node = urllib.parse.parse_qs(query).get("fieldSelector", [""])[0].removeprefix("spec.nodeName=")
    return lambda path, obj: path.startswith(within + "/") and path.split("/")[-2] == plural and node in ("", obj.get("spec", {}).get("nodeName"))


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

    def refuse(self, code, reason, message):
        self.reply(code, {"kind": "Status", "code": code, "reason": reason, "message": message})

    def none(self):
        self.refuse(404, "NotFound", f'things "{self.path.rsplit("/", 1)[1]}" not found')

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")

    def stream(self, wanted, since):
        events = queue.Queue()
        with LOCK:
            for version, path, event in EVENTS:
                if version > since and wanted(path, event["object"]):
                    events.put(event)
            WATCHES.append((wanted, events))
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            while True:
                line = json.dumps(events.get()).encode() + b"\n"
                self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
                self.wfile.flush()
        except OSError:
            WATCHES.remove((wanted, events))

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if "watch=true" in query:
            self.stream(wants(path, query), int(urllib.parse.parse_qs(query)["resourceVersion"][0]))
        elif "limit=" in query:
            with LOCK:
                items = [o for p, o in OBJECTS.items() if wants(path, query)(p, o)]
                self.reply(200, {"metadata": {"resourceVersion": str(VERSION[0])}, "items": items})
        elif path in OBJECTS:
            self.reply(200, OBJECTS[path])
        else:
            self.none()

    def do_POST(self):
        obj = self.body()
        if self.path.endswith("reviews"):
            self.reply(201, {"status": self.review(obj["spec"])})
            return
        path = f"{self.path}/{obj['metadata']['name']}"
        if path in OBJECTS:
            self.refuse(409, "AlreadyExists", "there")
        else:
            self.reply(201, put(path, obj, "ADDED"))

    def review(self, spec):
        """Everybody may do everything, by the name that is the token."""
        if "token" in spec:
            return {"authenticated": True, "user": {"username": spec["token"]}}
        return {"allowed": True}

    def do_PUT(self):
        self.reply(200, put(self.path, self.body()))

    def do_PATCH(self):
        path = self.path.partition("?")[0].removesuffix("/status")
        with LOCK:
            obj, patch = OBJECTS.get(path), self.body()
            wanted = isinstance(patch, dict) and patch.get("metadata", {}).get("resourceVersion")
            if not obj:
                self.none()
            elif self.path in FAILS:
                FAILS.discard(self.path)
                self.refuse(500, "InternalError", "not now")
            elif wanted and wanted != obj["metadata"]["resourceVersion"]:
                self.refuse(409, "Conflict", "changed")
            elif not (now := changed(obj, patch)):
                self.refuse(422, "Invalid", "the object is another one now")
            else:
                self.reply(200, put(path, now))

    def do_DELETE(self):
        options = self.body()
        with LOCK:
            obj = OBJECTS.get(self.path)
            if not obj or obj["metadata"]["uid"] != options["preconditions"]["uid"]:
                self.none()
            else:
                self.reply(200, put(self.path, obj, "DELETED"))


def serve(handler=Server):
    """The kubeconfig of what serves from now on."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "a", "users": [{"name": "a", "user": {}}],
                       "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
                       "clusters": [{"name": "a", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}]})
