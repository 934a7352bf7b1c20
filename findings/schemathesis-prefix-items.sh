#!/usr/bin/env bash
# schemathesis 4.32.5 (PyPI); OpenAPI 3.1
# Expected: a response schema with `prefixItems` (JSON Schema 2020-12) is used as it is, wherever it stands.
# Seen:     where it stands within another schema, schemathesis rewrites it to a list of schemas in `items`, as older drafts had it, and
#           then refuses its own result: "Invalid Schema Object in response definition". The operation is not tested. As a component that
#           is referred to, the same schema works.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "${server:-}" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet schemathesis==4.32.5 > pip.log

cat > serve.py << 'PYTHON'
import http.server


class Points(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"points":[[1,"2"],[3,"4"]]}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Points)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 serve.py > port &
server=$!
until [ -s port ]; do sleep 0.1; done

point='{ "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "string" }], "minItems": 2, "maxItems": 2 }'
result() { # ITEMS: the last line of a run with this schema of a point
  cat > openapi.json << JSON
{ "openapi": "3.1.0", "info": { "title": "Points", "version": "1" },
  "paths": { "/points": { "get": { "responses": { "200": { "description": "Points",
    "content": { "application/json": { "schema": { "\$ref": "#/components/schemas/Series" } } } } } } } },
  "components": { "schemas": { "Point": $point,
    "Series": { "type": "object", "properties": { "points": { "type": "array", "items": $1 } } } } } }
JSON
  venv/bin/schemathesis run openapi.json --url "http://127.0.0.1:$(cat port)" --phases coverage \
    --checks response_schema_conformance > run.log 2>&1 || true
  grep -E 'Invalid Schema Object|[0-9]+ passed,' run.log | head -1
}
within=$(result "$point")
component=$(result '{ "$ref": "#/components/schemas/Point" }')
echo "within another schema: $within"
echo "as a component:        $component"
[[ $within == *'Invalid Schema Object'* && $component == *passed* ]]
