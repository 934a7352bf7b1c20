#!/usr/bin/env bash
# org.openapitools:openapi-generator-cli 7.17.0 (Maven), its Java client with the default library okhttp-gson; OpenAPI 3.1
# Expected: a required property that is an object or null (anyOf of a reference and null) may be null.
# Seen:     the client refuses the response ("Not a JSON Object: null"), for a required property only: the generated check of the
#           property calls the check of the object without looking for null. The same property, not required, may be null.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.17.0 -DoutputDirectory=. > copy.log

cat > openapi.json << 'JSON'
{
  "openapi": "3.1.0", "info": { "title": "Boxes", "version": "1" },
  "paths": { "/boxes": { "get": { "operationId": "getBoxes", "responses": { "200": { "description": "Boxes",
    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Boxes" } } } } } } } },
  "components": { "schemas": {
    "Boxes": { "type": "object", "properties": {
      "strict": { "$ref": "#/components/schemas/Strict" }, "loose": { "$ref": "#/components/schemas/Loose" } } },
    "Lid": { "type": "object", "required": ["colour"], "properties": { "colour": { "type": "string" } } },
    "Strict": { "type": "object", "required": ["lid"],
      "properties": { "lid": { "anyOf": [{ "$ref": "#/components/schemas/Lid" }, { "type": "null" }] } } },
    "Loose": { "type": "object",
      "properties": { "lid": { "anyOf": [{ "$ref": "#/components/schemas/Lid" }, { "type": "null" }] } } }
  } }
}
JSON
java -jar openapi-generator-cli-7.17.0.jar generate -i openapi.json -g java -o client > generate.log 2>&1
mkdir -p client/src/main/java/boxes
cat > client/src/main/java/boxes/Read.java << 'JAVA'
package boxes;

import org.openapitools.client.model.*;

public class Read {
  public static void main(String[] args) throws Exception {
    new org.openapitools.client.JSON();
    System.out.println("not required: " + Loose.fromJson("{\"lid\":null}").getLid());
    try {
      System.out.println("required: " + Strict.fromJson("{\"lid\":null}").getLid());
    } catch (RuntimeException error) {
      System.out.println("required: " + error.getMessage());
    }
  }
}
JAVA
cd client
mvn -q compile dependency:build-classpath -Dmdep.outputFile=classpath > ../compile.log
java -cp "target/classes:$(cat classpath)" boxes.Read | tee ../out
grep -q '^not required: null$' ../out
grep -q '^required: .*Not a JSON Object: null' ../out
