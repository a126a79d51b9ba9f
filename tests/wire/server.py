"""A server of grpcio for our client, with the methods of server/server.go.

Its argument is the path of its socket; with a folder of certificates behind it, TLS on a port of its own. When it listens it prints its version, and where.
"""
import sys
import threading
from concurrent import futures

import grpc

ONE, MANY = grpc.unary_stream_rpc_method_handler, grpc.stream_stream_rpc_method_handler
METHODS = {"Once": (ONE, "once"), "Count": (ONE, "count"), "Sum": (MANY, "sum"), "Chat": (MANY, "chat"), "Fail": (ONE, "fail"), "Hang": (ONE, "hang"), "Large": (ONE, "large"),
           "Pour": (ONE, "pour"), "Heard": (ONE, "heard"), "Gone": (ONE, "given_up"), "Stop": (ONE, "stop")}
CODES = {code.value[0]: code for code in grpc.StatusCode}
MIB = 1 << 20


class Echo(grpc.GenericRpcHandler):
    """Messages are bytes: no descriptor is needed for them."""

    def __init__(self):
        self.server, self.gone, self.lock = None, 0, threading.Lock()  # gone: calls that their client gave up

    def service(self, call):
        """By the name of the method; what is not there grpcio refuses itself."""
        service, _, method = call.method.rpartition("/")
        kind, answer = METHODS.get(method, (None, None))
        return kind(getattr(self, answer)) if kind and service == "/test.Echo" else None

    def once(self, data, _):
        yield data

    def count(self, data, _):
        for _ in data:
            yield data

    def sum(self, pieces, _):
        yield str(sum(map(len, pieces))).encode()

    def chat(self, pieces, _):
        yield from pieces

    def fail(self, data, context):
        context.abort(CODES[data[0]], data[1:].decode())
        yield b""

    def hang(self, _, context):
        ended = threading.Event()
        if context.add_callback(ended.set):
            ended.wait()
        context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "the deadline is over")
        yield b""

    def large(self, *_):
        yield bytes(4 * MIB + 1)

    def pour(self, data, context):
        """So many pieces of 64 KiB."""
        whole = []

        def ended():
            with self.lock:
                self.gone += not whole
        context.add_callback(ended)
        for _ in range(int(data)):
            yield bytes(64 << 10)
        whole.append(True)

    def heard(self, _, context):
        """The type of content grpcio keeps to itself, and the name of the server in a place of its own."""
        heard = dict(context.invocation_metadata())
        name = context._rpc_event.call_details.host.decode()
        left = context.time_remaining()
        yield f"[{name}] [{heard.get('user-agent')}] [] {str(left < 1e6).lower()} {round(left, -1):.0f}s".encode()

    def given_up(self, *_):
        with self.lock:
            yield str(self.gone).encode()

    def stop(self, *_):
        self.server.stop(60)
        yield b""


def credentials(folder):
    """Each client shows a certificate."""
    def read(name):
        with open(f"{folder}/{name}", "rb") as f:
            return f.read()
    return grpc.ssl_server_credentials([(read("box.key"), read("box.crt"))], read("ca.crt"), True)


def main(path, folder=None):
    echo = Echo()
    # More threads than calls: each may wait for something.
    echo.server = server = grpc.server(futures.ThreadPoolExecutor(32), [echo], options=[("grpc.max_concurrent_streams", 20)])
    where = f"127.0.0.1:{server.add_secure_port('127.0.0.1:0', credentials(folder))}" if folder else path
    if not folder:
        server.add_insecure_port("unix:" + path)
    server.start()
    print(f"grpcio {grpc.__version__}\n{where}", flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main(*sys.argv[1:])
