#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the seeds of the fuzz target of traces: valid_* must be read, bad_* must be refused.
import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent / "trace"


def document(**changes):
    head = {"layer": 0, "head": 0, "weights": [[1, None]]}
    example = {
        "title": "t",
        "strips": [{"name": "source", "tokens": ["a", "b"], "words": [0, 1]}, {"name": "target", "tokens": ["A"]}],
        "attentions": [{"kind": "cross", "queries": "target", "keys": "source", "stepwise": True, "heads": [head]}],
        "gold": "0-0",
    }
    whole = {"format": "heed-trace", "version": 1, "model": "m", "task": "translate", "examples": [example]}
    for path, value in changes.items():
        place = whole
        *way, last = [int(key) if key.isdigit() else key for key in path.split("__")]
        for key in way:
            place = place[key]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return json.dumps(whole).encode()


def safetensors(values, shape=(1, 2), name="examples.0.attentions.0.layer.0.head.0", trace=None):
    text = json.loads(document() if trace is None else trace)
    for example in text["examples"]:
        for one in example["attentions"]:
            for head in one["heads"]:
                del head["weights"]
    data = struct.pack(f"<{len(values)}f", *values)
    header = {"__metadata__": {"trace": json.dumps(text)},
              name: {"dtype": "F32", "shape": list(shape), "data_offsets": [0, len(data)]}}
    packed = json.dumps(header).encode()
    return struct.pack("<Q", len(packed)) + packed + data


WEIGHTS = "examples__0__attentions__0__heads__0__weights"
SEEDS = {
    "valid_own": document(),
    "valid_no_options": document(model=..., task=..., examples__0__gold=..., examples__0__title=...),
    "valid_plain": b'{"source": ["a"], "target": ["b", "c"], "weights": [[1], [null]]}',
    "valid_layers": b'{"source": ["a"], "target": ["b"], "weights": [[[[1]], [[0]]], [[[1]], [[0.5]]]]}',
    "valid_image": document(examples__0__image={"strip": "source", "rows": 1, "columns": 2}),
    "valid_safetensors": safetensors([0.5, 0.5]),
    "valid_marian": b"x y ||| 1,0,0 0,1,0 0,0,1\nz ||| 0.5,0.5 1,0\n",
    "valid_marian_minus_zero": b"x y ||| 1,0,0 0,1,0 0,-0,1\nz ||| 0.5,0.5 1,0\n",
    "valid_nematus": b"0 ||| x ||| -1 ||| a b ||| 3 2\n1 0 0\n0 0 1\n\n",
    "bad_nothing": b"",
    "bad_text": b"Dear all,\n",
    "bad_cut": document()[:150],
    "bad_negative": document(**{WEIGHTS: [[1, -1]]}),
    "bad_row": document(**{WEIGHTS: [[1]]}),
    "bad_rows": document(**{WEIGHTS: [[1, 0], [1, 0]]}),
    "bad_weight": document(**{WEIGHTS: [["1", 0]]}),
    "bad_number": document().replace(b"[1, null]", b"[NaN, 1]"),
    "bad_key": document(examples__0__titel="t"),
    "bad_strip": document(examples__0__attentions__0__keys="nowhere"),
    "bad_version": document(version=2),
    "bad_words": document(examples__0__strips__0__words=[1, 0]),
    "bad_gold": document(examples__0__gold="0-7"),
    "bad_layer": document(examples__0__attentions__0__heads__0__layer=-1),
    "bad_depth": b'{"weights": ' + b"[" * 200 + b"]" * 200 + b"}",
    "bad_safetensors_nan": safetensors([float("nan"), 1]),
    "bad_safetensors_shape": safetensors([0.5, 0.5], shape=(2, 1)),
    "bad_safetensors_name": safetensors([0.5, 0.5], name="examples.0.attentions.0.layer.1.head.0"),
    "bad_safetensors_cut": safetensors([0.5, 0.5])[:-2],
    "bad_marian_row": b"x ||| 1,0,0 0,1\nz ||| 1,0\n",
    "bad_marian_weight": b"x ||| 1,0\nz ||| 1,zero\n",
    "bad_nematus_sizes": b"0 ||| x ||| -1 ||| a b ||| 9 9\n1 0 0\n0 0 1\n",
    "bad_nematus_rows": b"0 ||| x ||| -1 ||| a b ||| 3 2\n1 0 0\n1 0\n",
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in SEEDS.items():
        (FOLDER / name).write_bytes(content)
