# SPDX-License-Identifier: Apache-2.0
"""Reads safetensors files into PyTorch, without the format's own package."""
import json
import struct

import torch

DTYPES = {"F32": torch.float32, "I32": torch.int32}


def read_safetensors(path):
    """{name: tensor}, {key: value} of the metadata."""
    with open(path, "rb") as file:
        (header_size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_size))
        data = bytearray(file.read())
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, info in header.items():
        dtype = DTYPES[info["dtype"]]
        begin, end = info["data_offsets"]
        numbers = torch.frombuffer(data, dtype=dtype, count=(end - begin) // 4, offset=begin)
        tensors[name] = numbers.reshape(info["shape"]).clone()
    return tensors, metadata
