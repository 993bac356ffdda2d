#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The work of Heed's benchmark rows in PyTorch, at its best thread setting.

Prints a JSON list: one row per name with `ms` (the best of several runs) and `threads` (the setting
of torch.set_num_threads that gave it; OpenBLAS keeps its own threads, which is PyTorch's best case
on two cores). `--only NAME` (repeatable) limits the rows to those that begin so, `--seconds S` sets the time per row.
Debian's PyTorch takes whichever BLAS is installed; without libopenblas0 it is the reference one,
20 times slower, so each row also says which was loaded.
"""
import argparse
import json
import sys
import time

import torch

STEPS = 50
THREAD_SETTINGS = (1, 2)


def best_ms(work, seconds):
    """The shortest of the runs that fit into `seconds`, at least five."""
    work()
    best = float("inf")
    spent = 0.0
    runs = 0
    while runs < 5 or spent < seconds:
        begin = time.perf_counter()
        work()
        once = time.perf_counter() - begin
        best = min(best, once)
        spent += once
        runs += 1
    return best * 1e3


def recurrent(kind, batch, hidden):
    """Forward and backward of one layer over STEPS steps, gradients of everything."""
    layer = kind(hidden, hidden)
    x = torch.randn(STEPS, batch, hidden, requires_grad=True)
    d_outputs = torch.randn(STEPS, batch, hidden)

    def work():
        layer.zero_grad(set_to_none=True)
        x.grad = None
        outputs, _ = layer(x)
        outputs.backward(d_outputs)

    return work


def add16():
    """A recorded addition of 16 floats, forward and backward; 1000 of them per run."""
    a = torch.randn(16, requires_grad=True)
    b = torch.randn(16, requires_grad=True)
    ones = torch.ones(16)

    def work():
        for _ in range(1000):
            a.grad = None
            b.grad = None
            (a + b).backward(ones)

    return work


def gemm(size):
    a = torch.randn(size, size)
    b = torch.randn(size, size)
    c = torch.empty(size, size)
    return lambda: torch.mm(a, b, out=c)


def sparsemax(x):
    """The usual formulation: sort, then the last k whose score is above the threshold of the first k."""
    z = x - x.max(dim=1, keepdim=True).values
    ordered = torch.sort(z, dim=1, descending=True).values
    sums = ordered.cumsum(dim=1) - 1
    k = torch.arange(1, x.shape[1] + 1, dtype=x.dtype)
    support = (k * ordered > sums).sum(dim=1, keepdim=True)
    threshold = sums.gather(1, support - 1) / support
    return torch.clamp(z - threshold, min=0)


def entmax15(x):
    """The usual formulation: 50 bisections of the threshold."""
    z = (x - x.max(dim=1, keepdim=True).values) / 2
    low = torch.full_like(z[:, :1], -1)
    width = torch.full_like(low, 1 - (1 / x.shape[1]) ** 0.5)
    for _ in range(50):
        width = width / 2
        middle = low + width
        total = (torch.clamp(z - middle, min=0) ** 2).sum(dim=1, keepdim=True)
        low = torch.where(total >= 1, middle, low)
    p = torch.clamp(z - low, min=0) ** 2
    return p / p.sum(dim=1, keepdim=True)


def forward(function, rows, columns):
    x = torch.randn(rows, columns)

    def work():
        with torch.no_grad():
            function(x)

    return work


def sparsemax_backward(p, g):
    """The gradient less its mean over the support."""
    support = (p > 0).to(p.dtype)
    kept = support * g
    mean = kept.sum(dim=1, keepdim=True) / support.sum(dim=1, keepdim=True)
    return kept - mean * support


def entmax15_backward(p, g):
    """u (g - <u, g> / sum u) with u = sqrt(p)."""
    u = p.sqrt()
    kept = u * g
    mean = kept.sum(dim=1, keepdim=True) / u.sum(dim=1, keepdim=True)
    return kept - mean * u


def backward(function, gradient, rows, columns):
    x = torch.randn(rows, columns)
    with torch.no_grad():
        p = function(x)

    def work():
        with torch.no_grad():
            gradient(p, x)

    return work


def ctc(batch, frames, labels, symbols):
    """Loss and gradient of the logits, symbol 0 being the blank."""
    logits = torch.randn(frames, batch, symbols, requires_grad=True)
    targets = torch.randint(1, symbols, (batch, labels))
    frame_counts = torch.full((batch,), frames)
    label_counts = torch.full((batch,), labels)

    def work():
        logits.grad = None
        chances = torch.log_softmax(logits, dim=2)
        torch.nn.functional.ctc_loss(chances, targets, frame_counts, label_counts).backward()

    return work


def convolution(batch, inputs, outputs, side, window, gradients):
    """A convolution of images that keeps their size: forward, or forward and all gradients. The better of both
    layouts: run as contiguous and as channels_last, the row is the faster."""
    x = torch.randn(batch, inputs, side, side)
    dy = torch.randn(batch, outputs, side, side)

    def of(memory_format):
        own = x.to(memory_format=memory_format).requires_grad_(gradients)
        seed = dy.to(memory_format=memory_format)
        mine = torch.nn.Conv2d(inputs, outputs, window, padding=window // 2).to(memory_format=memory_format)

        def work():
            if not gradients:
                with torch.no_grad():
                    mine(own)
                return
            mine.zero_grad(set_to_none=True)
            own.grad = None
            mine(own).backward(seed)

        return work

    plain, last = of(torch.contiguous_format), of(torch.channels_last)
    return plain if best_ms(plain, 0.5) < best_ms(last, 0.5) else last


def softmax():
    x = torch.randn(32768, 512)
    y = torch.empty_like(x)
    return lambda: torch.softmax(x, dim=1, out=y)


def layer_norm():
    x = torch.randn(32768, 512)
    layer = torch.nn.LayerNorm(512)

    def work():
        with torch.no_grad():
            layer(x)

    return work


# Name, how to make the work, and how many items of the name one run of it holds.
ROWS = {
    "lstm_t50_b64_h512": (lambda: recurrent(torch.nn.LSTM, 64, 512), 1),
    "lstm_t50_b16_h256": (lambda: recurrent(torch.nn.LSTM, 16, 256), 1),
    "gru_t50_b64_h512": (lambda: recurrent(torch.nn.GRU, 64, 512), 1),
    "gru_t50_b16_h256": (lambda: recurrent(torch.nn.GRU, 16, 256), 1),
    "add16": (add16, 1000),
    "ctc_t200_u40_b32": (lambda: ctc(32, 200, 40, 64), 1),
    "convolution_3x3_32_64_forward": (lambda: convolution(64, 32, 64, 30, 3, False), 1),
    "convolution_3x3_32_64": (lambda: convolution(64, 32, 64, 30, 3, True), 1),
    "gemm_1024": (lambda: gemm(1024), 1),
    "softmax": (softmax, 1),
    "layer_norm": (layer_norm, 1),
    "sparsemax_15360x30": (lambda: forward(sparsemax, 15360, 30), 1),
    "entmax15_15360x30": (lambda: forward(entmax15, 15360, 30), 1),
    "sparsemax_128x32000": (lambda: forward(sparsemax, 128, 32000), 1),
    "entmax15_128x32000": (lambda: forward(entmax15, 128, 32000), 1),
    "sparsemax_back_15360x30": (lambda: backward(sparsemax, sparsemax_backward, 15360, 30), 1),
    "entmax15_back_15360x30": (lambda: backward(entmax15, entmax15_backward, 15360, 30), 1),
    "sparsemax_back_128x32000": (lambda: backward(sparsemax, sparsemax_backward, 128, 32000), 1),
    "entmax15_back_128x32000": (lambda: backward(entmax15, entmax15_backward, 128, 32000), 1),
}


def loaded_blas():
    """Which BLAS this process has mapped."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return "OpenBLAS" if "openblas" in maps.read() else "reference"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    rows = []
    for name in [row for row in ROWS if not arguments.only or row.startswith(tuple(arguments.only))]:
        make, items = ROWS[name]
        work = make()
        timed = []
        for threads in THREAD_SETTINGS:
            torch.set_num_threads(threads)
            timed.append((best_ms(work, arguments.seconds / 2) / items, threads))
        ms, threads = min(timed)
        print(f"{name}: {ms:.4f} ms with torch threads {threads}", file=sys.stderr)
        rows.append({"name": name, "ms": ms, "threads": threads, "blas": loaded_blas(),
                     "peer": f"PyTorch {torch.__version__}"})
    json.dump(rows, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
