#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the seeds of the fuzz target of requests: valid_* are answered with 200, bad_* are refused.
import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "request"


def get(path, *lines):
    head = [f"GET {path} HTTP/1.1", "Host: localhost", "Authorization: Bearer secret", *lines]
    return ("\r\n".join(head) + "\r\n\r\n").encode()


def post(name, body, *lines, length=None, host="localhost:8080", kind="application/json"):
    body = json.dumps(body).encode() if not isinstance(body, bytes) else body
    length = len(body) if length is None else length
    head = [f"POST /v1/{name} HTTP/1.1", f"Host: {host}", "Authorization: Bearer secret", f"Content-Type: {kind}"]
    head += [f"Content-Length: {length}"] if length >= 0 else []
    return ("\r\n".join(head + list(lines)) + "\r\n\r\n").encode() + body


def attend(mechanism="dot", **more):
    return {"mechanism": mechanism, "query": [[1, 0]], "keys": [[1, 0], [0, 1]], "values": [[1], [2]], **more}


TRANSLATE = {"text": ["a b", "c"], "beam": 4, "n_best": 2, "length_penalty": "power", "length_alpha": 0.5,
             "attention": True, "layers": [0], "heads": [1, 2]}
SEEDS = {
    "valid_health": get("/healthz"),
    "valid_mechanisms": get("/v1/mechanisms"),
    "valid_models": get("/v1/models"),
    "valid_request_id": get("/healthz", "X-Request-Id: 7f-42"),
    "bad_ready": get("/readyz"),
    "bad_model_name": get("/v1/models/tales"),
    "bad_add_model": post("models", {"folder": "../../etc", "name": "etc", "replace": True}),
    "bad_add_model_name": post("models", {"folder": "tales", "name": "../tales"}),
    "bad_remove_model": get("/v1/models/tales").replace(b"GET", b"DELETE"),
    "bad_completions": post("completions", {"model": "tales", "prompt": ["Once", "a"], "max_tokens": 5, "temperature": 0,
                                            "top_p": 0.5, "n": 2, "stop": ["\n", "."], "seed": 3, "stream": True,
                                            "logprobs": 2, "echo": False, "user": None}),
    "bad_stop": post("completions", {"prompt": "a", "stop": [""]}),
    "bad_nul": post("translate", {"text": "a\0b"}),
    "valid_attend": post("attend", attend("scaled_dot | causal | entmax(alpha=1.5)", seed=7)),
    "valid_attend_mask": post("attend", attend("additive", mask=[[True, False]])),
    "valid_attend_heads": post("attend", {"mechanism": "dot", "query": [[[1, 0]]], "keys": [[[1, 0]]],
                                          "values": [[[1, 2]]], "heads": "2"}),
    "valid_chunked": post("attend", b"5\r\n" + json.dumps(attend()).encode()[:5] + b"\r\n%x\r\n" %
                          (len(json.dumps(attend())) - 5) + json.dumps(attend()).encode()[5:] + b"\r\n0\r\n\r\n",
                          "Transfer-Encoding: chunked", length=-1),
    "bad_translate": post("translate", TRANSLATE),
    "bad_sample": post("translate", {"text": "a", "sample": True, "temperature": 0.5, "top_k": 5, "nucleus": 0.9, "seed": 3}),
    "bad_generate": post("generate", {"prompt": "Once", "length": 20, "greedy": True, "stream": False}),
    "bad_classify": post("classify", {"text": ["a"], "second": ["b"]}),
    "bad_score": post("score", {"text": "a", "target": "b"}),
    "bad_fill": post("fill", {"text": "a [MASK]", "count": 3}),
    "bad_field": post("translate", {"text": "a", "baem": 3}),
    "bad_type": post("translate", {"text": 3}),
    "bad_range": post("translate", {"text": "a", "beam": 1000}),
    "bad_twice": post("translate", b'{"text": "a", "text": "b"}'),
    "bad_depth": post("attend", b'{"query": ' + b"[" * 50 + b"]" * 50 + b"}"),
    "bad_json": post("attend", b'{"mechanism": '),
    "bad_utf8": post("score", b'{"text": "\xff"}'),
    "bad_rectangle": post("attend", attend(query=[[1, 2], [3]])),
    "bad_number": post("attend", attend(query=[[1e300, 0]])),
    "bad_mechanism": post("attend", attend("dot | window(99999999)")),
    "bad_memory": post("attend", {"mechanism": "dot + learned(queries=4096, keys=4096)", "query": [[[[1]]] * 8],
                                  "keys": [[[[1]]] * 8], "values": [[[[1]]] * 8]}),
    "bad_token": get("/v1/models").replace(b"secret", b"guess"),
    "bad_host": post("fill", {}, host="evil.example"),
    "bad_kind": post("fill", {}, kind="text/plain"),
    "bad_path": get("/v1/nothing"),
    "bad_method": get("/v1/models").replace(b"GET", b"PUT"),
    "bad_line_end": get("/healthz").replace(b"\r\nHost", b"\nHost"),
    "bad_two_lengths": post("fill", {}, "Content-Length: 2"),
    "bad_length": post("fill", {}).replace(b"Content-Length: 2", b"Content-Length: 2x"),
    "bad_cut": post("fill", {"text": "a [MASK]"}, length=999),
    "bad_packed": post("fill", {}, "Content-Encoding: gzip"),
    "bad_zero": get("/heal\0thz"),
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, seed in SEEDS.items():
        (FOLDER / name).write_bytes(seed)
