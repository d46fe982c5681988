"""Teaches the fuzzer application/x-ndjson: one JSON value on each line."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def serialize(_context, value):
    if isinstance(value, bytes):
        return value
    lines = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(line) for line in lines).encode()


@schemathesis.deserializer("application/x-ndjson")
def deserialize(_context, response):
    return [json.loads(line) for line in response.content.splitlines() if line.strip()]
