"""A server that is no slurmrestd: it notes each token that it is sent, and says of itself what nobody should read elsewhere.

stranger.py HOST:PORT FILE-FOR-TOKENS
"""
import http.server
import sys

host, port = sys.argv[1].rsplit(":", 1)


class Stranger(http.server.BaseHTTPRequestHandler):
    def answer(self):
        with open(sys.argv[2], "a", encoding="utf-8") as tokens:
            print(self.headers.get("X-SLURM-USER-TOKEN", ""), file=tokens)
        body = b'{"errors":[{"error":"inner","description":"inner \\u001b[2J","error_number":9999}]}'
        self.send_response(500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

    do_GET = do_POST = answer


http.server.ThreadingHTTPServer((host, int(port)), Stranger).serve_forever()
