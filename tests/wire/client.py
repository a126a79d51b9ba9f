"""A client of grpcio against our server, as client.go is one of grpc-go: behind a unix socket, or by TLS when there is a folder with certificates behind the address.

Prints one line for each thing that holds.
"""
import sys
import threading
import time

import grpc

WAIT_S = 60


def expect(what, holds, got):
    print(f"{'ok' if holds else 'not ok'} - {what}, grpcio {grpc.__version__}{'' if holds else f': {got}'}", flush=True)
    if not holds:
        sys.exit(1)


def once(channel, method, data, seconds=WAIT_S):
    """Messages are bytes: no descriptor is needed for them. Answer, status, sentence."""
    try:
        return channel.unary_unary(method)(data, timeout=seconds), grpc.StatusCode.OK, ""
    except grpc.RpcError as e:
        return None, e.code(), e.details()


def unary(channel):
    got = once(channel, "/test.Echo/Once", b"hello")
    expect("a message comes back", got[0] == b"hello", got)
    big = b"0123456789abcdef" * (3 << 16)
    got = once(channel, "/test.Echo/Once", big)
    expect("3 MiB come back", got[0] == big, got[1:])
    got = once(channel, "/test.Echo/Once", bytes((4 << 20) + 1))
    expect("a message of more than 4 MiB is refused", got[1] == grpc.StatusCode.RESOURCE_EXHAUSTED, got[1:])
    got = once(channel, "/test.Echo/Fail", b"\5" + "no café: 100%\n".encode())
    expect("a sentence arrives as it was", got[1:] == (grpc.StatusCode.NOT_FOUND, "no café: 100%\n"), got)
    got = once(channel, "/test.Echo/Twice", b"")
    expect("a method that is not there is named", got[1:] == (grpc.StatusCode.UNIMPLEMENTED, "unknown method Twice for service test.Echo"), got)


def streams(channel):
    piece = b"x" * 1000
    got = list(channel.unary_stream("/test.Echo/Count")(piece, timeout=WAIT_S))
    expect("a message is answered by a thousand", got == [piece] * 1000, len(got))
    got = channel.stream_unary("/test.Echo/Sum")(iter([piece] * 1000), timeout=WAIT_S)
    expect("a thousand messages are answered by one", got == b"1000000", got)
    answered = threading.Semaphore(0)

    def asks():
        """Each waits for the answer to the one before."""
        for i in range(100):
            yield b"%d" % i
            answered.acquire(timeout=WAIT_S)
    got = []
    for each in channel.stream_stream("/test.Echo/Chat")(asks(), timeout=WAIT_S):
        got.append(each)
        answered.release()
    expect("both sides talk", got == [b"%d" % i for i in range(100)], got)


def ends(channel):
    began = time.monotonic()
    got = once(channel, "/test.Echo/Hang", b"", 0.05)
    expect("a deadline ends a call", got[1] == grpc.StatusCode.DEADLINE_EXCEEDED and time.monotonic() - began < WAIT_S / 2, got)
    flood = channel.unary_stream("/test.Echo/Flood")(b"", timeout=WAIT_S)
    for _ in range(1000):
        next(flood)
    flood.cancel()
    try:
        while True:
            next(flood)
    except grpc.RpcError:
        expect("a stream without end is cancelled", flood.code() == grpc.StatusCode.CANCELLED, flood.code())


def many(channel):
    calls = [(b"number %d" % i, channel.unary_unary("/test.Echo/Once").future(b"number %d" % i, timeout=WAIT_S)) for i in range(500)]
    wrong = [text for text, call in calls if call.exception() or call.result() != text]
    expect("500 calls at once share a connection", not wrong, wrong)


def names(opened):
    """A client says what it likes about whom it wants to speak to: wlm-operator's the path of the socket."""
    for name in ("unix:///run/syslurm/red-box.sock", "/run/syslurm/red-box.sock", "a b", "red-box:0", "[::1]:443"):
        with opened(name) as channel:
            got = once(channel, "/test.Echo/Once", b"hello")
            expect(f'the server is called "{name}"', got[0] == b"hello", got)


def credentials(folder):
    def read(name):
        with open(f"{folder}/{name}", "rb") as f:
            return f.read()
    return grpc.ssl_channel_credentials(read("ca.crt"), read("tls.key"), read("tls.crt"))


def main(where, folder=None):
    def opened(name=None):
        options = [("grpc.default_authority", name)] if name else []
        return grpc.secure_channel(where, credentials(folder), options) if folder else grpc.insecure_channel("unix:" + where, options)
    with opened() as channel:
        grpc.channel_ready_future(channel).result(WAIT_S)
        for part in (unary, streams, ends, many):
            part(channel)
    if not folder:  # by TLS the name is that of the certificate
        names(opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
