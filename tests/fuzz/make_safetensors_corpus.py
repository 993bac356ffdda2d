#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writes the seeds of the safetensors fuzz target: valid_* must be read, bad_* must be refused.
import json
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent / "safetensors"
SIZES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I8": 1, "U8": 1, "BOOL": 1}


def put(name, header, data=b"", size=None):
    if isinstance(header, (dict, list)):
        header = json.dumps(header, separators=(",", ":"))
    if isinstance(header, str):
        header = header.encode()
    size = len(header) if size is None else size
    (FOLDER / name).write_bytes(struct.pack("<Q", size) + header + data)


def tensor(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def valid():
    for dtype, size in SIZES.items():
        data = bytes(i % 2 for i in range(6 * size))
        put(f"valid_{dtype.lower()}", {"t": tensor(dtype, (2, 3), (0, 6 * size))}, data)
    put("valid_empty_file", {})
    put("valid_scalar", {"x": tensor("F32", (), (0, 4))}, struct.pack("<f", 1.5))
    put("valid_no_values", {"x": tensor("F32", (0, 4), (0, 0)), "y": tensor("I8", (1,), (0, 1))}, b"\x05")
    put("valid_padded", b'{"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}      ', b"\x07")
    put("valid_unaligned", {"a": tensor("U8", (1,), (0, 1)), "b": tensor("F64", (1,), (1, 9))},
        b"\x01" + struct.pack("<d", 2.5))
    put("valid_metadata", {"__metadata__": {"format": "pt", "näme": "\u2603"}, "t": tensor("U8", (1,), (0, 1))}, b"\x01")
    put("valid_not_finite", {"t": tensor("F32", (3,), (0, 12))},
        struct.pack("<3f", float("nan"), float("inf"), -0.0))
    put("valid_too_large_for_float", {"t": tensor("F64", (1,), (0, 8))}, struct.pack("<d", 1e300))
    put("valid_bool_of_two", {"t": tensor("BOOL", (1,), (0, 1))}, b"\x02")
    names = {f"layer.{i}.weight": tensor("F16", (1,), (2 * i, 2 * i + 2)) for i in range(8)}
    put("valid_many", names, bytes(16))


def bad():
    data = bytes(8)
    (FOLDER / "bad_no_bytes").write_bytes(b"")
    (FOLDER / "bad_seven_bytes").write_bytes(b"\x02\0\0\0\0\0\0")
    put("bad_header_beyond_file", "{}", size=3)
    put("bad_header_over_limit", "{}", size=100_000_001)
    put("bad_header_of_all_ones", "{}", size=2**64 - 1)
    put("bad_header_empty", "")
    put("bad_header_array", "[]")
    put("bad_header_number", "12345678")
    put("bad_header_cut", '{"t":{"dtype":"F32","shape":[2],"data_off', data)
    put("bad_header_twice", "{}{}")
    put("bad_header_bom", b"\xef\xbb\xbf{}")
    put("bad_header_zero_byte", b"{}\0\0\0\0\0\0")
    put("bad_header_leading_space", " {}")
    put("bad_comment", '{/* */"t":1}')
    put("bad_nesting_arrays", '{"t":' + "[" * 2000)
    put("bad_nesting_objects", '{"t":' * 2000)
    put("bad_nesting_closed", '{"t":{"shape":' + "[" * 500 + "]" * 500 + "}}")
    put("bad_utf8_name", b'{"\xff\xfe":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data)
    put("bad_utf8_overlong", b'{"\xc0\xaf":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data)
    put("bad_surrogate", '{"\\ud800":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data)
    put("bad_name_empty", {"": tensor()}, data)
    put("bad_name_twice", '{"t":%s,"t":%s}' % ((json.dumps(tensor()),) * 2), data)
    put("bad_name_twice_by_escape", '{"t":%s,"\\u0074":%s}' % (json.dumps(tensor("F32", (1,), (0, 4))),
        json.dumps(tensor("F32", (1,), (4, 8)))), data)
    put("bad_metadata_number", {"__metadata__": {"a": 1}})
    put("bad_metadata_null", {"__metadata__": None})
    put("bad_metadata_nested", {"__metadata__": {"a": {"b": "c"}}})
    put("bad_metadata_twice", '{"__metadata__":{},"__metadata__":{}}')
    put("bad_metadata_key_twice", '{"__metadata__":{"a":"1","a":"2"}}')
    put("bad_entry_number", {"t": 3})
    put("bad_entry_list", {"t": [1]})
    put("bad_entry_empty", {"t": {}})
    for field in ("dtype", "shape", "data_offsets"):
        entry = tensor()
        del entry[field]
        put(f"bad_no_{field}", {"t": entry}, data)
    put("bad_field_unknown", {"t": tensor() | {"stride": [1]}}, data)
    put("bad_field_twice", '{"t":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data)
    put("bad_dtype_unknown", {"t": tensor("F128")}, data)
    put("bad_dtype_lower_case", {"t": tensor("f32")}, data)
    put("bad_dtype_number", {"t": tensor(32)}, data)
    put("bad_shape_negative", {"t": tensor(shape=(-2,))}, data)
    put("bad_shape_fraction", {"t": tensor(shape=(2.0,))}, data)
    put("bad_shape_exponent", '{"t":{"dtype":"F32","shape":[2e0],"data_offsets":[0,8]}}', data)
    put("bad_shape_beyond_64_bits", {"t": tensor(shape=(2**64,))}, data)
    put("bad_shape_huge_number", '{"t":{"dtype":"F32","shape":[1%s],"data_offsets":[0,8]}}' % ("0" * 400), data)
    put("bad_shape_text", {"t": tensor(shape=("2",))}, data)
    put("bad_shape_null", {"t": tensor(shape=(None,))}, data)
    put("bad_shape_nested", {"t": tensor(shape=([2],))}, data)
    put("bad_shape_product", {"t": tensor(shape=(2**32, 2**32))}, data)
    put("bad_shape_product_wraps_to_8", {"t": tensor("U8", (2**61 + 1, 8))}, data)
    put("bad_shape_product_with_zero", {"t": tensor(shape=(0, 2**40, 2**40), offsets=(0, 0))})
    put("bad_offsets_one", {"t": tensor(offsets=(0,))}, data)
    put("bad_offsets_three", {"t": tensor(offsets=(0, 8, 8))}, data)
    put("bad_offsets_none", {"t": tensor(offsets=())}, data)
    put("bad_offsets_reversed", {"t": tensor(offsets=(8, 0))}, data)
    put("bad_offsets_negative", {"t": tensor(offsets=(-8, 0))}, data)
    put("bad_offsets_beyond_file", {"t": tensor(offsets=(8, 16))}, data)
    put("bad_offsets_wrap", {"t": tensor(offsets=(2**64 - 8, 0))}, data)
    put("bad_size_short", {"t": tensor(offsets=(0, 4))}, data)
    put("bad_size_long", {"t": tensor(shape=(1,))}, data)
    put("bad_data_cut", {"t": tensor()}, data[:5])
    put("bad_overlap", {"a": tensor(), "b": tensor(offsets=(4, 12))}, bytes(12))
    put("bad_overlap_same", {"a": tensor(), "b": tensor()}, data)
    put("bad_overlap_by_empty", {"a": tensor(), "b": tensor(shape=(0,), offsets=(4, 4))}, data)
    put("bad_gap", {"a": tensor(), "b": tensor(offsets=(9, 17))}, bytes(17))
    put("bad_gap_at_start", {"a": tensor(offsets=(4, 12))}, bytes(12))
    put("bad_trailing", {"t": tensor()}, bytes(9))
    put("bad_trailing_no_tensors", {}, b"\0")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("valid_*"):
        old.unlink()
    for old in FOLDER.glob("bad_*"):
        old.unlink()
    valid()
    bad()
