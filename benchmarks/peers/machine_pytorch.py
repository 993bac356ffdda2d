#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The work of `heed bench machine` beside PyTorch: training steps of a neural Turing machine, in turns.

A step is 32 sequences of 41 steps (20 vectors of 8 bits to be copied), 128 slots of width 20, one head that reads and
one that writes, an LSTM or a layer of 100 units; forward, backward, clipping and Adam. Both heads are addressed in one
call, and everything is computed for the whole batch at once, as a careful author would.

machine_pytorch.py PROGRAM [TURNS] prints sequences per second of both and their ratio; PyTorch runs with one and with
two threads, and the better counts.
"""
import json
import subprocess
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

BATCH, VECTORS, BITS, SLOTS, WIDTH, HIDDEN = 32, 20, 8, 128, 20, 100


class Machine(nn.Module):
    def __init__(self, lstm):
        super().__init__()
        self.lstm = lstm
        seen = BITS + 1 + WIDTH
        self.controller = nn.LSTMCell(seen, HIDDEN) if lstm else nn.Linear(seen, HIDDEN)
        # Of both heads: key, strength, gate, three shifts, sharpness.
        self.head = nn.Linear(HIDDEN, 2 * (WIDTH + 6))
        self.write = nn.Linear(HIDDEN, 2 * WIDTH)
        self.output = nn.Linear(HIDDEN + WIDTH, BITS)
        self.first_read = nn.Parameter(torch.zeros(WIDTH))
        self.first_h = nn.Parameter(torch.zeros(HIDDEN))
        self.first_c = nn.Parameter(torch.zeros(HIDDEN))
        bound = (SLOTS + WIDTH) ** -0.5
        self.register_buffer("slots", torch.empty(SLOTS, WIDTH).uniform_(-bound, bound))

    def address(self, h, memory, before):
        """h [B,C], memory [B,N,M], before [B,2,N] -> weights [B,2,N]"""
        controls = self.head(h).view(-1, 2, WIDTH + 6)
        key, strength, gate, shift, sharpness = controls.split([WIDTH, 1, 1, 3, 1], 2)
        length = torch.sqrt((key * key).sum(2, keepdim=True) + 1e-6)
        lengths = torch.sqrt((memory * memory).sum(2) + 1e-6).unsqueeze(1)
        cosine = torch.bmm(key, memory.transpose(1, 2)) / (length * lengths)
        content = torch.softmax(F.softplus(strength) * cosine, 2)
        gate = torch.sigmoid(gate)
        mixed = gate * content + (1 - gate) * before
        shift = torch.softmax(shift, 2)
        moved = (shift[..., 0:1] * mixed.roll(-1, 2) + shift[..., 1:2] * mixed + shift[..., 2:3] * mixed.roll(1, 2))
        return torch.softmax((1 + F.softplus(sharpness)) * torch.log(moved + 1e-16), 2)

    def forward(self, inputs):
        """inputs [T,B,I] -> logits [T,B,O]"""
        batch = inputs.shape[1]
        memory = self.slots.expand(batch, SLOTS, WIDTH)
        weights = torch.zeros(batch, 2, SLOTS)
        weights[:, :, 0] = 1
        read = self.first_read.expand(batch, WIDTH)
        h, c = self.first_h.expand(batch, HIDDEN), self.first_c.expand(batch, HIDDEN)
        outputs = []
        for x in inputs:
            seen = torch.cat([x, read], 1)
            if self.lstm:
                h, c = self.controller(seen, (h, c))
            else:
                h = torch.tanh(self.controller(seen))
            weights = self.address(h, memory, weights)
            read = torch.bmm(weights[:, :1], memory).squeeze(1)
            erase, add = self.write(h).split(WIDTH, 1)
            column = weights[:, 1].unsqueeze(2)
            memory = memory * (1 - column * torch.sigmoid(erase).unsqueeze(1)) + column * add.unsqueeze(1)
            outputs.append(torch.cat([h, read], 1))
        return self.output(torch.stack(outputs))


def training_step(lstm):
    torch.manual_seed(1)
    model = Machine(lstm)
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    bits = torch.randint(0, 2, (VECTORS, BATCH, BITS)).float()
    inputs = torch.zeros(2 * VECTORS + 1, BATCH, BITS + 1)
    inputs[:VECTORS, :, :BITS] = bits
    inputs[VECTORS, :, BITS] = 1
    loss_of = nn.BCEWithLogitsLoss()

    def work():
        adam.zero_grad(set_to_none=True)
        loss_of(model(inputs)[VECTORS + 1:], bits).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        adam.step()

    return work


def best_ms(work, seconds=3.0):
    """The shortest of the runs that fit into `seconds`, at least three."""
    work()
    best, spent, runs = float("inf"), 0.0, 0
    while runs < 3 or spent < seconds:
        begin = time.perf_counter()
        work()
        once = time.perf_counter() - begin
        best = min(best, once)
        spent += once
        runs += 1
    return best * 1e3


def main():
    if len(sys.argv) < 2:
        sys.exit("machine_pytorch.py PROGRAM [TURNS]: give the program, build/release/heed")
    program, turns = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    heed, pytorch = {}, {}
    for turn in range(turns):
        print(f"turn {turn + 1} of {turns}", file=sys.stderr)
        rows = json.loads(subprocess.run([program, "bench", "machine", "--json"], check=True, capture_output=True,
                                         text=True).stdout)
        for row in rows["rows"] if isinstance(rows, dict) else rows:
            heed[row["name"]] = min(heed.get(row["name"], float("inf")), row["ms"])
        for name, lstm in (("machine_lstm", True), ("machine_feed_forward", False)):
            for threads in (1, 2):
                torch.set_num_threads(threads)
                pytorch[name] = min(pytorch.get(name, float("inf")), best_ms(training_step(lstm)))
    for name, ms in heed.items():
        print(f"{name}: Heed {BATCH / ms * 1e3:.0f} sequences/s, PyTorch {BATCH / pytorch[name] * 1e3:.0f}, "
              f"ratio {pytorch[name] / ms:.2f}")


if __name__ == "__main__":
    main()
