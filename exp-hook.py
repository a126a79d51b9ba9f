import base64, http.server, json, ssl, sys, threading
mode = {"m": "order"}; count = {"n": 0}
class H(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/mode": mode["m"] = body["m"]; self.out({}); return
        if self.path == "/count": self.out({"n": count["n"]}); return
        r = body["request"]; o = r.get("object") or {}; p = []
        count["n"] += 1
        a = (o.get("metadata") or {}).get("annotations") or {}
        if mode["m"] == "order" and r["operation"] == "CREATE":
            s = o["spec"]
            s["containers"] = [{"name": "sidecar", "image": s["containers"][0]["image"], "imagePullPolicy": "IfNotPresent", "command": ["sleep", "infinity"]}] + s["containers"]
            s["containers"][1]["env"] = [{"name": "INJECTED", "value": "1"}] + list(reversed(s["containers"][1].get("env", [])))
            p = [{"op": "replace", "path": "/spec/containers", "value": s["containers"]}]
            p += [{"op": "add", "path": "/metadata/annotations/example.com~1injected", "value": "1"}] if a else [{"op": "add", "path": "/metadata/annotations", "value": {"example.com/injected": "1"}}]
        if mode["m"] == "strip" and r["operation"] == "UPDATE":
            p = [{"op": "remove", "path": "/metadata/annotations/" + k.replace("/", "~1")} for k in a if k.endswith("pod-cordon")]
        if mode["m"] == "slow":
            import time; time.sleep(6)
        self.out({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": r["uid"], "allowed": True, **({"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(p).encode()).decode()} if p else {})}})
    def out(self, d):
        b = json.dumps(d).encode(); self.send_response(200); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(b))); self.end_headers(); self.wfile.write(b)
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 9443), H)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain(sys.argv[1], sys.argv[2]); s.socket = c.wrap_socket(s.socket, server_side=True)
s.serve_forever()
