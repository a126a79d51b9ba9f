"""The keys that a values.schema.json names, and which of them no values use."""


def keys_of(schema, defs, path=()):
    """The paths that a schema names. Behind a map with free keys stands *, behind a list []."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[-1]]
    for key, inner in schema.get("properties", {}).items():
        yield path + (key,)
        yield from keys_of(inner, defs, path + (key,))
    for word, step in (("additionalProperties", "*"), ("items", "[]")):
        if isinstance(schema.get(word), dict):
            yield from keys_of(schema[word], defs, path + (step,))
    for word in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(word, []):
            yield from keys_of(inner, defs, path)


def is_used(values, path):
    if not path:
        return True
    if path[0] == "[]":
        return isinstance(values, list) and any(is_used(v, path[1:]) for v in values)
    if path[0] == "*":
        return isinstance(values, dict) and any(is_used(v, path[1:]) for v in values.values())
    return isinstance(values, dict) and path[0] in values and is_used(values[path[0]], path[1:])


def unused(schema, every):
    """(keys of the schema, those that none of the values use)"""
    paths = list(dict.fromkeys(keys_of(schema, {**schema.get("$defs", {}), **schema.get("definitions", {})})))
    return paths, [".".join(p).replace(".[]", "[]") for p in paths if not any(is_used(values, p) for values in every)]
