#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The work of `heed bench seq2seq` in PyTorch: training steps of an LSTM encoder-decoder with additive attention.

A step is 64 pairs of 25 tokens, forward, backward, clipping and Adam; vocabularies of 8000, embeddings of 256, a
bidirectional encoder and a decoder of 512 units. What need not wait for the step before (embeddings, keys, the
words' part of the output, logits) is computed once for all steps, as a careful author would.

Prints a JSON list: one row per name with `ms` (the best of several runs), `words_per_second` (target tokens) and
`threads`. `--seconds S` sets the time per row and thread setting, `--only NAME` (repeatable) picks rows.
"""
import argparse
import json
import time

import torch
from torch import nn

BATCH, LENGTH, VOCABULARY, EMBEDDING, HIDDEN = 64, 25, 8000, 256, 512
BEGIN = 2


class Seq2Seq(nn.Module):
    def __init__(self, arrangement):
        super().__init__()
        self.arrangement = arrangement
        self.source = nn.Embedding(VOCABULARY, EMBEDDING, padding_idx=0)
        self.target = nn.Embedding(VOCABULARY, EMBEDDING, padding_idx=0)
        self.encoder = nn.LSTM(EMBEDDING, HIDDEN, bidirectional=True)
        before = arrangement == "bahdanau"
        known = HIDDEN if before else 2 * HIDDEN
        self.first_h = nn.Linear(known, HIDDEN)
        self.first_c = nn.Linear(known, HIDDEN)
        self.keys = nn.Linear(2 * HIDDEN, HIDDEN, bias=False)
        self.query = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.v = nn.Linear(HIDDEN, 1, bias=False)
        self.cell = nn.LSTMCell(EMBEDDING + (2 * HIDDEN if before else HIDDEN), HIDDEN)
        self.readout = nn.Linear(3 * HIDDEN + (EMBEDDING if before else 0), HIDDEN)
        self.output = nn.Linear(HIDDEN, VOCABULARY)

    def attend(self, state, projected, values):
        """state [B,H], projected [B,S,H], values [B,S,2H] -> [B,2H]"""
        inside = torch.tanh(self.query(state).unsqueeze(1) + projected)
        weights = torch.softmax(self.v(inside).squeeze(2), dim=1)
        return torch.bmm(weights.unsqueeze(1), values).squeeze(1)

    def forward(self, source, target):
        """source and target [B,T] -> logits [T,B,V]"""
        outputs, (last_h, last_c) = self.encoder(self.source(source.t()))
        values = outputs.transpose(0, 1).contiguous()
        projected = self.keys(values)
        before = self.arrangement == "bahdanau"
        h = torch.tanh(self.first_h(last_h[1] if before else torch.cat([last_h[0], last_h[1]], 1)))
        c = torch.tanh(self.first_c(last_c[1] if before else torch.cat([last_c[0], last_c[1]], 1)))
        begin = torch.full((target.shape[0], 1), BEGIN, dtype=torch.long)
        words = self.target(torch.cat([begin, target[:, :-1]], 1).t())
        states, contexts, reads = [], [], []
        read = torch.zeros_like(h)
        for word in words:
            if before:
                context = self.attend(h, projected, values)
                h, c = self.cell(torch.cat([word, context], 1), (h, c))
                states.append(h)
                contexts.append(context)
            else:
                h, c = self.cell(torch.cat([word, read], 1), (h, c))
                context = self.attend(h, projected, values)
                read = torch.tanh(self.readout(torch.cat([context, h], 1)))
                reads.append(read)
        if before:
            all_read = torch.tanh(self.readout(torch.cat([torch.stack(states), torch.stack(contexts), words], 2)))
        else:
            all_read = torch.stack(reads)
        return self.output(all_read)


def training_step(arrangement):
    torch.manual_seed(1)
    model = Seq2Seq(arrangement)
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    source = torch.randint(4, VOCABULARY, (BATCH, LENGTH))
    target = torch.randint(4, VOCABULARY, (BATCH, LENGTH))
    loss_of = nn.CrossEntropyLoss()

    def work():
        adam.zero_grad(set_to_none=True)
        logits = model(source, target)
        loss_of(logits.flatten(0, 1), target.t().flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()

    return work


def best_ms(work, seconds):
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    rows = []
    for arrangement in ("bahdanau", "luong"):
        name = f"seq2seq_{arrangement}"
        if options.only and not any(name.startswith(start) for start in options.only):
            continue
        for threads in (1, 2):
            torch.set_num_threads(threads)
            ms = best_ms(training_step(arrangement), options.seconds)
            rows.append({"name": name, "ms": ms, "threads": threads, "words_per_second": BATCH * LENGTH / ms * 1e3})
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
