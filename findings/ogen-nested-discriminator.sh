#!/usr/bin/env bash
# github.com/ogen-go/ogen 1.25.0
# Expected: a document gives the same code in each run; and a oneOf may be a part of another one, each with a discriminator.
# Seen:     with a mapping in the outer discriminator, chance decides in each run whether the operation is generated or left out
#           ("discriminator inference not implemented"). Without this mapping, and with parts named as their values, it always is.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
GOBIN=$folder GOFLAGS=-modcacherw go install github.com/ogen-go/ogen/cmd/ogen@v1.25.0 2> go.log

document() { # MAPPING
  cat << JSON
{
  "openapi": "3.1.0", "info": { "title": "Shapes", "version": "1" },
  "paths": { "/shape": { "get": { "operationId": "getShape", "responses": { "200": { "description": "A shape",
    "content": { "application/json": { "schema": { "\$ref": "#/components/schemas/Shape" } } } } } } } },
  "components": { "schemas": {
    "Shape": {
      "oneOf": [{ "\$ref": "#/components/schemas/Point" }, { "\$ref": "#/components/schemas/Line" }, { "\$ref": "#/components/schemas/Round" }],
      "discriminator": { "propertyName": "family"$1 }
    },
    "Point": { "type": "object", "required": ["family"], "properties": { "family": { "type": "string", "enum": ["Point"] } } },
    "Line": { "type": "object", "required": ["family"], "properties": { "family": { "type": "string", "enum": ["Line"] } } },
    "Round": {
      "oneOf": [{ "\$ref": "#/components/schemas/Circle" }, { "\$ref": "#/components/schemas/Ring" }],
      "discriminator": { "propertyName": "kind", "mapping": { "circle": "#/components/schemas/Circle", "ring": "#/components/schemas/Ring" } }
    },
    "Circle": { "type": "object", "required": ["family", "kind"],
      "properties": { "family": { "type": "string", "enum": ["Round"] }, "kind": { "type": "string", "enum": ["circle"] } } },
    "Ring": { "type": "object", "required": ["family", "kind"],
      "properties": { "family": { "type": "string", "enum": ["Round"] }, "kind": { "type": "string", "enum": ["ring"] } } }
  } }
}
JSON
}
printf 'generator:\n  ignore_not_implemented: ["all"]\n' > ogen.yml

made() { # MAPPING: in how many of 40 runs the operation is generated
  document "$1" > openapi.json
  local count=0
  for _ in $(seq 40); do
    ./ogen --config ogen.yml --target made --package shapes --clean openapi.json > run.log 2>&1 || true
    if grep -qs 'GetShape(ctx' made/*.go; then count=$((count + 1)); fi
    rm -rf made
  done
  echo "$count"
}
with=$(made ', "mapping": { "Point": "#/components/schemas/Point", "Line": "#/components/schemas/Line", "Round": "#/components/schemas/Round" }')
without=$(made '')
echo "of 40 runs each, the operation is generated in $with with a mapping, in $without without one"
((with > 0 && with < 40 && without == 40))
