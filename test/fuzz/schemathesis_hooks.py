r"""
Schemathesis drives every operation of a running server's document; this file tells it ids of the served chain, which
no schema can make up. Schemathesis is a Python program (pip install schemathesis). With a server at $BASE:

  Everything but what a schema cannot say (cursors, whether bytes are a transaction), right requests must be taken:
    BASE=http://127.0.0.1:3000 WITHOUT_CURSOR=1 SCHEMATHESIS_HOOKS=schemathesis_hooks \
      schemathesis run $BASE/api/v2/openapi.json --url $BASE --checks all --exclude-method POST \
      --exclude-path /api/v2/stream
  Everything, also cursors and submissions (an answer of /stream never ends):
    BASE=http://127.0.0.1:3000 SCHEMATHESIS_HOOKS=schemathesis_hooks \
      schemathesis run $BASE/api/v2/openapi.json --url $BASE --checks all --exclude-checks positive_data_acceptance \
      --exclude-path /api/v2/stream
"""
import json
import os
import urllib.request

import schemathesis
from hypothesis import strategies as st

BASE = os.environ["BASE"]


def get(path):
    with urllib.request.urlopen(f"{BASE}/api/v2{path}") as answer:
        return json.load(answer)


known = {}


def add(kind, value):
    if isinstance(value, str):
        known.setdefault(kind, set()).add(value)


for operations in get("/openapi.json")["paths"].values():
    for operation in operations.values():
        for parameter in operation.get("parameters", []):
            add(parameter["schema"].get("format"), parameter.get("example"))
for offset in (0, 100, 200, 300, 400):
    for transaction in get(f"/transaction?items=100&offset={offset}"):
        add("transaction-id", transaction["id"])
        add("block-id", transaction["block_id"])
        for entry in transaction["inputs"]:
            add("order-id", entry["input"].get("order_id"))
        for output in transaction["outputs"]:
            add("address", output.get("destination"))
            add("delegation-id", output.get("delegation_id"))
            add("pool-id", output.get("pool_id"))
for token in get("/token?items=100"):
    add("token-id", token)
    add("nft-id", token)

HEX_ID = st.from_regex(r"\A(0x)?[0-9a-fA-F]{64}\Z")
for kind, values in known.items():
    ids = st.sampled_from(sorted(values))
    if kind in ("transaction-id", "block-id"):
        ids = st.one_of(ids, HEX_ID)
    if kind is not None and kind != "int64":
        schemathesis.openapi.format(kind, ids)


@schemathesis.hook
def before_load_schema(context, document):
    if not os.environ.get("WITHOUT_CURSOR"):
        return
    for operations in document["paths"].values():
        for operation in operations.values():
            parameters = operation.get("parameters", [])
            operation["parameters"] = [each for each in parameters if each["name"] != "cursor"]
