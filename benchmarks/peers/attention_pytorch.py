#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attention in PyTorch on the tensors of a file that `heed bench attention --dump` wrote.

Prints one line of JSON: the times of the best of several ways to write it, forward or, with
--backward, forward and backward together. OPENBLAS_NUM_THREADS rules the threads of the products,
--threads those of everything else.
"""
import argparse
import ctypes
import json
import os
import time

import torch

from safetensors import read_safetensors


def plain(query, keys, values, mask, scale):
    scores = torch.matmul(query, keys.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores + mask
    return torch.matmul(torch.softmax(scores, dim=-1), values)


def scaled_query(query, keys, values, mask, scale):
    scores = torch.matmul(query * scale, keys.transpose(-2, -1))
    if mask is not None:
        scores += mask
    return torch.matmul(torch.softmax(scores, dim=-1), values)


def folded(query, keys, values, mask, scale):
    """Scale and mask inside the product."""
    batch, heads, queries, width = query.shape
    length = keys.shape[2]
    start = torch.empty(()) if mask is None else mask
    scores = torch.baddbmm(
        start.expand(batch * heads, queries, length),
        query.reshape(batch * heads, queries, width),
        keys.reshape(batch * heads, length, width).transpose(1, 2),
        beta=0 if mask is None else 1,
        alpha=scale,
    )
    weights = torch.softmax(scores, dim=-1)
    context = torch.bmm(weights, values.reshape(batch * heads, length, values.shape[3]))
    return context.reshape(batch, heads, queries, values.shape[3])


WAYS = {"plain": plain, "scaled query": scaled_query, "baddbmm": folded}


def status(name):
    with open("/proc/self/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {name} in /proc/self/status")


def quantile(ordered, share):
    return ordered[int(share * (len(ordered) - 1))]


class Work:
    def __init__(self, tensors, causal, backward):
        self.inputs = [tensors[name] for name in ("query", "keys", "values")]
        self.d_context = tensors.get("d_context") if backward else None
        for x in self.inputs:
            x.requires_grad_(backward)
        queries, length = self.inputs[0].shape[2], self.inputs[1].shape[2]
        self.mask = None
        if causal:
            self.mask = torch.full((queries, length), float("-inf")).triu(1)
        self.scale = self.inputs[0].shape[3] ** -0.5

    def run(self, way):
        if self.d_context is None:
            with torch.no_grad():
                return way(*self.inputs, self.mask, self.scale)
        for x in self.inputs:
            x.grad = None
        context = way(*self.inputs, self.mask, self.scale)
        context.backward(self.d_context)
        return context.detach()

    def outputs(self):
        """Bytes of what one run gives."""
        sizes = [self.inputs[0]] + (self.inputs if self.d_context is not None else [])
        return sum(x.numel() * 4 for x in sizes)


def small_like(tensors):
    return {name: x[:1, :, :2].clone() for name, x in tensors.items()}


def peak_growth(run):
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")
    before = status("VmRSS")
    run()
    return status("VmHWM") - before


def measure(way, work, seconds):
    times = []
    spent = 0.0
    while len(times) < 3 or (spent < seconds and len(times) < 1000):
        begin = time.perf_counter()
        work.run(way)
        once = time.perf_counter() - begin
        times.append(once * 1e3)
        spent += once
    times.sort()
    return {"ms": quantile(times, 0.5), "p10": quantile(times, 0.1), "p90": quantile(times, 0.9)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    tensors, _ = read_safetensors(arguments.file)
    expected = tensors["context"]
    small = Work(small_like(tensors), arguments.causal, arguments.backward)
    for way in WAYS.values():
        small.run(way)  # loads the code
    work = Work(tensors, arguments.causal, arguments.backward)
    extra_bytes = max(0, peak_growth(lambda: work.run(folded)) - work.outputs())
    found = []
    for name, way in WAYS.items():
        difference = (work.run(way) - expected).abs().max().item()
        if arguments.backward:
            for x, gradient in zip(work.inputs, ("d_query", "d_keys", "d_values")):
                difference = max(difference, (x.grad - tensors[gradient]).abs().max().item())
        row = measure(way, work, arguments.seconds / len(WAYS))
        found.append({**row, "difference": difference, "setting": name})
    best = min(found, key=lambda row: row["p10"])
    best["difference"] = max(row["difference"] for row in found)
    best["extra_bytes"] = extra_bytes
    best["setting"] += (
        f", torch threads {arguments.threads}, BLAS threads {os.environ.get('OPENBLAS_NUM_THREADS', 'all')}"
    )
    print(json.dumps(best))


if __name__ == "__main__":
    main()
