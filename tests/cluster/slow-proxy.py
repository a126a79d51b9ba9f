"""slurmrestd whose list of nodes is slow and always whole: slow-proxy.py ADDRESS:PORT UPSTREAM:PORT SECONDS"""

import http.client
import http.server
import re
import sys
import time

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "host", "content-length"}


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path
        if re.search(r"/nodes/?(\?|$)", path):
            # without the time of the last list, so that the answer is never "not changed since"
            path = re.sub(r"[?&]update_time=[^&]*", "", path)
            time.sleep(SECONDS)
        self.forward("GET", path)

    def do_POST(self):
        self.forward("POST", self.path)

    def do_DELETE(self):
        self.forward("DELETE", self.path)

    def forward(self, method, path):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
        upstream = http.client.HTTPConnection(*UPSTREAM.rsplit(":", 1), timeout=60)
        upstream.request(method, path, body or None, headers)
        answer = upstream.getresponse()
        text = answer.read()
        upstream.close()
        self.send_response(answer.status)
        for key, value in answer.getheaders():
            if key.lower() not in HOP_BY_HOP:
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


LISTEN, UPSTREAM, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
host, port = LISTEN.rsplit(":", 1)
http.server.ThreadingHTTPServer((host, int(port)), Proxy).serve_forever()
