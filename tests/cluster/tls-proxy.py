"""https in front of a plain port: tls-proxy.py ADDRESS:PORT CERTIFICATE KEY UPSTREAM:PORT"""

import asyncio
import ssl
import sys


async def copy(source, sink):
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    finally:
        sink.close()


async def main(listen, certificate, key, upstream):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def serve(reader, writer):
        inner_reader, inner_writer = await asyncio.open_connection(*upstream.rsplit(":", 1))
        await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer), return_exceptions=True)

    server = await asyncio.start_server(serve, *listen.rsplit(":", 1), ssl=context)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
