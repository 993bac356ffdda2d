#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Asks a running `heed serve` with curl: ask.sh [HOST:PORT]. HEED_TOKEN is sent where it is set.
set -eu
server=${1:-127.0.0.1:8080}
ask() { # PATH [BODY]
  curl --silent --show-error --no-buffer "$server$1" ${HEED_TOKEN:+-H "Authorization: Bearer $HEED_TOKEN"} \
    ${2:+-H 'Content-Type: application/json' -d "$2"}
  echo
}

ask /v1/models
ask /v1/translate '{"text": ["The man sees the red car.", "We often leave the church."], "beam": 4}'
ask /v1/translate '{"text": "The man sees the red car.", "n_best": 3, "attention": true, "layers": [0]}'
ask /v1/generate '{"prompt": "Once", "length": 60, "temperature": 0.8, "stream": true}'
ask /v1/classify '{"text": "A quiet street, but dirty rooms.", "attention": true}'
ask /v1/attend '{"mechanism": "scaled_dot | causal | sparsemax",
  "query": [[1, 0], [0, 1]], "keys": [[1, 0], [0, 1]], "values": [[1], [2]]}'
