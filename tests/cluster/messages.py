"""Messages of protobuf: numbers of fields, and what is in them."""


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def message(**fields):
    """f1="text", f2=7."""
    out = b""
    for name, value in fields.items():
        number = int(name[1:])
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def fields(data):
    """{number: [values]}"""
    def take(at):
        n = shift = 0
        while True:
            n, more = n | (data[at] & 127) << shift, data[at] & 128
            at, shift = at + 1, shift + 7
            if not more:
                return n, at
    found, at = {}, 0
    while at < len(data):
        tag, at = take(at)
        if tag & 7 == 2:
            size, at = take(at)
            value, at = data[at:at + size], at + size
        else:
            value, at = take(at)
        found.setdefault(tag >> 3, []).append(value)
    return found
